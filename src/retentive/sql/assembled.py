"""A backend whose every part is the shared SQL: SQLite, and what builds on it or has parts of its own instead."""

from __future__ import annotations

from retentive.contracts import Backend
from retentive.sql.audit import SqlAudit
from retentive.sql.database import SqlDatabase
from retentive.sql.index import SqlIndex
from retentive.sql.keys import SqlKeys
from retentive.sql.ledger import SqlLedger
from retentive.sql.queue import SqlQueue
from retentive.sql.store import SqlStore
from retentive.sql.tiers import SqlTiers
from retentive.sql.vector_cache import SqlVectorCache


def assembled(store: SqlStore, database: SqlDatabase, cache_bytes: int) -> Backend:
    """The parts over one database, once the store has followed the journal of erasures; closed where that fails."""
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
