"""`explain=True`: the numbers of a trace add up to the scores, whatever is stored and asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retentive import Memory, ScopedMemory
from stubs import StubEmbedder

WORDS = ["garden", "gate", "green", "Berlin", "invoice", "Monday", "tea", "sister", "yesterday", "buy"]
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", embedder=StubEmbedder(), background=False) as opened:
        yield opened


def check(recall: Any) -> None:
    trace = recall.trace
    assert [one["id"] for one in trace["hits"]] == [hit.id for hit in recall.hits]
    for hit, one in zip(recall.hits, trace["hits"], strict=True):
        parts = [arm["part"] for arm in one["arms"].values()]
        assert one["score"] == hit.score
        assert sum(parts) - one["mmr_penalty"] - one["outdated"] == pytest.approx(hit.score, abs=1e-5)
        for arm in one["arms"].values():
            assert arm["part"] == pytest.approx(arm["score"] * arm["share"] * one["decay"], abs=1e-5)
        assert sum(arm["share"] for arm in one["arms"].values()) == pytest.approx(1.0)
        assert one["tokens"] >= 1
        if one["runner_up"] is not None:
            assert one["runner_up"]["behind"] == pytest.approx(hit.score - one["runner_up"]["score"])
            assert one["runner_up"]["difference"] >= one["runner_up"]["behind"] / 12 - 1e-9


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(sentences, min_size=1, max_size=12),
    query=sentences,
    k=st.integers(1, 6),
    budget=st.none() | st.integers(1, 40),
    number=st.uuids(),
)
def test_a_trace_adds_up(
    memory: Memory, *, texts: list[str], query: str, k: int, budget: int | None, number: Any
) -> None:
    mine = memory.scope(user_id=str(number))
    mine.record([{"role": "user", "content": text, "timestamp": "2026-01-05T10:00:00Z"} for text in texts], "s")
    memory.process()
    recall = mine.recall(query, k=k, budget_tokens=budget, explain=True)
    check(recall)
    reasons = {one["id"]: one["why"] for one in recall.trace["left_out"]}
    assert not reasons.keys() & {hit.id for hit in recall.hits}


def test_the_arm_that_decides_is_named(mine: ScopedMemory) -> None:
    mine.remember("The garden gate is green")
    mine.remember("The kitchen window is green")
    first, second = mine.recall("garden gate green", explain=True).trace["hits"]
    assert first["runner_up"]["id"] == second["id"]
    assert first["runner_up"]["arm"] in first["arms"]
    assert second["runner_up"] is None


def test_what_is_left_out_says_why(mine: ScopedMemory) -> None:
    said = [f"the {colour} garden gate" for colour in ("red", "green", "blue", "white")]
    mine.record([{"role": "user", "content": text} for text in (*said, "The RED garden gate")], "s")
    trace = mine.recall("red garden gate", k=2, explain=True).trace
    reasons = {one["why"].split(" 0")[0] for one in trace["left_out"]}
    assert reasons == {"says the same as", "beyond k or the token budget"}
    mine.record([{"role": "user", "content": "violet violin " * 40}], "s")
    trace = mine.recall("violet violin or garden gate", k=5, budget_tokens=20, explain=True).trace
    assert "does not fit the token budget" in {one["why"] for one in trace["left_out"]}


def test_a_message_that_is_no_longer_true_shows_what_it_lost(memory: Memory, mine: ScopedMemory) -> None:
    mine.record([{"role": "user", "content": "I live in Lisbon."}], "s1")
    mine.session("s1").end()
    memory.process()
    mine.record([{"role": "user", "content": "I live in Osaka now."}], "s2")
    mine.session("s2").end()
    memory.process()
    recall = mine.recall("Where do I live? Lisbon?", tiers=["episodic"], explain=True)
    check(recall)
    lost = {hit.text: one["outdated"] for hit, one in zip(recall.hits, recall.trace["hits"], strict=True)}
    assert lost["I live in Lisbon."] > 0
    assert lost["I live in Osaka now."] == 0
