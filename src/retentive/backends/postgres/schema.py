"""The schema: migrations in order, each in one transaction, by whoever opens the store first."""

from __future__ import annotations

import re
from importlib import resources

from psycopg import sql

from retentive.backends.postgres.connection import Raw
from retentive.errors import NotAStore, StoreNewer, StoreUnavailable
from retentive.sql.database import Connection

_MIGRATIONS = resources.files("retentive.backends.postgres") / "migrations"
_TABLES = "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s"
_IS_OURS = "SELECT to_regclass(%s) IS NOT NULL"
#: Tables of memories, and whether the policy binds their owner too.
_UNGUARDED = """
SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant'
WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND c.relkind = 'r'
AND NOT (c.relrowsecurity AND c.relforcerowsecurity) ORDER BY c.relname
"""


def migration_files() -> list[tuple[int, str]]:
    """(number, SQL) of every migration, in order."""
    found = [entry for entry in _MIGRATIONS.iterdir() if re.fullmatch(r"\d{4}_\w+\.sql", entry.name)]
    return sorted((int(entry.name[:4]), entry.read_text("utf-8")) for entry in found)


def schema_version(connection: Connection) -> int:
    """The number of the last migration that was applied."""
    return int(connection.execute("SELECT value FROM setting WHERE name = 'schema'").get)


def unguarded(connection: Connection) -> list[str]:
    """Tables whose rows any tenant could read."""
    return [table for (table,) in connection.execute(_UNGUARDED)]


def migrate(raw: Raw, schema: str, path: str) -> None:
    """Bring the schema up to date; all or nothing. Raises NotAStore, StoreNewer, StoreUnavailable."""
    with raw.transaction():
        raw.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (f"retentive {schema}",))
        if not _one(raw, "SELECT to_regnamespace(%s) IS NOT NULL", schema):
            _create(raw, schema)
        raw.execute("SELECT set_config('search_path', %s, true), set_config('retentive.tenant', '*', true)", (path,))
        done = 0
        if _one(raw, _IS_OURS, f"{schema}.setting"):
            done = int(str(_one(raw, "SELECT value FROM setting WHERE name = %s", "schema")))
        elif _one(raw, _TABLES, schema):
            message = f"the schema {schema} holds tables of another program: name another with ?schema="
            raise NotAStore(message)
        migrations = migration_files()
        if done > migrations[-1][0]:
            message = f"the store has schema {done}, this Retentive knows {migrations[-1][0]}: pip install -U retentive"
            raise StoreNewer(message)
        for number, text in migrations:
            if number > done:
                raw.execute(text.encode())
                put = (
                    "INSERT INTO setting VALUES ('schema', %s) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
                )
                raw.execute(put, (str(number),))


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
