"""The shared store on a server. A copy of all of it is the server's own business."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from retentive.again import methods_again_when_yielded
from retentive.errors import StoreError
from retentive.sql.store import SqlStore


@methods_again_when_yielded("erase", "scrub")
class PostgresStore(SqlStore):
    """`retentive.sql.store.SqlStore`, without copies of a whole server."""

    def snapshot(self, path: Path) -> NoReturn:  # noqa: ARG002
        message = "a store on a Postgres server is copied with the server's own tools: pg_dump, or its archived log"
        raise StoreError(message)

    def install(self, path: Path, erasures: Path | None = None, key: str | None = None) -> NoReturn:  # noqa: ARG002
        message = "a store on a Postgres server is put back with the server's own tools: pg_restore"
        raise StoreError(message)
