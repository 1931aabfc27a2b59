"""The shared index on a server; vectors of large scopes are not kept in every process but found by pgvector."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np

from retentive.again import methods_again_when_yielded
from retentive.backends.postgres.database import PostgresDatabase
from retentive.contracts import Vectors
from retentive.corpus import Corpus, Floats
from retentive.sql import rows
from retentive.sql.database import Connection, fetch, fetch_value
from retentive.sql.index import SqlIndex, serving
from retentive.sql.large import NEAREST, LargeCorpus, Server
from retentive.types import Partition, Scope

#: From so many memories on a scope is large: vectors in memory answer sooner, but would take each process a gigabyte.
LARGE = 200_000
#: Vectors put into the graph in one commit, and commits made in one go.
_FILL, _FILLS = 500, 3
_TUNED = (
    "SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '300', true), "
    "set_config('hnsw.max_scan_tuples', '200000', true)"
)
#: Where a partition stands, and with which embedder the store is searched.
_STANDS = (
    "SELECT p.no, p.revision, s.value FROM (VALUES (1)) AS one LEFT JOIN setting s ON s.name = 'embedder' "
    "LEFT JOIN partition p ON p.tenant = ? AND p.kind = ? AND p.owner = ?"
)
_UNFILLED = "FROM vector WHERE row BETWEEN ? AND ? AND near IS NULL AND model = ?"


@cache
def _nearest_sql() -> str:
    """The query for the nearest; read at first use."""
    return (resources.files("retentive.backends.postgres") / "nearest.sql").read_text("utf-8")


def halfvec(vector: Floats) -> str:
    """A vector as pgvector reads it.

    >>> halfvec(np.array([0.5, -1.0], np.float32))
    '[0.5, -1.0]'
    """
    return str(vector.astype(np.float16).tolist())


@methods_again_when_yielded("put_terms", "put_vectors")
class PostgresIndex(SqlIndex):
    """`retentive.sql.index.SqlIndex`, with a graph for scopes from LARGE memories on."""

    _db: PostgresDatabase

    def _server(self, partition: Partition, corpus: LargeCorpus) -> Server:
        return super()._server(partition, corpus) if corpus.beside else _Asked(self, partition, corpus)

    @contextmanager
    def snapshot(self, partition: Partition) -> Iterator[Corpus]:
        """As everywhere; what is known to be up to date is given out after one message to the server.

        The lock is taken before a connection is, and none is kept while the corpus is out: a recall that waits for
        another one holds no connection that one may need.
        """
        ((no, revision, serves),) = self._db.ask(partition.tenant, (_STANDS, partition))[0]
        if no is None:
            with super().snapshot(partition) as corpus:
                yield corpus
            return
        cached = self._cached(no)
        with cached.lock:
            model = json.loads(serves)["name"] if serves else ""
            if cached.corpus.revision < revision or cached.corpus.model != model or self._turned(cached):
                with self._db.read(partition.tenant) as connection:
                    self._refresh(connection, cached, no)
            yield self._given_out(partition, cached.corpus)

    def reading(self, partition: Partition) -> AbstractContextManager[tuple[Connection, int | None, int]]:
        """As the database's own, for who answers for a corpus within it."""
        return self._db.reading(partition)

    def _new(self, connection: Connection, no: int) -> Corpus:
        found = super()._new(connection, no)
        model, dimension = serving(connection)
        if found.far:
            return found
        size = fetch_value(connection, "SELECT last_seq FROM partition WHERE no = ?", (no,))
        if size < LARGE or not dimension:
            return found
        waits = fetch_value(connection, f"SELECT 1 {_UNFILLED} LIMIT 1", (*rows.row_range(no), model))
        return found if waits else LargeCorpus(dimension, model)

    def put_vectors(
        self,
        partition: Partition,
        model: str,
        vectors: Mapping[int, Vectors],
        tokens: Mapping[int, Vectors] | None = None,
    ) -> None:
        super().put_vectors(partition, model, vectors, tokens)
        with self._db.read(partition.tenant) as connection:
            sql = "SELECT no FROM partition WHERE tenant = ? AND kind = ? AND owner = ? AND last_seq >= ?"
            no = fetch_value(connection, sql, (*partition, LARGE))
        dimension = len(next(iter(vectors.values()), ()))
        if no is not None and dimension:
            self._db.make_graph(model, dimension, rows.row_range(no)[0])
            for _ in range(_FILLS):  # those from before the scope was large come along, some with each call
                if not self._fill(partition, no, model):
                    break

    def _fill(self, partition: Partition, no: int, model: str) -> int:
        sql = f"SELECT row, CAST(value AS BLOB) {_UNFILLED} ORDER BY row LIMIT {_FILL} FOR UPDATE"
        with self._db.write(partition.tenant) as connection:
            found = fetch(connection, sql, (*rows.row_range(no), model))
            put = "UPDATE vector SET near = CAST(? AS halfvec) WHERE row = ? AND model = ?"
            values = [(halfvec(np.frombuffer(value, np.float16)), row, model) for row, value in found]
            connection.executemany(put, values)
        return len(found)


@dataclass(frozen=True, slots=True)
class _Asked:
    """`large.Server` within the reading that gave the corpus out."""

    index: PostgresIndex
    partition: Partition
    corpus: LargeCorpus

    def nearest(self, query: Floats, scope: Scope | None) -> Sequence[int]:  # noqa: ARG002  the graph is the whole owner's
        model, dimension = self.corpus.model, self.corpus.dimension
        with self.index.reading(self.partition) as (connection, no, _):
            first, last = rows.row_range(-1 if no is None else no)
            asked = {"model": model, "first": first, "last": last, "query": halfvec(query), "limit": NEAREST}
            connection.execute(_TUNED)
            found = fetch(connection, _nearest_sql().format(dimension=dimension), asked)
        return [row for (row,) in found]

    def vectors(self, wanted: Sequence[int]) -> Mapping[int, bytes]:
        return self.index.packed(self.partition, self.corpus.model, wanted)
