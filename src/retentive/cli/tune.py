"""`retentive tune`: a ranking chosen by the user's own queries, or the plain words that none is better."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from retentive.cli.output import printable, show
from retentive.cli.shared import Verb, note, opened, owner, run_jobs, scope_of
from retentive.config import Settings

if TYPE_CHECKING:
    from retentive.results import Item
    from retentive.scoped import ScopedMemory
    from retentive.tune import Asked
    from retentive.tune.questions import Made


@click.command(cls=Verb, example="retentive tune my-queries.jsonl --out ranking.json --user alice")
@click.argument("labels", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), default="ranking.json", show_default=True)
@click.option("--write", type=click.Path(dir_okay=False, path_type=Path), help="Write the questions here, and stop.")
@click.option("--approve-all", is_flag=True, help="Take all questions that are made, unseen.")
@click.option(
    "--count", type=click.IntRange(1, 1000), default=60, show_default=True, help="How many questions to make."
)
@click.option("--model", "by_model", is_flag=True, help="Let the model of RETENTIVE_MODEL_URL make the questions.")
@click.option("--seed", type=int, default=7, show_default=True, help="Of draws and folds: the same gives the same.")
def tune(
    labels: Path | None, out: Path, write: Path | None, *, approve_all: bool, by_model: bool, count: int, seed: int
) -> None:
    """Choose k, weights, half-life and floor of recall by your own queries, and write them to a settings file.

    LABELS has a query a line: {"query": "...", "ids": [...]}, or "source_ids" for your own ids of messages. Without it,
    questions are made out of your memories and shown for approval, or written with --write for you to edit.

    The gain is that of queries a ranking was chosen without, with its interval; when it is noise, nothing is written
    and the exit code is 1.
    """
    from retentive.arms import ranking_of  # noqa: PLC0415
    from retentive.arms.tuned import write_ranking  # noqa: PLC0415
    from retentive.tune import gather, read_asked  # noqa: PLC0415
    from retentive.tune import tune as choose  # noqa: PLC0415

    settings = Settings.from_env()
    owner(settings)
    asked = None if labels is None else read_asked(labels)
    with opened(replace(settings, ranking="context")) as memory:
        run_jobs(memory)
        mine = scope_of(memory)
        if asked is None:
            made = _made(mine, settings, count, seed, by_model=by_model)
            if write is not None:
                _write(write, made)
                return
            asked = [one.asked() for one in made] if approve_all else list(_approved(made))
        outcome = choose(gather(mine, asked), ranking_of(settings.ranking), seed=seed)
    if outcome.ranking is not None and outcome.preset is not None:
        gain = {name: f"{g.mean:+.1f} ({g.low:+.1f} to {g.high:+.1f})" for name, g in outcome.gain.items()}
        write_ranking(out, outcome.preset, outcome.ranking, {"queries": outcome.queries, "gain": gain})
    show(outcome, outcome.lines)
    if outcome.refused is not None:
        click.get_current_context().exit(1)
    note(f"written to {out}: use it with RETENTIVE_RANKING={out}")


# -- questions ---------------------------------------------------------------------------------------------------------
def _made(mine: ScopedMemory, settings: Settings, count: int, seed: int, *, by_model: bool) -> list[Made]:
    from retentive.tune.questions import questions  # noqa: PLC0415

    memories = list(_memories(mine))
    if not by_model:
        return questions(memories, count, seed=seed)
    with _model(settings) as ask:
        return questions(memories, count, seed=seed, ask=ask)


def _memories(mine: ScopedMemory) -> Iterator[Item]:
    cursor = None
    while True:
        page = mine.list(limit=1000, cursor=cursor)
        yield from page
        cursor = page.cursor
        if cursor is None:
            return


@contextmanager
def _model(settings: Settings) -> Iterator[Callable[[str], str]]:
    from retentive.models.chat import ChatModel  # noqa: PLC0415
    from retentive.tune.questions import prompted  # noqa: PLC0415

    if not settings.model_url or not settings.model_name:
        message = "--model needs RETENTIVE_MODEL_URL and RETENTIVE_MODEL_NAME"
        raise click.UsageError(message)
    with ChatModel(settings.model_url, settings.model_name, api_key=settings.model_key) as model:
        yield lambda text: "".join(model.stream(prompted(text)))


def _write(path: Path, made: Sequence[Made]) -> None:
    from retentive.tune.questions import to_rows  # noqa: PLC0415

    lines = [json.dumps(row, ensure_ascii=False) for row in to_rows(made)]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    note(f"{len(made)} questions written to {path}: edit them, then run `retentive tune {path}`")


def _approved(made: Sequence[Made]) -> Iterator[Asked]:
    """The questions that the user keeps, or puts in other words."""
    note("Enter keeps a question, n drops it, q ends; anything else is taken as a better question.")
    for number, one in enumerate(made, 1):
        click.echo(f"\n{number} of {len(made)}  {printable(one.text)[:300]}", err=True)
        answer = click.prompt(f"  {printable(one.query)}", default="", show_default=False, err=True).strip()
        if answer == "q":
            return
        if answer != "n":
            yield replace(one, query=answer).asked() if answer else one.asked()
