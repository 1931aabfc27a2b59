"""Erasing: out of every table, counted after looking. `Database.wipe` sees to the bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import apsw

from retentive.analyze import index_terms
from retentive.backends.sqlite import rows
from retentive.backends.sqlite.audit import Author, append
from retentive.backends.sqlite.database import DUE, fetch
from retentive.backends.sqlite.ledger import release_partition, release_sessions
from retentive.backends.sqlite.tiers import erase_copies
from retentive.backends.sqlite.transaction import SqliteTransaction
from retentive.results import ErasurePlace

_ROW_TABLES = ("episode", "fact", "entry", "vector", "token_state")


def erase(
    connection: apsw.Connection,
    author: Author,
    wanted: Sequence[int] | None,
    note: Callable[[Sequence[str] | None], None] = lambda _: None,
) -> list[ErasurePlace]:
    """Erase rows of a partition, or the whole of it, and say for each table how many went and how many are left.

    note: told the ids that go, derived ones too, or None for all, while they can still be kept by an error.
    """
    first, last = rows.row_range(author.partition_no)
    connection.execute("INSERT OR REPLACE INTO setting VALUES ('wiped', ?)", (DUE,))
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS doomed (row INTEGER PRIMARY KEY, id BLOB)")
    connection.execute("DELETE FROM temp.doomed")
    for table in ("episode", "fact"):
        if wanted is None:
            sql = f"INSERT INTO temp.doomed SELECT row, id FROM {table} WHERE row BETWEEN ? AND ?"  # noqa: S608
            connection.execute(sql, (first, last))
        else:
            # every version of a fact goes with the one that was named
            sql = (
                f"INSERT OR IGNORE INTO temp.doomed SELECT row, id FROM {table} WHERE id = "  # noqa: S608
                f"(SELECT id FROM {table} WHERE row = ? AND row BETWEEN ? AND ?)"
            )
            connection.executemany(sql, [(row, first, last) for row in wanted])
    places = _delete(connection, author.partition_no, everything=wanted is None)
    note(_enter(connection, author, everything=wanted is None))
    connection.execute("DELETE FROM temp.doomed")
    return places


def _delete(connection: apsw.Connection, no: int, *, everything: bool) -> list[ErasurePlace]:
    first, _ = rows.row_range(no)
    _take_out_derived(connection, first)
    doomed = [row for (row,) in connection.execute("SELECT row FROM temp.doomed ORDER BY row")]
    conditions = dict.fromkeys(_ROW_TABLES, "row IN (SELECT row FROM temp.doomed)")
    conditions["evidence"] = "fact_id IN (SELECT id FROM temp.doomed) OR episode_id IN (SELECT id FROM temp.doomed)"
    conditions["session"] = (
        f"partition = {no} AND NOT EXISTS "  # noqa: S608  our own number
        f"(SELECT 1 FROM episode e WHERE e.row >> 32 = {no} AND e.session_id = session.id)"
    )
    gone = f"(SELECT id FROM session WHERE partition = {no})"  # noqa: S608
    of_gone = f" AND json_extract(payload, '$.session_id') NOT IN {gone}"
    conditions["job"] = f"partition = {no}" + ("" if everything else of_gone)
    places = erase_copies(connection, no)
    for table, condition in conditions.items():
        if table == "session" and not everything:
            release_sessions(connection, no, condition)
        connection.execute(f"DELETE FROM {table} WHERE {condition}")  # noqa: S608  our own tables and conditions
        erased = connection.changes()
        left = connection.execute(f"SELECT count(*) FROM {table} WHERE {condition}").get  # noqa: S608
        places.append(ErasurePlace(table, erased, left))
    # What was said of erased words must go as well; the cache cannot tell whose they were, so it is emptied.
    connection.execute("DELETE FROM embedding")
    places.append(ErasurePlace("embedding", connection.changes(), 0))
    if everything:
        connection.execute("DELETE FROM touched WHERE revision >> 32 = ?", (no,))
        release_partition(connection, no)
        connection.execute("DELETE FROM partition WHERE no = ?", (no,))
        places.append(ErasurePlace("partition", connection.changes(), 0))
    else:
        places.append(_forget_reasons(connection, no))
        revision = connection.execute("SELECT revision FROM partition WHERE no = ?", (no,)).get
        SqliteTransaction.touch(connection, no, revision + 1, doomed)
    return places


def _forget_reasons(connection: apsw.Connection, no: int) -> ErasurePlace:
    """Why jobs failed may quote what they failed on: of the reason its kind is kept, the part before the colon."""
    quoting = "partition = ? AND instr(error, ':') > 0"
    connection.execute(f"UPDATE job SET error = substr(error, 1, instr(error, ':') - 1) WHERE {quoting}", (no,))  # noqa: S608
    erased = connection.changes()
    left = connection.execute(f"SELECT count(*) FROM job WHERE {quoting}", (no,)).get  # noqa: S608
    return ErasurePlace("reasons of failed jobs", erased, left)


def _enter(connection: apsw.Connection, author: Author, *, everything: bool) -> list[str] | None:
    """In the audit: which ids were forgotten; of a whole partition its number and how many they were."""
    ids = [str(rows.id_text(one)) for (one,) in connection.execute("SELECT DISTINCT id FROM temp.doomed ORDER BY id")]
    append(connection, author, "forget", () if everything else ids, count=len(ids))
    return None if everything else ids


def _take_out_derived(connection: apsw.Connection, first: int) -> None:
    """What a fact replaced goes too, and facts that nothing left supports; sessions touched are summarised anew."""
    connection.execute(
        """
        WITH RECURSIVE replaced(row, id) AS (
            SELECT row, id FROM fact WHERE row IN (SELECT row FROM temp.doomed)
            UNION
            SELECT f.row, f.id FROM fact f JOIN replaced r ON f.superseded_by_id = r.id WHERE f.row >> 32 = ?1 >> 32
        )
        INSERT OR IGNORE INTO temp.doomed SELECT f.row, f.id FROM fact f JOIN replaced r ON f.id = r.id
        """,
        (first,),
    )
    _take_out_unsupported(connection, first)
    connection.execute(
        """
        UPDATE session SET summary = NULL, state = CASE state WHEN 'ended' THEN 'ending' ELSE state END
        WHERE partition = ?1 >> 32
          AND id IN (SELECT session_id FROM episode WHERE row IN (SELECT row FROM temp.doomed))
        """,
        (first,),
    )
    connection.execute(
        """
        INSERT INTO job (kind, partition, payload)
        SELECT 'end_session', partition, json_object('session_id', id) FROM session
        WHERE partition = ?1 >> 32 AND state = 'ending' AND summary IS NULL
        """,
        (first,),
    )


def _take_out_unsupported(connection: apsw.Connection, first: int) -> None:
    """A fact stays only if what is left of its evidence has every word that the fact has from what goes.

    So the same sentence said twice outlives one of its messages, and a summary of several messages does not.
    """
    losing = (
        "SELECT DISTINCT f.id FROM fact f JOIN evidence v ON v.fact_id = f.id "
        "WHERE f.row >> 32 = ? >> 32 AND f.row NOT IN (SELECT row FROM temp.doomed) "
        "AND v.episode_id IN (SELECT id FROM temp.doomed)"
    )
    words_of = (
        "SELECT v.episode_id IN (SELECT id FROM temp.doomed), v.quote, coalesce(e.text, '') "
        "FROM evidence v LEFT JOIN episode e ON e.id = v.episode_id WHERE v.fact_id = ?"
    )
    for (fact_id,) in fetch(connection, losing, (first,)):
        goes: set[str] = set()
        stays: set[str] = set()
        for gone, quote, text in connection.execute(words_of, (fact_id,)):
            (goes if gone else stays).update(index_terms(f"{quote}\n{text}"))
        texts = fetch(connection, "SELECT text FROM fact WHERE id = ?", (fact_id,))
        if not stays or any(set(index_terms(text)) & goes - stays for (text,) in texts):
            connection.execute("INSERT OR IGNORE INTO temp.doomed SELECT row, id FROM fact WHERE id = ?", (fact_id,))
