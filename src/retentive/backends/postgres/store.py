"""The shared store on a server. A copy of all of it is the server's own business."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from retentive.again import methods_again_when_yielded
from retentive.backends.postgres.database import PostgresDatabase
from retentive.backends.postgres.recalled import recalled
from retentive.contracts import Remembered
from retentive.errors import StoreError
from retentive.sql import rows
from retentive.sql.database import marks
from retentive.sql.store import SqlStore
from retentive.types import Partition


@methods_again_when_yielded("erase", "scrub")
class PostgresStore(SqlStore):
    """`retentive.sql.store.SqlStore`, without copies of a whole server."""

    _db: PostgresDatabase

    def recalled(self, partition: Partition, wanted: Sequence[int]) -> tuple[dict[int, Remembered], set[str]]:
        return recalled(self._db, partition, wanted) if wanted else ({}, set())

    def sources(self, partition: Partition, episode_ids: Sequence[str]) -> dict[str, str]:
        keys = [key for key in map(rows.id_bytes, episode_ids) if key is not None]
        if not keys:
            return {}
        sql = (
            f"SELECT e.id, e.source_id FROM episode e WHERE e.id IN ({marks(keys)}) AND e.source_id IS NOT NULL "  # noqa: S608
            "AND e.row >> 32 = (SELECT no FROM partition WHERE tenant = ? AND kind = ? AND owner = ?)"
        )
        (found,) = self._db.ask(partition.tenant, (sql, (*keys, *partition)))
        return {str(rows.id_text(key)): source for key, source in found}

    def snapshot(self, path: Path) -> NoReturn:  # noqa: ARG002
        message = "a store on a Postgres server is copied with the server's own tools: pg_dump, or its archived log"
        raise StoreError(message)

    def install(self, path: Path, erasures: Path | None = None, key: str | None = None) -> NoReturn:  # noqa: ARG002
        message = "a store on a Postgres server is put back with the server's own tools: pg_restore"
        raise StoreError(message)
