"""Reading sessions: one is its name within its agent and project."""

from __future__ import annotations

from retentive.sql import rows
from retentive.sql.database import Connection, fetch
from retentive.sql.transaction import ONE_SESSION, SELECT_EPISODE, SELECT_SESSION
from retentive.types import Episode, Partition, SessionInfo, SessionKey

#: Of this agent and this project alone.
_IN_SCOPE = " AND agent_id IS NOT DISTINCT FROM ? AND project_id IS NOT DISTINCT FROM ?"


def one(connection: Connection, no: int, key: SessionKey) -> SessionInfo | None:
    """One session of a partition, or None."""
    found = fetch(connection, ONE_SESSION, (no, *rows.session_key(key)))
    return rows.session_from(found[0]) if found else None


def named(connection: Connection, no: int, session_id: str) -> list[SessionInfo]:
    """All sessions of a partition that are called so."""
    found = fetch(connection, SELECT_SESSION + "WHERE partition = ? AND id = ?", (no, session_id))
    return [rows.session_from(values) for values in found]


def said_in(connection: Connection, no: int, session: SessionKey | str, limit: int) -> list[Episode]:
    """The last episodes of a session, or of all of one name, oldest first."""
    name, more, values = (session, "", ()) if isinstance(session, str) else (session.id, _IN_SCOPE, session[1:])
    sql = f"WHERE session_id = ? AND row BETWEEN ? AND ?{more} ORDER BY row DESC LIMIT ?"
    found = fetch(connection, SELECT_EPISODE + sql, (name, *rows.row_range(no), *values, limit))
    return [rows.episode_from(values) for values in reversed(found)]


def said_between(connection: Connection, no: int, first_row: int, last_row: int, session: SessionKey) -> list[Episode]:
    """The episodes of a session in a range of rows, oldest first."""
    first, last = rows.row_range(no)
    sql = f"WHERE row BETWEEN ? AND ? AND session_id IS NOT DISTINCT FROM ?{_IN_SCOPE} ORDER BY row"
    found = fetch(connection, SELECT_EPISODE + sql, (max(first, first_row), min(last, last_row), *session))
    return [rows.episode_from(values) for values in found]


def still_open(connection: Connection, quiet_since_us: int | None) -> list[tuple[Partition, SessionInfo]]:
    """Sessions of all partitions that nobody has ended; of those without an owner, such as are quiet since then."""
    columns = ", ".join(f"s.{name}" for name in rows.SESSION_COLUMNS)
    sql = (
        f"SELECT p.tenant, p.kind, p.owner, {columns} FROM session s "  # noqa: S608
        "JOIN partition p ON p.no = s.partition WHERE s.state = 'open' AND (s.owner IS NOT NULL OR s.touched_us < ?)"
    )
    found = fetch(connection, sql, (1 << 62 if quiet_since_us is None else quiet_since_us,))
    return [(Partition(*values[:3]), rows.session_from(values[3:])) for values in found]
