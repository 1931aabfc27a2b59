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
from retentive.sql.assembled import assembled


def open_backend(folder: str, *, cache_bytes: int, durable: bool = True) -> Backend:
    """Open or create the store in a folder."""
    database = FileDatabase(Path(folder), durable=durable)
    return assembled(FileStore(database, f"file:{folder}"), database, cache_bytes)


__all__ = ["open_backend"]
