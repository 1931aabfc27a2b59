"""What embedders said, by text digest: the oldest go first, so the cache cannot grow without end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from retentive.sql.database import SqlDatabase

_KEPT = 20_000


class SqlVectorCache:
    """`retentive.contracts.VectorCache` over one `SqlDatabase`."""

    def __init__(self, database: SqlDatabase) -> None:
        self._db = database

    def get_many(self, model: str, digests: Sequence[bytes]) -> dict[bytes, bytes]:
        sql = "SELECT value FROM embedding WHERE model = ? AND digest = ?"
        with self._db.read() as connection:
            found = {digest: connection.execute(sql, (model, digest)).get for digest in digests}
        return {digest: value for digest, value in found.items() if value is not None}

    def put_many(self, model: str, rows: Mapping[bytes, bytes]) -> None:
        sql = "INSERT INTO embedding (model, digest, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        with self._db.write(shared=True, derived=True) as connection:
            connection.executemany(sql, [(model, digest, value) for digest, value in rows.items()])
            connection.execute("DELETE FROM embedding WHERE no <= (SELECT max(no) FROM embedding) - ?", (_KEPT,))
