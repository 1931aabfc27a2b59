"""Postgres: the same tables on a server, for many workers and many tenants; row-level security keeps tenants apart."""

from __future__ import annotations

from dataclasses import replace

from retentive.backends.postgres.database import PostgresDatabase
from retentive.backends.postgres.index import PostgresIndex
from retentive.backends.postgres.queue import PostgresQueue
from retentive.backends.postgres.store import PostgresStore
from retentive.backends.postgres.url import parse_url
from retentive.backends.postgres.vector_cache import PostgresVectorCache
from retentive.contracts import Backend
from retentive.sql.assembled import assembled


def open_backend(url: str, *, cache_bytes: int, durable: bool = True) -> Backend:
    """Open the store in a schema of a Postgres database, or create it there.

    url: `postgresql://role:password@host:port/database?schema=retentive`, with whatever else libpq takes, and
    `&erasures=FILE` for the journal of what is forgotten. durable: wait for each commit to be on the server's disk.

    Raises StoreUnavailable for a server that does not answer, a role that row-level security does not bind, or a
    database without the extension `vector`; NotAStore for a schema of someone else's; StoreNewer.
    """
    place = parse_url(url)
    database = PostgresDatabase(place, durable=durable)
    store = PostgresStore(database, place.shown)
    return replace(
        assembled(store, database, cache_bytes),
        index=PostgresIndex(database, cache_bytes),
        queue=PostgresQueue(database, place),
        vector_cache=PostgresVectorCache(database),
    )


__all__ = ["open_backend"]
