"""Tuning: real gains are found and written down, noise and labels that do not belong are refused in plain words."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from retentive import Memory, ScopedMemory
from retentive.arms import PRESETS
from retentive.arms.ranking import ARMS, Traits
from retentive.errors import ImportFailed
from retentive.tune import Asked, Example, gather, read_asked, tune
from retentive.tune.choose import compare, enough, shuffled
from retentive.tune.gather import measured
from retentive.tune.questions import questions

CONTEXT = PRESETS["context"]


def example(number: int, rng: Any, good: float, **signal: float) -> Example:
    """Forty candidates, all arms noise; the wanted one's scores are raised by `signal`, and it is `good` days old."""
    scores = rng.uniform(0, 0.6, (40, len(ARMS)))
    for arm, raised in signal.items():
        scores[0, ARMS.index(arm)] += raised
    age_s = rng.uniform(0, 300, 40) * 86_400
    age_s[0] = good * 86_400
    return Example(
        scores=np.clip(scores, 0, 1),
        said=ARMS,
        age_s=age_s,
        evergreen=np.zeros(40, bool),
        names=tuple(frozenset({f"q{number}-{candidate}"}) for candidate in range(40)),
        wanted=frozenset({f"q{number}-0"}),
        traits=Traits(),
        pool="alice",
        group=f"alice:{number}",
    )


def examples(seed: int, good: float = 150, **signal: float) -> list[Example]:
    rng = np.random.default_rng(seed)
    return [example(number, rng, good, **signal) for number in range(60)]


# -- what is found -----------------------------------------------------------------------------------------------------
def test_an_arm_that_is_undervalued_gets_more_weight() -> None:
    outcome = tune(examples(1, when=0.4), CONTEXT)
    assert outcome.refused is None
    assert outcome.gain["ndcg@10"].low > 0
    assert outcome.tuned["recall@5"] > outcome.now["recall@5"]
    assert outcome.ranking is not None
    assert outcome.ranking.when / outcome.ranking.tokens > CONTEXT.when / CONTEXT.tokens
    unseen = compare(examples(2, when=0.4), CONTEXT, outcome.ranking)
    assert unseen.gain["ndcg@10"].low > 0
    shown = "\n".join(outcome.lines())
    assert "chosen: context with" in shown
    assert "when x" in shown


def test_memories_that_should_fade_fade() -> None:
    outcome = tune(examples(1, good=1, tokens=0.15), CONTEXT)
    assert outcome.ranking is not None
    assert outcome.ranking.decay_floor < CONTEXT.decay_floor


def test_the_same_gives_the_same() -> None:
    assert tune(examples(3, own=0.4), CONTEXT) == tune(examples(3, own=0.4), CONTEXT)


def test_k_is_the_least_that_finds_nearly_all() -> None:
    assert enough(examples(4, tokens=1.0, vector=1.0, own=1.0), CONTEXT) == 3
    assert enough(examples(4, own=0.2), CONTEXT) > 10


# -- what is refused ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(4))
def test_noise_is_refused(seed: int) -> None:
    """Each arm tells as much as its weight says: there is nothing to gain."""
    signal = {name: 0.9 * share for name, share in CONTEXT.shares_for(ARMS, Traits()).items()}
    outcome = tune(examples(seed, **signal), CONTEXT)
    assert outcome.refused is not None
    assert outcome.ranking is None
    assert "nothing is changed" in "\n".join(outcome.lines())


@pytest.mark.parametrize("seed", range(3))
def test_shuffled_labels_are_refused(seed: int) -> None:
    one = examples(seed, when=0.4)
    names = frozenset().union(*(e.names[0] for e in one))
    every = [replace(e, names=(*e.names[:1], names - e.names[0], *e.names[2:])) for e in one]  # all share a memory
    outcome = tune(shuffled(every, seed=seed), CONTEXT)
    assert outcome.refused is not None
    assert outcome.ranking is None


def test_few_queries_and_unknown_ids_are_refused() -> None:
    assert "too few" in (tune(examples(1, when=0.4)[:19], CONTEXT).refused or "")
    lost = [replace(one, wanted=frozenset({"elsewhere"})) for one in examples(1)]
    assert "no labelled id was found" in (tune(lost, CONTEXT).refused or "")


# -- gathering ---------------------------------------------------------------------------------------------------------
def test_what_is_gathered_ranks_as_recall_does(memory: Memory, mine: ScopedMemory) -> None:
    colours = ("red", "green", "blue", "white", "black", "yellow")
    said = [f"the {colour} {thing} is in the garden" for colour in colours for thing in ("gate", "chair")]
    mine.record([{"role": "user", "content": text, "id": text} for text in said], "s")
    memory.process()
    asked = [
        Asked(f"where is the {colour} chair?", frozenset({f"the {colour} chair is in the garden"}))
        for colour in colours
    ]
    for one, found in zip(asked, gather(mine, asked), strict=True):
        hits = mine.recall(one.query, k=3).hits
        order = found.order(CONTEXT)[:3]
        assert [hits[0].id in found.names[place] for place in order] == [True, False, False]
        assert measured(found, CONTEXT)["mrr"] == 1.0


def test_labels_are_read_and_broken_ones_named(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text('{"query": "where?", "ids": ["a"]}\n{"query": "when?", "source_ids": ["m1", "m2"], "text": "x"}\n')
    assert read_asked(path) == [Asked("where?", frozenset({"a"})), Asked("when?", frozenset({"m1", "m2"}))]
    for broken in (
        '{"query": "where?"}',
        '{"query": " ", "ids": ["a"]}',
        '{"query": "x", "ids": [1]}',
        "[]",
        "nonsense",
    ):
        path.write_text(f'{{"query": "where?", "ids": ["a"]}}\n{broken}\n')
        with pytest.raises(ImportFailed, match="line 2"):
            read_asked(path)


# -- questions ---------------------------------------------------------------------------------------------------------
def test_questions_are_made_of_what_the_user_said(memory: Memory, mine: ScopedMemory) -> None:
    mine.record(
        [
            {"role": "user", "content": "My favourite tea since the winter is Assam"},
            {"role": "user", "content": "Yesterday the neighbour painted his old wooden fence bright orange"},
            {"role": "assistant", "content": "An orange fence beside your garden sounds really striking"},
            {"role": "user", "content": "Did the neighbour paint his wooden fence?"},
            {"role": "user", "content": "Good morning!"},
        ],
        "s",
    )
    made = questions(list(mine.list()), 10)
    assert {one.text for one in made} >= {"Yesterday the neighbour painted his old wooden fence bright orange"}
    assert not any(one.text.startswith(("An orange", "Did the", "Good")) for one in made)
    tea = next(one for one in made if "tea" in one.text)
    assert "assam" not in tea.query.lower()
    assert mine.recall(tea.query).hits[0].text == tea.text
    assert questions(list(mine.list()), 10) == made
    asked = questions(list(mine.list()), 1, ask=lambda text: f" Which one?\n{len(text)} ")
    assert len(asked) == 1
    assert asked[0].query.startswith("Which one?")
    assert memory.process().dead == 0


def test_a_written_label_can_be_read_again(mine: ScopedMemory, tmp_path: Path) -> None:
    from retentive.tune.questions import to_rows  # noqa: PLC0415

    mine.remember("The spare key of the cellar hangs behind the blue door")
    made = questions(list(mine.list()), 5)
    path = tmp_path / "labels.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in to_rows(made)))
    assert read_asked(path) == [one.asked() for one in made]
