"""Ranking arithmetic: BM25, windows, sessions, decay, MMR. Pure functions over numpy arrays; no text, no store.

Shapes: n memories in view, q words of the query, d numbers a vector.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from retentive.signs import Floats, Ints

#: Robertson's usual constants (The Probabilistic Relevance Framework: BM25 and Beyond, 2009).
BM25_K1 = 1.2
BM25_B = 0.75


def inverse_frequency(frequency: Floats, number: int) -> Floats:
    """What each word says (q,), by how few of `number` memories hold it: ln(1 + (N - df + 0.5) / (df + 0.5)).

    Robertson and Zaragoza 2009, in the form that is never negative; it is the same as ln((N + 1) / (df + 0.5)).

    >>> [round(float(says), 2) for says in inverse_frequency(np.array([1, 10], np.float32), 10)]
    [1.99, 0.05]
    """
    return np.log((number + 1) / (frequency + np.float32(0.5)), dtype=np.float32)


def bm25(counts: Floats, saturated: Floats, says: Floats) -> Floats:
    """BM25 of each memory (n,): counts (q, n), the `saturation` of their lengths (n,), what each word says (q,).

    says * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average)), Robertson and Zaragoza 2009.
    """
    found: Floats = says @ saturating(counts, saturated)
    return found


def saturating(counts: Floats, saturated: Floats) -> Floats:
    """What counts come to in BM25 before what the word says: each next one less than the one before."""
    held = counts * np.float32(BM25_K1 + 1)
    held /= counts + saturated
    return held


def saturation(lengths: Floats, average: float, k1: float = BM25_K1, b: float = BM25_B) -> Floats:
    """How often a word must stand in a memory (n,) to count for half of its most: k1 for one of average length."""
    return (k1 * (1 - b + b * lengths / max(average, 1.0))).astype(np.float32)


def windowed(values: Floats, before: Ints, after: Ints) -> Floats:
    """Sum over each memory and its two neighbours: values (n,); a neighbour n stands for 'none'."""
    padded = np.concatenate([values, np.zeros(1, values.dtype)])
    total: Floats = padded.take(before)
    total += padded.take(after)
    total += values
    return total


def scaled(scores: Floats) -> Floats:
    """Scores divided by the best one, so that arms of different units can be blended; negatives become 0."""
    best = scores.max(initial=0)
    if best <= 0:
        return np.zeros_like(scores)
    shown: Floats = scores / best
    np.maximum(shown, 0, out=shown)
    return shown


def best_of_group(scores: Floats, group: Ints, number: int) -> Floats:
    """The best score of each of `number` groups (sessions), at least 0; 0 for group 0, of those that have none."""
    best = np.zeros(number, scores.dtype)
    np.maximum.at(best, group, scores)
    best[0] = 0.0
    return best


def decay(age_s: NDArray[np.float64], half_life_s: float, floor: float) -> NDArray[np.float64]:
    """How much of its score a memory keeps: from 1 when new towards `floor`, half of the way each half-life.

    >>> decay(np.array([0.0, 10.0]), half_life_s=10.0, floor=0.5).tolist()
    [1.0, 0.75]
    """
    return floor + (1 - floor) * np.exp2(-np.maximum(age_s, 0.0) / half_life_s)


def top(scores: Floats, limit: int) -> Ints:
    """Places of so many of the best scores, newest first; of equal ones the newest, the memories being in order."""
    limit = min(limit, len(scores))
    if limit <= 0:
        return np.zeros(0, np.int64)
    threshold = np.partition(scores, len(scores) - limit)[len(scores) - limit]
    places: Ints = (scores >= threshold).nonzero()[0][::-1]
    if len(places) > limit:
        best = np.argsort(-scores[places], kind="stable")[:limit]
        places = places[np.sort(best)]
    return places


@dataclass(frozen=True, slots=True)
class Spread:
    """After `after` choices new groups come first, until there are `groups` of them.

    `told` is asked for once, when it comes to that: the group (n,) of each candidate, -1 for one that stands for
    itself, and the bonus (n,), what a candidate is worth more as the first of its group.
    """

    told: Callable[[], tuple[Sequence[int], Sequence[float]]]
    after: int
    groups: int


class _Queue:
    """Candidates by what they are worth, the first of equals first. What one is worth may only fall."""

    def __init__(self, worth: Iterable[float]) -> None:
        self.worth = list(worth)
        self._heap = [(-value, place) for place, value in enumerate(self.worth)]
        heapify(self._heap)

    def lower(self, place: int, value: float) -> None:
        """Enter it anew if it is worth less now; as what it was entered before is passed over."""
        if value < self.worth[place]:
            self.worth[place] = value
            heappush(self._heap, (-value, place))

    def best(self, gone: Container[int]) -> int:
        """The best of those that are not gone, -1 if all are."""
        heap, worth = self._heap, self.worth
        while heap:
            value, place = heap[0]
            if place not in gone and -value == worth[place]:
                return place
            heappop(heap)
        return -1


class _Fresh:
    """The candidates of groups of which none was taken yet."""

    def __init__(self, worth: Iterable[float], taken: Iterable[int], spread: Spread) -> None:
        self._group, self.bonus = spread.told()
        self.queue = _Queue(map(operator.add, worth, self.bonus))
        self._gone, self._left = set[int](), spread.groups
        for place in taken:
            self.take(place)

    def next(self) -> int:
        """The best, -1 if there is none or none is wanted any more."""
        return self.queue.best(self._gone) if self._left > 0 else -1

    def take(self, place: int) -> None:
        """The place is taken, and nothing of its group is new."""
        group = self._group[place]
        if group >= 0 and place not in self._gone:
            self._left -= 1
            self._gone.update(other for other, its in enumerate(self._group) if its == group)
        self._gone.add(place)


def mmr(
    scores: Sequence[float],
    similarity: Floats,
    k: int,
    weight: float,
    spread: Spread | None = None,
    *,
    alike_from: float = 0.0,
) -> Iterator[tuple[int, float]]:
    """Pick k of n candidates by maximal marginal relevance (Carbonell and Goldstein, 1998).

    Each step takes the highest `score - weight * top * likeness`, where likeness is how far the similarity to the
    nearest memory already taken is above `alike_from`, as a share of what can be; or what `spread` prefers. Gives
    (place, penalty) in order of choice, each worked out when it is asked for: scores less penalties never rise.
    """
    kin, most = _kin(similarity, alike_from), weight * max(scores, default=0.0)
    alone = 0 if kin else k if spread is None else spread.after  # so many by score alone
    head = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)[: min(alone, k)]
    yield from zip(head, repeat(0.0))
    queue, taken, last = _Queue(scores), set(head), min(map(scores.__getitem__, head), default=math.inf)
    fresh: _Fresh | None = None
    for step in range(len(head), min(k, len(scores))):
        if spread is not None and step == spread.after:
            fresh = _Fresh(queue.worth, taken, spread)
        best = -1 if fresh is None else fresh.next()
        best = queue.best(taken) if best < 0 else best
        last = min(last, queue.worth[best])
        yield best, scores[best] - last
        taken.add(best)
        if fresh is not None:
            fresh.take(best)
        for other, likeness in kin.get(best, ()):
            value = scores[other] - most * likeness
            queue.lower(other, value)
            if fresh is not None:
                fresh.queue.lower(other, value + fresh.bonus[other])


def _kin(similarity: Floats, alike_from: float) -> Mapping[int, Sequence[tuple[int, float]]]:
    """Whom each of n candidates is like (n, n), and how much: from 0 at `alike_from` to 1."""
    kin: dict[int, list[tuple[int, float]]] = {}
    flat = similarity.reshape(-1)
    pairs = (flat > alike_from).nonzero()[0]
    for pair, cosine in zip(pairs.tolist(), flat[pairs].tolist(), strict=True):
        one, other = divmod(pair, len(similarity))
        if one != other:
            kin.setdefault(one, []).append((other, min((cosine - alike_from) / (1 - alike_from), 1.0)))
    return kin
