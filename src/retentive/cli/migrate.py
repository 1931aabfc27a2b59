"""The command that moves a store: migrate."""

from __future__ import annotations

import click

from retentive.cli.output import show
from retentive.cli.shared import Verb, note, progress


@click.command(cls=Verb, example="retentive migrate --from memory.db --to postgresql://bot:...@host/memories")
@click.option("--from", "source", metavar="URL", required=True, help="The store to read.")
@click.option("--to", "target", metavar="URL", required=True, help="An empty store, or that of an earlier run.")
def migrate(source: str, target: str) -> None:
    """Bring every memory, session and vector of one store to another, whatever keeps them.

    The old store stays in use meanwhile, and is only read. Stopped or killed, the same command goes on. Exit code 1
    when something was written while it ran or jobs wait in the old store: run it once more when nobody writes.
    """
    from retentive.migrate import migrate as migrated  # noqa: PLC0415  the databases load only when needed

    with progress(None, "memories") as advance:
        report = migrated(source, target, progress=advance)
    done = f"{report.copied:,} copied, {report.erased:,} erased, {report.vectors:,} vectors brought by this run"
    there = f"{report.memories:,} memories of {report.partitions:,} users and agents are there"
    show(report, lambda: [f"{there}: {done}"])
    if report.waiting:
        note(f"{report.waiting} jobs wait in the old store: run `retentive process` there, then this again")
    if report.differing:
        note(f"{report.differing} users or agents were written to meanwhile: run this again when nobody writes")
    if report.waiting or report.differing:
        click.get_current_context().exit(1)
