"""The cache of vectors on a server, asked in one message however many texts there are."""

from __future__ import annotations

from collections.abc import Sequence

from retentive.backends.postgres.database import PostgresDatabase
from retentive.sql.database import EVERYONE, chunks, marks
from retentive.sql.vector_cache import SqlVectorCache


class PostgresVectorCache(SqlVectorCache):
    """`retentive.sql.vector_cache.SqlVectorCache`, without a round trip a text."""

    _db: PostgresDatabase

    def get_many(self, model: str, digests: Sequence[bytes]) -> dict[bytes, bytes]:
        sql = "SELECT digest, value FROM embedding WHERE model = ? AND digest IN ({})"
        asked = [(sql.format(marks(part)), (model, *part)) for part in chunks(digests)]
        return {key: value for found in self._db.ask(EVERYONE, *asked) for key, value in found} if asked else {}
