"""From one backend to another: every memory, session and vector, verified, while the old store is in use.

A run compares what each place holds and brings over what differs, so a run that was killed is made up for by the next,
and what was written meanwhile by another pass. Rows have other numbers in the new store; all else is the same.

Not brought over: the audit (its chain is of its own store), what model calls took, API keys, the facts that a rebuild
keeps to be put back, and jobs, which are run where they wait.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from retentive import plugins
from retentive.analyze import index_terms
from retentive.config import Settings
from retentive.contracts import Backend, Remembered, Store, Vectors
from retentive.corpus import TOKEN_UNIT, unpack_tokens
from retentive.errors import InvalidInput
from retentive.given import checked_objects
from retentive.lifecycle.portable import everything, export_lines, memory_line
from retentive.mirroring import write_pages
from retentive.types import (
    AddEpisode,
    AddFact,
    Change,
    Episode,
    NewJob,
    Partition,
    PutSession,
    Rewrite,
    SessionInfo,
    indexed_text,
)

_BATCH = 500
_ALL_SESSIONS = 1_000_000
#: Passes over what was written meanwhile; who writes faster than that has to stop for a moment.
_PASSES = 5
_NOTE = "migrated from"
Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class MigrationReport:
    """What came of a run: what the new store holds, and what this run did to it.

    waiting: jobs that wait in the old store: run them there, then migrate once more. differing: users and agents whose
    memories were not the same in the end, because they were written to; 0 says that counts and checksums agree.
    """

    partitions: int
    memories: int
    copied: int
    erased: int
    vectors: int
    waiting: int
    differing: int


def migrate(
    source_url: str,
    target_url: str,
    *,
    settings: Settings | None = None,
    progress: Callable[[int], None] | None = None,
) -> MigrationReport:
    """Make the store at `target_url` hold what the one at `source_url` holds; the source is only read.

    The target is empty, or from an earlier run and not written to since. progress: told how many memories were copied,
    after each commit.

    Raises InvalidInput for a target with memories of its own, StoreError, ConfigError.
    """
    checked_objects(settings=(settings, Settings), progress=(progress, Callable))
    settings = settings or Settings.from_env()
    if source_url == target_url:
        message = "the two stores are one: name another one to migrate to"
        raise InvalidInput(message)
    source = plugins.make_backend(source_url, settings)
    try:
        target = plugins.make_backend(target_url, settings)
        try:
            report = _Migration(source, target, progress or (lambda _: None)).run()
            write_pages(target.store, settings, plugins.make_policy(settings))
            return report
        finally:
            target.store.close()
    finally:
        source.store.close()


def checksum(store: Store, partition: Partition) -> str:
    """SHA-256 over everything an export of the partition says, in an order of its own: rows may lie otherwise.

    >>> backend = plugins.make_backend(":memory:", Settings())
    >>> checksum(backend.store, Partition("default", "user", "alice"))[:8]
    '92e3c8f9'
    """
    digest = hashlib.sha256()
    for line in sorted(export_lines(store, partition)):
        digest.update(f"{line}\n".encode())
    return digest.hexdigest()


def _key(memory: Remembered) -> Key:
    return memory.id, 0 if isinstance(memory, Episode) else memory.version


def _batches(memories: Sequence[Remembered]) -> Iterator[Sequence[Remembered]]:
    return (memories[start : start + _BATCH] for start in range(0, len(memories), _BATCH))


class _Migration:
    """One run."""

    def __init__(self, source: Backend, target: Backend, progress: Callable[[int], None]) -> None:
        self.source, self.target = source, target
        self._progress = progress
        self._copied = self._erased = self._vectors = 0

    def run(self) -> MigrationReport:
        self._begin()
        done: dict[Partition, int] = {}
        for _ in range(_PASSES):
            now = self.source.store.revisions()
            todo = [partition for partition, revision in now.items() if done.get(partition) != revision]
            for partition in set(self.target.store.partitions()) - set(now):
                self._erased += len(self.target.store.erase(partition, None, lasting=False).ids)
            for partition in todo:
                self._bring(partition)
            done |= {partition: now[partition] for partition in todo}
            if not todo:
                break
        return self._verified()

    # -- may it be done ----------------------------------------------------------------------------------------------
    def _begin(self) -> None:
        noted = json.loads(self.target.store.note(_NOTE) or "{}")
        partitions = list(self.target.store.partitions())
        ours = noted.get("source") == self._source() and noted.get("sum") in {None, self._sum(self._checksums())}
        if partitions and not ours:
            message = (
                "the store to migrate to holds memories of its own, or was written to since the last run: "
                "name an empty one"
            )
            raise InvalidInput(message)
        self._note(None)
        embedder = self.source.store.embedder()
        if embedder is not None and self.target.store.embedder() != embedder:
            self.target.store.set_embedder(*embedder)

    def _source(self) -> str:
        return hashlib.sha256(self.source.store.status().location.encode()).hexdigest()

    def _note(self, total: str | None) -> None:
        self.target.store.set_note(_NOTE, json.dumps({"source": self._source(), "sum": total}))

    def _checksums(self) -> dict[Partition, str]:
        store = self.target.store
        return {partition: checksum(store, partition) for partition in store.partitions()}

    @staticmethod
    def _sum(checksums: Mapping[Partition, str]) -> str:
        return hashlib.sha256("".join(sorted(checksums.values())).encode()).hexdigest()

    def _verified(self) -> MigrationReport:
        here = self._checksums()
        there = {one: checksum(self.source.store, one) for one in self.source.store.partitions()}
        differing = sum(here.get(one) != there.get(one) for one in here.keys() | there.keys())
        self._note(self._sum(here))
        depth = self.source.queue.depth()
        counts = self.target.store.status().counts
        return MigrationReport(
            partitions=len(here),
            memories=counts["episode"] + counts["fact"],
            copied=self._copied,
            erased=self._erased,
            vectors=self._vectors,
            waiting=sum(count for state, count in depth.items() if state != "dead"),
            differing=differing,
        )

    # -- one partition -----------------------------------------------------------------------------------------------
    def _bring(self, partition: Partition) -> None:
        """Bring over what differs: what is new, what was changed, and that something was forgotten."""
        theirs = list(everything(self.source.store, partition))
        keys = {_key(one) for one in theirs}
        gone = [one.row for key, one in self._ours(partition).items() if key not in keys]
        if gone:
            self._erased += len(self.target.store.erase(partition, gone, lasting=False).ids)
        ours = self._ours(partition)
        new = [one for one in theirs if _key(one) not in ours]
        changed = [
            replace(one, row=old.row)
            for one in theirs
            if (old := ours.get(_key(one))) is not None and memory_line(old) != memory_line(one)
        ]
        for batch in _batches(new):
            self._write(partition, batch, [AddEpisode(m) if isinstance(m, Episode) else AddFact(m) for m in batch])
        for batch in _batches(changed):
            self._write(partition, batch, [Rewrite(memory) for memory in batch])
        after = self._ours(partition)
        rows = {one.row: after[_key(one)].row for one in theirs}
        self._bring_sessions(partition, rows)
        self._bring_vectors(partition, rows)
        self.target.tiers.keep_forgotten(partition, self.source.tiers.forgotten(partition))

    def _ours(self, partition: Partition) -> dict[Key, Remembered]:
        return {_key(one): one for one in everything(self.target.store, partition)}

    def _write(self, partition: Partition, memories: Sequence[Remembered], changes: Sequence[Change]) -> None:
        with self.target.store.transaction(partition, verb="import") as transaction:
            for change, memory in zip(changes, memories, strict=True):  # one by one: versions of a fact share its id
                transaction.apply([change], {memory.id: index_terms(indexed_text(memory))})
        self._copied += len(memories)
        self._progress(len(memories))

    def _bring_sessions(self, partition: Partition, rows: Mapping[int, int]) -> None:
        """Sessions with the rows that their unread messages have here. Nobody holds one open here."""
        there = self.source.store.sessions(partition, limit=_ALL_SESSIONS)
        here = {one.key: one for one in self.target.store.sessions(partition, limit=_ALL_SESSIONS)}
        wanted = [replace(one, owner=None, unread_row=rows.get(one.unread_row or 0)) for one in there]
        changed: list[SessionInfo] = [one for one in wanted if here.get(one.key) != one]
        if not changed:
            return
        with self.target.store.transaction(partition, verb="import") as transaction:
            transaction.apply([PutSession(one) for one in changed])
            for session in changed:
                if session.state == "ending":
                    transaction.enqueue(NewJob("end_session", session.key.payload))

    def _bring_vectors(self, partition: Partition, rows: Mapping[int, int]) -> None:
        """Vectors and token states of the embedder that is searched with; what has none there is embedded here."""
        if not rows:
            return
        with self.source.index.snapshot(partition) as corpus:
            model = corpus.model
            lacking = set(self.target.index.without_vector(partition, min(rows.values()), max(rows.values()), model))
            here = corpus.column("embedded") & corpus.column("alive")
            places = [int(p) for p in here.nonzero()[0] if rows.get(int(corpus.column("row")[p])) in lacking]
            for start in range(0, len(places), _BATCH):
                batch = places[start : start + _BATCH]
                vectors = corpus.vectors_of(np.array(batch))
                known = {int(corpus.column("row")[p]): vector for p, vector in zip(batch, vectors, strict=True)}
                self._put_vectors(partition, model, rows, known)
                lacking -= {rows[row] for row in known}
        if lacking:
            with self.target.store.transaction(partition) as transaction:
                transaction.enqueue(NewJob("embed", {"first_row": min(lacking), "last_row": max(lacking)}))

    def _put_vectors(
        self, partition: Partition, model: str, rows: Mapping[int, int], known: Mapping[int, Vectors]
    ) -> None:
        states = self.source.index.token_states(partition, model, list(known))
        # one long state packs to the same bytes as many short ones: their length is the embedder's business
        unit = np.float32(1 / TOKEN_UNIT)
        tokens = {rows[row]: unpack_tokens([packed], len(packed))[0] * unit for row, packed in states.items() if packed}
        vectors = {rows[row]: vector for row, vector in known.items()}
        self.target.index.put_vectors(partition, model, vectors, tokens)
        self._vectors += len(vectors)
