"""Erasing: out of every table, counted after looking. `Database.wipe` sees to the bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import apsw

from retentive.analyze import index_terms
from retentive.backends.sqlite import rows
from retentive.backends.sqlite.audit import Author, append
from retentive.backends.sqlite.database import DUE, fetch
from retentive.backends.sqlite.ledger import release_partition, release_sessions
from retentive.backends.sqlite.tiers import erase_copies
from retentive.backends.sqlite.transaction import SqliteTransaction
from retentive.contracts import Erased
from retentive.results import ErasurePlace

_ROW_TABLES = ("episode", "fact", "entry", "vector", "token_state")


def erase(
    connection: apsw.Connection,
    author: Author,
    wanted: Sequence[int] | None,
    note: Callable[[Sequence[str] | None], None] = lambda _: None,
) -> Erased:
    """Erase rows of a partition, or the whole of it, and say for each table how many went and how many are left.

    note: told the ids that go, derived ones too, or None for all, while they can still be kept by an error.
    """
    no, everything = author.partition_no, wanted is None
    connection.execute("INSERT OR REPLACE INTO setting VALUES ('wiped', ?)", (DUE,))
    _name_doomed(connection, no, wanted)
    summaries = _take_out_derived(connection, no)
    changed = _count_anew(connection, no)
    places = (*erase_copies(connection, no), *_delete(connection, no, changed, everything=everything), summaries)
    ids = _enter(connection, author, everything=everything)
    note(None if everything else ids)
    connection.execute("DELETE FROM temp.doomed")
    return Erased(tuple(ids), places)


def _name_doomed(connection: apsw.Connection, no: int, wanted: Sequence[int] | None) -> None:
    first, last = rows.row_range(no)
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


def _delete(
    connection: apsw.Connection, no: int, changed: Sequence[int], *, everything: bool
) -> Iterator[ErasurePlace]:
    doomed = [row for (row,) in connection.execute("SELECT row FROM temp.doomed ORDER BY row")]
    for place, (table, condition) in _conditions(no, everything=everything).items():
        connection.execute(f"DELETE FROM {table} WHERE {condition}")  # noqa: S608  our own tables and conditions
        erased = connection.changes()
        left = connection.execute(f"SELECT count(*) FROM {table} WHERE {condition}").get  # noqa: S608
        yield ErasurePlace(place, erased, left)
    # What was said of erased words must go as well; the cache cannot tell whose they were, so it is emptied.
    connection.execute("DELETE FROM embedding")
    yield ErasurePlace("embedding", connection.changes(), 0)
    yield release_partition(connection, no) if everything else release_sessions(connection, no)
    if everything:
        connection.execute("DELETE FROM touched WHERE revision >> 32 = ?", (no,))
        connection.execute("DELETE FROM partition WHERE no = ?", (no,))
        yield ErasurePlace("partition", connection.changes(), 0)
    else:
        yield _forget_reasons(connection, no)
        revision = connection.execute("SELECT revision FROM partition WHERE no = ?", (no,)).get
        SqliteTransaction.touch(connection, no, revision + 1, sorted({*doomed, *changed}))


def _conditions(no: int, *, everything: bool) -> dict[str, tuple[str, str]]:
    """What goes of each table, in this order: a later one asks what is left of those before it."""
    found = {table: (table, "row IN (SELECT row FROM temp.doomed)") for table in _ROW_TABLES}
    of_doomed = "fact_id IN (SELECT id FROM temp.doomed) OR episode_id IN (SELECT id FROM temp.doomed)"
    found["evidence"] = ("evidence", of_doomed)
    said = f"SELECT 1 FROM episode e WHERE e.row >> 32 = {no} AND e.session_id = session.id"  # noqa: S608  our own number
    found["session"] = ("session", f"partition = {no} AND NOT EXISTS ({said})")
    sessions = f"SELECT id FROM session WHERE partition = {no}"  # noqa: S608
    first, last = "json_extract(payload, '$.first_row')", "json_extract(payload, '$.last_row')"
    rows_left = f"SELECT 1 FROM entry WHERE row BETWEEN {first} AND {last}"  # noqa: S608
    over = (
        f"(json_extract(payload, '$.session_id') NOT IN ({sessions}) "
        f"OR ({first} IS NOT NULL AND NOT EXISTS ({rows_left})))"
    )
    jobs = f"partition = {no}" + ("" if everything else f" AND {over}")
    found["job"] = ("job", f"state <> 'dead' AND {jobs}")
    found["jobs that gave up"] = ("job", f"state = 'dead' AND {jobs}")
    return found


def _forget_reasons(connection: apsw.Connection, no: int) -> ErasurePlace:
    """Why jobs failed may quote what they failed on: of the reason its kind is kept, the part before the colon."""
    quoting = "partition = ? AND instr(error, ':') > 0"
    connection.execute(f"UPDATE job SET error = substr(error, 1, instr(error, ':') - 1) WHERE {quoting}", (no,))  # noqa: S608
    erased = connection.changes()
    left = connection.execute(f"SELECT count(*) FROM job WHERE {quoting}", (no,)).get  # noqa: S608
    return ErasurePlace("reasons of failed jobs", erased, left)


def _enter(connection: apsw.Connection, author: Author, *, everything: bool) -> list[str]:
    """In the audit: which ids were forgotten; of a whole partition its number and how many they were."""
    ids = [str(rows.id_text(one)) for (one,) in connection.execute("SELECT DISTINCT id FROM temp.doomed ORDER BY id")]
    append(connection, author, "forget", () if everything else ids, count=len(ids))
    return ids


# -- what goes with it -------------------------------------------------------------------------------------------------
def _take_out_derived(connection: apsw.Connection, no: int) -> ErasurePlace:
    """What a fact replaced goes too, and facts that nothing left supports; sessions touched are summarised anew."""
    connection.execute(
        """
        WITH RECURSIVE replaced(row, id) AS (
            SELECT row, id FROM fact WHERE row IN (SELECT row FROM temp.doomed)
            UNION
            SELECT f.row, f.id FROM fact f JOIN replaced r ON f.superseded_by_id = r.id WHERE f.row >> 32 = ?1
        )
        INSERT OR IGNORE INTO temp.doomed SELECT f.row, f.id FROM fact f JOIN replaced r ON f.id = r.id
        """,
        (no,),
    )
    _take_out_unsupported(connection, no)
    losing = "partition = ? AND id IN (SELECT session_id FROM episode WHERE row IN (SELECT row FROM temp.doomed))"
    summarised = f"SELECT count(*) FROM session WHERE {losing} AND summary IS NOT NULL"  # noqa: S608  our own condition
    before = connection.execute(summarised, (no,)).get
    connection.execute(
        "UPDATE session SET summary = NULL, summary_by = NULL, "  # noqa: S608
        f"state = CASE state WHEN 'ended' THEN 'ending' ELSE state END WHERE {losing}",
        (no,),
    )
    connection.execute(
        """
        INSERT INTO job (kind, partition, payload)
        SELECT 'end_session', partition, json_object('session_id', id) FROM session s
        WHERE partition = ?1 AND state = 'ending' AND summary IS NULL AND NOT EXISTS (
            SELECT 1 FROM job j WHERE j.partition = ?1 AND j.kind = 'end_session' AND j.state = 'ready'
            AND json_extract(j.payload, '$.session_id') = s.id)
        """,
        (no,),
    )
    return ErasurePlace("session summaries", before, connection.execute(summarised, (no,)).get)


_LOSING = (
    "SELECT DISTINCT f.id FROM fact f JOIN evidence v ON v.fact_id = f.id "
    "WHERE f.row >> 32 = ?1 AND f.row NOT IN (SELECT row FROM temp.doomed) "
    "AND v.episode_id IN (SELECT id FROM temp.doomed)"
)


def _take_out_unsupported(connection: apsw.Connection, no: int) -> None:
    """A fact stays only if what is left of its evidence has every word that the fact has from what goes.

    So the same sentence said twice outlives one of its messages, and a summary of several messages does not.
    """
    words_of = (
        "SELECT v.episode_id IN (SELECT id FROM temp.doomed), v.quote, coalesce(e.text, '') "
        "FROM evidence v LEFT JOIN episode e ON e.id = v.episode_id WHERE v.fact_id = ?"
    )
    for (fact_id,) in fetch(connection, _LOSING, (no,)):
        goes: set[str] = set()
        stays: set[str] = set()
        for gone, quote, text in connection.execute(words_of, (fact_id,)):
            (goes if gone else stays).update(index_terms(f"{quote}\n{text}"))
        texts = fetch(connection, "SELECT text FROM fact WHERE id = ?", (fact_id,))
        if not stays or any(set(index_terms(text)) & goes - stays for (text,) in texts):
            connection.execute("INSERT OR IGNORE INTO temp.doomed SELECT row, id FROM fact WHERE id = ?", (fact_id,))


# -- what stays is counted anew ----------------------------------------------------------------------------------------
def _count_anew(connection: apsw.Connection, no: int) -> list[int]:
    """Facts and sessions that lose a part of what they rest on; returns the rows of facts that changed."""
    said_in = (
        "(SELECT e.session_id FROM evidence v JOIN episode e ON e.id = v.episode_id WHERE v.fact_id = fact.id "
        "AND e.row NOT IN (SELECT row FROM temp.doomed) ORDER BY e.row LIMIT 1)"
    )
    lost = (
        "(SELECT count(*) FROM evidence v WHERE v.fact_id = fact.id AND v.episode_id IN (SELECT id FROM temp.doomed))"
    )
    changed = [row for (row,) in fetch(connection, f"SELECT row FROM fact WHERE id IN ({_LOSING})", (no,))]  # noqa: S608
    connection.execute(
        f"UPDATE fact SET seen_count = max(1, seen_count - {lost}), session_id = {said_in} WHERE id IN ({_LOSING})",  # noqa: S608
        (no,),
    )
    of_fact = "UPDATE entry SET session_id = (SELECT session_id FROM fact WHERE fact.row = entry.row) WHERE row = ?"
    connection.executemany(of_fact, [(row,) for row in changed])
    gone = "row >> 32 = ? AND supersedes_id IN (SELECT id FROM temp.doomed)"
    connection.execute(f"UPDATE fact SET supersedes_id = NULL WHERE {gone}", (no,))  # noqa: S608
    stays = (
        "FROM episode e WHERE e.row >> 32 = session.partition AND e.session_id = session.id "
        "AND e.row NOT IN (SELECT row FROM temp.doomed)"
    )
    connection.execute(
        f"UPDATE session SET message_count = (SELECT count(*) {stays}), "  # noqa: S608
        f"unread_count = (SELECT count(*) {stays} AND e.row >= unread_row), "
        f"unread_row = (SELECT min(e.row) {stays} AND e.row >= unread_row) "
        "WHERE partition = ? AND id IN (SELECT session_id FROM episode WHERE row IN (SELECT row FROM temp.doomed))",
        (no,),
    )
    return changed
