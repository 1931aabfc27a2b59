"""Whose turn it is to write, and commits that several writers share.

SQLite has one writer at a time, and a durable commit waits for the disk. So short writes that wait for each other are
made one transaction: the first begins it, each that waited adds its part, and who sees nobody else wait commits for
all. None of them returns before that commit. What fails takes back its own part, by a savepoint, and no other's. (Group
commit: DeWitt et al., Implementation Techniques for Main Memory Database Systems, SIGMOD 1984.)
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import apsw

from retentive.errors import RetentiveError, StoreError

#: A transaction takes no further parts when it has so many, or is so old: other processes wait for it too.
_MOST_PARTS = 64
_LONGEST_S = 0.05


@dataclass(slots=True)
class _Transaction:
    """One BEGIN to COMMIT: how many parts it holds, and what came of it.

    whole: no part of it is under way, nor was cut off while it was taken back. told: what those wait for who have a
    part in it, once one left it open for another.
    """

    shared: bool
    flushed: bool
    begun_s: float = field(default_factory=time.monotonic)
    parts: int = 0
    whole: bool = True
    ended: bool = False
    told: threading.Event | None = None
    error: BaseException | None = None

    def end(self) -> None:
        """It is committed, or given up with an error."""
        self.ended = True
        if self.told is not None:
            self.told.set()


class Turns:
    """The lock of one writing connection. Safe between threads."""

    def __init__(
        self,
        connection: Callable[[], apsw.Connection],
        mapped: Callable[[apsw.Error], RetentiveError],
        *,
        durable: bool,
    ) -> None:
        """connection: gives the one that writes. mapped: the driver's error as one of ours. durable: commits wait."""
        self._connection, self._mapped = connection, mapped
        self._durable = self._flushing = durable
        self._lock, self._counting = threading.RLock(), threading.Lock()
        self._waiting = 0
        self._open: _Transaction | None = None
        self._inside = self._begun = False

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody writes meanwhile, and no transaction of others is open; in a write of the same thread, that one is."""
        with self._lock:
            if not self._inside:
                self._end_open()
                self._flush(self._durable)
            yield

    @contextlib.contextmanager
    def write(self, *, shared: bool, flushed: bool) -> Iterator[apsw.Connection]:
        """One transaction; a shared one may hold parts of other threads too. Raises what the driver raises.

        flushed: its commit waits for the disk.
        """
        self._await(shared=shared)
        try:
            transaction = self._joined(shared=shared, flushed=flushed)
            with self._part(transaction) as connection:
                yield connection
        finally:
            self._lock.release()
        self._await_end(transaction)

    def _await(self, *, shared: bool) -> None:
        """Get the lock; who waits for it to add a part is counted."""
        if self._lock.acquire(blocking=False):
            return
        self._count(int(shared))
        try:
            self._lock.acquire()
        finally:
            self._count(-int(shared))

    def _count(self, more: int) -> None:
        with self._counting:
            self._waiting += more

    def _joined(self, *, shared: bool, flushed: bool) -> _Transaction:
        """The transaction that is open, or a new one."""
        if self._inside:
            message = "a write inside a write of the same thread: finish the first one"
            raise StoreError(message)
        found = self._open
        if found is not None and (not shared or flushed > found.flushed or not found.whole):
            self._end_open()
        if self._open is None:
            self._flush(flushed)
            self._begun = True
            self._connection().execute("BEGIN IMMEDIATE")
            self._open = _Transaction(shared, flushed)
        return self._open

    def _flush(self, flushed: bool) -> None:  # noqa: FBT001
        """Whether commits wait for the disk from now on; between two transactions only."""
        if self._begun:
            self._leave()
        if flushed != self._flushing:
            self._connection().execute(f"PRAGMA synchronous = {'FULL' if flushed else 'NORMAL'}")
            self._flushing = flushed

    @contextlib.contextmanager
    def _part(self, transaction: _Transaction) -> Iterator[apsw.Connection]:
        """One part, taken back where it fails; the commit, unless one waits who may add another."""
        connection = self._connection()
        if transaction.parts:
            connection.execute("SAVEPOINT part")
        self._inside, transaction.whole = True, False
        try:
            yield connection
            if transaction.parts:
                connection.execute("RELEASE part")
            transaction.whole = connection.in_transaction
        except BaseException as error:
            self._take_back(transaction, error)
            raise
        finally:
            self._inside = False
        transaction.parts += 1
        if not self._may_grow(transaction):
            self._end_open()
        elif transaction.told is None:
            transaction.told = threading.Event()

    def _may_grow(self, transaction: _Transaction) -> bool:
        young = transaction.parts < _MOST_PARTS and time.monotonic() - transaction.begun_s < _LONGEST_S
        return transaction.shared and self._waiting > 0 and young

    def _take_back(self, transaction: _Transaction, error: BaseException) -> None:
        """What a part that failed did; all parts, where the engine gave the transaction up."""
        connection = self._connection()
        if transaction.parts and connection.in_transaction:
            with contextlib.suppress(apsw.Error):
                connection.execute("ROLLBACK TO part")
                connection.execute("RELEASE part")
                transaction.whole = True
                if not self._may_grow(transaction):
                    self._end_open()
                return
        self._give_up(transaction, error)

    def _give_up(self, transaction: _Transaction, error: BaseException) -> None:
        transaction.error, self._open = error, None
        try:
            self._leave()
        finally:
            transaction.end()

    def _leave(self) -> None:
        """Roll back what was begun; after an interrupt that may be what nobody has a part in any more."""
        if self._connection().in_transaction:
            self._connection().execute("ROLLBACK")
        self._begun = False

    def _end_open(self) -> None:
        """Commit what is open; who has a part in it is told how that went."""
        transaction = self._open
        if transaction is None:
            return
        if not transaction.whole:
            self._give_up(transaction, InterruptedError())
            return
        try:
            self._connection().execute("COMMIT")
            self._begun = False
        except apsw.Error as error:
            self._give_up(transaction, error)
        except BaseException as error:
            if self._connection().in_transaction:  # it came before the commit, not behind it
                self._give_up(transaction, error)
            raise
        finally:
            self._open = None
            transaction.end()

    def _await_end(self, transaction: _Transaction) -> None:
        """Return once it is committed. Raises what kept it from that."""
        while not transaction.ended:
            if transaction.told is not None and transaction.told.wait(_LONGEST_S):
                break
            with self._lock:  # whoever was to add a part or commit was interrupted, or is at it
                if self._open is transaction:
                    self._end_open()
        error = transaction.error
        if isinstance(error, apsw.Error):
            raise self._mapped(error) from error
        if error is not None:
            message = f"the transaction was given up for a mistake in another part of it: {type(error).__name__}"
            raise StoreError(message)
