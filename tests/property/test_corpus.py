"""A corpus kept up to date in any order of puts and drops answers like one loaded fresh."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from retentive import arms, rank
from retentive.corpus import Corpus, IndexRow, pack_vector, unpack_vectors
from retentive.counts import pack_terms
from retentive.types import Tier

DIMENSION = 4
TERMS = ["tea", "milk", "drawer", "passport", "早", "ord-17"]
SESSIONS = [None, "s1", "s2", "s3"]
BASE = 3 << 32

terms = st.lists(st.sampled_from(TERMS), max_size=8)
vectors = st.one_of(
    st.none(),
    st.lists(st.floats(-1, 1, width=16), min_size=DIMENSION, max_size=DIMENSION).map(
        lambda numbers: pack_vector(np.array(numbers, np.float32))
    ),
    st.sampled_from([b"", b"cut", np.full(DIMENSION, np.nan, np.float16).tobytes(), b"\x7c" * 2 * DIMENSION]),
)


@st.composite
def index_rows(draw: st.DrawFn, number: int = 0) -> IndexRow:
    tier = draw(st.sampled_from([Tier.EPISODIC, Tier.EPISODIC, Tier.SEMANTIC]))
    moment = st.one_of(st.none(), st.integers(-(10**15), 10**15))
    return IndexRow(
        row=BASE + number,
        tier=tier,
        timestamp_us=draw(st.integers(-(10**15), 10**15)),
        recorded_us=draw(st.integers(0, 10**15)),
        retired_us=draw(moment),
        valid_to_us=draw(moment),
        expires_us=draw(moment),
        current=draw(st.integers(0, 1)),
        evergreen=draw(st.integers(0, 1)),
        session_id=draw(st.sampled_from(SESSIONS)),
        agent_id=draw(st.sampled_from([None, "bot", "aid"])),
        project_id=draw(st.sampled_from([None, "blog"])),
        own=draw(st.integers(0, 1)),
        terms=pack_terms(draw(terms)),
        vector=draw(vectors),
    )


def loaded(rows: dict[int, IndexRow]) -> Corpus:
    """What a process that starts now would have."""
    corpus = Corpus(DIMENSION)
    corpus.put([rows[row] for row in sorted(rows)])
    return corpus


def names_of(corpus: Corpus, column: str) -> list[Any]:
    """Names instead of numbers: those are given in order of arrival."""
    names = {"session": corpus.sessions, "agent": corpus.agents, "project": corpus.projects}[column]
    by_number = {number: name for name, number in names.number.items()}
    return [by_number[number] for number in corpus.column(column).tolist()]


def seen(corpus: Corpus) -> dict[str, Any]:
    """Everything a reader gets of the memories that are there, by row and not by place."""
    here = np.flatnonzero(corpus.column("alive"))
    row_at = np.append(corpus.column("row"), -1)
    before, after = corpus.neighbours()
    told: dict[str, Any] = {
        name: corpus.column(name)[here].tolist()
        for name in (
            *("row", "tier", "timestamp_us", "recorded_us", "retired_us", "valid_to_us", "expires_us"),
            *("current", "evergreen", "own", "length", "embedded"),
        )
    }
    told |= {name: [names_of(corpus, name)[place] for place in here] for name in ("session", "agent", "project")}
    told["vectors"] = corpus.vectors[here].tolist()
    told["before"], told["after"] = row_at[before[here]].tolist(), row_at[after[here]].tolist()
    for term in TERMS:
        docs, counts = corpus.postings(term)
        alive = corpus.column("alive")[docs]
        told[f"postings of {term}"] = sorted(zip(row_at[docs[alive]].tolist(), counts[alive].tolist(), strict=True))
    mask = corpus.column("alive").copy()
    query = np.array([0.5, 0.5, 0.5, 0.5], np.float32)
    for text in ("tea in the drawer", "ORD-17 早 in 1970") if len(here) else ():
        first = arms.first_arms(corpus, arms.read_question(text, 0, query), mask)
        told[f"coverage of {text}"] = round(float(first.coverage), 4)
        for name, scores in {**first.scores, "shared": first.shared}.items():
            told[f"{name} for {text}"] = np.round(scores[here].astype(np.float32), 4).tolist()
    return told


class Incremental(RuleBasedStateMachine):
    """Put new rows, change known ones, drop some, in any order; compare with a fresh load after every step."""

    def __init__(self) -> None:
        super().__init__()
        self.corpus = Corpus(DIMENSION)
        self.rows: dict[int, IndexRow] = {}
        self.next = 1

    @rule(data=st.data(), count=st.integers(1, 5), gap=st.integers(0, 3))
    def add(self, data: st.DataObject, count: int, gap: int) -> None:
        new = [data.draw(index_rows(number=self.next + gap + place)) for place in range(count)]
        self.next += gap + count
        self.corpus.put(new)
        self.rows |= {row.row: row for row in new}

    @precondition(lambda self: self.rows)
    @rule(data=st.data())
    def change_and_add(self, data: st.DataObject) -> None:
        """As after a commit: some rows retired or given their vector, one new; the terms of a row never change."""
        known = data.draw(st.lists(st.sampled_from(sorted(self.rows)), unique=True, max_size=4))
        changed = [
            data.draw(index_rows(number=row - BASE))._replace(terms=self.rows[row].terms, tier=self.rows[row].tier)
            for row in sorted(known)
        ]
        new = data.draw(index_rows(number=self.next))
        self.next += 1
        self.corpus.put([*changed, new])
        self.rows |= {row.row: row for row in (*changed, new)}

    @precondition(lambda self: self.rows)
    @rule(data=st.data())
    def drop(self, data: st.DataObject) -> None:
        gone = data.draw(st.lists(st.sampled_from(sorted(self.rows)), unique=True, min_size=1, max_size=4))
        self.corpus.drop([*gone, BASE + 10**6])
        for row in gone:
            del self.rows[row]

    @invariant()
    def like_a_fresh_one(self) -> None:
        assert seen(self.corpus) == seen(loaded(self.rows))

    @invariant()
    def nothing_is_left_of_the_dropped(self) -> None:
        gone = ~self.corpus.column("alive")
        assert not self.corpus.vectors[gone].any()
        assert not self.corpus.column("embedded")[gone].any()


TestIncremental = Incremental.TestCase
TestIncremental.settings = settings(max_examples=25, stateful_step_count=12, deadline=None)


@given(st.integers(0, 400), st.integers())
@settings(max_examples=15)
def test_many_small_puts_are_like_one_big_one(count: int, seed: int) -> None:
    """Past the limit of unsorted postings, too."""
    chance = random.Random(seed)  # noqa: S311  no secret
    rows = {
        BASE + number: IndexRow(
            *(BASE + number, 0, number, number, None, None, None, 1, 0, chance.choice(SESSIONS), None, None, 1),
            pack_terms(
                chance.choices(TERMS, k=chance.randint(0, 6)) + [f"w{chance.randint(0, 10**6)}" for _ in range(60)]
            ),
            None,
        )
        for number in range(count)
    }
    corpus = Corpus(DIMENSION)
    waiting = sorted(rows)
    while waiting:
        size = chance.randint(1, 40)
        corpus.put([rows[row] for row in waiting[:size]])
        waiting = waiting[size:]
    assert seen(corpus) == seen(loaded(rows))
    number, places, counts = corpus.holders(TERMS)
    together = zip(number.tolist(), places.tolist(), counts.tolist(), strict=True)
    each = [(n, *one) for n, term in enumerate(TERMS) for one in zip(*corpus.postings(term), strict=True)]
    assert sorted(together) == sorted(each)


@given(st.lists(st.floats(-100, 100, width=32), min_size=3, max_size=3))
def test_a_vector_comes_back_with_length_one(numbers: list[float]) -> None:
    vector = np.array(numbers, np.float32)
    here, back = unpack_vectors([pack_vector(vector), None, b"x"], 3)
    assert here.tolist() == [0]
    length = float(np.linalg.norm(vector))
    assert np.allclose(back[0], vector / length if length > 1e-12 else 0, atol=1e-3)


@given(st.lists(st.floats(0, 100, width=32), min_size=1, max_size=50), st.integers(0, 60))
def test_top_is_the_head_of_a_stable_sort(numbers: list[float], limit: int) -> None:
    scores = np.array(numbers, np.float32)
    best = rank.top(scores, limit).tolist()
    head = sorted(range(len(numbers)), key=lambda place: (-scores[place], -place))[:limit]
    assert best == sorted(head, reverse=True)
