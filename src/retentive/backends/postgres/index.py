"""The shared index on a server; words and vectors of large scopes are not kept in every process but found there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from retentive.again import methods_again_when_yielded
from retentive.backends.postgres.database import PostgresDatabase
from retentive.backends.postgres.large import TERMS, Asked, ServedCorpus, halfvec
from retentive.contracts import Vectors
from retentive.corpus import Corpus
from retentive.counts import ASKS, TERM_BYTES, term_code
from retentive.sql import models, rows
from retentive.sql.database import Connection, fetch, fetch_value, marks
from retentive.sql.index import FAR_SELECT, STANDS, SqlIndex, serving
from retentive.sql.large import LargeCorpus
from retentive.types import Partition

#: From so many memories on a scope is large: in memory it answers sooner, but would take each process a gigabyte.
LARGE = 200_000
#: Memories put into the indexes of large scopes in one commit, and commits made in one go.
_FILL, _FILLS = 500, 3
_SERVED_SELECT = FAR_SELECT.replace("CAST(e.terms AS BLOB)", TERMS)
_WORDLESS = (
    "SELECT row, CAST(terms AS BLOB) FROM entry WHERE row BETWEEN ? AND ? AND words IS NULL "
    "ORDER BY row LIMIT ? FOR UPDATE"
)
_UNFILLED = "FROM vector WHERE row BETWEEN ? AND ? AND near IS NULL AND model = ?"


@methods_again_when_yielded("put_terms", "put_vectors")
class PostgresIndex(SqlIndex):
    """`retentive.sql.index.SqlIndex`, with a graph for scopes from LARGE memories on."""

    _db: PostgresDatabase

    def _attach(self, partition: Partition, corpus: LargeCorpus) -> None:
        if isinstance(corpus, ServedCorpus):
            no = int(corpus.column("row")[0]) >> rows.SEQ_BITS
            corpus.give_out(Asked(self._db, partition, no, corpus.model, corpus.dimension))
        else:
            super()._attach(partition, corpus)

    def _select(self, corpus: Corpus) -> str:
        return _SERVED_SELECT if isinstance(corpus, ServedCorpus) else super()._select(corpus)

    @contextmanager
    def snapshot(self, partition: Partition) -> Iterator[Corpus]:
        """As everywhere; what is known to be up to date is given out after one message to the server.

        The lock is taken before a connection is, and none is kept while the corpus is out: a recall that waits for
        another one holds no connection that one may need.
        """
        stands = self._db.ask(partition.tenant, (STANDS, partition))[0]
        if not stands:
            with super().snapshot(partition) as corpus:
                yield corpus
            return
        ((no, revision, serves),) = stands
        cached = self._cached(no)
        with cached.lock:
            model = models.named_in(serves)[0] if serves else ""
            if cached.corpus.revision < revision or cached.corpus.model != model or self._turned(cached):
                with self._db.read(partition.tenant) as connection:
                    self._refresh(connection, cached, no)
            yield self._given_out(partition, cached.corpus)

    def _new(self, connection: Connection, no: int) -> Corpus:
        found = super()._new(connection, no)
        model, dimension = serving(connection)
        if found.far:
            return found
        sql = "SELECT last_seq FROM partition WHERE no = ? AND EXISTS (SELECT FROM entry WHERE row BETWEEN ? AND ?)"
        size = fetch_value(connection, sql, (no, *rows.row_range(no))) or 0  # not where all is forgotten
        if size < LARGE or not dimension:
            return found
        waits = fetch_value(connection, f"SELECT 1 {_UNFILLED} LIMIT 1", (*rows.row_range(no), model))
        return found if waits else ServedCorpus(dimension, model)

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
            entries = fetch(connection, _WORDLESS, (*rows.row_range(no), _FILL))
            known = {row: _words(no, terms) for row, terms in entries}
            put = "INSERT INTO word (code, row, times) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
            connection.executemany(put, [(code, row, n) for row, words in known.items() for code, n in words.items()])
            put = "UPDATE entry SET words = ?, word_count = ? WHERE row = ?"
            connection.executemany(put, [(list(words), sum(words.values()), row) for row, words in known.items()])
        return max(len(found), len(entries))

    def token_states(self, partition: Partition, model: str, wanted: Sequence[int]) -> dict[int, bytes]:
        owned = "EXISTS (SELECT 1 FROM partition WHERE no = ? AND tenant = ? AND kind = ? AND owner = ?)"
        here = [row for row in wanted if row >> rows.SEQ_BITS == wanted[0] >> rows.SEQ_BITS]
        if not here:
            return {}
        no = here[0] >> rows.SEQ_BITS
        sql = (
            "SELECT row, CAST(value AS BLOB) FROM token_state "  # noqa: S608  our own words
            f"WHERE model = ? AND row IN ({marks(here)}) AND {owned}"
        )
        return dict(self._db.ask(partition.tenant, (sql, (model, *here, no, *partition)))[0])


def _words(no: int, terms: bytes) -> dict[int, int]:
    """An entry's terms for the inverted index, and how often it has each; of damaged ones nothing."""
    pairs = np.frombuffer(terms if len(terms) % TERM_BYTES == 0 else b"", np.uint32).reshape(-1, 2).astype(np.int64)
    pairs = pairs[pairs[:, 0] != term_code(ASKS)]
    return dict(zip(((no << rows.SEQ_BITS) | pairs[:, 0]).tolist(), pairs[:, 1].tolist(), strict=True))
