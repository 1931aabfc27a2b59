"""Commands that keep a store well: process, doctor, reembed, usage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import click

from retentive.cli.output import printable, show
from retentive.cli.shared import Verb, opened, progress, run_jobs, scope_of
from retentive.config import Settings
from retentive.errors import NotFound

if TYPE_CHECKING:
    from retentive.contracts import StoreStatus
    from retentive.contracts.ledger import SessionUsage, Spent, UsageKey
    from retentive.scoped import ScopedMemory


@click.command(cls=Verb, example="retentive process")
@click.option("--max-jobs", type=int, help="Stop after so many; all by default.")
@click.option("--requeue", is_flag=True, help="Give jobs that gave up another chance first.")
def process(max_jobs: int | None, *, requeue: bool) -> None:
    """Run waiting background jobs: vectors, and the ends of sessions."""
    with opened() as memory:
        if requeue:
            memory.requeue()
        report = run_jobs(memory, max_jobs)
        show(report, lambda: [f"{report.done} jobs done, {report.waiting} wait, {report.dead} gave up"])
    if report.errors:
        click.get_current_context().exit(1)


@click.command(cls=Verb, example="retentive doctor --fix")
@click.option("--fix", is_flag=True, help="Make the index anew from the text.")
def doctor(*, fix: bool) -> None:
    """Check every page of the store and hold its index against the text. Exit code 1 when something is wrong."""
    with opened() as memory:
        status = memory.doctor(fix=fix)
        if fix:
            run_jobs(memory)
        show(status, lambda: _status_lines(status))
    if status.problems:
        click.get_current_context().exit(1)


def _status_lines(status: StoreStatus) -> Iterator[str]:
    yield f"store    {status.location} ({status.engine}, schema {status.schema_version})"
    yield f"embedder {status.embedder or 'none yet'}"
    if status.reembedding is not None:
        change = status.reembedding
        yield f"         to be {change.model}: {change.done} of {change.total} vectors are made (`retentive reembed`)"
    yield "holds    " + ", ".join(f"{count} {name}" for name, count in status.counts.items())
    yield from (f"PROBLEM  {problem}" for problem in status.problems)
    if not status.problems:
        yield "sound"


@click.command(cls=Verb, example="retentive reembed --embedder offline")
@click.option(
    "--embedder", type=click.Choice(["offline", "minilm", "http", "none"]), help="Which; RETENTIVE_EMBEDDER by default."
)
def reembed(embedder: str | None) -> None:
    """Make all vectors anew with another embedder. Search stays with the old ones until they are there.

    Stopped or killed, the same command goes on where it was; with the present embedder's name it gives the change up.
    """
    settings = Settings.from_env()
    settings = replace(settings, embedder=embedder or settings.embedder)
    with opened(settings, change_embedder=True) as memory:
        under_way = memory.status().reembedding
        with progress(0 if under_way is None else under_way.total - under_way.done, "vectors") as advance:
            report = memory.reembed(progress=advance)
        show(report, lambda: [f"search is with {report.model}: {report.made} vectors were made"])


@click.command(cls=Verb, example="retentive usage --by owner,operation,model")
@click.option("--by", default="session,operation", show_default=True, help="What to tell apart, comma-separated.")
@click.option("--session", metavar="ID", help="Of one session of the user: which memories took how much of it.")
def usage(by: str, session: str | None) -> None:
    """What model calls took, in tokens and money: by owner, session, agent, project, operation, model and more."""
    if session is not None:
        with opened() as memory:
            mine = scope_of(memory)
            took = mine.session_usage(session)
            show(took, lambda: _session_lines(took, mine))
        return
    from retentive.contracts.ledger import USAGE_KEYS  # noqa: PLC0415  it stands beside numpy's types

    keys = [name.strip() for name in by.split(",") if name.strip()]
    unknown = sorted(set(keys) - set(USAGE_KEYS))
    if unknown:
        message = f"{unknown[0]!r} is none of {', '.join(USAGE_KEYS)}"
        raise click.BadParameter(message, param_hint="--by")
    with opened() as memory:
        spent = memory.usage(cast("list[UsageKey]", keys))
        show(spent, lambda: _usage_lines(spent))


def _money(cost: float | None) -> str:
    return "" if cost is None else f", ${cost:.4f}"


def _session_lines(took: SessionUsage, mine: ScopedMemory) -> Iterator[str]:
    spent = f"{took.usage.prompt_tokens} tokens of prompts, {took.usage.completion_tokens} of answers"
    yield f"{took.session_id}: {took.calls} calls, {spent}{_money(took.usage.cost)}"
    yield f"memory: {took.block_tokens} tokens{_money(took.block_cost)}"
    for one in took.memories:
        yield f"  {one.tokens} tokens{_money(one.cost)}, {one.calls} calls: {_named(one.memory_id, mine)}"


def _named(memory_id: str | None, mine: ScopedMemory) -> str:
    if memory_id is None:
        return "(frame, titles, sessions)"
    try:
        return f"{memory_id} {printable(mine.get(memory_id).text)}"
    except NotFound:  # a rebuild put another in its place, or it is of another scope
        return memory_id


def _usage_lines(spent: list[Spent]) -> Iterator[str]:
    for line in spent:
        yield f"{' '.join(map(str, line.key))}: {line.calls} calls, {line.tokens} tokens{_money(line.usage.cost)}"
    if not spent:
        yield "no model was asked"
