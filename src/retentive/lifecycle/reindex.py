"""The index made anew from the truth: terms at once, vectors by jobs."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from itertools import islice

from retentive.analyze import index_terms
from retentive.contracts import Backend, Remembered
from retentive.lifecycle.portable import everything
from retentive.types import NewJob, Partition, indexed_text

log = logging.getLogger("retentive")

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


def mend(backend: Backend) -> int:
    """Make anew what reading found damaged in the index, and queue its vectors; returns of how many memories."""
    count = 0
    for partition, rows in backend.index.damaged().items():
        memories = backend.store.fetch(partition, rows)
        backend.index.put_terms(partition, {row: index_terms(indexed_text(one)) for row, one in memories.items()})
        with backend.store.transaction(partition) as transaction:
            for row in memories:
                transaction.enqueue(NewJob("embed", {"first_row": row, "last_row": row}))
        count += len(memories)
    if count:
        log.warning("%d damaged entries of the index are made anew", count)
    return count


def _batches(memories: Iterable[Remembered]) -> Iterator[list[Remembered]]:
    rest = iter(memories)
    while batch := list(islice(rest, _BATCH)):
        yield batch
