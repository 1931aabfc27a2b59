"""What a filter of memories is in SQL."""

from __future__ import annotations

from retentive.contracts import Where
from retentive.sql.database import SqlDatabase

#: What `where` may name besides keys of the metadata, and where each stands.
EPISODE_FILTERS = frozenset({"session_id", "role", "name", "type", "trust"})
FACT_FILTERS = frozenset({"session_id", "category", "field", "status", "source", "trust"})


def conditions(database: SqlDatabase, where: Where, columns: frozenset[str]) -> tuple[str, list[object]]:
    """SQL for `where` with AND before each part: column names come from the fixed set, everything else is bound."""
    parts: list[str] = []
    values: list[object] = []
    for name, value in where.items():
        if name in columns:
            parts.append(f"{name} = ?")
            values.append(value)
        elif name in EPISODE_FILTERS | FACT_FILTERS:
            parts.append("FALSE")  # the other tier's column: nothing of this tier matches
        else:
            condition, bound = database.metadata_is(name, value)
            parts.append(condition)
            values += bound
    return "".join(f" AND {part}" for part in parts), values
