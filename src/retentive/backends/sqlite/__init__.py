"""SQLite: log, facts, text index, vectors and outbox in one file, changed in one transaction."""

from __future__ import annotations

from retentive.backends.sqlite.copying import SqliteStore
from retentive.backends.sqlite.database import Database
from retentive.contracts import Backend
from retentive.sql.audit import SqlAudit
from retentive.sql.index import SqlIndex
from retentive.sql.keys import SqlKeys
from retentive.sql.ledger import SqlLedger
from retentive.sql.queue import SqlQueue
from retentive.sql.tiers import SqlTiers
from retentive.sql.vector_cache import SqlVectorCache


def open_backend(path: str, *, cache_bytes: int, durable: bool = True, key: str | None = None) -> Backend:
    """Open or create the file at `path` (`:memory:` for a store that dies with the process); `key` encrypts it."""
    database = Database(path, durable=durable, key=key)
    store = SqliteStore(database, f"sqlite:///{path}")
    try:
        store.follow_erasures()
    except BaseException:
        database.close()
        raise
    return Backend(
        store=store,
        index=SqlIndex(database, cache_bytes),
        queue=SqlQueue(database),
        vector_cache=SqlVectorCache(database),
        ledger=SqlLedger(database),
        audit=SqlAudit(database),
        tiers=SqlTiers(database),
        keys=SqlKeys(database),
    )


__all__ = ["open_backend"]
