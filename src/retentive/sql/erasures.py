"""What was forgotten, without a word of it: a journal outside the store, so that an older copy forgets it too.

A line an erasure: when, whose it was as a salted digest, and the ids that went, or that it was everything; of facts
whose messages stay also where in these the words stand that nothing may be drawn from any more. It is on
disk before the erasure is committed. The store keeps how far it has followed the journal; a copy from before is behind,
and what it missed is done before it serves. What a person says again later has another id and is kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retentive.clock import now_us
from retentive.contracts.audit import WORKER
from retentive.errors import StoreDamaged, StoreFull, StoreUnavailable
from retentive.sql import rows
from retentive.sql.audit import Author
from retentive.sql.database import EVERYONE, PUT_SETTING, Connection, SqlDatabase, chunks, fetch, fetch_value, setting
from retentive.sql.erase import erase
from retentive.sql.tiers import SpanOf, put_spans
from retentive.types import Partition

_SALT_BYTES = 16
_DAMAGED = (
    "the journal beside the store, which says what was forgotten, is damaged: put a copy of it back, or move it away "
    "where this store was never replaced by an older copy; nothing was changed"
)


@dataclass(frozen=True, slots=True)
class Erasure:
    """One erasure: the ids that went; None where it was everything that `whose` names, recorded up to `at_us`.

    ahead: of everything, the ids of what a clock that was set back since had recorded later than that.
    """

    at_us: int
    ids: tuple[str, ...] | None
    whose: str
    spans: tuple[SpanOf, ...] = ()
    ahead: tuple[str, ...] = ()


class Journal:
    """The journal of one store: a line with its salt, then a line an erasure."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(
        self,
        partition: Partition,
        ids: Sequence[str] | None,
        spans: Sequence[SpanOf] = (),
        ahead: Sequence[str] = (),
    ) -> None:
        """Write an erasure down, on disk when this returns. Called by the one writer of the store.

        What a crash left of a line is taken off first.
        """
        created = not self.path.exists()
        with self.path.open("ab+") as file:
            file.seek(0)
            whole = _whole_lines(file.read())
            file.truncate(len(whole))
            head = b"" if whole else json.dumps({"salt": os.urandom(_SALT_BYTES).hex()}).encode() + b"\n"
            whose = _digest(_salt(whole or head), partition)
            line: dict[str, Any] = {"at_us": now_us(), "whose": whose, "ids": None if ids is None else list(ids)}
            line |= {name: found for name, found in (("spans", spans), ("ahead", ahead)) if found}
            file.write(head + json.dumps(line, separators=(",", ":")).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        if created:
            _sync_folder(self.path.parent)

    def mark(self) -> str | None:
        """Where a store stands that has followed all of it; None before the first erasure."""
        whole = self._lines()
        return f"{_salt(whole)} {len(whole)}" if whole else None

    def since(self, mark: str | None) -> list[Erasure]:
        """The erasures beyond a mark; all of them where the mark is of another journal, or of one that was longer."""
        whole = self._lines()
        salt, _, size = (mark or " 0").partition(" ")
        start = int(size)
        if salt != _salt(whole) or whole[start - 1 : start] != b"\n":
            start = 0
        try:
            found = [json.loads(line) for line in whole[start:].splitlines()]
            return [_erasure(one) for one in found if "salt" not in one]
        except (ValueError, TypeError, KeyError) as error:
            raise StoreDamaged(_DAMAGED) from error

    def digest(self, partition: Partition) -> str:
        """What an erasure's `whose` is for this partition."""
        return _digest(_salt(self._lines()), partition)

    def _lines(self) -> bytes:
        try:
            return _whole_lines(self.path.read_bytes()) if self.path.exists() else b""
        except OSError as error:
            message = f"the journal of what was forgotten, {self.path.name!r}, cannot be read: {error.strerror}"
            raise StoreUnavailable(message) from error


def _erasure(line: Mapping[str, Any]) -> Erasure:
    spans = tuple((episode_id, start, stop) for episode_id, start, stop in line.get("spans", ()))
    ids = None if line["ids"] is None else tuple(line["ids"])
    return Erasure(line["at_us"], ids, line["whose"], spans, tuple(line.get("ahead", ())))


def _whole_lines(known: bytes) -> bytes:
    return known[: known.rfind(b"\n") + 1]


def _salt(whole: bytes) -> str:
    try:
        return str(json.loads(whole.partition(b"\n")[0])["salt"])
    except (ValueError, TypeError, KeyError) as error:
        raise StoreDamaged(_DAMAGED) from error


def _digest(salt: str, partition: Partition) -> str:
    return hashlib.sha256("\0".join((salt, *partition)).encode("utf-8", "surrogatepass")).hexdigest()


def _sync_folder(folder: Path) -> None:
    """So that a new file's name is on disk as well; not every system lets a folder be opened."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class Erasures:
    """A store's journal, where it has one, and how far the store has followed it: its setting `erasures`."""

    def __init__(self, database: SqlDatabase) -> None:
        self._database = database
        self._journal = None if database.journal is None else Journal(database.journal)

    def note(
        self,
        connection: Connection,
        ids: Sequence[str] | None,
        spans: Sequence[SpanOf],
        ahead: Sequence[str],
        *,
        partition: Partition,
        archived: Sequence[str],
    ) -> None:
        """Write an erasure down inside the transaction that makes it. Raises StoreFull: then nothing was erased.

        archived: ids that this store does not hold any more, which an older copy may.
        """
        every = None if ids is None else list(dict.fromkeys((*ids, *archived)))
        if self._journal is None or every == []:
            return
        self._database.lock(connection, "erasures")
        try:
            self._journal.append(partition, every, spans, ahead)
        except OSError as error:
            message = "no room for the note of what is forgotten: nothing was erased; free some space and repeat"
            raise StoreFull(message) from error
        _followed(connection, self._journal.mark())

    def adopt(self, other: Path) -> None:
        """Take over another store's journal where there is none."""
        if self._journal is not None and not self._journal.path.exists():
            shutil.copyfile(other, self._journal.path)

    def follow(self, connection: Connection) -> int:
        """Erase what the journal says and this store does not know of yet; returns how many erasures it had missed."""
        self._database.lock(connection, "erasures")
        mark = None if self._journal is None else self._journal.mark()
        known = setting(connection, "erasures")
        if self._journal is None or mark in {None, known}:
            return 0
        missed = self._journal.since(known)
        for found in fetch(connection, "SELECT tenant, kind, owner, no FROM partition"):
            partition, no = Partition(*found[:3]), found[3]
            whose = self._journal.digest(partition)
            for one in missed:
                if one.whose == whose:
                    self._database.act_for(connection, partition.tenant)
                    _again(connection, Author(WORKER, partition.tenant, no), one)
        self._database.act_for(connection, EVERYONE)
        _followed(connection, mark)
        return len(missed)


def _followed(connection: Connection, mark: str | None) -> None:
    connection.execute(PUT_SETTING, ("erasures", mark or ""))


def _again(connection: Connection, author: Author, erasure: Erasure) -> None:
    """Erase what is there of it. What was recorded after somebody's whole memory was erased is theirs anew."""
    bounds = rows.row_range(author.partition_no)
    put_spans(connection, author.partition_no, erasure.spans)
    found: list[int] = []
    for table in ("episode", "fact"):
        if erasure.ids is None:
            old = f"SELECT row FROM {table} WHERE row BETWEEN ? AND ? AND recorded_us <= ?"  # noqa: S608  our own tables
            found += [row for (row,) in fetch(connection, old, (*bounds, erasure.at_us))]
        for part in chunks([rows.id_bytes(one) for one in erasure.ids or erasure.ahead]):
            marks = ", ".join("?" * len(part))
            named = f"SELECT row FROM {table} WHERE id IN ({marks}) AND row BETWEEN ? AND ?"  # noqa: S608  our own tables
            found += [row for (row,) in fetch(connection, named, (*part, *bounds))]
    if erasure.ids is None and found and len(found) == _count(connection, bounds):
        erase(connection, author, None)  # the name goes as well
    elif found:
        erase(connection, author, found)


def _count(connection: Connection, bounds: tuple[int, int]) -> int:
    sql = "SELECT count(*) FROM {} WHERE row BETWEEN ? AND ?"
    return sum(fetch_value(connection, sql.format(table), bounds) for table in ("episode", "fact"))
