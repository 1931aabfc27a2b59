"""SQLite: log, facts, text index, vectors and outbox in one file, changed in one transaction."""

from __future__ import annotations

from retentive.backends.sqlite.copying import SqliteStore
from retentive.backends.sqlite.database import Database
from retentive.contracts import Backend
from retentive.sql.assembled import assembled


def open_backend(path: str, *, cache_bytes: int, durable: bool = True, key: str | None = None) -> Backend:
    """Open or create the file at `path` (`:memory:` for a store that dies with the process); `key` encrypts it."""
    database = Database(path, durable=durable, key=key)
    return assembled(SqliteStore(database, f"sqlite:///{path}"), database, cache_bytes)


__all__ = ["open_backend"]
