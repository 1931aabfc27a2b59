"""Connections to a Postgres server: transactions that leave nothing behind in a session, each for one tenant.

The tenant, the schema and the time limits are set by the statement that begins a transaction and end with it, so a pool
of transactions (PgBouncer) may give every transaction another server connection. Nothing is prepared.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import psycopg
from psycopg import sql
from psycopg_pool import ConnectionPool

from retentive.backends.postgres.connection import Cursor, PostgresConnection, Raw, as_text, configure, mapped_errors
from retentive.backends.postgres.schema import migrate, missing, schema_version, unguarded
from retentive.backends.postgres.startup import check_server
from retentive.backends.postgres.url import Place
from retentive.errors import StoreClosed, StoreError, StoreUnavailable
from retentive.forks import forks
from retentive.sql import rows
from retentive.sql.database import EVERYONE, NOWHERE, Connection, SqlDatabase
from retentive.types import Partition

#: No statement runs longer, none waits longer for another writer, and no transaction idles longer.
STATEMENT_S, LOCK_S, IDLE_S = 60, 30, 120
#: For so long a new connection is tried for when the old ones are gone.
_RECONNECT_S = 5.0
#: Nothing is prepared: a prepared statement would belong to one server connection.
CONNECT: dict[str, Any] = {"autocommit": True, "prepare_threshold": None, "connect_timeout": 5}
_POOL_SIZE = 16
#: What may stand in no transaction has its own limits.
_VACUUM_S, _BUILD_S = 30.0, 3600.0
#: One message: what begins a transaction costs no more than any other statement.
_BEGIN = (
    f"BEGIN ISOLATION LEVEL {{mode}}; SELECT set_config('statement_timeout', '{STATEMENT_S}s', true), "
    f"set_config('lock_timeout', '{LOCK_S}s', true), "
    f"set_config('idle_in_transaction_session_timeout', '{IDLE_S}s', true), "
    "set_config('search_path', {path}, true), set_config('retentive.tenant', {tenant}, true)"
)
_NUMBER = "; SELECT no, revision FROM partition WHERE tenant = {tenant} AND kind = {kind} AND owner = {owner}"
#: Whether an index is whole, and whether somebody is at it.
_STATE = (
    "SELECT indisvalid, EXISTS (SELECT FROM pg_stat_progress_create_index WHERE index_relid = indexrelid) "
    "FROM pg_index WHERE indexrelid = to_regclass(%s)"
)
#: A row without so many of its bits is its shard.
SHARD_BITS = 59
_QUOTED = ("path", "tenant", "kind", "owner")
_READ, _WRITE = "REPEATABLE READ READ ONLY", "READ COMMITTED"
_NOT_DURABLE = _WRITE + "; SET LOCAL synchronous_commit = off"


#: A query and what it binds.
Asked = tuple[str, Any]


def _answers(cursor: Cursor) -> list[list[tuple[Any, ...]]]:
    """The rows of each statement of a message that answers with rows, in order."""
    found = []
    while True:
        if cursor.description is not None:
            found.append(cursor.fetchall())
        if not cursor.nextset():
            return found


class PostgresDatabase(SqlDatabase):
    """One schema of one database, through a pool of connections."""

    for_update = " FOR UPDATE"
    skip_locked = " FOR UPDATE SKIP LOCKED"
    wiped_place = "dead rows"

    def __init__(self, place: Place, *, durable: bool = True) -> None:
        self.path = place.shown
        self.journal = place.erasures
        self._schema = place.schema
        self._forks = forks()
        self._reads = threading.local()
        self._made: set[str] = set()
        self._write_mode = _WRITE if durable else _NOT_DURABLE
        self._pool = ConnectionPool(
            place.conninfo,
            kwargs=CONNECT,
            min_size=1,
            max_size=_POOL_SIZE,
            timeout=LOCK_S,
            configure=configure,
            name="retentive",
            open=False,
        )
        self._closed = False
        self._closing: list[Callable[[], None]] = []
        try:
            # not through the pool, which would go on trying for what will never answer
            first = psycopg.connect(place.conninfo, **CONNECT)
            with mapped_errors(), first as raw:
                self._found = check_server(raw)
                self._path = f"{self._schema}, {self._found.extension_schema}"
                migrate(raw, self._schema, self._path)
            self._pool.open()
        except psycopg.OperationalError as error:
            self.close()
            message = "the Postgres server does not answer, or refuses the role: check the URL, and that it runs"
            raise StoreUnavailable(message) from error
        except BaseException:
            self.close()
            raise

    # -- using -------------------------------------------------------------------------------------------------------
    @contextlib.contextmanager
    def write(
        self,
        tenant: str = EVERYONE,
        *,
        shared: bool = False,  # noqa: ARG002  the server sees to both
        derived: bool = False,  # noqa: ARG002
    ) -> Iterator[Connection]:
        with mapped_errors(), self._begun(self._write_mode, tenant) as (raw, _):
            yield PostgresConnection(raw)

    @contextlib.contextmanager
    def read(self, tenant: str = EVERYONE) -> Iterator[Connection]:
        held = self._held(tenant)
        if held is not None:
            yield held
            return
        with mapped_errors(), self._begun(_READ, tenant) as (raw, _), self._holding(tenant, raw) as connection:
            yield connection

    @contextlib.contextmanager
    def reading(self, partition: Partition) -> Iterator[tuple[Connection, int]]:
        if self._held(partition.tenant) is not None:
            with super().reading(partition) as inside:
                yield inside
            return
        with mapped_errors(), self._begun(_READ, *partition) as (raw, found):
            number, _ = found[0] if found else (NOWHERE, 0)
            with self._holding(partition.tenant, raw) as connection:
                yield connection, number

    def ask(self, tenant: str, *asked: Asked) -> list[list[tuple[Any, ...]]]:
        """What queries answer, all of one state of the store, in one message: there is one wait for all of them."""
        held = self._held(tenant)
        if held is not None:
            return [held.execute(query, values).fetchall() for query, values in asked]
        self._check_open()
        with mapped_errors():
            raw, found = self._begin(_READ, (tenant,), asked)
            self._pool.putconn(raw)
        return found

    def _held(self, tenant: str) -> Connection | None:
        """What this thread reads with already: a second connection beside it could be one that never comes free."""
        found: Connection | None = getattr(self._reads, "open", {}).get(tenant)
        return found

    @contextlib.contextmanager
    def _holding(self, tenant: str, raw: Raw) -> Iterator[Connection]:
        connection = PostgresConnection(raw)
        self._reads.open = getattr(self._reads, "open", {}) | {tenant: connection}
        try:
            yield connection
        finally:
            self._reads.open = {name: one for name, one in self._reads.open.items() if name != tenant}

    @contextlib.contextmanager
    def _begun(self, mode: str, *whose: str) -> Iterator[tuple[Raw, list[tuple[Any, ...]]]]:
        """A transaction, and what its last statement answered; `whose`: a tenant, or all of a partition."""
        self._check_open()
        raw, found = self._begin(mode, whose)
        try:
            yield raw, found[-1]
            raw.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(psycopg.Error):  # a connection that is gone has rolled back
                raw.execute("ROLLBACK")
            raise
        finally:
            self._pool.putconn(raw)

    def _begin(
        self, mode: str, whose: Sequence[str], asked: Sequence[Asked] = ()
    ) -> tuple[Raw, list[list[tuple[Any, ...]]]]:
        """A connection whose transaction has begun, and the answers; one that turns out to be dead is put away.

        With `asked` the transaction is over already.
        """
        text = _BEGIN + _NUMBER if len(whose) > 1 else _BEGIN
        deadline_s = time.monotonic() + _RECONNECT_S
        while True:
            raw: Raw = self._pool.getconn()
            try:
                names = [sql.quote(value, raw) for value in (self._path, *whose)]  # as this connection quotes
                begin = text.format(mode=mode, **dict(zip(_QUOTED, names, strict=False)))
                queries = [as_text(raw, *one) for one in asked]
                answers = _answers(raw.execute("; ".join([begin, *queries, *["COMMIT"][: len(queries)]]).encode()))
            except psycopg.OperationalError:
                self._pool.putconn(raw)
                if time.monotonic() > deadline_s:
                    raise
            except BaseException:
                self._pool.putconn(raw)
                raise
            else:
                return raw, answers[-len(queries) :] if queries else answers

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosed
        if forks() != self._forks:
            message = "the store was opened before a fork: open it again in the child with Memory.open(...)"
            raise StoreError(message)

    # -- what each engine says its own way ---------------------------------------------------------------------------
    def lock(self, connection: Connection, name: str) -> None:
        connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", (f"{self._schema} {name}",))

    def act_for(self, connection: Connection, tenant: str) -> None:
        connection.execute("SELECT set_config('retentive.tenant', ?, true)", (tenant,))

    def mark_due(self, connection: Connection, no: int | None = None) -> None:  # noqa: ARG002
        due = range(1 << (63 - SHARD_BITS)) if no is None else [rows.row_range(no)[0] >> SHARD_BITS]
        self._reads.due = getattr(self._reads, "due", set()) | set(due)

    def wipe(self) -> bool:
        """Take dead rows out of their pages; False when that takes too long. What the pages keep is the server's."""
        due = sorted(getattr(self._reads, "due", ()))
        self._reads.due = set()
        shards = [f"{table}_{shard:02}" for table in _SHARDED for shard in due]
        tables = sql.SQL(", ").join(sql.Identifier(self._schema, table) for table in (*_WITH_TEXT, *shards))
        return self._apart(sql.SQL("VACUUM {}").format(tables), _VACUUM_S)

    def make_graph(self, model: str, dimension: int, row: int) -> None:
        """A graph (HNSW) of an embedder's vectors in large scopes, in the row's shard."""
        shard = row >> SHARD_BITS
        graph = sql.SQL(
            "{table} USING hnsw ((CAST(near AS {theirs}.halfvec({dimension}))) {theirs}.halfvec_ip_ops) "
            "WHERE model = {model} AND near IS NOT NULL"
        )
        named = {
            "table": sql.Identifier(self._schema, f"vector_{shard:02}"),
            "theirs": sql.SQL(self._found.extension_schema),
            "model": model,
            "dimension": sql.Literal(dimension),
        }
        self._make_index(f"near_{zlib.crc32(model.encode()):08x}_{dimension}_{shard:02}", graph.format(**named))

    def _make_index(self, name: str, of: sql.Composed) -> None:
        """An index of a shard, unless it is there; writers go on meanwhile.

        What a build that was cut off left is no index: it is dropped, and made anew.
        """
        if name in self._made:
            return
        with mapped_errors(), self._pool.connection() as raw:
            valid, building = raw.execute(_STATE.encode(), (f"{self._schema}.{name}",)).fetchone() or (None, False)
        if building:
            return
        if valid is False:
            drop = sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(sql.Identifier(self._schema, name))
            self._apart(drop, _BUILD_S)
        make = sql.SQL("CREATE INDEX CONCURRENTLY IF NOT EXISTS {} ON {}").format(sql.Identifier(name), of)
        if self._apart(make, _BUILD_S):
            self._made.add(name)

    def _apart(self, statement: sql.Composed, limit_s: float) -> bool:
        """Run what may stand in no transaction; False when it took too long."""
        with mapped_errors():
            raw: Raw = self._pool.getconn()
            stop = threading.Timer(limit_s, raw.cancel)
            stop.start()
            try:
                raw.execute(statement)
            except psycopg.errors.QueryCanceled:
                return False
            finally:
                stop.cancel()
                self._pool.putconn(raw)
        return True

    def engine(self) -> str:
        return f"PostgreSQL {self._found.version}, pgvector {self._found.extension}"

    def schema_version(self) -> int:
        with self.read() as connection:
            return schema_version(connection)

    def problems(self, connection: Connection) -> list[str]:
        open_to_all = [f"row-level security is not forced on the table {table}" for table in unguarded(connection)]
        return open_to_all + [f"the schema is not what its migrations made: {line}" for line in missing(connection)]

    def now_s(self, connection: Connection) -> float:
        """The server's clock: its workers' machines may disagree."""
        found: float = connection.execute("SELECT CAST(extract(epoch FROM clock_timestamp()) AS double precision)").get
        return found

    def metadata_is(self, name: str, value: str | float) -> tuple[str, list[object]]:
        # as JSON text: 1, 1.0, true and "1" are four values
        return "CAST(CAST(metadata AS json) -> CAST(? AS text) AS text) = ?", [
            name,
            json.dumps(value, ensure_ascii=False),
        ]

    def on_close(self, call: Callable[[], None]) -> None:
        """Have something done when the store is closed."""
        self._closing.append(call)

    def close(self) -> None:
        self._closed = True
        for call in self._closing:
            call()
        self._pool.close()


#: Where words of memories stand, or what was made of them.
_SHARDED = ("episode", "fact", "entry", "word", "vector", "token_state")
_WITH_TEXT = (
    "evidence",
    "session",
    "shadow",
    "former_fact",
    "former_evidence",
    "job",
    "embedding",
)
