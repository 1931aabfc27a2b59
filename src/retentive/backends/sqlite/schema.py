"""The schema of a store's file: whose it is, which version, and how an older one is brought up to date."""

from __future__ import annotations

import re
from importlib import resources

import apsw

from retentive.errors import NotAStore, StoreNewer

#: Marks the file as ours: "RTNV".
APPLICATION_ID = 0x52544E56
_MIGRATIONS = resources.files("retentive.backends.sqlite") / "migrations"


def migration_files() -> list[tuple[int, str]]:
    """(number, SQL) of every migration, in order."""
    found = [entry for entry in _MIGRATIONS.iterdir() if re.fullmatch(r"\d{4}_\w+\.sql", entry.name)]
    return sorted((int(entry.name[:4]), entry.read_text("utf-8")) for entry in found)


def schema_version(connection: apsw.Connection) -> int:
    """The number of the last migration that was applied."""
    return int(connection.pragma("user_version"))


def refuse_foreign(connection: apsw.Connection) -> None:
    """Raise NotAStore for a database that someone else's program made."""
    owner = connection.pragma("application_id")
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").get
    if owner not in {0, APPLICATION_ID} or (owner == 0 and tables):
        raise NotAStore


def refuse_newer(connection: apsw.Connection) -> None:
    """Raise StoreNewer for a schema that this version does not know."""
    version, newest = schema_version(connection), migration_files()[-1][0]
    if version > newest:
        message = f"the store has schema {version}, this Retentive knows {newest}: pip install -U retentive"
        raise StoreNewer(message)


def migrate(connection: apsw.Connection) -> None:
    """Bring the schema up to date, all in one transaction."""
    migrations = migration_files()
    if schema_version(connection) == migrations[-1][0]:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for number, sql in migrations:
            if number > schema_version(connection):  # asked anew: another process may have been first
                connection.execute(sql)
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
