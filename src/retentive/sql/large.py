"""A large scope: its words are in memory, its vectors stay in the store and are found by another engine's index."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from retentive.contracts.beside import Beside
from retentive.corpus import FarCorpus, Floats, Ints, Mask, unpack_vectors
from retentive.types import Partition, Scope, scope_of

#: So many of the nearest are asked for: they are filtered and scored again here.
NEAREST = 300


class Server(Protocol):
    """Answers for the vectors of one partition while its corpus is being searched."""

    def nearest(self, query: Floats, scope: Scope | None) -> Sequence[int]:
        """Rows of the nearest, best first, as far as the index tells; of a scope's own where it can tell."""

    def vectors(self, rows: Sequence[int]) -> Mapping[int, bytes]:
        """The packed vectors of rows."""


class LargeCorpus(FarCorpus):
    """Columns and words of a partition. Of each vector only that it is there is known.

    beside: whether the nearest are asked of an index beside the store, rather than of the store's own.
    """

    #: Set for as long as the corpus is given out.
    server: Server

    def __init__(self, dimension: int, model: str, *, beside: bool = False) -> None:
        super().__init__(dimension, model)
        self.beside = beside

    def _write_vectors(self, places: Ints, vectors: Sequence[bytes | None]) -> None:
        """Of each vector its last number came along, which tells those that have one part of two."""
        last = np.array([np.frombuffer(part, np.float16)[0] if part else 0 for part in vectors], np.float16)
        self._columns["embedded"][places] = [part is not None for part in vectors]
        self._columns["partial"][places] = last > 0

    def nearest(self, query: Floats, masks: Sequence[Mask], number: int) -> Iterator[Ints]:
        places = self.places(np.array(self.server.nearest(query, self.scope), np.int64))
        places = places[places >= 0]  # what was forgotten since is not
        return (places[mask[places]][:number] for mask in masks)

    def vectors_of(self, places: Ints) -> Floats:
        rows = self.column("row")[places].tolist()
        found = self.server.vectors(rows)
        here, numbers = unpack_vectors([found.get(row) for row in rows], self.dimension)
        vectors = np.zeros((len(rows), self.dimension), np.float32)
        vectors[here] = numbers
        return vectors


@dataclass(frozen=True, slots=True)
class AskedBeside:
    """`Server` by an index beside the store, with what it has not followed yet taken from the store."""

    index: Beside
    corpus: LargeCorpus
    partition: Partition
    changed: Callable[[Partition, int], tuple[int, list[int] | None]]
    packed: Callable[[Partition, str, Sequence[int]], Mapping[int, bytes]]

    def nearest(self, query: Floats, scope: Scope | None) -> Sequence[int]:
        found = self.index.nearest(scope or scope_of(self.partition), self.corpus.model, query, NEAREST)
        revision, late = self.changed(self.partition, found.revision)
        behind = abs(revision - found.revision)
        self.index.was_behind(behind)
        self.corpus.asked = {"index": self.index.name, "found": len(found.rows), "behind": behind}
        if late is None:
            self.corpus.notes += (
                f"vectors: {self.index.name} is {behind} changes behind, what is new is found by its words alone",
            )
        return [*found.rows, *self._best(query, late or [])]

    def _best(self, query: Floats, rows: Sequence[int]) -> Sequence[int]:
        """The nearest of a few rows, by the store's own vectors."""
        places = self.corpus.places(np.array(rows, np.int64))
        places = places[places >= 0]
        if not len(places):
            return []
        order = np.argsort(-(self.corpus.vectors_of(places) @ query), kind="stable")[:NEAREST]
        best: list[int] = self.corpus.column("row")[places[order]].tolist()
        return best

    def vectors(self, rows: Sequence[int]) -> Mapping[int, bytes]:
        return self.packed(self.partition, self.corpus.model, rows)
