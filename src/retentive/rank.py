"""Ranking arithmetic: BM25, windows, sessions, decay, MMR. Pure functions over numpy arrays; no text, no store.

Shapes: n memories in view, q words of the query, d numbers a vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retentive.signs import Floats, Ints

#: Robertson's usual constants (The Probabilistic Relevance Framework: BM25 and Beyond, 2009).
BM25_K1 = 1.2
BM25_B = 0.75


def inverse_frequency(frequency: Floats, number: int) -> Floats:
    """What each word says (q,), by how few of `number` memories hold it: ln(1 + (N - df + 0.5) / (df + 0.5)).

    Robertson and Zaragoza 2009, in the form that is never negative.

    >>> [round(float(says), 2) for says in inverse_frequency(np.array([1, 10], np.float32), 10)]
    [1.99, 0.05]
    """
    says: Floats = np.log1p((number - frequency + 0.5) / (frequency + 0.5)).astype(np.float32)
    return says


def bm25(counts: Floats, saturated: Floats, says: Floats) -> Floats:
    """BM25 of each memory (n,): counts (q, n), the `saturation` of their lengths (n,), what each word says (q,).

    says * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average)), Robertson and Zaragoza 2009.
    """
    held = counts * np.float32(BM25_K1 + 1)
    held /= counts + saturated
    found: Floats = says @ held
    return found


def saturation(lengths: Floats, average: float, k1: float = BM25_K1, b: float = BM25_B) -> Floats:
    """How often a word must stand in a memory (n,) to count for half of its most: k1 for one of average length."""
    return (k1 * (1 - b + b * lengths / max(average, 1.0))).astype(np.float32)


def windowed(values: Floats, before: Ints, after: Ints) -> Floats:
    """Sum over each memory and its two neighbours: values (..., n); a neighbour n stands for 'none'."""
    padded = np.concatenate([values, np.zeros((*values.shape[:-1], 1), values.dtype)], axis=-1)
    total: Floats = padded.take(before, axis=-1)
    total += padded.take(after, axis=-1)
    total += values
    return total


def scaled(scores: Floats) -> Floats:
    """Scores divided by the best one, so that arms of different units can be blended; negatives become 0."""
    best = scores.max(initial=np.float32(0))
    if best <= 0:
        return np.zeros_like(scores)
    shown: Floats = np.maximum(scores, 0.0) / best
    return shown


def best_of_group(scores: Floats, group: NDArray[np.int32]) -> Floats:
    """Give each memory the best score of its group (session); group -1 has none."""
    best = np.zeros(int(group.max(initial=-1)) + 2, scores.dtype)
    np.maximum.at(best, group + 1, scores)
    best[0] = 0.0
    return best[group + 1]


def decay(age_s: NDArray[np.float64], half_life_s: float, floor: float) -> NDArray[np.float64]:
    """How much of its score a memory keeps: from 1 when new towards `floor`, half of the way each half-life.

    >>> decay(np.array([0.0, 10.0]), half_life_s=10.0, floor=0.5).tolist()
    [1.0, 0.75]
    """
    return floor + (1 - floor) * np.exp2(-np.maximum(age_s, 0.0) / half_life_s)


def top(scores: Floats, limit: int) -> Ints:
    """Places of the best scores, best first; equal scores keep the order of the memories, newest first."""
    limit = min(limit, len(scores))
    if limit <= 0:
        return np.zeros(0, np.int64)
    threshold = np.partition(scores, len(scores) - limit)[len(scores) - limit]
    places = np.flatnonzero(scores >= threshold)[::-1]
    return places[np.argsort(-scores[places], kind="stable")][:limit]


@dataclass(frozen=True, slots=True)
class Spread:
    """After `after` choices new groups come first, until there are `groups` of them.

    `group` (n,) of each candidate, -1 for one that stands for itself; `bonus` (n,) is what a candidate is worth more as
    the first of its group.
    """

    group: NDArray[np.int32]
    bonus: Floats
    after: int
    groups: int


def mmr(
    scores: Sequence[float], similarity: Floats, k: int, weight: float, spread: Spread | None = None
) -> list[tuple[int, float]]:
    """Pick k of n candidates by maximal marginal relevance (Carbonell and Goldstein, 1998).

    Each step takes the highest `score - weight * top * likeness`, where likeness is how far the similarity to the
    nearest memory already taken exceeds what kin usually have; or what `spread` prefers. Returns (place, penalty) in
    order of choice: scores less penalties never rise.
    """
    relevance = np.asarray(scores, np.float64)
    values, taken = relevance.copy(), np.zeros(len(relevance), bool)
    harm = weight * float(relevance.max(initial=0.0)) * similarity
    has_kin = np.count_nonzero(harm, axis=1) > 1
    crowded, groups = np.zeros(len(relevance), bool), 0
    chosen: list[tuple[int, float]] = []
    last = np.inf
    if not has_kin.any():  # by score alone, until new groups come first
        first = np.argsort(-relevance, kind="stable")[: k if spread is None else min(k, spread.after)]
        chosen = [(place, 0.0) for place in first.tolist()]
        last = float(relevance[first[-1]]) if len(first) else last
        taken[first], values[first] = True, -np.inf
        if spread is not None:
            known = set(spread.group[first].tolist()) - {-1}
            crowded, groups = np.array([one in known for one in spread.group.tolist()]), len(known)
    for step in range(len(chosen), min(k, len(relevance))):
        best = int(values.argmax())
        if spread is not None and step >= spread.after and groups < spread.groups:
            preferred = np.where(crowded, -np.inf, values + spread.bonus)
            new = int(preferred.argmax())
            best = new if preferred[new] > -np.inf else best
        last = min(last, float(values[best]))
        chosen.append((best, float(relevance[best]) - last))
        taken[best] = True
        values[best] = -np.inf
        if has_kin[best]:
            values = np.where(taken, -np.inf, np.minimum(values, relevance - harm[best]))
        if spread is not None and spread.group[best] >= 0 and not crowded[best]:
            crowded |= spread.group == spread.group[best]
            groups += 1
    return chosen
