"""Changing the embedder while the store is in use: new vectors are made beside the old, then search goes over at once.

    begin -> a vector of the next embedder for every memory -> switch, in one transaction -> drop the old vectors

What is still to do is read from the store each time, so a process may die at any point and another, or the next, goes
on. Until the switch every search is with the old vectors; no search ever holds vectors of two models together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from retentive.blas import one_thread
from retentive.contracts import Backend, Embedder
from retentive.embedders import EMBED_BATCH, Embedders
from retentive.errors import EmbedderMismatch, EmbedderUnavailable
from retentive.results import ProcessReport, ReembedReport
from retentive.types import Partition

#: Old vectors dropped in one commit: writers wait for no more than that.
_DROPPED_AT_ONCE = 1000
#: So many memories are embedded while writers wait: what came since the last look.
_LAST_FEW = 32
EmbedRows = Callable[[Embedder, Partition, Sequence[int]], int]


def begin(backend: Backend, embedder: Embedder) -> None:
    """Ask for this embedder in the place of the present one; with the present one, give up a change under way.

    Raises EmbedderMismatch for one of the same name with other vectors: they could not be told apart.
    """
    present = backend.store.embedder()
    if present is not None and present[0] == embedder.name and present[1] != embedder.dimension:
        message = (
            f"{embedder.name} names the store's present embedder, whose vectors have {present[1]} numbers, not "
            f"{embedder.dimension}: give the new one a name of its own"
        )
        raise EmbedderMismatch(message)
    backend.store.begin_reembed(embedder.name, embedder.dimension)
    backend.store.finish_reembed(embedder.embed_tokens, 0)  # an empty store has nothing to wait for


class Reembedding:
    """Goes on with a change of the embedder, a batch at a time, in a process that has the next one.

    `embed_rows` makes and stores the vectors of memories, in one commit, and says of how many.
    """

    def __init__(self, backend: Backend, embedders: Embedders, embed_rows: EmbedRows) -> None:
        self._backend, self._embedders, self._embed_rows = backend, embedders, embed_rows
        self._after_row = 0

    def batches_left(self) -> int:
        """How many batches this process can still do."""
        coming = self._backend.store.embedders().coming
        if coming is None or self._embedders.get(coming[0]) is None:
            return 0
        under_way = self._backend.store.status().reembedding
        if under_way is None:
            return 0
        return -(-(under_way.total - under_way.done) // EMBED_BATCH) or 1

    def step(self) -> int:
        """Do a batch; returns how many vectors were made, or dropped after the switch. 0 when there is nothing to do.

        Raises EmbedderUnavailable; nothing is lost, a later step goes on.
        """
        store = self._backend.store
        _, coming, former = store.embedders()
        if coming is None:
            return store.drop_former_vectors(_DROPPED_AT_ONCE) if former else 0
        embedder, plain = self._embedders.get(coming[0]), self._embedders.plain(coming[0])
        if embedder is None or plain is None:
            return 0
        made = self._batch(embedder)
        if made <= _LAST_FEW and store.finish_reembed(plain.embed_tokens, _LAST_FEW):
            return made or store.drop_former_vectors(_DROPPED_AT_ONCE)
        return made

    def _batch(self, embedder: Embedder) -> int:
        """Vectors for the next rows without one, round once past those that were written meanwhile."""
        for start in dict.fromkeys((self._after_row, 0)):
            self._after_row = start
            while rows := self._backend.index.missing(embedder.name, after_row=self._after_row, limit=EMBED_BATCH):
                self._after_row = max(max(own) for own in rows.values())
                with one_thread():
                    made = sum(self._embed_rows(embedder, whose, own) for whose, own in rows.items())
                if made:
                    return made
        self._after_row = 0
        return 0

    def report(self, made: int) -> ReembedReport:
        """How far it is, after `made` vectors were made."""
        store = self._backend.store
        under_way = store.status().reembedding
        if under_way is None:
            return ReembedReport((store.embedder() or ("",))[0], made, 0, complete=True)
        return ReembedReport(under_way.model, made, under_way.total - under_way.done, complete=False)

    def run(self, lock: AbstractContextManager[object], progress: Callable[[int], None] | None) -> ReembedReport:
        """Do batches until none is left, each under the lock; `progress` is told how many vectors each one made."""
        made = 0
        while True:
            with lock:
                changing = self._backend.store.embedders().coming is not None
                done = self.step()
            if not done:
                return self.report(made)
            if changing:
                made += done
                if progress is not None:
                    progress(done)

    def turn(self) -> ProcessReport | None:
        """A batch as a job among others, None where no change is under way and nothing is left of one.

        An embedder that is down is named, and the work stays for a later turn.
        """
        _, coming, former = self._backend.store.embedders()
        if coming is None and not former:
            return None
        try:
            return ProcessReport(done=1 if self.step() else 0)
        except EmbedderUnavailable as error:
            return ProcessReport(errors=(f"reembed: {error}",))
