"""Whose vectors the store holds: those of the embedder that is searched with and, while it is changed, of the next."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache

from retentive.contracts import Embed, EmbedderChange, Remembered, StoredEmbedders, Vectors
from retentive.corpus import pack_tokens, pack_vector
from retentive.sql import rows
from retentive.sql.database import Connection, put_setting, upsert
from retentive.sql.transaction import SELECT_EPISODE, load_facts
from retentive.types import indexed_text

#: The settings that name them, and the one that says that vectors of a former embedder are still to be dropped.
SERVING, NEXT, _LEFT = "embedder", "next_embedder", "former_vectors"
_ONE = "(SELECT value FROM setting WHERE name = ?)"
_STORED = f"SELECT {_ONE}, {_ONE}, {_ONE}"

#: Of a vector, and of the token states beside it.
_KEY = ("row", "model")
_MISSING = "FROM entry e LEFT JOIN vector v ON v.row = e.row AND v.model = ? WHERE e.row > ? AND v.row IS NULL"


def stored(connection: Connection) -> StoredEmbedders:
    """What the settings say of embedders, in one question."""
    *named, former = connection.execute(_STORED, (SERVING, NEXT, _LEFT)).get
    serving, coming = (None if value is None else named_in(value) for value in named)
    return StoredEmbedders(serving, coming, former is not None)


@lru_cache(maxsize=8)
def named_in(value: str) -> tuple[str, int]:
    """Name and dimension of the embedder that the value of a setting names."""
    known = json.loads(value)
    return known["name"], known["dimension"]


def kept(connection: Connection) -> list[tuple[str, int]]:
    """Name and dimension of those whose vectors are kept: the one that is searched with, then the next."""
    return [known for known in stored(connection)[:2] if known is not None]


def put_embedder(connection: Connection, setting: str, name: str, dimension: int) -> None:
    """Name an embedder in a setting."""
    value = json.dumps({"name": name, "dimension": dimension})
    put_setting(connection, setting, value)


def begin(connection: Connection, name: str, dimension: int) -> None:
    """Vectors of this embedder are wanted beside the present ones; of the present one: stop a change under way."""
    serving, coming, _ = stored(connection)
    if coming is not None:
        put_setting(connection, _LEFT, "1")
    connection.execute("DELETE FROM setting WHERE name = ?", (NEXT,))
    if serving != (name, dimension):
        put_embedder(connection, NEXT, name, dimension)


def missing(connection: Connection, model: str, after_row: int, limit: int) -> list[int]:
    """Rows of the whole store without a vector of this model, in order."""
    sql = f"SELECT e.row {_MISSING} ORDER BY e.row LIMIT ?"
    return [row for (row,) in connection.execute(sql, (model, after_row, limit))]


def put_vectors(
    connection: Connection, model: str, vectors: Mapping[int, Vectors], tokens: Mapping[int, Vectors]
) -> None:
    """Put vectors and token states of a model; of rows that are not there (any more), nothing."""
    there = "WHERE EXISTS (SELECT 1 FROM entry WHERE row = ?1)"
    values = [(row, model, len(vector), pack_vector(vector)) for row, vector in vectors.items()]
    source = f"SELECT CAST(?1 AS BIGINT), ?2, CAST(?3 AS INTEGER), CAST(?4 AS BLOB) {there}"
    connection.executemany(upsert("vector", ["row", "model", "dimension", "value"], _KEY, source=source), values)
    states = [(row, model, pack_tokens(states)) for row, states in tokens.items() if len(states)]
    if states:
        source = f"SELECT CAST(?1 AS BIGINT), ?2, CAST(?3 AS BLOB) {there}"
        connection.executemany(upsert("token_state", ["row", "model", "value"], _KEY, source=source), states)


def switch(connection: Connection, embed: Embed, last_few: int) -> bool:
    """Search with the next embedder's vectors, if at most `last_few` memories are without one: they get it now."""
    coming = stored(connection).coming
    if coming is None:
        return False
    lagging = missing(connection, coming[0], 0, last_few + 1)
    if len(lagging) > last_few:
        return False
    marks = f"WHERE row IN ({', '.join('?' * len(lagging))})"
    memories: list[Remembered] = [rows.episode_from(row) for row in connection.execute(SELECT_EPISODE + marks, lagging)]
    memories += load_facts(connection, marks, lagging)
    if memories:
        vectors, tokens = embed([indexed_text(memory) for memory in memories])
        by_row = [memory.row for memory in memories]
        put_vectors(
            connection, coming[0], dict(zip(by_row, vectors, strict=True)), dict(zip(by_row, tokens, strict=True))
        )
    put_embedder(connection, SERVING, *coming)
    connection.execute("DELETE FROM setting WHERE name = ?", (NEXT,))
    put_setting(connection, _LEFT, "1")
    return True


def drop_former(connection: Connection, limit: int) -> int:
    """Drop up to `limit` vectors, and as many token states, of models that are of no use any more."""
    if not stored(connection).former:
        return 0
    known = [name for name, _ in kept(connection)]
    dropped = 0
    for table in ("vector", "token_state"):
        sql = (
            f"DELETE FROM {table} WHERE (row, model) IN (SELECT row, model FROM {table} "  # noqa: S608  our own names
            f"WHERE model NOT IN ({', '.join('?' * len(known))}) LIMIT ?)"
        )
        connection.execute(sql, (*known, limit))
        dropped += connection.changes()
    if not dropped:
        connection.execute("DELETE FROM setting WHERE name = ?", (_LEFT,))
    return dropped


def change_under_way(connection: Connection) -> EmbedderChange | None:
    """How far a change of the embedder is, or None."""
    coming = stored(connection).coming
    if coming is None:
        return None
    done: int = connection.execute("SELECT count(*) FROM vector WHERE model = ?", (coming[0],)).get
    return EmbedderChange(*coming, done, connection.execute("SELECT count(*) FROM entry").get)
