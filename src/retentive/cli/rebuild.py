"""The command that draws all facts from the log anew: compare, promote, discard, restore."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from retentive.cli.output import printable, show
from retentive.cli.shared import Verb, given, opened, progress, run_jobs, scope_of

if TYPE_CHECKING:
    from retentive.lifecycle.difference import Difference, RebuildReport
    from retentive.memory import Memory
    from retentive.results import Item

_EXAMPLE = """retentive rebuild --dry-run --extractor model
retentive rebuild --promote --extractor model
retentive rebuild --restore"""


@click.command(cls=Verb, example=_EXAMPLE)
@click.option("--dry-run", "action", flag_value="compare", help="Read the log, show the difference, change nothing.")
@click.option("--promote", "action", flag_value="promote", help="Put the new facts in the place of the old ones.")
@click.option("--discard", "action", flag_value="discard", help="Throw away what a dry run has read.")
@click.option("--restore", "action", flag_value="restore", help="Put back the facts that the last promotion took out.")
@click.option("--extractor", type=click.Choice(["rules", "model"]), help="Which; RETENTIVE_EXTRACTOR by default.")
@click.option("--limit", type=int, default=20, show_default=True, help="Differences of a kind to show.")
def rebuild(action: str | None, extractor: str | None, limit: int) -> None:
    """Draw all facts from the log anew, with another extractor, prompt or model.

    What people said, changed, approved or rejected stands, and what was forgotten stays forgotten. With --user or
    --agent only theirs; of everyone otherwise. Stopped or killed, the same command goes on.
    """
    if action is None:
        message = "say what to do: --dry-run, --promote, --discard or --restore"
        raise click.UsageError(message)
    with opened() as memory:
        report = _done(memory, action, extractor)
        if action in {"promote", "restore"}:
            run_jobs(memory)
        show(report, lambda: _lines(report, limit))
    if report.errors:
        click.get_current_context().exit(1)


def _done(memory: Memory, action: str, extractor: str | None) -> RebuildReport:
    scope = scope_of(memory).scope if given().user or given().agent else None
    if action == "discard":
        return memory.rebuild_discard()
    if action == "restore":
        return memory.rebuild_restore(scope=scope)
    with progress(None, "messages read") as advance:
        return memory.rebuild(dry_run=action == "compare", extractor=extractor, scope=scope, progress=advance)


def _lines(report: RebuildReport, limit: int) -> Iterator[str]:
    if report.state == "discarded":
        yield "what was read is thrown away"
        return
    for name, sign, differences in (
        ("added", "+", report.added),
        ("lost", "-", report.lost),
        ("changed", "~", report.changed),
    ):
        yield from _some(name, sign, differences, limit)
    would = ", were it promoted" if report.state == "compared" else ""
    yield f"facts: {report.before} before, {report.after} after{would}"
    yield (
        f"       {len(report.added)} added, {len(report.lost)} lost, {len(report.changed)} changed, "
        f"{report.same} the same"
    )
    if report.state != "restored":
        yield f"       {report.kept} are people's own or can be read no more: no rebuild touches them"
        money = "" if report.cost is None else f", ${report.cost:.4f}"
        took = f"{report.calls} model calls, {report.tokens} tokens{money}" if report.calls else "no model was asked"
        yield f"read:  {report.read} messages by {report.extractor}; {took}"
    yield from (f"not read, {report.unread} messages in all: {printable(error)}" for error in report.errors)


def _some(name: str, sign: str, differences: Sequence[Difference], limit: int) -> Iterator[str]:
    for one in differences[:limit]:
        both = one.before is not None and one.after is not None
        for item, mark in ((one.before, "-"), (one.after, "+")):
            if item is not None:
                yield f"{f'{sign} {mark}' if both else sign} {_said(one.owner, item)}"
                yield from (f'      "{printable(quote)}"' for quote in item.quotes)
    if len(differences) > limit:
        yield f"  ... and {len(differences) - limit} more {name} (--limit)"


def _said(owner: str, item: Item) -> str:
    about = f"{item.field or item.category}{'' if item.status == 'active' else ', ' + item.status}"
    return f"{printable(owner)}: {printable(item.text)} ({about})"
