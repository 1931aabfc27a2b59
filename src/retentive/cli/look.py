"""Commands that read: recall, block, profile, list, history, why."""

from __future__ import annotations

from typing import Any, Literal

import click

from retentive.cli.explained import trace_lines
from retentive.cli.keep import filters
from retentive.cli.output import history_lines, hit_lines, item_lines, printable, receipt_lines, show, why_lines
from retentive.cli.shared import NUMBER, Verb, given, no_process, note, pairs, scoped, whole_id

_TIERS = click.Choice(["semantic", "episodic"])
_WHERE = click.option("--where", multiple=True, metavar="NAME=VALUE", help="Only what matches; may be repeated.")


@click.command(cls=Verb, example='retentive recall "when did we discuss billing?" --user alice')
@click.argument("query")
@click.option("-k", type=int, help="How many, at the most; 5, or what a tuned ranking says.")
@click.option("--tier", "tiers", type=_TIERS, multiple=True, help="Facts or messages only; both by default.")
@click.option("--since", metavar="TIME", help="Only what happened from then on.")
@click.option("--until", metavar="TIME", help="Only what happened until then.")
@click.option("--as-of", metavar="TIME", help="As things stood, and were believed, at that moment.")
@click.option("--known-at", metavar="TIME", help="With --as-of: what was true then, as it was known at this moment.")
@click.option("--now", metavar="TIME", help="The moment that age is counted from.")
@click.option("--session", "session_id", metavar="ID", help="Only from this conversation.")
@click.option("--min-score", type=NUMBER, help="Leave out what scores less.")
@click.option("--budget", "budget_tokens", type=int, metavar="TOKENS", help="Only what fits together.")
@click.option("--explain", is_flag=True, help="Show how each score came about, as a table.")
@_WHERE
def recall(
    query: str, tiers: tuple[Literal["semantic", "episodic"], ...], where: tuple[str, ...], **asked: Any
) -> None:
    """Find what answers a query, best first."""
    with scoped() as mine:
        found = mine.recall(query, tiers=tiers or ("semantic", "episodic"), where=filters(where), **asked)
        show(found, lambda: hit_lines(found.hits) + trace_lines(found.trace or {}))
    for reason in found.degraded:
        note(f"degraded: {reason}")
    if found.below_floor.count and asked["min_score"] is not None:
        note(f"{found.below_floor.count} left out by --min-score, the best at {found.below_floor.best_score:.2f}")


@click.command(cls=Verb, example='retentive block "which language should I answer in?" --user alice --budget 400')
@click.argument("query", required=False)
@click.option("--budget", "budget_tokens", type=int, metavar="TOKENS", help="Never exceeded; 800 by default.")
@click.option("-k", type=int, help="How many recalled memories, at the most; 5, or what a tuned ranking says.")
@click.option("--episodes", type=int, default=5, show_default=True, help="How many recent sessions.")
@click.option("--tag", help="The name of the block's tag; MEMORY by default.")
def block(query: str | None, **asked: Any) -> None:
    """Print the memory block: text for the system prompt, for what the query asks."""
    with scoped() as mine:
        built = mine.block(query, **asked)
        show(built, lambda: [built.text] if built.text else [])
    if not built.text:
        note("nothing to say: no profile, no facts, no sessions yet")
    for reason in built.degraded:
        note(f"degraded: {reason}")


@click.command(cls=Verb, example="retentive profile name=Alice timezone=GMT+8 --user alice")
@click.argument("values", nargs=-1, metavar="[FIELD=VALUE]...")
@no_process
def profile(values: tuple[str, ...], *, process: bool) -> None:
    """Show the profile, or set fields of it; an empty value empties the field."""
    with scoped(process=process and bool(values)) as mine:
        if values:
            receipt = mine.update_profile({name: value or None for name, value in pairs(values).items()})
            show(receipt, lambda: receipt_lines(receipt))
        else:
            known = mine.profile()
            show(known, lambda: [f"{name}: {printable(value)}" for name, value in known.items()] or ["nothing set yet"])


@click.command("list", cls=Verb, example="retentive list --tier semantic --where category=preference --user alice")
@click.option("--tier", type=_TIERS, help="Facts or messages only; both by default.")
@click.option("--status", default="active", show_default=True, help="Of facts; `any` shows what was superseded too.")
@click.option("--limit", type=int, default=100, show_default=True, help="How many a page.")
@click.option("--cursor", help="Where the last page ended.")
@_WHERE
def list_(tier: Literal["semantic", "episodic"] | None, status: str, where: tuple[str, ...], **paging: Any) -> None:
    """List memories, newest first."""
    with scoped() as mine:
        page = mine.list(tier, status=None if status == "any" else status, where=filters(where), **paging)
        show(page, lambda: item_lines(page) or ["nothing here"])
    if page.cursor and not given().as_json:
        note(f"more: --cursor {page.cursor}")


@click.command(cls=Verb, example="retentive history 01a1b2c3-d4e5-7f00 --user alice")
@click.argument("memory_id", metavar="ID")
def history(memory_id: str) -> None:
    """Show all versions of a memory, and of what it replaced or was replaced by, oldest first."""
    with scoped() as mine:
        versions = mine.history(whole_id(mine, memory_id))
        show(versions, lambda: history_lines(versions))


@click.command(cls=Verb, example="retentive why 01a1b2c3-d4e5-7f00 --user alice")
@click.argument("memory_id", metavar="ID")
def why(memory_id: str) -> None:
    """Show why a memory is there: who said it, the words it rests on, and its versions."""
    with scoped() as mine:
        reasons = mine.why(whole_id(mine, memory_id))
        show(reasons, lambda: why_lines(reasons))
