"""What a reader of a SQLite file holds for as long as it reads, and the driver's errors as ours.

Classes rather than generators: a recall enters several, and entering a generator takes as long as a small query.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType

import apsw

from retentive.errors import (
    Conflict,
    NotAStore,
    RetentiveError,
    StoreBusy,
    StoreClosed,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
)


def map_error(error: apsw.Error) -> RetentiveError:
    """The driver's error as one of ours; the caller raises it from the original."""
    for driver_type, ours in (
        (apsw.BusyError, StoreBusy),
        (apsw.LockedError, StoreBusy),
        (apsw.FullError, StoreFull),
        (apsw.ReadOnlyError, StoreReadOnly),
        (apsw.NotADBError, NotAStore),
        (apsw.CorruptError, StoreDamaged),
        (apsw.CantOpenError, StoreUnavailable),
        (apsw.ConnectionClosedError, StoreClosed),
        (apsw.InterruptError, StoreClosed),
        (apsw.ConstraintError, Conflict),
    ):
        if isinstance(error, driver_type):
            return ours()
    if isinstance(error, apsw.IOError):
        return StoreError(f"the store's disk refused ({error}): check its space and its health; nothing was changed")
    return StoreError(f"the store refused: {error}; nothing was changed")


class _Mapped(AbstractContextManager[None]):
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, apsw.Error):
            raise map_error(error) from error


_MAPPED = _Mapped()


def mapped_errors() -> AbstractContextManager[None]:
    """Let no driver exception out."""
    return _MAPPED


class Reading(AbstractContextManager[apsw.Connection]):
    """A connection of one's own out of those that are idle, or a new one; idle again on leaving."""

    def __init__(self, idle: deque[apsw.Connection], connect: Callable[[], apsw.Connection]) -> None:
        self._idle, self._connect = idle, connect

    def __enter__(self) -> apsw.Connection:
        try:
            self._connection = self._idle.pop()  # the last one used has the warmest cache
        except IndexError:
            with mapped_errors():
                self._connection = self._connect()
        return self._connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._idle.append(self._connection)
        _MAPPED.__exit__(kind, error, trace)
