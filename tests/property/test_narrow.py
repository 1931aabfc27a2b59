"""A large scope searched through signs and its rarest words gives what a search of the whole gives."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retentive import Memory, arms
from retentive.analyze import QueryTerm
from retentive.arms import holders, narrow
from retentive.arms.words import word_arms
from retentive.corpus import Corpus, IndexRow, pack_vector
from retentive.counts import pack_terms
from retentive.recall import PRESETS, RecallQuery, Search, search, visible
from retentive.scratch import Scratch, Scratches
from retentive.signs import Near, Signs, sign_codes
from retentive.types import Scope, Tier
from stubs import StubEmbedder

DIMENSION, SPLIT = 129, 64
WORDS = [f"word{number}" for number in range(400)]
BASE = 5 << 32
SCOPE = Scope(user_id="alice")
NOW_US = 10**15
COUNT = 6000


def vector_of(subject: np.ndarray, chance: random.Random, numbers: np.random.Generator, *, two: bool) -> np.ndarray:
    """One model's vector; or two models' side by side, where now and then one has nothing to say."""
    vector = subject + 0.9 * numbers.standard_normal(DIMENSION).astype(np.float32)
    if two:
        vector[-1] = 0
        for part in (slice(0, SPLIT), slice(SPLIT, -1)):
            vector[part] /= np.linalg.norm(vector[part])
        missing = chance.choice([slice(0, 0)] * 4 + [slice(0, SPLIT), slice(SPLIT, -1)])
        if missing.stop != 0:
            vector[missing], vector[-1] = 0, 1
    return vector / np.linalg.norm(vector)


def memories(count: int, seed: int, *, two: bool = False) -> list[IndexRow]:
    """Sessions of twelve messages about one of 40 subjects, in words of uneven frequency."""
    chance, numbers = random.Random(seed), np.random.default_rng(seed)  # noqa: S311  no secret
    subjects = numbers.standard_normal((40, DIMENSION)).astype(np.float32)
    rows = []
    for number in range(count):
        said = [WORDS[int(len(WORDS) * chance.random() ** 3)] for _ in range(8)]
        vector = vector_of(subjects[(number // 12) % 40], chance, numbers, two=two)
        rows.append(
            IndexRow(
                *(BASE + number, Tier.EPISODIC, number * 10**9, number, None, None),
                NOW_US + 1 if chance.random() < 0.9 else NOW_US - 1,
                *(1, 0, f"s{number // 12}", chance.choice([None, None, "bot"]), None, chance.randint(0, 1)),
                pack_terms(said),
                pack_vector(vector) if chance.random() < 0.97 else None,
            )
        )
    return rows


class Asked:
    """A corpus, and its answers to the same question by either way."""

    def __init__(self, rows: list[IndexRow], split: int = 0) -> None:
        self.rows, self.split = rows, split
        self.corpus = Corpus(DIMENSION)
        for start in range(0, len(rows), 700):
            self.corpus.put(rows[start : start + 700])

    def both(
        self, query: RecallQuery, text: str, vector: np.ndarray | None, scope: Scope = SCOPE
    ) -> tuple[Search, Search]:
        """Of the whole, and narrowed."""
        question = replace(arms.read_question(text, NOW_US, vector), split=self.split)
        mask = visible(self.corpus, scope, query, None)
        whole = search(self.corpus, mask, question, query)
        return whole, search(self.corpus, mask, question, query, whole_below=1)

    def about(self, chance: random.Random) -> tuple[str, np.ndarray]:
        """A question for one of the memories: some of its words, its vector with noise."""
        corpus = self.corpus
        place = chance.choice(np.flatnonzero(corpus.column("embedded")).tolist())
        noise = np.random.default_rng(place).standard_normal(DIMENSION).astype(np.float32)
        vector = corpus.vectors[place] + 0.06 * noise * (corpus.vectors[place] != 0)
        if self.split:  # a query has one part, or both where some memory may lack one
            vector[-1] = 0
        held = [word for word in WORDS if place in corpus.postings(word)[0]]
        return " ".join(chance.sample(held, min(3, len(held)))), vector / np.linalg.norm(vector)


@pytest.fixture(scope="module", params=[0, SPLIT], ids=["one model", "two models"])
def asked(request: pytest.FixtureRequest) -> Asked:
    return Asked(memories(COUNT, seed=3, two=bool(request.param)), request.param)


def rows_of(found: Search) -> set[int]:
    return {hit.row for hit in found.chosen[:10]}


def test_nearly_all_of_the_best_ten_are_found(asked: Asked) -> None:
    chance = random.Random(1)  # noqa: S311  no secret
    query, shared = RecallQuery("", NOW_US, k=10), []
    for _ in range(60):
        whole, narrow = asked.both(query, *asked.about(chance))
        shared.append(len(rows_of(whole) & rows_of(narrow)) / len(rows_of(whole)))
    assert np.mean(shared) >= 0.98


@given(chance=st.randoms(use_true_random=False))
@settings(max_examples=20, deadline=None)
def test_what_is_found_is_in_view_and_about_as_good_as_the_best(asked: Asked, chance: random.Random) -> None:
    """Scores are relative to the best by each arm, which may be out of sight: no hit is far from its own."""
    query = RecallQuery("", NOW_US, k=10, ranking=replace(PRESETS["context"], mmr=0.0))
    text, vector = asked.about(chance)
    whole = asked.both(replace(query, k=1000), text, vector)[0]
    narrow = asked.both(query, text, vector)[1]
    assert (narrow.in_view, narrow.waiting) == (whole.in_view, whole.waiting)
    scores = {hit.row: hit.score for hit in whole.chosen}
    assert all(abs(hit.score - scores.get(hit.row, 0.0)) < 0.1 for hit in narrow.chosen[:10])
    reached, best = (sum(hit.score for hit in found.chosen[:10]) for found in (narrow, whole))
    assert reached >= 0.95 * best


@pytest.mark.parametrize("rarest", [1, 60_000])
def test_where_all_are_candidates_nothing_changes(rarest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words, windows, sessions, names and days are counted in the view, whatever part of it is scored.

    rarest: of so many holders on words are common ones, looked up for candidates only.
    """
    monkeypatch.setattr(holders, "_MOST_HOLDERS", rarest)
    small = Asked(memories(140, seed=4))
    chance = random.Random(2)  # noqa: S311  no secret
    for narrower in ({}, {"session_id": "s3"}, {"since_us": 40 * 10**9}):
        query = replace(RecallQuery("", NOW_US, k=20), **narrower)
        text, vector = small.about(chance)
        for words in (text, f"{text} on 1970-01-01", f"did Word{chance.randint(1, 9)} say {text}?"):
            whole, narrow = small.both(query, words, vector)
            assert [hit.row for hit in narrow.chosen] == [hit.row for hit in whole.chosen]
            assert [hit.score for hit in narrow.chosen] == pytest.approx([hit.score for hit in whole.chosen], abs=1e-5)


def test_common_words_count_in_full_for_those_that_a_rarer_one_brings(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    either = QueryTerm((("word9", 1.0), ("word8", 0.9), ("word3", 0.5)), 1.0, "word9")
    corpus, words = asked.corpus, [*arms.read_question("word390 word77 word3 word0", NOW_US).words, either]
    view = corpus.view(visible(corpus, replace(SCOPE, agent_id="other"), RecallQuery("", NOW_US), None))
    scratch, best, scores = Scratch(corpus.size), [], []
    for most in (60_000, 300):
        monkeypatch.setattr(holders, "_MOST_HOLDERS", most)
        said = holders.Words(corpus, view, words, scratch)
        best.append(said.best())
        scores.append(said.scores.copy())
        said.clear()
    assert 0 < len(best[1]) < len(best[0])
    assert set(best[1]) < set(best[0])
    assert view.mask[best[1]].all()
    assert scores[1][best[1]] == pytest.approx(scores[0][best[1]], rel=1e-5)
    whole = word_arms(corpus, words, view)
    assert whole is not None
    assert scores[0][best[0]] / scores[0].max() == pytest.approx(whole.text[best[0]], rel=1e-5)
    assert not any(array.any() for array in (scratch.sums, scratch.counts, scratch.marks))


def test_words_alone_find_and_a_question_without_any_is_answered(asked: Asked) -> None:
    whole, narrow = asked.both(RecallQuery("", NOW_US, k=10), "word390 word77", None)
    assert rows_of(narrow) == rows_of(whole) != set()
    assert asked.both(RecallQuery("", NOW_US, k=10), "?", None)[1].chosen == ()


def test_a_common_word_is_counted_by_stretches_about_as_by_all(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a word says in windows is counted in some of the places where many hold it."""
    question = arms.read_question("word3", NOW_US)
    mask = visible(asked.corpus, SCOPE, RecallQuery("", NOW_US), None)
    counted = []
    for most in (COUNT, 10):
        monkeypatch.setattr(holders, "_COUNTED", most)
        monkeypatch.setattr(holders, "_STRETCH", 4)
        asked.corpus.view(mask).frequencies.clear()
        found = narrow.narrowed(asked.corpus, question, mask, PRESETS["context"])
        assert found is not None
        counted.append(found.counted)
    every, some = counted
    assert some.frequency.tolist() == every.frequency.tolist()
    assert some.window_frequency[0] == pytest.approx(every.window_frequency[0], rel=0.2)
    assert some.window_frequency[0] != every.window_frequency[0]


def test_an_agents_own_view_is_kept(asked: Asked) -> None:
    """A large view that is not the whole: nobody else's memory is among the hits."""
    text, vector = asked.about(random.Random(4))  # noqa: S311  no secret
    _, found = asked.both(RecallQuery("", NOW_US, k=50), text, vector, replace(SCOPE, agent_id="other"))
    by_row = {row.row: row for row in asked.rows}
    assert len(found.chosen) >= 10
    assert all(by_row[hit.row].agent_id is None for hit in found.chosen)


def test_days_the_query_speaks_of_bring_their_own(asked: Asked) -> None:
    """Of many memories with the same words, those of the day are found though others are as near."""
    day = np.datetime64(int(asked.corpus.column("timestamp_us")[3000]), "us").astype("datetime64[D]")
    text, vector = asked.about(random.Random(5))  # noqa: S311  no secret
    whole, narrow = asked.both(RecallQuery("", NOW_US, k=10), f"{text} on {day}", vector)
    of_day = {hit.row for hit in whole.chosen if hit.parts.get("when", 0) > 0}
    assert of_day
    assert len(of_day & rows_of(narrow)) >= 0.8 * len(of_day & rows_of(whole))


def test_signs_follow_what_is_written_and_dropped() -> None:
    rows = memories(300, seed=9)
    grown, whole = Corpus(DIMENSION), [slice(0, DIMENSION)]
    grown.put(rows[:10])
    (signs,) = grown.signs(whole)
    grown.put(rows[10:])
    assert np.array_equal(signs.codes[:, :300], sign_codes(grown.vectors))
    assert np.array_equal(signs.there[:300], grown.column("embedded"))
    place = int(np.flatnonzero(grown.column("embedded"))[50])
    grown.put([rows[place]._replace(vector=None)])
    grown.drop([BASE + place + 1])
    assert not signs.codes[:, place : place + 2].any()
    assert not signs.there[place : place + 2].any()


def test_the_nearest_by_signs_are_nearly_the_nearest() -> None:
    numbers = np.random.default_rng(6)
    subjects = numbers.standard_normal((300, 384)).astype(np.float32)
    vectors = np.repeat(subjects, 100, axis=0) + numbers.standard_normal((30_000, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    signs, everything, found = Signs.of(vectors, slice(0, 384)), np.ones(len(vectors), bool), []
    for subject in subjects[:20]:
        query = subject + numbers.standard_normal(384).astype(np.float32)
        exact = np.argsort(-vectors @ query)[:10]
        found.append(len(np.intersect1d(exact, Near(signs, query, len(vectors)).best(everything, 150))) / len(exact))
    assert np.mean(found) >= 0.98


def test_two_handles_on_a_large_scope_see_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What one writes or forgets, the other's signs follow."""
    monkeypatch.setattr("retentive.recall.search", partial(search, whole_below=50))
    path = tmp_path / "memory.db"
    with (
        Memory.open(path, embedder=StubEmbedder(), background=False) as writer,
        Memory.open(path, embedder=StubEmbedder(), background=False) as reader,
    ):
        mine, other = writer.scope(user_id="alice"), reader.scope(user_id="alice")
        mine.record([{"role": "user", "content": f"note {number} on shelf {number % 7}"} for number in range(80)])
        writer.process()
        assert other.recall("note 41", k=1).hits[0].text == "note 41 on shelf 6"
        mine.record([{"role": "user", "content": "the kettle is on the balcony"}])
        writer.process()
        kettle = other.recall("where is the kettle?", k=1).hits[0]
        assert kettle.text == "the kettle is on the balcony"
        mine.forget(kettle.id)
        assert "kettle" not in str([hit.text for hit in other.recall("where is the kettle?").hits])


def test_what_is_lent_to_a_recall_comes_back_blank(asked: Asked) -> None:
    """Whatever words, views and ends a search has; and two at once have their own."""
    chance = random.Random(8)  # noqa: S311  no secret
    for text in ("", "word3 word7 word390", "?"):
        words, vector = asked.about(chance)
        asked.both(RecallQuery("", NOW_US, k=10), f"{words} {text}", vector, replace(SCOPE, agent_id="other"))
        asked.both(RecallQuery("", NOW_US, k=10, session_id="nowhere"), text, None)
    lender, size = asked.corpus.scratches, asked.corpus.size
    with lender.lent(size) as one, lender.lent(size) as other:
        assert one is not other
        assert not any(array.any() for lent in (one, other) for array in (lent.sums, lent.counts, lent.marks))


def test_what_an_error_left_half_done_is_not_lent_again() -> None:
    lender = Scratches()

    def fails() -> None:
        with lender.lent(5) as scratch:
            scratch.sums[2] = 1
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    with lender.lent(5) as scratch:
        assert not scratch.sums.any()
    with lender.lent(6) as grown:
        assert len(grown.sums) == 6 + 1
