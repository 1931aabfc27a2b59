"""SQLite: log, facts, text index, vectors and outbox in one file, changed in one transaction."""

from __future__ import annotations

from retentive.backends.sqlite.audit import SqliteAudit
from retentive.backends.sqlite.database import Database
from retentive.backends.sqlite.index import SqliteIndex
from retentive.backends.sqlite.ledger import SqliteLedger
from retentive.backends.sqlite.queue import SqliteQueue
from retentive.backends.sqlite.store import SqliteStore
from retentive.backends.sqlite.tiers import SqliteTiers
from retentive.backends.sqlite.vector_cache import SqliteVectorCache
from retentive.contracts import Backend


def open_backend(path: str, *, cache_bytes: int, durable: bool = True) -> Backend:
    """Open or create the file at `path` (`:memory:` for a store that dies with the process)."""
    database = Database(path, durable=durable)
    store = SqliteStore(database, f"sqlite:///{path}")
    try:
        store.follow_erasures()
    except BaseException:
        database.close()
        raise
    return Backend(
        store=store,
        index=SqliteIndex(database, cache_bytes),
        queue=SqliteQueue(database),
        vector_cache=SqliteVectorCache(database),
        ledger=SqliteLedger(database),
        audit=SqliteAudit(database),
        tiers=SqliteTiers(database),
    )


__all__ = ["open_backend"]
