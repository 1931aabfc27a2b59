"""Files: a folder with one JSON object a user, for small setups that want to read, edit and copy what is remembered.

`<user>.json` has all of a user's memory and is written whole with every commit. Beside the files, in `.retentive`, lies
a SQLite store of the same memories with what only a machine reads: vectors, jobs, the audit. It is an index: without it
the store is made anew from the files.
"""

from __future__ import annotations

from pathlib import Path

from retentive.backends.file.database import FileDatabase
from retentive.backends.file.store import FileStore
from retentive.contracts import Backend
from retentive.sql.audit import SqlAudit
from retentive.sql.index import SqlIndex
from retentive.sql.keys import SqlKeys
from retentive.sql.ledger import SqlLedger
from retentive.sql.queue import SqlQueue
from retentive.sql.tiers import SqlTiers
from retentive.sql.vector_cache import SqlVectorCache


def open_backend(folder: str, *, cache_bytes: int, durable: bool = True) -> Backend:
    """Open or create the store in a folder."""
    database = FileDatabase(Path(folder), durable=durable)
    store = FileStore(database, f"file:{folder}")
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
