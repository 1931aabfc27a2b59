"""How good a ranking is, and how sure that is: recall, MRR, nDCG, and intervals by bootstrap. Pure arithmetic."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

#: How many hits recall is counted among.
KS = (5, 10, 20)
_NDCG_K = 10
_SESSION_KS = (5, 10)
#: The middle share of the resampled means that an interval spans, in percentiles.
_LOW, _HIGH = 2.5, 97.5


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean and the 95 % interval that resampling gives it, in the unit of what was averaged."""

    mean: float
    low: float
    high: float


def ranking_measures(ranked: Sequence[str], gold: Collection[str]) -> dict[str, float]:
    """recall@k and hit@k (5, 10, 20), MRR and nDCG@10 of one query's ranking, each from 0 to 1.

    `ranked` are ids, best first and each once; `gold` are those that answer, at least one. nDCG has gains of 1 and the
    discount log2(place + 1), Järvelin and Kekäläinen 2002.

    >>> found = ranking_measures(["a", "b", "c"], {"b", "x"})
    >>> found["recall@5"], found["hit@5"], found["mrr"]
    (0.5, 1.0, 0.5)
    """
    return place_measures([place for place, one in enumerate(ranked, 1) if one in gold], len(gold))


def place_measures(places: Sequence[int], gold_count: int) -> dict[str, float]:
    """The same of the places, from 1 and rising, at which the gold ids that were found stand."""
    found = {f"recall@{k}": sum(place <= k for place in places) / gold_count for k in KS}
    found |= {f"hit@{k}": float(any(place <= k for place in places)) for k in KS}
    found["mrr"] = 1 / places[0] if places else 0.0
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(gold_count, _NDCG_K) + 1))
    found[f"ndcg@{_NDCG_K}"] = sum(1 / math.log2(place + 1) for place in places if place <= _NDCG_K) / ideal
    return found


def session_measures(ranked: Sequence[str], gold: Collection[str]) -> dict[str, float]:
    """The share of the gold sessions among the first 5 and 10; a session stands where its first message does."""
    return {f"session_recall@{k}": len(set(ranked[:k]) & set(gold)) / len(set(gold)) for k in _SESSION_KS}


def bootstrap(groups: Sequence[Sequence[float]], *, resamples: int = 1000, seed: int = 7) -> Figure:
    """The mean of all values, with its interval by drawing whole groups anew (Efron and Tibshirani 1993, ch. 8).

    Values of one group (a conversation's queries) are alike, so they are drawn together. A single group is taken apart:
    its values are drawn one by one. Raises ValueError when there is no value.

    >>> bootstrap([[1.0, 1.0], [1.0]])
    Figure(mean=1.0, low=1.0, high=1.0)
    """
    groups = [group for group in groups if group]
    if not groups:
        message = "nothing was measured"
        raise ValueError(message)
    if len(groups) == 1:
        groups = [[value] for value in groups[0]]
    sums = np.array([math.fsum(group) for group in groups])
    counts = np.array([len(group) for group in groups], float)
    drawn = np.random.default_rng(seed).integers(len(groups), size=(resamples, len(groups)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.percentile(means, (_LOW, _HIGH))
    return Figure(math.fsum(sums) / float(counts.sum()), float(low), float(high))
