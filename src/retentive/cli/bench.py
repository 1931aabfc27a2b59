"""`retentive bench`: measure on this machine. Each measurement is a module of `retentive.bench` and a command here."""

from __future__ import annotations

from pathlib import Path

import click

from retentive.cli.output import show
from retentive.cli.shared import Verb, given, pairs, progress
from retentive.config import Settings


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


@bench.command(cls=Verb, example="retentive bench scopes --memories 1000 --memories 10000 --memories 100000")
@click.option(
    "--memories", type=click.IntRange(100), multiple=True, default=(1_000, 10_000, 100_000), show_default=True
)
@click.option("--queries", type=click.IntRange(20), default=200, show_default=True, help="In each scope.")
@click.option("--seed", type=int, default=7, show_default=True, help="Of the texts and vectors.")
def scopes(*, memories: tuple[int, ...], queries: int, seed: int) -> None:
    """How does one user's recall grow with their memories, beside the least that any engine has to do?

    The floor, measured in the same run: the product of all vectors with the query's, and a full-text query of SQLite
    for the same words. Where a scope is large enough to be narrowed, its ten best are held against those of a search of
    the whole. A million memories take four minutes of a core of its own, and 7 GB of memory.
    """
    from retentive.bench.scopes import Plan, measure  # noqa: PLC0415

    with progress(sum(memories), "memories") as advance:
        result = measure(Plan(memories, queries, seed), advance)
    show(result, result.lines)


@bench.command(cls=Verb, example="retentive bench writes --group 100")
@click.option("--rows", type=click.IntRange(1000), default=20_000, show_default=True, help="Messages to record.")
@click.option("--group", type=click.IntRange(1, 10_000), default=100, show_default=True, help="Of them in each call.")
@click.option("--seed", type=int, default=7, show_default=True, help="Of the texts.")
def writes(*, rows: int, group: int, seed: int) -> None:
    """How fast are messages recorded in groups, and how much slower is that than SQLite alone?

    The same texts are written in turn to a store and, by one plain INSERT, to a table of a database of its own. Both
    commit each group. Vectors and facts are left out: background jobs make them later.
    """
    from retentive.bench.writes import Plan, measure  # noqa: PLC0415

    result = measure(Plan(rows, group, seed))
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


@bench.command(cls=Verb, example="retentive bench retrieval conversations.jsonl.gz --curve covered.svg")
@click.argument("data", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--conversations", type=click.IntRange(1), help="Only the first so many.")
@click.option("--queries", type=click.IntRange(1), help="Only so many of each conversation.")
@click.option("--budgets", default="100,200,400,800,1600,3200", show_default=True, help="Token budgets of the curve.")
@click.option("--curve", type=click.Path(dir_okay=False, path_type=Path), help="Draw it here, as .svg or .png.")
def retrieval(data: Path, conversations: int | None, queries: int | None, budgets: str, curve: Path | None) -> None:
    """How much of the labelled evidence do recall and block find, how fast, and how sure is that?

    DATA holds one conversation a line: id, messages (id, session, ts, speaker, text) and queries (text, gold_ids).
    Each is recorded as a user of its own in a temporary store, or in the one given by --store, and forgotten again.
    """
    from retentive.bench.chart import Curve, chart_writer, write_chart  # noqa: PLC0415
    from retentive.bench.retrieval import Plan, measure  # noqa: PLC0415

    if curve is not None:
        chart_writer(curve)  # what is missing is said before the work
    try:
        plan = Plan(conversations, queries, tuple(sorted({int(one) for one in budgets.split(",")})))
    except ValueError as error:
        message = "give whole numbers of tokens, such as 200,800"
        raise click.BadParameter(message, param_hint="--budgets") from error
    with progress(None, "conversations") as advance:
        report = measure(data, plan, Settings.from_env(), given().store, advance)
    if curve is not None:
        points = [(p.budget_tokens, p.covered.mean, p.covered.low, p.covered.high) for p in report.curve]
        title = f"{report.data}: evidence covered by a block, with its 95 % interval"
        write_chart(Curve(title, "tokens the block may take", "% of evidence", points), curve)
    show(report, report.lines)


@bench.command("tune", cls=Verb, example="retentive bench tune conversations.jsonl.gz")
@click.argument("data", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--seed", type=int, default=7, show_default=True, help="Of folds, draws and shuffles.")
def tune_(data: Path, seed: int) -> None:
    """Does a ranking tuned on half of the conversations lift the other half? Are shuffled labels refused?"""
    from retentive.bench.tuning import measure  # noqa: PLC0415

    with progress(None, "conversations") as advance:
        report = measure(data, Settings.from_env(), advance, seed)
    show(report, report.lines)


@bench.command(cls=Verb, example="retentive bench block --memories 10000")
@click.option("--memories", type=click.IntRange(1), default=10_000, show_default=True, help="Of one user.")
@click.option("--blocks", type=click.IntRange(1), default=300, show_default=True, help="Each for a query of its own.")
@click.option("--seed", type=int, default=7, show_default=True, help="Of the texts.")
def block(memories: int, blocks: int, seed: int) -> None:
    """How long does a block for the prompt take, with the query's embedding and without?

    By the embedder of your settings; the default makes about a hundred vectors a second first.
    """
    from retentive.bench.block import measure  # noqa: PLC0415

    with progress(memories, "memories") as advance:
        report = measure(memories, blocks, Settings.from_env(), seed, advance)
    show(report, report.lines)


@bench.command(cls=Verb, example="retentive bench peers --python mem0=/venvs/mem0/bin/python --memories 10000")
@click.option("--memories", type=click.IntRange(200), default=10_000, show_default=True, help="In each system.")
@click.option("--searches", type=click.IntRange(20), default=200, show_default=True, help="In each system.")
@click.option("--python", "pythons", multiple=True, metavar="NAME=PATH", help="The interpreter that has a peer.")
@click.option("--only", multiple=True, metavar="NAME", help="Only this peer; may be repeated.")
@click.option("--seed", type=int, default=7, show_default=True, help="Of the texts and vectors.")
def peers(memories: int, searches: int, pythons: tuple[str, ...], only: tuple[str, ...], seed: int) -> None:
    """How many times as fast as mem0, SqliteStore, Chroma, mcp-memory-service and txtai, on the same texts and vectors?

    Installs nothing: a peer that is not there is named as absent. NAME is mem0, sqlitestore, chroma, mcp_memory or
    txtai; give each the interpreter of an environment that has it.
    """
    from retentive.bench.peers.run import Plan, measure  # noqa: PLC0415

    given_pythons = {name: Path(path) for name, path in pairs(pythons).items()}
    with progress(None, "systems") as advance:
        report = measure(Plan(memories, searches=searches, seed=seed), given_pythons, only, advance)
    show(report, report.lines)


@bench.command(cls=Verb, example="retentive bench year --days 300")
@click.option("--days", type=click.IntRange(1), default=300, show_default=True, help="How many.")
@click.option("--seed", type=int, default=7, show_default=True, help="Of what is said.")
def year(*, days: int, seed: int) -> None:
    """Does memory stay small and right for a year? Six sessions a day, with all upkeep, on a simulated clock."""
    from retentive.bench.year import run  # noqa: PLC0415

    with progress(days, "days") as advance:
        report = run(days, Settings.from_env(), seed=seed, advance=advance)
    show(report, report.lines)


@bench.command(cls=Verb, example="retentive bench upkeep --facts 10000 --sessions 1000")
@click.option("--facts", type=click.IntRange(100), default=10_000, show_default=True, help="Half of them duplicates.")
@click.option("--sessions", type=click.IntRange(20), default=1_000, show_default=True, help="Of eight messages each.")
@click.option("--rounds", type=click.IntRange(1), default=10, show_default=True, help="Each of another user.")
def upkeep(*, facts: int, sessions: int, rounds: int) -> None:
    """Does consolidating hold on to memory? Rounds of facts and sessions, and what the process holds after each."""
    from retentive.bench.upkeep import run  # noqa: PLC0415

    with progress(rounds, "rounds") as advance:
        report = run(facts, sessions, rounds, advance)
    show(report, report.lines)
