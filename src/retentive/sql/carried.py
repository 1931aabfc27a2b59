"""Which memories a session's model calls carried, in the store's database: ids, tokens and money, never text."""

from __future__ import annotations

from collections.abc import Sequence

from retentive.contracts.ledger import Carried
from retentive.sql import rows
from retentive.sql.database import Connection, chunks, fetch, marks
from retentive.types import SessionKey

_NO_MEMORY = b""  # stands for what is no memory's
_SUMS = ("calls", "tokens", "cost", "priced")
_ADD = (
    "INSERT INTO carried (partition, session_id, agent_id, project_id, memory_id, calls, tokens, cost, priced) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (partition, session_id, agent_id, project_id, memory_id) DO UPDATE SET "
    + ", ".join(f"{name} = carried.{name} + excluded.{name}" for name in _SUMS)
)


def add(connection: Connection, number: int, session: SessionKey, carried: Sequence[Carried]) -> None:
    """Enter what a call carried. Of a session or a memory that was erased meanwhile nothing is entered."""
    named = _named(session)
    there = "SELECT 1 FROM session WHERE partition = ? AND id = ? AND agent_id = ? AND project_id = ?"
    if not fetch(connection, there, (number, *named)):
        return
    known = {_NO_MEMORY, *_there(connection, [_key(one) for one in carried])}
    values = [
        (number, *named, _key(one), one.calls, one.tokens, one.cost or 0.0, int(one.cost is not None))
        for one in carried
        if _key(one) in known
    ]
    connection.executemany(_ADD, values)


def of_session(connection: Connection, number: int, session: SessionKey) -> list[Carried]:
    """What is entered for a session, most tokens first."""
    found = fetch(
        connection,
        "SELECT memory_id, calls, tokens, cost, priced FROM carried "
        "WHERE partition = ? AND session_id = ? AND agent_id = ? AND project_id = ? ORDER BY tokens DESC, memory_id",
        (number, *_named(session)),
    )
    return [
        Carried(rows.id_text(key or None), calls, tokens, cost if priced else None)
        for key, calls, tokens, cost, priced in found
    ]


def _named(session: SessionKey) -> tuple[str, str, str]:
    return session.id or "", session.agent_id or "", session.project_id or ""


def _key(one: Carried) -> bytes:
    return rows.id_bytes(one.memory_id or "") or _NO_MEMORY


def _there(connection: Connection, keys: Sequence[bytes]) -> set[bytes]:
    """Which of these ids a fact or a message has."""
    sql = "SELECT id FROM fact WHERE id IN ({0}) UNION SELECT id FROM episode WHERE id IN ({0})"
    found = [fetch(connection, sql.format(marks(part)), (*part, *part)) for part in chunks(keys)]
    return {key for each in found for (key,) in each}
