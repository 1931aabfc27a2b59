"""The index in the same database: term codes and vectors by row, kept in memory per partition while it is in use.

A user's rows lie together, so a partition is loaded by two range scans, whatever the size of the store. After that only
rows named in `touched` are read again: our own writes and those of other processes alike.
"""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from retentive.contracts import Index, Vectors
from retentive.contracts.beside import Beside
from retentive.corpus import Corpus, IndexRow, unpack_vectors
from retentive.counts import TERM_BYTES, pack_terms
from retentive.errors import EmbedderMismatch
from retentive.sql import models, rows
from retentive.sql.database import PARTITION, Connection, SqlDatabase, chunks, fetch, fetch_value, marks, upsert
from retentive.sql.large import AskedBeside, LargeCorpus
from retentive.sql.touched import touch
from retentive.sql.transaction import ENTRY_COLUMNS
from retentive.types import Partition, Tier

SELECT = (
    "SELECT e.row, e.tier, e.timestamp_us, e.recorded_us, e.retired_us, e.valid_to_us, e.expires_us, e.current, "
    # cast: a damaged value is still bytes, and its length gives it away
    "e.evergreen, e.session_id, e.agent_id, e.project_id, e.own, CAST(e.terms AS BLOB), CAST(v.value AS BLOB) "
    "FROM entry e LEFT JOIN vector v ON v.row = e.row AND v.model = ? "
)
#: Where a partition stands, and with which embedder the store is searched; no row before its first write.
STANDS = (
    "SELECT no, revision, (SELECT value FROM setting WHERE name = 'embedder') FROM partition "
    "WHERE tenant = ? AND kind = ? AND owner = ?"
)
#: The same of a corpus whose vectors stay where they are: their last number alone.
FAR_SELECT = SELECT.replace("CAST(v.value AS BLOB)", "CAST(substr(v.value, length(v.value) - 1) AS BLOB)")
#: Facts that hold, and the messages they were drawn from.
_DRAWN = (
    "SELECT DISTINCT f.row, e.row FROM fact f "
    "JOIN evidence v ON v.fact_id = f.id JOIN episode e ON e.id = v.episode_id "
    "WHERE f.row BETWEEN ? AND ? AND f.retired_us IS NULL"
)
#: From so many memories on the nearest are asked of an index beside the store, where there is one.
BESIDE_FROM = 20_000
#: An entry made anew from the truth, whatever stood there; one of the two tables has the row.
_ENTRIES_ANEW = (
    (
        "SELECT row, 0, timestamp_us, recorded_us, NULL, NULL, NULL, TRUE, FALSE, "
        "session_id, agent_id, project_id, role NOT IN ('assistant', 'tool', 'system'), CAST(?1 AS BLOB) "
        "FROM episode WHERE row = ?2 AND NOT quoted"
    ),
    (
        "SELECT row, 1, valid_from_us, recorded_us, "
        "coalesce(retired_us, CASE WHEN status IN ('active', 'disputed') THEN NULL ELSE recorded_us END), "
        "CASE WHEN status = 'rejected' OR (retired_us IS NULL AND status NOT IN ('active', 'disputed')) "
        "OR (retired_us IS NOT NULL AND valid_to_us IS NULL) THEN valid_from_us ELSE valid_to_us END, expires_us, "
        "retired_us IS NULL AND status IN ('active', 'disputed'), evergreen OR field IS NOT NULL, "
        "session_id, agent_id, project_id, TRUE, CAST(?1 AS BLOB) FROM fact WHERE row = ?2"
    ),
)
#: Rows read in one go when a partition is loaded: bounds the memory of the load, not of the result.
_CHUNK = 20_000
#: Above this many changed rows a fresh load is cheaper than picking them one by one.
_DELTA_LIMIT = 5_000


class _Cached:
    """One partition in memory, with the lock its readers and its refresh share."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.lock = threading.Lock()
        #: Whether the index beside the store was up when this was loaded.
        self.asking = False
        #: Bytes of it, and of its token states alone, when they were last counted.
        self.byte_size = self.states_bytes = 0


def refuse_other_model(connection: Connection, model: str) -> None:
    """The embedder may have been changed under an older handle: its vectors would lie among the new one's."""
    if model not in dict(models.kept(connection)):
        message = "the store's embedder was changed by another process: open the store again"
        raise EmbedderMismatch(message)


def serving(connection: Connection) -> tuple[str, int]:
    """Name and dimension of the embedder that the store is searched with; none yet: an empty one."""
    return models.stored(connection).serving or ("", 0)


def _empty(connection: Connection) -> Corpus:
    """A corpus without rows, for vectors of the embedder that the store is searched with."""
    model, dimension = serving(connection)
    return Corpus(dimension, model)


class SqlIndex(Index):
    """Keeps the partitions used last in memory, up to `cache_bytes`."""

    def __init__(self, database: SqlDatabase, cache_bytes: int) -> None:
        self._db = database
        self._cache_bytes = cache_bytes
        self._cache: OrderedDict[int, _Cached] = OrderedDict()
        self._byte_size = 0
        self._lock = threading.Lock()
        self._damaged: dict[int, set[int]] = {}
        self._beside: Beside | None = None

    def ask(self, beside: Beside) -> None:
        self._beside = beside

    @contextlib.contextmanager
    def snapshot(self, partition: Partition) -> Iterator[Corpus]:
        with self._db.read(partition.tenant) as connection:
            stands = fetch_value(connection, STANDS, partition)
            if stands is None:
                yield _empty(connection)
                return
            no, revision, serves = stands
            model = models.named_in(serves)[0] if serves else ""
            cached = self._cached(no)
            with cached.lock:
                if cached.corpus.revision < revision or cached.corpus.model != model or self._turned(cached):
                    self._refresh(connection, cached, no)
                yield self._given_out(partition, cached.corpus)

    def _cached(self, no: int) -> _Cached:
        with self._lock:
            cached = self._cache.get(no)
            if cached is None:
                cached = self._cache[no] = _Cached(Corpus(0))
            self._cache.move_to_end(no)
        if cached.states_bytes != cached.corpus.states.byte_size:  # what the last reading left here
            self._count(cached, no)
        return cached

    def _count(self, cached: _Cached, no: int) -> None:
        """Hold what is kept to its limit: those asked for longest ago go first, and this one stays."""
        with self._lock:
            if self._cache.get(no) is not cached:  # let go of meanwhile
                return
            self._cache.move_to_end(no)
            self._byte_size += cached.corpus.byte_size - cached.byte_size
            cached.byte_size = cached.corpus.byte_size
            cached.states_bytes = cached.corpus.states.byte_size
            while self._byte_size > self._cache_bytes and len(self._cache) > 1:
                _, evicted = self._cache.popitem(last=False)
                self._byte_size -= evicted.byte_size

    def _given_out(self, partition: Partition, corpus: Corpus) -> Corpus:
        """The corpus, made ready for one reading."""
        corpus.notes, corpus.asked = (), {}
        if isinstance(corpus, LargeCorpus):
            self._attach(partition, corpus)
            if corpus.beside:
                return corpus
        if self._beside is not None and corpus.size >= BESIDE_FROM and self._beside.down:
            corpus.notes = (f"vectors: {self._beside.down}; the store's own were searched",)
        return corpus

    def _attach(self, partition: Partition, corpus: LargeCorpus) -> None:
        """Say who answers for what lies elsewhere."""
        assert self._beside is not None  # noqa: S101  else `_new` makes no such corpus
        corpus.server = AskedBeside(self._beside, corpus, partition, self.changed, self.packed)

    def _asking(self) -> bool:
        return self._beside is not None and self._beside.down is None

    def _turned(self, cached: _Cached) -> bool:
        """Whether the index beside the store went down or came up since a large scope was loaded."""
        return cached.asking != self._asking() and cached.corpus.size >= BESIDE_FROM

    def _refresh(self, connection: Connection, cached: _Cached, no: int) -> None:
        with connection:  # one read transaction: revision, notes and rows belong together
            self._bring_up(connection, cached, no)
        self._count(cached, no)

    def _bring_up(self, connection: Connection, cached: _Cached, no: int) -> None:
        """Read what changed since the corpus's revision; all of it when too much did, or the notes are gone."""
        revision = connection.execute("SELECT revision FROM partition WHERE no = ?", (no,)).get
        if revision is None:  # erased meanwhile
            cached.corpus = _empty(connection)
            return
        changed = self._changed_rows(connection, no, cached.corpus.revision, revision)
        grown = self._asking() and not cached.corpus.far and cached.corpus.size >= BESIDE_FROM
        if changed is None or cached.corpus.model != serving(connection)[0] or self._turned(cached) or grown:
            cached.asking = self._asking()
            cached.corpus = self._load(connection, no)
        else:
            self._apply(connection, cached.corpus, changed)
        cached.corpus.revision = revision

    def _changed_rows(self, connection: Connection, no: int, old: int, new: int) -> list[int] | None:
        if old == 0:
            return None
        first = no << rows.SEQ_BITS
        notes = fetch(
            connection, "SELECT rows FROM touched WHERE revision BETWEEN ? AND ?", (first | old + 1, first | new)
        )
        if len(notes) < new - old:
            return None
        changed = np.unique(np.frombuffer(b"".join(note for (note,) in notes), np.int64))
        return None if len(changed) > _DELTA_LIMIT else changed.tolist()

    def _load(self, connection: Connection, no: int) -> Corpus:
        corpus = self._new(connection, no)
        first, last = rows.row_range(no)
        while True:
            sql = self._select(corpus) + "WHERE e.row BETWEEN ? AND ? ORDER BY e.row LIMIT ?"
            found = fetch(connection, sql, (corpus.model, first, last, _CHUNK))
            self._put(corpus, [IndexRow._make(values) for values in found])
            if len(found) < _CHUNK:
                self._draw(connection, corpus, [rows.row_range(no)])
                return corpus
            first = found[-1][0] + 1

    def _new(self, connection: Connection, no: int) -> Corpus:
        """A corpus to load the partition into."""
        size = fetch_value(connection, "SELECT count(*) FROM entry WHERE row BETWEEN ? AND ?", rows.row_range(no))
        model, dimension = serving(connection)
        if self._asking() and dimension and size >= BESIDE_FROM:
            return LargeCorpus(dimension, model, beside=True)
        return Corpus(dimension, model)

    def _select(self, corpus: Corpus) -> str:
        """What reads the rows of a corpus."""
        return FAR_SELECT if corpus.far else SELECT

    def _apply(self, connection: Connection, corpus: Corpus, changed: Sequence[int]) -> None:
        sql = self._select(corpus) + "WHERE e.row = ?"
        found: list[IndexRow] = []
        for row in changed:
            found += [IndexRow._make(values) for values in fetch(connection, sql, (corpus.model, row))]
        here = {row.row for row in found}
        corpus.drop([row for row in changed if row not in here])
        corpus.states.drop(changed)
        self._put(corpus, found)
        self._draw(connection, corpus, [(row.row, row.row) for row in found if row.tier == Tier.SEMANTIC])

    @staticmethod
    def _draw(connection: Connection, corpus: Corpus, facts: Sequence[tuple[int, int]]) -> None:
        """Say what facts in these ranges of rows were drawn from. Of a large corpus only parts are scored: of none."""
        if corpus.size < BESIDE_FROM:
            corpus.draw([pair for few in facts for pair in fetch(connection, _DRAWN, few)])
        else:
            corpus.draw(None)

    def _put(self, corpus: Corpus, found: Sequence[IndexRow]) -> None:
        """Take rows into a corpus, and note those that it could make nothing of."""
        corpus.put(found)
        whole = corpus.column("embedded")[corpus.places(np.array([row.row for row in found], np.int64))]
        for row, embedded in zip(found, whole.tolist(), strict=True):
            if len(row.terms) % TERM_BYTES or (row.vector is not None and not embedded):
                with self._lock:
                    self._damaged.setdefault(row.row >> rows.SEQ_BITS, set()).add(row.row)

    def damaged(self) -> dict[Partition, list[int]]:
        if not self._damaged:
            return {}
        with self._lock:
            noted, self._damaged = self._damaged, {}
        sql = "SELECT tenant, kind, owner FROM partition WHERE no = ?"
        with self._db.read() as connection:
            owners = {no: fetch_value(connection, sql, (no,)) for no in noted}
        return {Partition(*owners[no]): sorted(found) for no, found in noted.items() if owners[no] is not None}

    def changed(self, partition: Partition, since_revision: int) -> tuple[int, list[int] | None]:
        sql = "SELECT no, revision FROM partition WHERE tenant = ? AND kind = ? AND owner = ?"
        with self._db.read(partition.tenant) as connection, connection:
            no, revision = connection.execute(sql, partition).get or (0, 0)
            if revision == since_revision:
                return revision, []
            later = since_revision > revision  # an older copy of the store was put in its place
            return revision, None if later else self._changed_rows(connection, no, since_revision, revision)

    def forget(self, partition: Partition) -> int:
        with self._lock, self._db.read() as connection:
            stays: set[int] = set()
            for part in chunks(list(self._cache)):
                others = f"no IN ({marks(part)}) AND (tenant, kind, owner) <> (?, ?, ?)"
                sql = f"SELECT no FROM partition WHERE {others}"  # noqa: S608  our own words
                stays |= {no for (no,) in fetch(connection, sql, (*part, *partition))}
            gone = self._cache.keys() - stays
            for no in gone:
                self._byte_size -= self._cache.pop(no).byte_size
        return len(gone)

    # -- writing -----------------------------------------------------------------------------------------------------
    def put_terms(self, partition: Partition, terms: Mapping[int, Sequence[str]]) -> None:
        with self._db.write(partition.tenant) as connection:
            for source in _ENTRIES_ANEW:
                sql = upsert("entry", ENTRY_COLUMNS, ["row"], source=source)
                connection.executemany(sql, [(pack_terms(words), row) for row, words in terms.items()])
            self._drop_damaged_vectors(connection, list(terms))
            # A revision without a note: every reader reads all of the partition anew, its known rows' terms too.
            connection.execute(
                "UPDATE partition SET revision = revision + 1 WHERE tenant = ? AND kind = ? AND owner = ?", partition
            )

    def _drop_damaged_vectors(self, connection: Connection, wanted: Sequence[int]) -> None:
        """So that they are made anew like those that never were."""
        sizes = dict(models.kept(connection))
        sql = "SELECT model, dimension, CAST(value AS BLOB) FROM vector WHERE row = ?"
        for row in wanted:
            for model, size, value in fetch(connection, sql, (row,)):
                if size != sizes.get(model) or not len(unpack_vectors([value], size)[0]):
                    connection.execute("DELETE FROM vector WHERE row = ? AND model = ?", (row, model))

    def put_vectors(
        self,
        partition: Partition,
        model: str,
        vectors: Mapping[int, Vectors],
        tokens: Mapping[int, Vectors] | None = None,
    ) -> None:
        def put(connection: Connection) -> None:
            refuse_other_model(connection, model)
            models.put_vectors(connection, model, vectors, tokens or {})

        self._write(partition, put, list(vectors))

    def _write(self, partition: Partition, put: Callable[[Connection], None], touched: list[int]) -> None:
        with self._db.write(partition.tenant, shared=True, derived=True) as connection:
            known = connection.execute(PARTITION + self._db.for_update, partition).get
            if known is None:
                return
            no, revision = known
            put(connection)
            touch(connection, no, revision + 1, touched)

    def packed(self, partition: Partition, model: str, wanted: Sequence[int]) -> Mapping[int, bytes]:
        """The packed vectors of rows."""
        found: dict[int, bytes] = {}
        with self._db.read(partition.tenant) as connection:
            for part in chunks(wanted):
                sql = f"SELECT row, CAST(value AS BLOB) FROM vector WHERE model = ? AND row IN ({marks(part)})"  # noqa: S608
                found |= dict(fetch(connection, sql, (model, *part)))
        return found

    def token_states(self, partition: Partition, model: str, wanted: Sequence[int]) -> dict[int, bytes]:
        with self._db.read(partition.tenant) as connection:
            sql = "SELECT no FROM partition WHERE tenant = ? AND kind = ? AND owner = ?"
            no = connection.execute(sql, partition).get
            here = [row for row in wanted if row >> rows.SEQ_BITS == no]
            sql = f"SELECT row, CAST(value AS BLOB) FROM token_state WHERE model = ? AND row IN ({marks(here)})"  # noqa: S608
            return dict(fetch(connection, sql, (model, *here))) if here else {}

    def without_vector(self, partition: Partition, first_row: int, last_row: int, model: str) -> list[int]:
        sql = (
            "SELECT e.row FROM entry e LEFT JOIN vector v ON v.row = e.row AND v.model = ? "
            "WHERE e.row BETWEEN ? AND ? AND v.row IS NULL ORDER BY e.row"
        )
        with self._db.reading(partition) as (connection, no):
            first, last = rows.row_range(no)
            found = fetch(connection, sql, (model, max(first, first_row), min(last, last_row)))
        return [row for (row,) in found]

    def missing(self, model: str, *, after_row: int, limit: int) -> dict[Partition, list[int]]:
        found: dict[int, list[int]] = {}
        sql = "SELECT tenant, kind, owner FROM partition WHERE no = ?"
        with self._db.read() as connection:
            for row in models.missing(connection, model, after_row, limit):
                found.setdefault(row >> rows.SEQ_BITS, []).append(row)
            owners = {no: connection.execute(sql, (no,)).get for no in found}
        return {Partition(*owners[no]): whose for no, whose in found.items() if owners[no] is not None}
