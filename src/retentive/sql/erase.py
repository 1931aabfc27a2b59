"""Erasing: out of every table, counted after looking. `SqlDatabase.wipe` sees to the bytes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

from retentive.analyze import index_terms
from retentive.clock import now_us
from retentive.contracts import Erased
from retentive.results import ErasurePlace
from retentive.sql import rows
from retentive.sql.audit import Author, append
from retentive.sql.database import Connection, fetch
from retentive.sql.ledger import gone_session, release_partition, release_sessions
from retentive.sql.tiers import SpanOf, doomed_spans, erase_copies, of_either, put_spans
from retentive.sql.touched import touch
from retentive.types import Partition, SessionKey

_ROW_TABLES = ("episode", "fact", "entry", "vector", "token_state")
#: An episode `e` is of a session; a job is about a session `s`.
_SAID_IN = (
    "e.session_id = session.id AND coalesce(e.agent_id, '') = session.agent_id "
    "AND coalesce(e.project_id, '') = session.project_id"
)
_ABOUT = (
    "job.partition = s.partition AND payload ->> 'session_id' = s.id "
    "AND coalesce(payload ->> 'agent_id', '') = s.agent_id AND coalesce(payload ->> 'project_id', '') = s.project_id"
)


def erase(
    connection: Connection,
    author: Author,
    wanted: Sequence[int] | None,
    note: Callable[[Sequence[str] | None, Sequence[SpanOf], Sequence[str]], None] | None = None,
) -> Erased:
    """Erase rows of a partition, or the whole of it, and say for each table how many went and how many are left.

    note: told the ids that go, derived ones too, or None for all, the words they rest on of messages that stay, and of
    all the ids of those that a clock set back since says are still to come; while an error can still keep them.
    """
    no, everything = author.partition_no, wanted is None
    _name_doomed(connection, no, wanted)
    ahead = _ahead(connection, no, now_us()) if everything else ()
    summaries = _take_out_derived(connection, no)
    changed = _count_anew(connection, no)
    spans = doomed_spans(connection)
    put_spans(connection, no, spans)
    places = (*erase_copies(connection, no), *_delete(connection, no, changed, everything=everything), summaries)
    ids = _enter(connection, author, everything=everything)
    if note is not None:
        note(None if everything else ids, spans, ahead)
    connection.execute("DROP TABLE doomed")  # a session may be someone else's next
    return Erased(tuple(ids), places)


def _name_doomed(connection: Connection, no: int, wanted: Sequence[int] | None) -> None:
    first, last = rows.row_range(no)
    connection.execute("CREATE TEMP TABLE doomed (row BIGINT PRIMARY KEY, id BLOB)")
    for table in ("episode", "fact"):
        if wanted is None:
            sql = f"INSERT INTO doomed SELECT row, id FROM {table} WHERE row BETWEEN ? AND ?"  # noqa: S608
            connection.execute(sql, (first, last))
        else:
            # every version of a fact goes with the one that was named
            sql = (
                f"INSERT INTO doomed SELECT row, id FROM {table} WHERE id = "  # noqa: S608
                f"(SELECT id FROM {table} WHERE row = ?) AND row BETWEEN ? AND ? ON CONFLICT DO NOTHING"
            )
            connection.executemany(sql, [(row, first, last) for row in wanted if first <= row <= last])


def _ahead(connection: Connection, no: int, now: int) -> list[str]:
    """Ids of a partition's memories that were recorded later than now."""
    later = "SELECT id FROM {} WHERE recorded_us > ? AND row BETWEEN ? AND ?"
    found = (fetch(connection, later.format(table), (now, *rows.row_range(no))) for table in ("episode", "fact"))
    return [str(rows.id_text(key)) for each in found for (key,) in each]


def _delete(connection: Connection, no: int, changed: Sequence[int], *, everything: bool) -> Iterator[ErasurePlace]:
    doomed = [row for (row,) in connection.execute("SELECT row FROM doomed ORDER BY row")]
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
        connection.execute("DELETE FROM touched WHERE revision BETWEEN ? AND ?", rows.row_range(no))
        for whose in fetch(connection, "DELETE FROM partition WHERE no = ? RETURNING tenant, kind, owner", (no,)):
            # what background work notes of a partition: its name could be guessed from the digest
            connection.execute("DELETE FROM setting WHERE name LIKE ?", (f"note % {Partition(*whose).digest}",))
        yield ErasurePlace("partition", connection.changes(), 0)
    else:
        yield _forget_reasons(connection, no)
        revision = connection.execute("SELECT revision FROM partition WHERE no = ?", (no,)).get
        touch(connection, no, revision + 1, sorted({*doomed, *changed}))


def _conditions(no: int, *, everything: bool) -> dict[str, tuple[str, str]]:
    """What goes of each table, in this order: a later one asks what is left of those before it."""
    first_row, last_row = rows.row_range(no)  # our own numbers
    of_doomed = f"row BETWEEN {first_row} AND {last_row} AND row IN (SELECT row FROM doomed)"  # noqa: S608
    found = {table: (table, of_doomed) for table in _ROW_TABLES}
    found["evidence"] = ("evidence", of_either("evidence", "IN (SELECT id FROM doomed)"))
    said = f"SELECT 1 FROM episode e WHERE {_SAID_IN} AND e.row BETWEEN {first_row} AND {last_row}"  # noqa: S608
    found["session"] = ("session", f"partition = {no} AND NOT EXISTS ({said})")
    gone = f"({gone_session('carried')} OR memory_id IN (SELECT id FROM doomed))"  # noqa: S608
    found["carried"] = ("carried", f"partition = {no}" + ("" if everything else f" AND {gone}"))
    first, last = "CAST(payload ->> 'first_row' AS BIGINT)", "CAST(payload ->> 'last_row' AS BIGINT)"
    rows_left = f"SELECT 1 FROM entry WHERE row BETWEEN {first} AND {last}"  # noqa: S608
    of_none = f"(payload ->> 'session_id' IS NOT NULL AND NOT EXISTS (SELECT 1 FROM session s WHERE {_ABOUT}))"  # noqa: S608
    over = f"({of_none} OR ({first} IS NOT NULL AND NOT EXISTS ({rows_left})))"
    jobs = f"partition = {no}" + ("" if everything else f" AND {over}")
    found["job"] = ("job", f"state <> 'dead' AND {jobs}")
    found["jobs that gave up"] = ("job", f"state = 'dead' AND {jobs}")
    return found


def _forget_reasons(connection: Connection, no: int) -> ErasurePlace:
    """Why jobs failed may quote what they failed on: of the reason its kind is kept, the part before the colon."""
    quoting = "partition = ? AND instr(error, ':') > 0"
    connection.execute(f"UPDATE job SET error = substr(error, 1, instr(error, ':') - 1) WHERE {quoting}", (no,))  # noqa: S608
    erased = connection.changes()
    left = connection.execute(f"SELECT count(*) FROM job WHERE {quoting}", (no,)).get  # noqa: S608
    return ErasurePlace("reasons of failed jobs", erased, left)


def _enter(connection: Connection, author: Author, *, everything: bool) -> list[str]:
    """In the audit: which ids were forgotten; of a whole partition its number and how many they were."""
    ids = [str(rows.id_text(one)) for (one,) in connection.execute("SELECT DISTINCT id FROM doomed ORDER BY id")]
    append(connection, author, "forget", () if everything else ids, count=len(ids))
    return ids


# -- what goes with it -------------------------------------------------------------------------------------------------
def _take_out_derived(connection: Connection, no: int) -> ErasurePlace:
    """What a fact replaced goes too, and facts that nothing left supports; sessions touched are summarised anew."""
    connection.execute(
        """
        WITH RECURSIVE replaced(row, id) AS (
            SELECT row, id FROM fact WHERE row BETWEEN ?1 AND ?2 AND row IN (SELECT row FROM doomed)
            UNION
            SELECT f.row, f.id FROM fact f JOIN replaced r ON f.superseded_by_id = r.id WHERE f.row BETWEEN ?1 AND ?2
        )
        INSERT INTO doomed SELECT f.row, f.id FROM fact f JOIN replaced r ON f.id = r.id WHERE f.row BETWEEN ?1 AND ?2
        ON CONFLICT DO NOTHING
        """,
        rows.row_range(no),
    )
    _take_out_unsupported(connection, no)
    losing = f"partition = ? AND {_losing_session(no)}"
    summarised = f"SELECT count(*) FROM session WHERE {losing} AND summary IS NOT NULL"  # noqa: S608  our own condition
    before = connection.execute(summarised, (no,)).get
    connection.execute(
        "UPDATE session SET summary = NULL, summary_by = NULL, "  # noqa: S608
        f"state = CASE state WHEN 'ended' THEN 'ending' ELSE state END WHERE {losing}",
        (no,),
    )
    unended = """
        SELECT id, agent_id, project_id FROM session s
        WHERE partition = ?1 AND state = 'ending' AND summary IS NULL AND NOT EXISTS (
            SELECT 1 FROM job WHERE kind = 'end_session' AND state = 'ready' AND
        """
    keys = [SessionKey(*(name or None for name in one)) for one in fetch(connection, f"{unended}{_ABOUT})", (no,))]
    connection.executemany(
        "INSERT INTO job (kind, partition, payload) VALUES ('end_session', ?, ?)",
        [(no, json.dumps(key.payload)) for key in keys],
    )
    return ErasurePlace("session summaries", before, connection.execute(summarised, (no,)).get)


def _losing_session(no: int) -> str:
    """Whether a session of the partition loses a message."""
    first, last = rows.row_range(no)  # our own numbers
    gone = f"e.row BETWEEN {first} AND {last} AND e.row IN (SELECT row FROM doomed)"  # noqa: S608
    return f"EXISTS (SELECT 1 FROM episode e WHERE {_SAID_IN} AND {gone})"  # noqa: S608


_LOSING = (
    "SELECT DISTINCT f.id FROM fact f JOIN evidence v ON v.fact_id = f.id "
    "WHERE f.row BETWEEN ? AND ? AND f.row NOT IN (SELECT row FROM doomed) "
    "AND v.episode_id IN (SELECT id FROM doomed)"
)


def _take_out_unsupported(connection: Connection, no: int) -> None:
    """A fact stays only if what is left of its evidence has every word that the fact has from what goes.

    So the same sentence said twice outlives one of its messages, and a summary of several messages does not.
    """
    words_of = (
        "SELECT v.episode_id IN (SELECT id FROM doomed), v.quote, coalesce(e.text, '') "
        "FROM evidence v LEFT JOIN episode e ON e.id = v.episode_id WHERE v.fact_id = ?"
    )
    all_of = "INSERT INTO doomed SELECT row, id FROM fact WHERE id = ? AND row BETWEEN ? AND ? ON CONFLICT DO NOTHING"
    for (fact_id,) in fetch(connection, _LOSING, rows.row_range(no)):
        goes: set[str] = set()
        stays: set[str] = set()
        for gone, quote, text in connection.execute(words_of, (fact_id,)):
            (goes if gone else stays).update(index_terms(f"{quote}\n{text}"))
        named = (fact_id, *rows.row_range(no))
        texts = fetch(connection, "SELECT text FROM fact WHERE id = ? AND row BETWEEN ? AND ?", named)
        if not stays or any(set(index_terms(text)) & goes - stays for (text,) in texts):
            connection.execute(all_of, named)


# -- what stays is counted anew ----------------------------------------------------------------------------------------
def _count_anew(connection: Connection, no: int) -> list[int]:
    """Facts and sessions that lose a part of what they rest on; returns the rows of facts that changed."""
    bounds = rows.row_range(no)
    said_in = (
        "(SELECT e.session_id FROM evidence v JOIN episode e ON e.id = v.episode_id WHERE v.fact_id = fact.id "
        "AND e.row NOT IN (SELECT row FROM doomed) ORDER BY e.row LIMIT 1)"
    )
    lost = "(SELECT count(*) FROM evidence v WHERE v.fact_id = fact.id AND v.episode_id IN (SELECT id FROM doomed))"
    changed = [row for (row,) in fetch(connection, f"SELECT row FROM fact WHERE id IN ({_LOSING})", bounds)]  # noqa: S608
    connection.execute(
        f"UPDATE fact SET seen_count = CASE WHEN seen_count > {lost} THEN seen_count - {lost} ELSE 1 END, "  # noqa: S608
        f"session_id = {said_in} WHERE id IN ({_LOSING})",
        bounds,
    )
    of_fact = "UPDATE entry SET session_id = (SELECT session_id FROM fact WHERE fact.row = entry.row) WHERE row = ?"
    connection.executemany(of_fact, [(row,) for row in changed])
    gone = "row BETWEEN ? AND ? AND supersedes_id IN (SELECT id FROM doomed)"
    connection.execute(f"UPDATE fact SET supersedes_id = NULL WHERE {gone}", bounds)  # noqa: S608
    stays = (
        f"FROM episode e WHERE e.row BETWEEN {bounds[0]} AND {bounds[1]} AND {_SAID_IN} "  # noqa: S608
        "AND e.row NOT IN (SELECT row FROM doomed)"
    )
    connection.execute(
        f"UPDATE session SET message_count = (SELECT count(*) {stays}), "  # noqa: S608
        f"unread_count = (SELECT count(*) {stays} AND e.row >= unread_row), "
        f"unread_row = (SELECT min(e.row) {stays} AND e.row >= unread_row) "
        f"WHERE partition = ? AND {_losing_session(no)}",
        (no,),
    )
    return changed
