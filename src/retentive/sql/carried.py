"""Which memories a session's model calls carried, in the store's database: ids, tokens and money, never text."""

from __future__ import annotations

from collections.abc import Sequence

from retentive.contracts.ledger import Carried
from retentive.sql import rows
from retentive.sql.database import Connection, chunks, fetch, marks

_NO_MEMORY = b""  # stands for what is no memory's
_SUMS = ("calls", "tokens", "cost", "priced")
_ADD = (
    "INSERT INTO carried (partition, session_id, memory_id, calls, tokens, cost, priced) VALUES (?, ?, ?, ?, ?, ?, ?) "  # noqa: S608  our own
    "ON CONFLICT (partition, session_id, memory_id) DO UPDATE SET "
    + ", ".join(f"{name} = carried.{name} + excluded.{name}" for name in _SUMS)
)


def add(connection: Connection, number: int, session_id: str, carried: Sequence[Carried]) -> None:
    """Enter what a call carried. Of a session or a memory that was erased meanwhile nothing is entered."""
    if not fetch(connection, "SELECT 1 FROM session WHERE partition = ? AND id = ?", (number, session_id)):
        return
    there = {_NO_MEMORY, *_there(connection, [_key(one) for one in carried])}
    values = [
        (number, session_id, _key(one), one.calls, one.tokens, one.cost or 0.0, int(one.cost is not None))
        for one in carried
        if _key(one) in there
    ]
    connection.executemany(_ADD, values)


def of_session(connection: Connection, number: int, session_id: str) -> list[Carried]:
    """What is entered for a session, most tokens first."""
    found = fetch(
        connection,
        "SELECT memory_id, calls, tokens, cost, priced FROM carried WHERE partition = ? AND session_id = ? "
        "ORDER BY tokens DESC, memory_id",
        (number, session_id),
    )
    return [
        Carried(rows.id_text(key or None), calls, tokens, cost if priced else None)
        for key, calls, tokens, cost, priced in found
    ]


def _key(one: Carried) -> bytes:
    return rows.id_bytes(one.memory_id or "") or _NO_MEMORY


def _there(connection: Connection, keys: Sequence[bytes]) -> set[bytes]:
    """Which of these ids a fact or a message has."""
    sql = "SELECT id FROM fact WHERE id IN ({0}) UNION SELECT id FROM episode WHERE id IN ({0})"
    found = [fetch(connection, sql.format(marks(part)), (*part, *part)) for part in chunks(keys)]
    return {key for each in found for (key,) in each}
