"""Commands that keep memory bounded and right: retain, consolidate, verify."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from retentive.cli.output import show, table
from retentive.cli.shared import Verb, opened, run_jobs

if TYPE_CHECKING:
    from retentive.results import ConsolidateReport, RetainReport, VerifyReport

_DRY_RUN = click.option("--dry-run", is_flag=True, help="List what would be done; change nothing.")


@click.command(cls=Verb, example="retentive retain --dry-run")
@_DRY_RUN
def retain(*, dry_run: bool) -> None:
    """Hold everything stored to the limits of RETENTIVE_RETENTION: what is past its time goes, bytes and all."""
    with opened() as memory:
        report = memory.retain(dry_run=dry_run)
        if not dry_run:
            run_jobs(memory)
        show(report, lambda: _retain_lines(report))
    if report.left:
        click.get_current_context().exit(1)


def _retain_lines(report: RetainReport) -> Iterator[str]:
    yield from table(
        ["action", "tier", "id", "reason"], [(one.action, one.tier, one.id, one.reason) for one in report.aged]
    )
    done = "would be" if report.dry_run else "were"
    yield (
        f"{report.looked_at} memories looked at: {report.erased} {done} erased, {report.quoted} cut down to what facts "
        f"cite, {report.expired} expired, {report.archived} archived; {report.held} are held"
    )
    if report.audit_cut:
        yield f"{report.audit_cut} entries of the audit were cut off"
    if report.left:
        yield "another process still reads the old bytes: they go when the last one closes the store"


@click.command(cls=Verb, example="retentive consolidate")
def consolidate() -> None:
    """Summarise older sessions, merge near-duplicate facts, add patterns across sessions. Nothing is lost by it."""
    with opened() as memory:
        report = memory.consolidate()
        run_jobs(memory)
        show(report, lambda: _consolidate_lines(report))
    if report.errors:
        click.get_current_context().exit(1)


def _consolidate_lines(report: ConsolidateReport) -> Iterator[str]:
    yield (
        f"{report.summarised} sessions summarised, {report.merged} facts merged into others, "
        f"{report.patterns} patterns added"
    )
    yield from (f"a reply changed nothing: {error}" for error in report.errors)


@click.command(cls=Verb, example="retentive verify")
def verify() -> None:
    """Hold facts nobody spoke of for long against what was said since, the most valuable first."""
    with opened() as memory:
        report = memory.verify()
        run_jobs(memory)
        show(report, lambda: _verify_lines(report))
    if report.errors:
        click.get_current_context().exit(1)


def _verify_lines(report: VerifyReport) -> Iterator[str]:
    yield (
        f"{report.stale} facts are stale: {report.confirmed} confirmed, {report.superseded} superseded, "
        f"{report.disputed} disputed, {report.pending} wait for a person, {report.lowered} lowered, {report.left} left"
    )
    yield from (f"of weight, and nothing was heard of it: {one}" for one in report.review)
    yield from (f"a reply changed nothing: {error}" for error in report.errors)
