"""The audit in the store's database: entered by the transaction that does what it tells, so the chain has no gaps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any
from uuid import UUID

from retentive.clock import format_us, now_us
from retentive.contracts.audit import CUT, NO_HASH, AuditEntry, AuditQuery, AuditTrail, Deed, Link
from retentive.sql import rows
from retentive.sql.database import Connection, SqlDatabase, fetch, fetch_value, put_setting, setting

_PAGE = 10_000
#: The setting that keeps the number and hash of the last entry cut off.
_START = "audit_start"
_LINK = "no, at_us, tenant, partition, actor, verb, count, ids, hash"


@dataclass(frozen=True, slots=True)
class Author:
    """Who writes, and in which partition."""

    actor: str
    tenant: str
    partition_no: int


def append(
    connection: Connection,
    author: Author,
    verb: str,
    ids: Sequence[str],
    *,
    count: int | None = None,
    at_us: int | None = None,
) -> None:
    """Enter one deed behind the last, inside the caller's transaction."""
    last = connection.execute("SELECT no, hash FROM last_audit").get
    no, previous = chain_start(connection) if last is None else (last[0], last[1].hex())
    link = Link(
        no + 1,
        now_us() if at_us is None else at_us,
        author.tenant,
        author.partition_no,
        author.actor,
        verb,
        len(ids) if count is None else count,
        tuple(ids),
    )
    packed = b"".join(filter(None, map(rows.id_bytes, link.ids)))
    known = (link.no, link.at_us, link.tenant, link.partition, link.actor, link.verb, link.count, packed)
    digest = bytes.fromhex(link.hash_after(previous))
    connection.execute(f"INSERT INTO audit ({_LINK}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (*known, digest))  # noqa: S608


def chain_start(connection: Connection) -> tuple[int, str]:
    """What the chain goes on from."""
    no, _, digest = (setting(connection, _START) or f"0:{NO_HASH}").partition(":")
    return int(no), digest


def links_after(connection: Connection, no: int) -> Iterator[Link]:
    """The entries behind a number, in order."""
    return map(_link, connection.execute(f"SELECT {_LINK} FROM audit WHERE no > ? ORDER BY no", (no,)))  # noqa: S608


class SqlAudit(AuditTrail):
    """`retentive.contracts.audit.AuditTrail` over one `SqlDatabase`."""

    def __init__(self, database: SqlDatabase) -> None:
        self._db = database

    def append(self, deeds: Sequence[Deed]) -> None:
        sql = "SELECT no FROM partition WHERE tenant = ? AND kind = ? AND owner = ?"
        with self._db.write(shared=True) as connection:
            for deed in deeds:
                author = Author(deed.actor, deed.partition.tenant, fetch_value(connection, sql, deed.partition) or 0)
                append(connection, author, deed.verb, deed.ids, count=deed.count, at_us=deed.at_us)

    def entries(self, query: AuditQuery) -> list[AuditEntry]:
        conditions, values = _conditions(query)
        order = "DESC" if query.after_no is None else "ASC"
        columns = ", ".join(f"a.{name}" for name in _LINK.split(", "))
        sql = (
            f"SELECT {columns}, p.kind, p.owner FROM audit a LEFT JOIN partition p ON p.no = a.partition "  # noqa: S608
            f"WHERE {' AND '.join(conditions)} ORDER BY a.no {order} LIMIT ?"
        )
        with self._db.read() as connection:
            return [_entry(row) for row in fetch(connection, sql, (*values, query.limit))]

    def cut(self, before_us: int, actor: str) -> int:
        newer = "SELECT no FROM audit WHERE at_us >= ? ORDER BY no LIMIT 1"
        sql = "SELECT no, hash FROM audit WHERE no < ? ORDER BY no DESC LIMIT 1"
        with self._db.write() as connection:
            first_kept = fetch_value(connection, newer, (before_us,))
            found = fetch_value(connection, sql, (1 << 62 if first_kept is None else first_kept,))
            if found is None:
                return 0
            no, digest = found
            connection.execute("DELETE FROM audit WHERE no <= ?", (no,))
            gone: int = connection.changes()
            put_setting(connection, _START, f"{no}:{digest.hex()}")
            append(connection, Author(actor, "", 0), CUT, (), count=no)
        return gone

    def start(self) -> tuple[int, str]:
        with self._db.read() as connection:
            return chain_start(connection)

    def links(self) -> Iterator[Link]:
        after = 0
        while True:
            with self._db.read() as connection:  # page by page: no reader is kept open over a long chain
                page = list(islice(links_after(connection, after), _PAGE))
            yield from page
            if len(page) < _PAGE:
                return
            after = page[-1].no


def _conditions(query: AuditQuery) -> tuple[list[str], list[object]]:
    """SQL for what is asked; every value is bound."""
    asked: list[tuple[str, object]] = [
        ("a.actor = ?", query.actor),
        ("a.verb = ?", query.verb),
        ("a.tenant = ?", query.tenant),
        ("a.at_us >= ?", query.since_us),
        ("a.at_us < ?", query.until_us),
        ("a.no < ?", query.before_no),
        ("a.no > ?", query.after_no),
    ]
    if query.memory_id is not None:
        asked.append(("instr(a.ids, ?) > 0", rows.id_bytes(query.memory_id) or b"no id"))
    given = [(sql, value) for sql, value in asked if value is not None]
    conditions, values = ["TRUE", *(sql for sql, _ in given)], [value for _, value in given]
    if query.partition is not None:
        conditions.append("a.partition = (SELECT no FROM partition WHERE tenant = ? AND kind = ? AND owner = ?)")
        values += query.partition
    return conditions, values


def _ids(packed: bytes) -> tuple[str, ...]:
    whole = len(packed) - len(packed) % 16  # what was tampered with may be of any length
    return tuple(str(UUID(bytes=packed[start : start + 16])) for start in range(0, whole, 16))


def _link(row: tuple[Any, ...]) -> Link:
    no, at_us, tenant, partition, actor, verb, count, ids, digest = row
    return Link(no, at_us, tenant, partition, actor, verb, count, _ids(_bytes(ids)), _bytes(digest).hex())


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


def _entry(row: tuple[Any, ...]) -> AuditEntry:
    *known, kind, owner = row
    link = _link(tuple(known))
    return AuditEntry(
        link.no,
        format_us(link.at_us),
        link.actor,
        link.verb,
        link.count,
        link.ids,
        link.tenant,
        link.partition,
        kind,
        owner,
        link.hash,
    )
