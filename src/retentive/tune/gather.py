"""Labelled queries, and what every arm says of each one's candidates: asked for once, then any ranking is arithmetic.

It is read from `recall(explain=True)`, so it works on any backend. MMR is left out: it moves near-duplicates only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retentive.arms.ranking import ARMS, Ranking, Traits
from retentive.clock import now_us, parse_timestamp
from retentive.errors import ImportFailed
from retentive.importers.reading import read_texts, records
from retentive.measures import place_measures
from retentive.rank import decay
from retentive.results import Hit
from retentive.scoped import ScopedMemory
from retentive.types import TierName

#: As many candidates as recall itself scores with all of its arms.
_CANDIDATES = 100

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Asked:
    """A query and the ids that answer it: memories' own, or the callers' ids of messages."""

    query: str
    wanted: frozenset[str]


@dataclass(frozen=True)
class Example:
    """One query with its candidates: `scores` (m, arms), 0 where an arm is silent; `said` are the arms that are not.

    `names` are each candidate's ids; `pool` is whose memory was asked, `group` what is drawn together in resampling.
    """

    scores: Array
    said: tuple[str, ...]
    age_s: Array
    evergreen: NDArray[np.bool_]
    names: tuple[frozenset[str], ...]
    wanted: frozenset[str]
    traits: Traits
    pool: str
    group: str

    def order(self, ranking: Ranking) -> NDArray[np.int64]:
        """The candidates' places, best first, as that ranking has them."""
        shares = ranking.shares_for(self.said, self.traits)
        kept = np.where(self.evergreen, 1.0, decay(self.age_s, ranking.half_life_s, ranking.decay_floor))
        total = (self.scores @ [shares.get(name, 0.0) for name in ARMS]) * kept
        return np.argsort(-total, kind="stable")

    def places(self, ranking: Ranking) -> list[int]:
        """The places, from 1 and rising, of the wanted ids that are among the candidates; a fact may stand for two."""
        order = self.order(ranking)
        place_of = np.empty(len(order), np.int64)
        place_of[order] = np.arange(1, len(order) + 1)
        return sorted(int(place_of[found].min()) for found in self._found)

    @cached_property
    def _found(self) -> list[list[int]]:
        """For each wanted id that is among them, the candidates that have it."""
        found = [[place for place, ids in enumerate(self.names) if one in ids] for one in sorted(self.wanted)]
        return [places for places in found if places]


def measured(example: Example, ranking: Ranking) -> dict[str, float]:
    """The measures of one query under a ranking, as `measures.ranking_measures` has them."""
    return place_measures(example.places(ranking), len(example.wanted))


# -- gathering ---------------------------------------------------------------------------------------------------------
def gather(
    mine: ScopedMemory,
    asked: Sequence[Asked],
    *,
    pool: str = "",
    by_query: bool = True,
    tiers: Sequence[TierName] = ("semantic", "episodic"),
) -> list[Example]:
    """Ask each query once and keep what the arms say of its candidates. Queries that find nothing are left out.

    `mine` must be of a store opened with the ranking `context`, in which every arm has a weight. With `by_query` each
    query is drawn by itself in resampling, else all of this call are drawn together.
    """
    examples = []
    now = now_us()
    for number, one in enumerate(asked):
        recall = mine.recall(one.query, k=_CANDIDATES, tiers=tiers, explain=True)
        if recall.hits and recall.trace is not None:
            group = f"{pool}:{number}" if by_query else pool
            examples.append(_example(recall.hits, recall.trace, one, now, pool=pool, group=group))
    return examples


def _example(
    hits: Sequence[Hit], trace: Mapping[str, Any], asked: Asked, now: int, *, pool: str, group: str
) -> Example:
    arms = [hit["arms"] for hit in trace["hits"]]
    return Example(
        scores=np.array([[arm[name]["score"] if name in arm else 0.0 for name in ARMS] for arm in arms]),
        said=tuple(name for name in ARMS if name in arms[0]),
        age_s=np.array([(now - parse_timestamp(hit.timestamp)[0]) / 1e6 for hit in hits]),
        evergreen=np.array([hit.item.evergreen for hit in hits]),
        names=tuple(frozenset((hit.id, *hit.source_ids, *hit.episode_ids)) for hit in hits),
        wanted=asked.wanted,
        traits=Traits(**trace["traits"]),
        pool=pool,
        group=group,
    )


# -- reading -----------------------------------------------------------------------------------------------------------
def read_asked(path: Path) -> list[Asked]:
    """Labelled queries of a file, one a line: `{"query": "...", "ids": [...]}`, or `source_ids` for your own ids.

    Raises ImportFailed that names the line.
    """
    return [_asked(value, number) for text in read_texts(path) for number, value in enumerate(records(text), 1)]


def _asked(value: Any, number: int) -> Asked:
    if isinstance(value, ValueError):
        raise ImportFailed(str(value))
    query = value.get("query") if isinstance(value, Mapping) else None
    ids = [*(value.get("ids") or ()), *(value.get("source_ids") or ())] if isinstance(query, str) else []
    if not isinstance(query, str) or not query.strip() or not ids or not all(isinstance(one, str) for one in ids):
        message = f'line {number} is no labelled query: write {{"query": "...", "ids": ["..."]}} (or source_ids)'
        raise ImportFailed(message)
    return Asked(query, frozenset(ids))
