"""Points for the vectors of a store, kept to it, and the search over them.

A collection holds the vectors of one embedder and is named after it, so that two are never compared. How far each
owner's points have followed stands in a second collection beside it: whoever throws the points away throws that away as
well, and everything is fed again.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from qdrant_client import QdrantClient
from qdrant_client import models as q
from qdrant_client.http.exceptions import ApiException
from qdrant_client.http.exceptions import ResponseHandlingException as Unanswered

from retentive.contracts import Backend
from retentive.contracts.beside import Nearest
from retentive.corpus import Corpus, Floats
from retentive.errors import IndexUnavailable
from retentive.marked import whose_mark
from retentive.types import Partition, Scope

#: Points sent at once.
_BATCH = 256
#: Marks read at once.
_PAGE = 1000
_FILTERED = ("whose", "agent", "project")


class Near(NamedTuple):
    """A row of the store, and the product of its vector and the query's: both of length 1 give the cosine."""

    row: int
    score: float


@dataclass(frozen=True, slots=True)
class Synced:
    """What following once came to: points put and taken away, and how many changes of the store are still to come."""

    put: int = 0
    dropped: int = 0
    lag: int = 0


@contextlib.contextmanager
def _mapped() -> Iterator[None]:
    try:
        yield
    except (ApiException, Unanswered, OSError) as error:
        message = f"Qdrant refused or did not answer ({type(error).__name__}): it catches up when it is there again"
        raise IndexUnavailable(message) from error


@dataclass(slots=True)
class QdrantVectors:
    """The vectors of a backend's store in a Qdrant. For one thread; several processes may follow the same store."""

    client: QdrantClient
    collection: str
    backend: Backend
    _ready: set[str] = field(default_factory=set)

    # -- following ---------------------------------------------------------------------------------------------------
    def sync(self, stop: Callable[[], bool] = lambda: False) -> Synced:
        """Feed what changed since the last time. Raises IndexUnavailable: what was fed stays, the next goes on."""
        known = self.backend.store.embedder()
        if known is None:
            return Synced()
        put = dropped = 0
        with _mapped():
            points = self._points(*known)
            marks = self._marks(points)
            revisions = self.backend.store.revisions()
            for partition, revision in revisions.items():
                if stop():
                    break
                mark = marks.pop(whose_mark(partition), 0)
                if mark != revision:
                    counts = self._feed(points, partition, mark)
                    put, dropped = put + counts[0], dropped + counts[1]
            here = {whose_mark(partition) for partition in revisions}
            for whose in marks.keys() - here:  # erased
                self.client.delete(points, q.FilterSelector(filter=_of(whose)), wait=True)
                self.client.delete(f"{points}-marks", q.PointIdsList(points=[_uuid(whose)]), wait=True)
            self._drop_former(points)
        return Synced(put, dropped, self.lag())

    def lag(self) -> int:
        """How many changes of the store the points have not seen; an erased owner counts for one."""
        known = self.backend.store.embedder()
        if known is None:
            return 0
        with _mapped():
            marks = self._marks(self._points(*known))
        behind = 0
        for partition, revision in self.backend.store.revisions().items():
            behind += abs(revision - marks.pop(whose_mark(partition), 0))
        return behind + len(marks)

    def rebuild(self, stop: Callable[[], bool] = lambda: False) -> Synced:
        """Throw every point away and feed all of them again."""
        with _mapped():
            for name in self._collections():
                self.client.delete_collection(name)
        self._ready.clear()
        return self.sync(stop)

    def _feed(self, points: str, partition: Partition, mark: int) -> tuple[int, int]:
        """Bring one owner's points up to date; returns how many were put and dropped."""
        whose = whose_mark(partition)
        revision, changed = self.backend.index.changed(partition, mark)
        with self.backend.index.snapshot(partition) as corpus:
            wanted = corpus.column("row") if changed is None else np.array(changed, np.int64)
            found = {int(row): int(place) for row, place in zip(wanted, corpus.places(wanted), strict=True)}
            there = [row for row, place in found.items() if place >= 0 and _searched(corpus, place)]
            for start in range(0, len(there), _BATCH):
                batch = there[start : start + _BATCH]
                vectors = corpus.vectors_of(np.array([found[row] for row in batch], np.int64))
                owned = zip(batch, vectors, strict=True)
                made = [_point(corpus, _Placed(whose, revision, row, found[row]), vector) for row, vector in owned]
                self.client.upsert(points, made, wait=True)
        gone = [] if changed is None else sorted(found.keys() - set(there))
        if changed is None:  # whatever was put by an earlier feed and not by this one
            older = q.FieldCondition(key="revision", range=q.Range(lt=revision))
            self.client.delete(points, q.FilterSelector(filter=_of(whose, older)), wait=True)
        elif gone:
            self.client.delete(points, q.PointIdsList(points=[*gone]), wait=True)
        marked = q.PointStruct(id=_uuid(whose), vector=[1.0], payload={"whose": whose, "revision": revision})
        self.client.upsert(f"{points}-marks", [marked], wait=True)
        return len(there), len(gone)

    # -- searching ---------------------------------------------------------------------------------------------------
    def search(self, scope: Scope, vector: Floats, limit: int) -> list[Near]:
        """The rows nearest to a vector that the scope may see and that are still in the store, nearest first.

        vector: of the store's embedder, as it makes one of a query. What was forgotten is left out also while the
        points lag behind.
        """
        known = self.backend.store.embedder()
        if known is None:
            return []
        with _mapped():
            near = self._nearest(self._points(*known), scope, vector, limit)
        there = self.backend.store.fetch(scope.partition, [one.row for one in near])
        return [one for one in near if one.row in there]

    def nearest(self, scope: Scope, model: str, vector: Floats, limit: int) -> Nearest:
        """The rows nearest to a vector, as the points say, and how far these have followed. Raises IndexUnavailable.

        For who looks the rows up in the store; of an owner that nobody has followed yet there are none, at revision 0.
        """
        points = self._name(model)
        with _mapped():
            if points not in self._ready:
                if not self.client.collection_exists(f"{points}-marks"):
                    return Nearest([], 0)
                self._ready.add(points)
            marks = self.client.retrieve(f"{points}-marks", ids=[_uuid(whose_mark(scope.partition))], with_payload=True)
            near = self._nearest(points, scope, vector, limit) if marks else []
        revision = max((int((one.payload or {})["revision"]) for one in marks), default=0)
        return Nearest([one.row for one in near], revision)

    def _nearest(self, points: str, scope: Scope, vector: Floats, limit: int) -> list[Near]:
        narrow = [_narrowed(name, value) for name, value in (("agent", scope.agent_id), ("project", scope.project_id))]
        wanted = _of(whose_mark(scope.partition), *(one for one in narrow if one is not None))
        query = [float(number) for number in vector]
        found = self.client.query_points(points, query, query_filter=wanted, limit=limit, with_payload=False).points
        return [Near(int(one.id), float(one.score)) for one in found]

    # -- collections -------------------------------------------------------------------------------------------------
    def _points(self, model: str, dimension: int) -> str:
        """The collection of an embedder's vectors, made where it is not there."""
        name = self._name(model)
        if name not in self._ready:
            self._make(name, dimension, _FILTERED)
            self._make(f"{name}-marks", 1, ())  # the last: where it is, the points are
            self._ready.add(name)
        return name

    def _name(self, model: str) -> str:
        return f"{self.collection}-{hashlib.blake2b(model.encode(), digest_size=4).hexdigest()}"

    def _make(self, name: str, dimension: int, filtered: Sequence[str]) -> None:
        if self.client.collection_exists(name):
            return
        vectors = q.VectorParams(size=dimension, distance=q.Distance.DOT)
        self.client.create_collection(name, vectors_config=vectors)
        for one in filtered:
            owner = one == "whose"  # points of one owner lie together on disk
            schema = q.KeywordIndexParams(type=q.KeywordIndexType.KEYWORD, is_tenant=owner)
            self.client.create_payload_index(name, one, schema)
        if filtered:
            self.client.create_payload_index(name, "revision", q.PayloadSchemaType.INTEGER)

    def _collections(self) -> list[str]:
        every = (one.name for one in self.client.get_collections().collections)
        return [name for name in every if name.startswith(f"{self.collection}-")]

    def _drop_former(self, points: str) -> None:
        """Vectors of an embedder that the store is not searched with any more."""
        for name in self._collections():
            if name not in {points, f"{points}-marks"}:
                self.client.delete_collection(name)
                self._ready.discard(name)

    def _marks(self, points: str) -> dict[str, int]:
        """How far each owner's points have followed."""
        found: dict[str, int] = {}
        after: Any = None
        while True:
            page, after = self.client.scroll(f"{points}-marks", limit=_PAGE, offset=after)
            found |= {one.payload["whose"]: one.payload["revision"] for one in page if one.payload}
            if after is None:
                return found


def _of(whose: str, *more: q.Condition) -> q.Filter:
    owner = q.FieldCondition(key="whose", match=q.MatchValue(value=whose))
    return q.Filter(must=[owner, *more])


def _narrowed(name: str, value: str | None) -> q.Condition | None:
    """What has this value, or none: that is for all."""
    if value is None:
        return None
    same = q.FieldCondition(key=name, match=q.MatchValue(value=value))
    return q.Filter(should=[same, q.IsEmptyCondition(is_empty=q.PayloadField(key=name))])


def _searched(corpus: Corpus, place: int) -> bool:
    return all(bool(corpus.column(name)[place]) for name in ("alive", "embedded", "current"))


class _Placed(NamedTuple):
    """A row, where it stands in its corpus, and what is noted of whose it is and when it was put."""

    whose: str
    revision: int
    row: int
    place: int


def _point(corpus: Corpus, placed: _Placed, vector: Floats) -> q.PointStruct:
    place = placed.place
    tier = int(corpus.column("tier")[place])
    payload: dict[str, Any] = {"whose": placed.whose, "revision": placed.revision, "tier": tier}
    for name, names in (("agent", corpus.agents), ("project", corpus.projects)):
        code = int(corpus.column(name)[place])
        if code >= 0:
            payload[name] = names.name(code)
    return q.PointStruct(id=placed.row, vector=vector.tolist(), payload=payload)


def _uuid(whose: str) -> str:
    """A point's id for an owner's mark of 16 hex digits."""
    return f"00000000-0000-0000-{whose[:4]}-{whose[4:]}"
