"""The index made anew from the truth: terms at once, vectors by jobs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from retentive.analyze import index_terms
from retentive.contracts import Backend, Remembered
from retentive.lifecycle.portable import everything
from retentive.types import NewJob, Partition, indexed_text

_BATCH = 500


def reindex(backend: Backend, partition: Partition) -> int:
    """Analyse every memory of a partition again and queue the vectors that are missing; returns how many."""
    count = 0
    for memories in _batches(everything(backend.store, partition)):
        backend.index.put_terms(partition, {m.row: index_terms(indexed_text(m)) for m in memories})
        with backend.store.transaction(partition) as transaction:
            transaction.enqueue(NewJob("embed", {"first_row": memories[0].row, "last_row": memories[-1].row}))
        count += len(memories)
    return count


def _batches(memories: Iterable[Remembered]) -> Iterator[list[Remembered]]:
    rest = iter(memories)
    while batch := list(islice(rest, _BATCH)):
        yield batch
