"""A psycopg connection as the shared SQL sees it, and the driver's errors as ours."""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from types import TracebackType
from typing import Any, Self

import psycopg
from psycopg import errors
from psycopg.types.string import TextBinaryLoader, TextLoader
from psycopg_pool import PoolClosed, PoolTimeout, TooManyRequests

from retentive.errors import (
    Conflict,
    InvalidInput,
    RetentiveError,
    StoreBusy,
    StoreClosed,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
    StoreYielded,
)

Raw = psycopg.Connection[tuple[Any, ...]]
Cursor = psycopg.Cursor[tuple[Any, ...]] | psycopg.RawCursor[tuple[Any, ...]]
_PLACE = re.compile(r"\?(\d*)|(?<![:\w]):([a-z]\w*)|%")
#: One row given by value, none of them twice.
_INSERT = re.compile(
    r"(INSERT INTO .*VALUES )(\(\?(?:, \?)*\))((?: ON CONFLICT (?:DO NOTHING|\(row\) DO UPDATE .*))?)", re.DOTALL
)
#: Rows in one statement.
_ROWS = 500
_LOST = "the connection to the store was lost: what was not acknowledged may not be stored; repeat the call"


@lru_cache(maxsize=512)
def translated(sql: str) -> str:
    """`?`, `?1` and `:name` as psycopg's placeholders.

    >>> translated("SELECT a % b FROM t WHERE a = ? AND b = :b")
    'SELECT a %% b FROM t WHERE a = %s AND b = %(b)s'
    >>> translated("SELECT ?1, ?1")
    'SELECT %(p1)s, %(p1)s'
    """

    def place(found: re.Match[str]) -> str:
        if found[0] == "%":
            return "%%"
        if found[2]:
            return f"%({found[2]})s"
        return f"%(p{found[1]})s" if found[1] else "%s"

    return _PLACE.sub(place, sql)


@lru_cache(maxsize=64)
def _of_many_rows(sql: str, number: int) -> str:
    """An INSERT of one row as one of so many, its values numbered as the server does.

    >>> _of_many_rows("INSERT INTO t VALUES (?, ?) ON CONFLICT DO NOTHING", 2)
    'INSERT INTO t VALUES ($1, $2), ($3, $4) ON CONFLICT DO NOTHING'
    """
    found = _INSERT.fullmatch(sql)
    head, row, tail = found.groups() if found else (sql, "", "")
    width, count = row.count("?"), itertools.count(1)
    made = ", ".join(f"({', '.join(f'${next(count)}' for _ in range(width))})" for _ in range(number))
    return f"{head}{made}{tail}"


def _bound(sql: str, values: Any) -> Any:
    """Values as the translated SQL names them."""
    if isinstance(values, dict):
        return values
    return {f"p{number}": value for number, value in enumerate(values, 1)} if "%(p1)s" in sql else tuple(values)


class PostgresRows:
    """What a statement answered, all of it in memory."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor

    @property
    def get(self) -> Any:
        row = self._cursor.fetchone() if self._cursor.description else None
        return row[0] if row is not None and len(row) == 1 else row

    def fetchall(self) -> list[Any]:
        return self._cursor.fetchall()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._cursor.fetchall())


class PostgresConnection:
    """One transaction: `retentive.sql.database.Connection` over a psycopg connection."""

    def __init__(self, raw: Raw) -> None:
        self._raw = raw
        self._changed = self._total = 0

    def execute(self, sql: str, values: Any = (), /) -> PostgresRows:
        text = translated(sql)
        cursor = self._raw.cursor(binary=True)
        cursor.execute(text.encode(), _bound(text, values))
        self._count(cursor)
        return PostgresRows(cursor)

    def executemany(self, sql: str, values: Iterable[Any], /) -> PostgresRows:
        given = list(values)
        if len(given) < 2 or not _INSERT.fullmatch(sql):
            text = translated(sql)
            cursor = self._raw.cursor(binary=True)
            cursor.executemany(text.encode(), [_bound(text, one) for one in given])
            self._count(cursor)
            return PostgresRows(cursor)
        before = self._total
        numbered = psycopg.RawCursor(self._raw)
        for start in range(0, len(given), _ROWS):
            part = given[start : start + _ROWS]
            numbered.execute(_of_many_rows(sql, len(part)).encode(), [value for one in part for value in one])
            self._count(numbered)
        self._changed = self._total - before
        return PostgresRows(numbered)

    def _count(self, cursor: Cursor) -> None:
        if cursor.description is None:
            self._changed = max(0, cursor.rowcount)
            self._total += self._changed

    def changes(self) -> int:
        return self._changed

    def total_changes(self) -> int:
        return self._total

    def __enter__(self) -> Self:
        return self  # a reader sees one state from its first statement to its last anyway

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None


def as_text(raw: Raw, sql: str, values: Any) -> str:
    """A query with its values in it, quoted as this connection quotes: several can be sent as one message."""
    text = translated(sql)
    return psycopg.ClientCursor(raw).mogrify(text.encode(), _bound(text, values))


def configure(raw: Raw) -> None:
    """JSON stays text, as it was written: numbers and the order of keys come back as they were."""
    for loader in (TextLoader, TextBinaryLoader):
        raw.adapters.register_loader("json", loader)


#: Which of ours each of the driver's errors is; the first that fits.
_OURS: tuple[tuple[type[Exception], type[RetentiveError]], ...] = (
    (errors.UniqueViolation, Conflict),
    (errors.QueryCanceled, StoreBusy),
    (errors.LockNotAvailable, StoreBusy),
    (errors.DeadlockDetected, StoreYielded),
    (errors.SerializationFailure, StoreYielded),
    (errors.DiskFull, StoreFull),
    (errors.ReadOnlySqlTransaction, StoreReadOnly),
    (errors.DataCorrupted, StoreDamaged),
    (errors.IndexCorrupted, StoreDamaged),
    (PoolClosed, StoreClosed),
    (PoolTimeout, StoreBusy),
    (TooManyRequests, StoreBusy),
)


def map_error(error: Exception) -> RetentiveError:
    """The driver's error as one of ours, without its words: they may quote a memory."""
    for driver_type, ours in _OURS:
        if isinstance(error, driver_type):
            return ours()
    if isinstance(error, psycopg.DataError | UnicodeEncodeError):
        return InvalidInput("the text holds a character that the store cannot keep")
    state = getattr(error, "sqlstate", None)
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return StoreUnavailable(_LOST)
    return StoreError(f"the store refused ({type(error).__name__}, SQLSTATE {state}); nothing was changed")


@contextlib.contextmanager
def mapped_errors() -> Iterator[None]:
    """Let no driver exception out."""
    try:
        yield
    except (psycopg.Error, UnicodeEncodeError) as error:
        raise map_error(error) from error
