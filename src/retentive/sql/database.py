"""What the shared SQL asks of an engine: connections that run it, and the few things each engine says its own way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from retentive.types import Partition

#: The number of a partition before its first write: no row has it.
NOWHERE = -1
PARTITION = "SELECT no, revision FROM partition WHERE tenant = ? AND kind = ? AND owner = ?"
#: In the place of a tenant: work that is for all of them. No tenant can have this name.
EVERYONE = "*"
_MOST_KEYS = 30_000
Key = TypeVar("Key")


class Rows(Protocol):
    """What a statement answered."""

    @property
    def get(self) -> Any:
        """The one value of a one-row answer, a tuple where it has several columns; None when there is no row."""

    def fetchall(self) -> list[Any]:
        """All rows, each a tuple."""

    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """One open transaction, or a reader. Values are bound to `?`, `?1` or `:name`; blobs are bytes."""

    def execute(self, sql: str, values: Any = ..., /) -> Rows:
        """Run one statement."""

    def executemany(self, sql: str, values: Iterable[Any], /) -> Rows:
        """Run one statement for each of many sets of values."""

    def changes(self) -> int:
        """How many rows the last statement that changed something changed."""

    def total_changes(self) -> int:
        """How many rows were changed since the connection was opened."""

    def __enter__(self) -> Self:
        """Let several reads see one state of the store."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None: ...


class SqlDatabase(ABC):
    """One store: `write()` for a transaction, `read()` for a consistent view, each for one tenant or for everyone."""

    #: Where it is, for people.
    path: str
    #: Where what is forgotten is noted, so that an older copy forgets it too; None: nowhere.
    journal: Path | None = None
    #: After a SELECT: nobody else changes these rows before the commit; and: pass over rows that somebody holds.
    for_update = ""
    skip_locked = ""
    #: What an erasure's report calls the place that `wipe` sees to.
    wiped_place = "free space"

    @abstractmethod
    def write(
        self, tenant: str = EVERYONE, *, shared: bool = False, derived: bool = False
    ) -> AbstractContextManager[Connection]:
        """One transaction: commits on leaving, rolls back on an exception.

        shared: it is short, and may be committed together with others that wait for their turn. derived: what it writes
        is made again where it is lost, so it is kept in order, but nobody needs to wait until a disk has it.
        """

    def together(self) -> AbstractContextManager[None]:
        """Make the derived writes of this thread inside one transaction, if the engine has one writer at a time."""
        return nullcontext()

    @abstractmethod
    def read(self, tenant: str = EVERYONE) -> AbstractContextManager[Connection]:
        """A connection to read with."""

    @contextmanager
    def reading(self, partition: Partition) -> Iterator[tuple[Connection, int]]:
        """A connection to read one state of a partition with, and its number."""
        with self.read(partition.tenant) as connection, connection:
            number, _ = fetch_value(connection, PARTITION, partition) or (NOWHERE, 0)
            yield connection, number

    @abstractmethod
    def wipe(self) -> bool:
        """Leave no byte of deleted rows where no row stands; False where something keeps us from it."""

    def mark_due(self, connection: Connection, no: int | None = None) -> None:  # noqa: B027  not all need a mark
        """Note that a wipe is due, of a partition or of all, so that one that a crash cut short is made up for."""

    def lock(self, connection: Connection, name: str) -> None:  # noqa: B027  one writer at a time needs none
        """Let nobody else pass this name until the commit."""

    def act_for(self, connection: Connection, tenant: str) -> None:  # noqa: B027  most engines know no tenants
        """From now on the transaction works for this tenant."""

    def checkpoint(self) -> bool:
        """Fold what was written into its lasting place."""
        return True

    def fold(self) -> None:  # noqa: B027  not every engine leaves it to us
        """Fold a log that has grown long into its lasting place, while others read and write."""

    def make_room(self) -> None:  # noqa: B027  a server's disk is not ours to see to
        """Give back what space is set aside for erasing on a full disk, and that of what was written since."""

    def files(self, overlap: int) -> Iterator[tuple[str, Iterator[bytes]]]:  # noqa: ARG002
        """As `contracts.Store.files` says."""
        return iter(())

    @abstractmethod
    def engine(self) -> str:
        """Name and version of the engine."""

    @abstractmethod
    def schema_version(self) -> int:
        """The number of the last migration that was applied."""

    @abstractmethod
    def problems(self, connection: Connection) -> list[str]:
        """What the engine itself finds wrong with the store, looking at all of it."""

    @abstractmethod
    def now_s(self, connection: Connection) -> float:
        """The clock of leases and delays, in seconds; the same for every process of the store."""

    @abstractmethod
    def metadata_is(self, name: str, value: str | float) -> tuple[str, list[object]]:
        """A condition on a row's metadata, a JSON object: this key has this value, of this type. And what it binds."""

    @abstractmethod
    def close(self) -> None:
        """Close every connection of every thread."""


def fetch(connection: Connection, sql: str, values: Any = ()) -> list[tuple[Any, ...]]:
    """All rows of a query."""
    return connection.execute(sql, values).fetchall()


def fetch_value(connection: Connection, sql: str, values: Any = ()) -> Any:
    """The one value of a one-row query, a tuple where it has several columns; None when there is no row."""
    return connection.execute(sql, values).get


def chunks(keys: Sequence[Key]) -> Iterator[Sequence[Key]]:
    """Keys of a query in parts that an engine's limit on bound values allows.

    >>> [len(part) for part in chunks(range(70_000))]
    [30000, 30000, 10000]
    """
    return (keys[start : start + _MOST_KEYS] for start in range(0, len(keys), _MOST_KEYS))


def marks(values: Sequence[Any] | int) -> str:
    """Placeholders for so many values.

    >>> marks(3)
    '?, ?, ?'
    """
    return ", ".join("?" * (values if isinstance(values, int) else len(values)))


def upsert(table: str, columns: Sequence[str], key: Sequence[str], *, source: str | None = None) -> str:
    """SQL that puts a row in the place of the one with its key, if there is one.

    source: a SELECT of the row, in the place of bound values; it needs a WHERE.

    >>> upsert("setting", ["name", "value"], ["name"])
    'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value'
    """
    given = f"VALUES ({marks(columns)})" if source is None else source
    changed = ", ".join(f"{name} = excluded.{name}" for name in columns if name not in key)
    return f"INSERT INTO {table} ({', '.join(columns)}) {given} ON CONFLICT ({', '.join(key)}) DO UPDATE SET {changed}"


PUT_SETTING = upsert("setting", ["name", "value"], ["name"])


def put_setting(connection: Connection, name: str, value: str) -> None:
    """Keep a setting of the store, in the place of what it was."""
    connection.execute(PUT_SETTING, (name, value))


def setting(connection: Connection, name: str) -> str | None:
    """A setting of the store, or None."""
    found: str | None = fetch_value(connection, "SELECT value FROM setting WHERE name = ?", (name,))
    return found
