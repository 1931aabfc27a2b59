"""Commands for logs: ingest, relay."""

from __future__ import annotations

import signal
import threading
from types import FrameType

import click

from retentive.cli.output import show
from retentive.cli.shared import NUMBER, Verb, given, note, opened, progress


def until_told() -> threading.Event:
    """Set when SIGTERM or Ctrl-C asks to end."""
    stopping = threading.Event()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        stopping.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    return stopping


@click.command(cls=Verb, example="retentive ingest --from 'kafka://broker:9092/chats?group=memory'")
@click.option("--from", "source", metavar="URL", required=True, help="kafka://host:port/topic or redis://host/stream.")
@click.option("--dead", "dead_topic", metavar="TOPIC", help="For what can never be stored; by default TOPIC.dead.")
@click.option("--idle", "idle_s", type=NUMBER, metavar="SECONDS", help="End when nothing came for so long.")
@click.option("--batch", type=click.IntRange(1, 10_000), default=500, show_default=True, help="Messages read at once.")
def ingest(source: str, dead_topic: str | None, idle_s: float | None, batch: int) -> None:
    """Record messages of a topic as they come, until SIGTERM or Ctrl-C; each is stored once.

    Several may run at once, as a consumer group. Vectors and facts are made by `retentive work`.
    """
    from retentive.streams import ingest as take_in  # noqa: PLC0415  the database and the driver load only when needed
    from retentive.streams import open_log  # noqa: PLC0415

    stopping = until_told()
    with opened() as memory, open_log(source) as log, progress(None, "messages") as advance:
        report = take_in(
            memory,
            log,
            dead_topic=dead_topic,
            stop=stopping.is_set,
            idle_s=idle_s,
            batch=batch,
            progress=advance,
        )
    said = f"{report.stored} stored, {report.duplicate} there already, {report.skipped} had nothing to store"
    show(report, lambda: [f"{said}, {report.poison} to the dead letters"])


@click.command(cls=Verb, example="retentive relay --to kafka://broker:9092/memory-events")
@click.option("--to", "target", metavar="URL", required=True, help="kafka://host:port/topic or redis://host/stream.")
@click.option("--once", is_flag=True, help="Send what waits, and end.")
def relay(target: str, *, once: bool) -> None:
    """Send what was done to memories to a topic, until SIGTERM or Ctrl-C; each event at least once, without text."""
    from retentive.config import Settings, default_url  # noqa: PLC0415
    from retentive.plugins import make_backend  # noqa: PLC0415
    from retentive.streams import open_log  # noqa: PLC0415
    from retentive.streams import relay as send  # noqa: PLC0415

    stopping, settings = until_told(), Settings.from_env()
    backend = make_backend(given().store or settings.url or default_url(), settings)
    try:
        with open_log(target) as log, progress(None, "events") as advance:
            report = send(backend, log, stop=stopping.is_set, follow=not once, progress=advance)
    finally:
        backend.store.close()
    show(report, lambda: [f"{report.sent} events sent"])
    if report.missed:
        note(f"{report.missed} entries had been cut off the audit before they were sent: keep it longer")
