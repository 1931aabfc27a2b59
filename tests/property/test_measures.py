"""Measures of a ranking, held to their definitions on rankings of any kind."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retentive.measures import bootstrap, ranking_measures, session_measures

IDS = [f"m{number}" for number in range(40)]
rankings = st.permutations(IDS).flatmap(lambda order: st.integers(0, 40).map(lambda size: order[:size]))
golds = st.sets(st.sampled_from([*IDS, "nowhere"]), min_size=1)


@given(rankings, golds)
def test_measures_keep_to_their_definitions(ranked: list[str], gold: set[str]) -> None:
    found = ranking_measures(ranked, gold)
    for k in (5, 10, 20):
        among = gold & set(ranked[:k])
        assert found[f"recall@{k}"] == len(among) / len(gold)
        assert found[f"hit@{k}"] == bool(among)
    first = next((place for place, one in enumerate(ranked, 1) if one in gold), None)
    assert found["mrr"] == (1 / first if first else 0.0)
    assert all(0.0 <= value <= 1.0 for value in found.values())
    best = min(len(gold), 10)
    assert (found["ndcg@10"] == pytest.approx(1.0)) == (len(ranked) >= best and set(ranked[:best]) <= gold)


@given(rankings, golds)
def test_a_gold_message_that_moves_up_never_lowers_a_measure(ranked: list[str], gold: set[str]) -> None:
    place = next(
        (place for place, one in enumerate(ranked) if place and one in gold and ranked[place - 1] not in gold), 0
    )
    better = [*ranked]
    if place:
        better[place - 1], better[place] = better[place], better[place - 1]
    before, after = ranking_measures(ranked, gold), ranking_measures(better, gold)
    assert all(after[name] >= before[name] for name in before)


def test_sessions_count_once() -> None:
    assert session_measures(["s1", "s2", "s3"], ["s1", "s9"])["session_recall@5"] == 0.5


def test_an_interval_goes_by_conversations_not_by_queries() -> None:
    alike = bootstrap([[0.0, 1.0] * 10] * 20)
    apart = bootstrap([[0.0] * 20, [1.0] * 20] * 10)
    assert alike.mean == apart.mean == 0.5
    assert alike.high - alike.low == 0.0
    assert apart.low < 0.4
    assert apart.high > 0.6
    assert bootstrap([[0.0, 1.0] * 10]).low < 0.5
    with pytest.raises(ValueError, match="nothing"):
        bootstrap([[]])
