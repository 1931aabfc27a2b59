"""Connections to one SQLite file: one writer, as many readers as read at once, and the driver's errors as ours.

apsw bundles a current SQLite, so every machine runs the same engine (the system's may be one with the WAL-reset bug).
"""

from __future__ import annotations

import contextlib
import os
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import apsw

from retentive.backends.sqlite import raw, reserve
from retentive.backends.sqlite.cipher import unlock
from retentive.backends.sqlite.reading import Reading, map_error, mapped_errors
from retentive.backends.sqlite.schema import migrate, refuse_foreign, refuse_newer, schema_version
from retentive.backends.sqlite.turns import Turns
from retentive.errors import (
    NotAStore,
    StoreBusy,
    StoreClosed,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
    WrongKey,
)
from retentive.forks import forks
from retentive.sql.database import EVERYONE, Connection, SqlDatabase, fetch_value, put_setting

#: How long a checkpoint waits for readers of other processes.
_CHECKPOINT_WAIT_S = 1.0
#: A log of so many pages is folded into the file in the background, one of so many by whoever writes.
_LOG_PAGES, _MOST_LOG_PAGES = 700, 1000
#: How long closing lets other threads read on before it stops them.
_READERS_WAIT_S = 1.0
#: The setting `wiped` between an erasure and the end of it.
DUE = "due"
_MEMORY_NAMES = {":memory:", ""}


def _wait_for_lock(deadline_s: float) -> Any:
    """A busy handler that sleeps a random few milliseconds: many writers spread out instead of marching in step."""
    started: dict[str, float] = {}

    def handler(prior_calls: int) -> bool:
        if prior_calls == 0:
            started["at"] = time.monotonic()
        time.sleep(random.uniform(0.0005, 0.004))  # noqa: S311  spreading writers out is no secret
        return time.monotonic() - started["at"] < deadline_s

    return handler


class _Joint(threading.local):
    """What the derived writes of a thread have in common, while it wants them in one transaction."""

    stack: contextlib.ExitStack | None = None
    connection: apsw.Connection | None = None


class Database(SqlDatabase):
    """One file (or `:memory:`): `write()` for one transaction at a time, `read()` for a consistent view."""

    wiped_place = "write-ahead log and free space"

    def __init__(
        self, path: str, *, busy_timeout_s: float = 30.0, durable: bool = True, key: str | None = None
    ) -> None:
        """Open or create the file; `key` encrypts it. What is in memory alone needs none."""
        self.in_memory = path in _MEMORY_NAMES
        self.path = path if self.in_memory else str(Path(path).expanduser().absolute())
        self.journal = None if self.in_memory else Path(f"{self.path}.erasures")
        self.busy_timeout_s = busy_timeout_s
        self.durable = durable
        self.key = None if self.in_memory else key
        self._turns = Turns(lambda: self._writer, map_error, durable=durable)
        self._readers: deque[apsw.Connection] = deque()
        self._joint = _Joint()
        self._log_pages = 0
        self._connections: list[apsw.Connection] = []
        self._closed = False
        self._forks = forks()
        try:
            with mapped_errors():
                self._check_file()
                self._writer = self._first_connection()
                self._writer.set_wal_hook(self._note_log)
                migrate(self._writer)
        except BaseException:
            self.close()
            raise
        if not self.in_memory:
            reserve.keep(self.path)
        if fetch_value(self._writer, "SELECT value FROM setting WHERE name = 'wiped'") == DUE:
            self.wipe()  # a process died between an erasure and its end

    # -- opening ---------------------------------------------------------------------------------------------------
    def _check_file(self) -> None:
        """Say clearly what is wrong with the path before SQLite says it darkly."""
        if self.in_memory:
            return
        path = Path(self.path)
        raw.refuse_no_file(path)
        if path.is_dir():
            message = f"{path.name!r} is a folder: give the path of a file in it, such as {path.name}/memory.db"
            raise StoreUnavailable(message)
        if not path.parent.is_dir():
            message = f"the folder of {path.name!r} does not exist: create {str(path.parent)!r} first"
            raise StoreUnavailable(message)
        if path.exists():
            if not os.access(path, os.R_OK):
                raise StoreUnavailable
            head = raw.head(self.path)
            if self.key is None and head not in {b"", raw.PLAIN}:
                raise NotAStore
            if self.key is not None and head == raw.PLAIN:
                message = (
                    "the store is not encrypted, and a key was given: see the page on encryption for how to encrypt it"
                )
                raise WrongKey(message)
            if not os.access(path, os.W_OK):
                raise StoreReadOnly

    def _first_connection(self) -> apsw.Connection:
        """Opening writes a little: on a full disk, into the space set aside."""
        try:
            return self._connect()
        except (apsw.FullError, apsw.IOError, apsw.CantOpenError):
            if self.in_memory or not reserve.release(self.path):
                raise
            return self._connect()

    def _connect(self) -> apsw.Connection:
        crashed = not self.in_memory and Path(f"{self.path}-wal").exists()
        connection = apsw.Connection(":memory:" if self.in_memory else self.path)
        connection.set_busy_handler(_wait_for_lock(self.busy_timeout_s))
        try:  # before the first pragma that would change the file
            self._unlock(connection)
            refuse_foreign(connection)
            refuse_newer(connection)
        except BaseException:
            if crashed:  # it stays as it is, and so does what another program left in its WAL
                connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.close()
            raise
        for pragma in (
            "journal_mode = WAL",
            f"synchronous = {'FULL' if self.durable else 'NORMAL'}",
            "foreign_keys = ON",
            "secure_delete = ON",  # deleted text is overwritten, not only unlinked
            "temp_store = MEMORY",  # no text in temporary files
            "cache_size = -16384",
            "trusted_schema = OFF",
        ):
            connection.execute(f"PRAGMA {pragma}")
        # No plan hangs on a bound value, or a statement is prepared anew whenever another LIMIT or row is bound.
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        self._connections.append(connection)
        return connection

    def _unlock(self, connection: apsw.Connection) -> None:
        if self.key is None:
            return
        unlock(connection, self.key)
        try:
            schema_version(connection)
        except apsw.NotADBError as error:
            raise WrongKey from error

    # -- using -----------------------------------------------------------------------------------------------------
    @contextlib.contextmanager
    def write(
        self,
        tenant: str = EVERYONE,  # noqa: ARG002  rows tell whose they are
        *,
        shared: bool = False,
        derived: bool = False,
    ) -> Iterator[apsw.Connection]:
        """One transaction, begun as a writer so that it can never fail half-way for another's lock.

        Behind a derived one a power cut may leave the log without it, but never with a part of it.
        """
        self._check_open()
        turn = self._turns.write(shared=shared and self.journal is not None, flushed=self.durable and not derived)
        joint = self._joint
        with mapped_errors():
            if derived and joint.stack is not None:
                joint.connection = joint.connection or joint.stack.enter_context(turn)
                yield joint.connection
            else:
                with turn as connection:
                    yield connection

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """One transaction, begun with the first derived write and gone as a whole where anything fails."""
        joint = self._joint
        if joint.stack is not None:
            yield  # inside another one
            return
        try:
            with mapped_errors(), contextlib.ExitStack() as joint.stack:
                yield
        finally:
            joint.stack = joint.connection = None

    def read(self, tenant: str = EVERYONE) -> AbstractContextManager[apsw.Connection]:  # noqa: ARG002  as above
        """A reading connection of one's own; an in-memory store has one connection, taken in turns."""
        self._check_open()
        return self._alone() if self.in_memory else Reading(self._readers, self._connect)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[apsw.Connection]:
        with mapped_errors(), self._turns.alone():
            yield self._writer

    def receive(self, copy: apsw.Connection, copying: Callable[[apsw.Connection, apsw.Connection], None]) -> None:
        """Let another database be copied into this one, in a transaction of its own, as the only writer."""
        self._check_open()
        with self._turns.alone(), mapped_errors():
            copying(copy, self._writer)
        self.checkpoint()  # what stood here before goes from the WAL too

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosed
        if forks() != self._forks:
            message = "the store was opened before a fork: open it again in the child with Memory.open(...)"
            raise StoreError(message)

    def checkpoint(self) -> bool:
        """Fold the WAL into the file and cut it off, so that no deleted byte stays in it.

        False when a reader of another process still looks at it: the last to close the store cuts it off then.
        """
        if self.in_memory:
            return True
        deadline_s = time.monotonic() + _CHECKPOINT_WAIT_S
        with self._turns.alone(), mapped_errors():
            self._writer.set_busy_timeout(0)  # waiting inside would hold up every other writer
            try:
                while self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").get[0]:
                    if time.monotonic() > deadline_s:
                        return False
                    time.sleep(0.02)
            finally:
                self._writer.set_busy_handler(_wait_for_lock(self.busy_timeout_s))
        return True

    def _note_log(self, connection: apsw.Connection, _: str, pages: int) -> int:
        """After each commit: how long the log is. Who writes folds it only where nobody did in the background."""
        self._log_pages = pages
        if pages >= _MOST_LOG_PAGES:
            _fold(connection)
        return apsw.SQLITE_OK

    def fold(self) -> None:
        if self._log_pages >= _LOG_PAGES:
            self._log_pages = 0  # until the next commit says
            with self.read() as connection:
                _fold(connection)

    def make_room(self) -> None:
        """The disk is full and something is to be erased: give back the space set aside, and the log's."""
        if not self.in_memory:
            reserve.release(self.path)
            self.checkpoint()

    def wipe(self) -> bool:
        """Leave no byte of deleted rows in the log, nor copies of them where no row stands; then nothing is due.

        False when another process still reads the log or keeps writing to it: it is tried again at the next erasure,
        and when the store is opened.
        """
        if self.in_memory:
            return True
        try:
            return self._wiped()
        except StoreFull:
            return False  # it is due, and done when the store is next opened or anything is erased
        finally:
            reserve.keep(self.path)

    def _wiped(self) -> bool:
        if self.key is not None:
            return self._written_anew()
        deadline_s = time.monotonic() + _CHECKPOINT_WAIT_S
        while self.checkpoint():
            with self.write() as connection:
                tried = self._log_is_empty()  # and stays so: this is the only writer
                complete = tried and raw.wipe_gaps(self.path, connection.pragma("page_size")) is not None
                if tried:
                    connection.release_memory()  # its own copies of those pages
                    # A commit, so that every other connection lets go of its copies as well.
                    put_setting(connection, "wiped", f"at {time.time_ns()}")
            if tried or time.monotonic() > deadline_s:
                return complete and self.checkpoint()
        return False

    def _written_anew(self) -> bool:
        """Nobody can tell the pages of an encrypted file apart: it is written anew, without what no row holds."""
        try:
            with self._turns.alone(), mapped_errors():
                self._writer.execute("VACUUM")
            with self.write() as connection:
                put_setting(connection, "wiped", f"at {time.time_ns()}")
        except StoreBusy:
            return False
        return self.checkpoint()

    def mark_due(self, connection: Connection, no: int | None = None) -> None:  # noqa: ARG002  one file for all
        put_setting(connection, "wiped", DUE)

    def files(self, overlap: int) -> Iterator[tuple[str, Iterator[bytes]]]:
        return iter(()) if self.in_memory else raw.files(self.path, overlap, encrypted=self.key is not None)

    # -- what each engine says its own way ---------------------------------------------------------------------------
    def engine(self) -> str:
        return f"SQLite {apsw.sqlite_lib_version()}{'' if self.key is None else ', encrypted'}"

    def schema_version(self) -> int:
        with self.read() as connection:
            return schema_version(connection)

    def problems(self, connection: Connection) -> list[str]:
        answers = [answer for (answer,) in connection.execute("PRAGMA integrity_check(10)")]
        return [f"SQLite: {answer}" for answer in answers if answer != "ok"]

    def now_s(self, connection: Connection) -> float:  # noqa: ARG002
        """The machine's monotonic clock: setting the date moves no lease."""
        return time.monotonic()

    def metadata_is(self, name: str, value: str | float) -> tuple[str, list[object]]:
        condition = "EXISTS (SELECT 1 FROM json_each(metadata) WHERE key = ? AND value = ? AND type = ?)"
        return condition, [name, value, _json_type(value)]

    def _log_is_empty(self) -> bool:
        log = Path(f"{self.path}-wal")
        return not log.exists() or log.stat().st_size == 0

    def close(self) -> None:
        """Close every connection of every thread; the last one out folds the WAL into the file."""
        with self._turns.alone():
            self._closed = True
            self._await_readers()
            for connection in self._connections:
                connection.close(True)  # noqa: FBT003  apsw's own signature
            self._connections.clear()

    def _await_readers(self) -> None:
        """Until no thread reads: the driver refuses to close a connection that is in use."""
        begun_s = time.monotonic()
        while len(self._readers) < len(self._connections) - 1:
            waited_s = time.monotonic() - begun_s
            if waited_s > 2 * _READERS_WAIT_S:  # one that is held and does nothing can be closed
                return
            if waited_s > _READERS_WAIT_S:
                for connection in self._connections:
                    connection.interrupt()
            time.sleep(0.002)


def _fold(connection: apsw.Connection) -> None:
    """Fold the log into the file as far as readers let it; where that fails, it is tried again as the log grows."""
    with contextlib.suppress(apsw.Error):
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)


def _json_type(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return {int: "integer", float: "real"}.get(type(value), "text")
