"""A large scope on a server: its words are in memory, its vectors stay where they are and are found by pgvector."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np

from retentive.corpus import FarCorpus, Floats, Ints, Mask, unpack_vectors


class Server(Protocol):
    """Answers for the vectors of one partition while its corpus is being searched."""

    def nearest(self, query: Floats) -> Sequence[int]:
        """Rows of the nearest, best first, as far as the graph tells."""

    def vectors(self, rows: Sequence[int]) -> Mapping[int, bytes]:
        """The packed vectors of rows."""


class LargeCorpus(FarCorpus):
    """Columns and words of a partition. Of each vector only that it is there is known."""

    #: Set for as long as the corpus is given out.
    server: Server

    def _write_vectors(self, places: Ints, vectors: Sequence[bytes | None]) -> None:
        """Of each vector its last number came along, which tells those that have one part of two."""
        last = np.array([np.frombuffer(part, np.float16)[0] if part else 0 for part in vectors], np.float16)
        self._columns["embedded"][places] = [part is not None for part in vectors]
        self._columns["partial"][places] = last > 0

    def nearest(self, query: Floats, masks: Sequence[Mask], number: int) -> Iterator[Ints]:
        rows = np.array(self.server.nearest(query), np.int64)
        places = self.places(rows)
        places = places[places >= 0]
        return (places[mask[places]][:number] for mask in masks)

    def vectors_of(self, places: Ints) -> Floats:
        rows = self.column("row")[places].tolist()
        found = self.server.vectors(rows)
        here, numbers = unpack_vectors([found.get(row) for row in rows], self.dimension)
        vectors = np.zeros((len(rows), self.dimension), np.float32)
        vectors[here] = numbers
        return vectors
