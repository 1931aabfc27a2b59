"""`retentive bench`: measure on this machine. Each measurement is a module of `retentive.bench` and a command here."""

from __future__ import annotations

from pathlib import Path

import click

from retentive.cli.output import show
from retentive.cli.shared import Verb, given, progress


@click.group()
def bench() -> None:
    """Measure on this machine."""


@bench.command(cls=Verb, example="retentive bench engine --memories 100000 --users 100")
@click.option("--memories", type=click.IntRange(1000), default=1_000_000, show_default=True, help="Of all users.")
@click.option("--users", type=click.IntRange(1), default=1000, show_default=True, help="Who share them evenly.")
@click.option("--dimension", type=click.IntRange(2), default=384, show_default=True, help="Of the stub vectors.")
@click.option("--queries", type=click.IntRange(1), default=1000, show_default=True, help="In each of the two stores.")
@click.option("--seed", type=int, default=7, show_default=True, help="Of the texts and vectors.")
@click.option("--audit-reads", is_flag=True, help="With each query entered in the audit.")
def engine(*, memories: int, users: int, dimension: int, queries: int, seed: int, audit_reads: bool) -> None:
    """Is one user's recall as fast in a store of many as in a store of one?

    Builds both stores in a temporary folder, or in the folder given by --store, where they are kept. Embedding is left
    out: it is the same in both.
    """
    from retentive.bench.engine import Plan, measure  # noqa: PLC0415

    plan = Plan(memories, users, dimension, queries, seed, audit_reads)
    folder = given().store
    with progress(memories, "memories") as advance:
        result = measure(plan, None if folder is None else Path(folder), advance)
    show(result, result.lines)


@bench.command(cls=Verb, example="retentive bench extract conversations.jsonl.gz --rules")
@click.argument("data", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--rules", is_flag=True, expose_value=False, help="By rules: what it always does, said for scripts.")
@click.option("--seed", type=int, default=7, show_default=True, help="Of the facts drawn for reading.")
@click.option("--drawn", type=click.Path(dir_okay=False, path_type=Path), help="Write 100 drawn facts here.")
def extract(data: Path, seed: int, drawn: Path | None) -> None:
    """How much of the labelled evidence do extracted facts cite, and how much junk comes with them?"""
    from retentive.bench.extract import run, write_drawn  # noqa: PLC0415
    from retentive.extract import RuleExtractor  # noqa: PLC0415

    report = run(data, RuleExtractor(), seed=seed)
    if drawn is not None:
        write_drawn(report, drawn)
    show(report, report.lines)
