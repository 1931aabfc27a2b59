"""Commands of the people responsible: the review queue, the redactor, and a worker process."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING

import click

from retentive.cli.output import show
from retentive.cli.shared import NUMBER, Verb, opened, run_jobs

if TYPE_CHECKING:
    from retentive.redaction import Redacted
    from retentive.review import Pending


@click.group()
def review() -> None:
    """Facts that wait for a person before they count."""


@review.command("list", cls=Verb, example="retentive review list")
@click.option("--limit", type=int, default=100, show_default=True, help="How many at the most.")
def list_pending(limit: int) -> None:
    """What waits, oldest first."""
    with opened() as memory:
        waiting = memory.review.pending(limit)
        show(waiting, lambda: _pending_lines(waiting))


def _pending_lines(waiting: list[Pending]) -> Iterator[str]:
    for one in waiting:
        yield f"{one.item.id}  {one.partition.owner}  {one.item.text}  ({one.reason or 'no reason given'})"
    if not waiting:
        yield "nothing waits"


@review.command(cls=Verb, example="retentive review approve ID")
@click.argument("id_", metavar="ID")
@click.option("--text", help="The fact as it should be, in place of the extractor's words.")
def approve(id_: str, text: str | None) -> None:
    """Let a fact count; it takes the place of what it contradicts."""
    with opened() as memory:
        item = memory.review.approve(id_, text=text)
        run_jobs(memory)
        show(item, lambda: [f"{item.outcome}  {item.id}"])


@review.command(cls=Verb, example='retentive review reject ID --why "it was a joke"')
@click.argument("id_", metavar="ID")
@click.option("--why", required=True, help="The reason; it stays in the history.")
def reject(id_: str, why: str) -> None:
    """Take a fact out, with the reason."""
    with opened() as memory:
        item = memory.review.reject(id_, why)
        show(item, lambda: [f"rejected  {item.id}"])


@click.command(cls=Verb, example='retentive redact "my password is QuietHarbor5527"')
@click.argument("text", required=False)
@click.option("--rescan", is_flag=True, help="Put everything stored through today's redactor.")
def redact(text: str | None, *, rescan: bool) -> None:
    """Show a text (or standard input) without its secrets and personal data, or clean old rows with --rescan."""
    if rescan:
        with opened() as memory:
            report = memory.rescan()
            run_jobs(memory)
            show(
                report,
                lambda: [f"{report.looked_at} memories looked at, {report.rewritten} rewritten", str(report.found)],
            )
        return
    from retentive.redaction import redact as clean  # noqa: PLC0415  its tables are not needed for --help

    cleaned: Redacted = clean(sys.stdin.read() if text is None else text)
    show(cleaned, lambda: [cleaned.text])


@click.command(cls=Verb, example="retentive work --schedule")
@click.option("--poll", "poll_s", type=NUMBER, default=1.0, show_default=True, help="Seconds between looks for work.")
@click.option("--schedule", is_flag=True, help="And do the upkeep that is due (RETENTIVE_UPKEEP).")
def work(poll_s: float, *, schedule: bool) -> None:
    """Be a worker: run background jobs until SIGTERM or Ctrl-C; the jobs at hand are finished first."""
    stopping = threading.Event()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        stopping.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    with opened() as memory:
        memory.work(stopping.is_set, poll_s, schedule=schedule)
