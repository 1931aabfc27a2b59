"""`retentive demo`: two days with one user, in separate processes. No network, no key, no trace left."""

from __future__ import annotations

from pathlib import Path

import click

from retentive.cli.shared import Verb


@click.command(cls=Verb, example="retentive demo", json=False)
@click.option("--day-one", type=click.Path(path_type=Path), hidden=True)
def demo(day_one: Path | None) -> None:
    """Watch two days with one user: the first ends with `kill -9`, the second remembers, explains and forgets."""
    from retentive.cli import story  # noqa: PLC0415  numpy and the database load only when needed

    if day_one is None:
        story.play()
    else:
        story.live_day_one(day_one)
