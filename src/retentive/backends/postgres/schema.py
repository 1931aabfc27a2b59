"""The schema: migrations in order, each in one transaction, by whoever opens the store first; each can be taken back.

A migration that begins with the line `-- online` runs a statement at a time instead, so that it may use CREATE INDEX
CONCURRENTLY; each of its statements ends a line with `;` and may be repeated. No migration waits long for a lock, so
none makes readers wait behind it: then opening says that the store is busy, and the next one tries again.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

from psycopg import errors, sql

from retentive.backends.postgres.connection import Raw
from retentive.errors import NotAStore, StoreError, StoreNewer, StoreUnavailable
from retentive.sql.database import Connection

_HERE = resources.files("retentive.backends.postgres")
_MIGRATIONS = _HERE / "migrations"
_ONLINE = "-- online\n"
_TABLES = "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s"
_IS_OURS = "SELECT to_regclass(%s) IS NOT NULL"
_PUT = "INSERT INTO setting VALUES ('schema', %s) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
_BEGIN = (
    "SELECT set_config('search_path', %s, true), set_config('retentive.tenant', '*', true), "
    "set_config('lock_timeout', '5s', true)"
)
#: Tables of memories and their shards, and whether the policy binds their owner too.
_UNGUARDED = """
SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant'
WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND c.relkind IN ('r', 'p')
AND NOT (c.relrowsecurity AND c.relforcerowsecurity) ORDER BY c.relname
"""


def migration_files() -> list[tuple[int, str]]:
    """(number, SQL) of every migration, in order."""
    found = [entry for entry in _MIGRATIONS.iterdir() if re.fullmatch(r"\d{4}_\w+\.sql", entry.name)]
    return sorted((int(entry.name[:4]), entry.read_text("utf-8")) for entry in found)


def way_back(number: int) -> str:
    """The SQL that takes a migration back."""
    (found,) = [entry for entry in _MIGRATIONS.iterdir() if re.fullmatch(rf"{number:04}_\w+\.down\.sql", entry.name)]
    return found.read_text("utf-8")


@cache
def catalogue_sql() -> str:
    """The query for all that a schema is made of; read at first use."""
    return (_HERE / "catalogue.sql").read_text("utf-8")


def schema_version(connection: Connection) -> int:
    """The number of the last migration that was applied."""
    return int(connection.execute("SELECT value FROM setting WHERE name = 'schema'").get)


def unguarded(connection: Connection) -> list[str]:
    """Tables whose rows any tenant could read."""
    return [table for (table,) in connection.execute(_UNGUARDED)]


def missing(connection: Connection) -> list[str]:
    """What all migrations together make and this schema has not, or has otherwise; more than that is nobody's harm."""
    here = {line for (line,) in connection.execute(catalogue_sql())}
    return [line for line in (_HERE / "schema.txt").read_text("utf-8").splitlines() if line not in here]


def migrate(raw: Raw, schema: str, path: str) -> None:
    """Bring the schema up to date. Raises NotAStore, StoreNewer, StoreUnavailable, StoreBusy."""
    migrations = migration_files()
    with raw.transaction():
        _hold(raw, schema)
        if not _one(raw, "SELECT to_regnamespace(%s) IS NOT NULL", schema):
            _create(raw, schema)
        done = _done(raw, schema)
        if done > migrations[-1][0]:
            message = f"the store has schema {done}, this Retentive knows {migrations[-1][0]}: pip install -U retentive"
            raise StoreNewer(message)
    for number, text in migrations:
        if number > done:
            _apply(raw, schema, path, number, text)


def revert(raw: Raw, schema: str, path: str, number: int) -> None:
    """Take migrations back, the last first, until `number` is the last. Raises StoreError where memories would go."""
    with raw.transaction():
        _hold(raw, schema)
        for done in range(_done(raw, schema), number, -1):
            raw.execute(_BEGIN.encode(), (path,))
            try:
                raw.execute(way_back(done).encode())
            except errors.DatabaseError as error:
                if error.sqlstate == "RT001":
                    message = "the store holds memories that would go with it: erase them first"
                    raise StoreError(message) from error
                raise
            if done > 1:
                raw.execute(_PUT.encode(), (str(done - 1),))


def _apply(raw: Raw, schema: str, path: str, number: int, text: str) -> None:
    if text.startswith(_ONLINE):
        raw.execute("SELECT set_config('search_path', %s, false)", (path,))
        for statement in text.removeprefix(_ONLINE).strip().removesuffix(";").split(";\n"):
            raw.execute(statement.encode())
        raw.execute("RESET search_path")
        text = ""
    with raw.transaction():
        _hold(raw, schema)
        if _done(raw, schema) >= number:  # another process was first
            return
        raw.execute(_BEGIN.encode(), (path,))
        raw.execute(text.encode())
        raw.execute(_PUT.encode(), (str(number),))


def _hold(raw: Raw, schema: str) -> None:
    """One process at a time, until the commit."""
    raw.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (f"retentive {schema}",))


def _done(raw: Raw, schema: str) -> int:
    """The last migration that was applied; 0 in an empty schema. Raises NotAStore."""
    if _one(raw, _IS_OURS, f"{schema}.setting"):
        query = sql.SQL("SELECT value FROM {}.setting WHERE name = 'schema'").format(sql.Identifier(schema))
        (value,) = raw.execute(query).fetchone() or (0,)
        return int(value)
    if _one(raw, _TABLES, schema):
        message = f"the schema {schema} holds tables of another program: name another with ?schema="
        raise NotAStore(message)
    return 0


def _create(raw: Raw, schema: str) -> None:
    if not _one(raw, "SELECT has_database_privilege(current_database(), %s)", "CREATE"):
        message = (
            f"there is no schema {schema}, and the role may not create it: as the administrator, run "
            f"CREATE SCHEMA {schema} AUTHORIZATION ... (the role of the URL)"
        )
        raise StoreUnavailable(message)
    raw.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(schema)))


def _one(raw: Raw, query: str, value: str) -> object:
    row = raw.execute(query.encode(), (value,)).fetchone()
    return None if row is None else row[0]
