"""Ranking arithmetic: what a caller would notice if a formula were wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest

from retentive import rank

ALL = np.ones(3, bool)


def counts(*rows: list[float]) -> np.ndarray:
    return np.array(rows, np.float32)


def says(found: np.ndarray, number: int = len(ALL)) -> np.ndarray:
    return rank.inverse_frequency(np.count_nonzero(found, axis=1), number)


def bm25(found: np.ndarray, lengths: list[float], mask: np.ndarray = ALL) -> list[float]:
    number = int(np.count_nonzero(mask))
    scores: list[float] = rank.bm25(
        found, rank.saturation(np.array(lengths, np.float32), sum(lengths) / number), says(found, number)
    ).tolist()
    return scores


def test_bm25_is_the_published_formula() -> None:
    """One word, once in the first of three memories of lengths 2, 4 and 6: worked out by hand."""
    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    expected = idf * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / 4))
    assert bm25(counts([1, 0, 0]), [2, 4, 6]) == pytest.approx([expected, 0, 0], rel=1e-5)


def test_a_rarer_word_says_more() -> None:
    rare, common = says(counts([1, 0, 0], [1, 1, 0]))
    assert rare > common > 0


def test_a_word_that_all_have_still_says_something() -> None:
    assert says(counts([1, 1, 1]))[0] > 0


def test_a_short_memory_with_the_word_beats_a_long_one() -> None:
    short, long, _ = bm25(counts([1, 1, 0]), [2, 20, 5])
    assert short > long


def test_what_is_out_of_view_does_not_move_a_score() -> None:
    view = np.array([True, True, False])
    alone = bm25(counts([1, 0]), [2, 4], np.ones(2, bool))
    assert bm25(counts([1, 0, 0]), [2, 4, 0], view)[:2] == pytest.approx(alone)


def test_a_window_is_a_memory_with_its_two_neighbours() -> None:
    values = np.array([1, 10, 100], np.float32)
    before, after = np.array([3, 0, 1]), np.array([1, 2, 3])  # 3: nobody
    assert rank.windowed(values, before, after).tolist() == [11, 111, 110]


def test_scaled_is_measured_by_the_best() -> None:
    assert rank.scaled(np.array([-1.0, 2.0, 8.0], np.float32)).tolist() == [0.0, 0.25, 1.0]
    assert rank.scaled(np.zeros(2, np.float32)).tolist() == [0.0, 0.0]


def test_the_best_of_a_session_counts_for_all_of_it() -> None:
    scores, sessions = np.array([1.0, 5.0, 3.0], np.float32), np.array([1, 1, 0])
    assert rank.best_of_group(scores, sessions, 2)[sessions].tolist() == [5.0, 5.0, 0.0]


def test_decay_halves_what_is_above_the_floor() -> None:
    assert rank.decay(np.array([0.0, 7.0, 14.0]), half_life_s=7.0, floor=0.2) == pytest.approx([1.0, 0.6, 0.4])


def test_the_future_is_not_better_than_now() -> None:
    assert rank.decay(np.array([-5.0]), half_life_s=1.0, floor=0.0).tolist() == [1.0]


def test_equals_come_newest_first() -> None:
    assert rank.top(np.array([1.0, 2.0, 2.0, 0.5], np.float32), 3).tolist() == [2, 1, 0]


def test_top_of_nothing_is_nothing() -> None:
    assert rank.top(np.zeros(0, np.float32), 5).tolist() == []


# -- what is kept ----------------------------------------------------------------------------------------------------
TWINS = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]], np.float32)


def test_a_twin_gives_way_to_something_new() -> None:
    picked = list(rank.mmr([1.0, 0.99, 0.8], TWINS, 3, weight=0.3))
    assert [place for place, _ in picked] == [0, 2, 1]
    assert picked[2][1] == pytest.approx(0.3)


def test_without_weight_the_order_stays() -> None:
    assert [place for place, _ in rank.mmr([1.0, 0.99, 0.8], TWINS, 3, weight=0.0)] == [0, 1, 2]


def test_a_better_twin_stays_before_a_poor_stranger() -> None:
    assert [place for place, _ in rank.mmr([1.0, 0.99, 0.1], TWINS, 2, weight=0.3)] == [0, 1]


def test_after_the_first_ones_new_groups_come_before_more_of_the_same() -> None:
    """The best of each, by score and bonus, until there are as many groups as wanted; then by score again."""
    scores, told = [1.0, 0.9, 0.8, 0.75, 0.7, 0.6], ([0, 0, 0, 1, 2, 3], [0, 0, 0, 0, 0.1, 0])
    spread = rank.Spread(lambda: told, after=2, groups=3)
    picked = list(rank.mmr(scores, np.eye(6, dtype=np.float32), 6, 0.0, spread))
    assert [place for place, _ in picked] == [0, 1, 4, 3, 2, 5]
    shown = [scores[place] - penalty for place, penalty in picked]
    assert shown == sorted(shown, reverse=True)  # who stands behind another shows no better score


def test_what_belongs_to_no_group_never_waits() -> None:
    spread = rank.Spread(lambda: ([-1, -1, 0, 0, 1], [0.0] * 5), after=0, groups=2)
    picked = rank.mmr([1.0, 0.9, 0.8, 0.7, 0.6], np.eye(5, dtype=np.float32), 5, 0.0, spread)
    assert [place for place, _ in picked] == [0, 1, 2, 4, 3]


def test_groups_are_asked_for_only_when_it_comes_to_them() -> None:
    """Most answers are no longer than what comes by score alone."""

    def told() -> tuple[list[int], list[float]]:
        asked.append(True)
        return [0, 0, 1], [0.0] * 3

    asked: list[bool] = []
    picks = rank.mmr([1.0, 0.9, 0.8], np.zeros((3, 3), np.float32), 3, 0.3, rank.Spread(told, after=1, groups=2))
    assert next(picks) == (0, 0.0)
    assert not asked
    assert [place for place, _ in picks] == [2, 1]
    assert asked == [True]


def test_a_twin_of_one_taken_is_no_longer_the_best_of_its_group() -> None:
    scores, told = [1.0, 0.9, 0.85], ([0, 1, 1], [0.0] * 3)
    alike = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], np.float32)
    picked = rank.mmr(scores, alike, 3, 0.3, rank.Spread(lambda: told, after=1, groups=2))
    assert [place for place, _ in picked] == [0, 2, 1]
