"""A consistent copy of the store while writers run, and a copy put in a store's place, in one transaction each."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw

from retentive.backends.sqlite.cipher import change_key, new_key, unlock
from retentive.backends.sqlite.database import Database
from retentive.backends.sqlite.reading import mapped_errors
from retentive.backends.sqlite.schema import APPLICATION_ID, migrate, refuse_newer
from retentive.errors import StoreDamaged
from retentive.sql.database import fetch, fetch_value
from retentive.sql.store import SqlStore

#: Pages copied between two looks at whether someone writes.
_PAGES = 4096
#: Others may write to the target until the copy takes its place: more often than this nobody can, nor so many new ones.
_WRITES_MEANWHILE, _NEW_MEANWHILE = 1 << 16, 1 << 10


class SqliteStore(SqlStore):
    """A store that can be copied as a whole, and put back."""

    _db: Database

    def snapshot(self, path: Path) -> str | None:
        return snapshot(self._db, path)

    def install(self, path: Path, erasures: Path | None = None, key: str | None = None) -> None:
        if erasures is not None:
            self._journal.adopt(erasures)
        install(path, self._db, self._follow, key)
        self._db.wipe()


def snapshot(database: Database, path: Path) -> str | None:
    """Copy the store as the last commit left it to a new file, under a key of its own where the store has one."""
    key = None if database.key is None else new_key()
    with mapped_errors(), _copy_of(path, key) as copy:
        copy.execute("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY")  # a copy that fails is thrown away
        with database.read() as connection, connection:  # one read transaction: writers cannot make it begin anew
            connection.execute("SELECT count(*) FROM sqlite_schema")
            _copy(connection, copy)
        copy.execute("PRAGMA journal_mode = DELETE")
    return key


def install(path: Path, target: Database, prepare: Callable[[apsw.Connection], object], key: str | None = None) -> None:
    """Put a copied store in the place of what `target` holds: all of it or, whatever happens, nothing.

    prepare: what is done to the copy first. Handles that have the target open, in whatever process, see the new state
    from then on. key: the copy's own.
    """
    with mapped_errors(), _copy_of(path, key) as copy:
        _check(copy)
        copy.execute("PRAGMA secure_delete = ON")
        with target.write() as connection:
            counters = (
                fetch_value(connection, "SELECT coalesce(max(revision), 0) FROM partition"),
                _last_number(connection),
            )
        _outdate(copy, *counters)
        with copy:
            prepare(copy)
        if (key is None) != (target.key is None):  # both are encrypted, or none: SQLite copies no other way
            change_key(copy, None if target.key is None else new_key())
        target.receive(copy, _copy)


@contextlib.contextmanager
def _copy_of(path: Path, key: str | None) -> Iterator[apsw.Connection]:
    with contextlib.closing(apsw.Connection(str(path))) as copy:
        if key is not None:
            unlock(copy, key)
        yield copy


def _copy(source: apsw.Connection, copy: apsw.Connection) -> None:
    with copy.backup("main", source, "main") as pages:
        while not pages.done:
            pages.step(_PAGES)


def _check(copy: apsw.Connection) -> None:
    """Raise StoreDamaged or StoreNewer for a copy that cannot be served."""
    if copy.pragma("application_id") != APPLICATION_ID or fetch(copy, "PRAGMA quick_check(1)") != [("ok",)]:
        raise StoreDamaged
    refuse_newer(copy)
    migrate(copy)


def _last_number(connection: apsw.Connection) -> int:
    return int(fetch_value(connection, "SELECT seq FROM sqlite_sequence WHERE name = 'partition'") or 0)


def _outdate(copy: apsw.Connection, revision: int, last_number: int) -> None:
    """Count on from where the target is, so that no handle takes what it read before for what is there now."""
    revision, last_number = revision + _WRITES_MEANWHILE, max(last_number, _last_number(copy)) + _NEW_MEANWHILE
    with copy:
        copy.execute("UPDATE partition SET revision = max(revision, ?) + 1", (revision,))
        copy.execute("DELETE FROM touched")
        copy.execute("DELETE FROM sqlite_sequence WHERE name = 'partition'")  # where nobody ever wrote there is none
        copy.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('partition', ?)", (last_number,))
