"""What a rebuild reads and replaces, in the store's own database. Its tables are read by nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from retentive.contracts.audit import WORKER
from retentive.contracts.tiers import Former, Span, Tiers
from retentive.results import ErasurePlace
from retentive.sql import rows
from retentive.sql.audit import Author, append
from retentive.sql.database import Connection, SqlDatabase, fetch, fetch_value, put_setting, upsert
from retentive.sql.touched import touch
from retentive.sql.transaction import INSERT_ENTRY, INSERT_EVIDENCE
from retentive.types import Evidence, Fact, Partition, SessionKey

#: An episode, and where words of it begin and end.
SpanOf = tuple[str, int, int]
_NUMBER = "SELECT no FROM partition WHERE tenant = ? AND kind = ? AND owner = ?"
_FACTS = ", ".join(rows.FACT_COLUMNS)


def _last_row(no: int) -> str:
    """The setting that names the rebuild that took the former facts out, and the row given last when it did."""
    return f"former {no}"


class SqlTiers(Tiers):
    """`retentive.contracts.tiers.Tiers` over one `SqlDatabase`."""

    def __init__(self, database: SqlDatabase) -> None:
        self._db = database

    def _range(self, connection: Connection, partition: Partition) -> tuple[int, int]:
        no = fetch_value(connection, _NUMBER, partition)
        return rows.row_range(-1 if no is None else no)

    # -- what was read -----------------------------------------------------------------------------------------------
    def unread(self, partition: Partition) -> list[tuple[int, SessionKey]]:
        sql = (
            "SELECT e.row, e.session_id, e.agent_id, e.project_id FROM episode e LEFT JOIN shadow s ON s.row = e.row "
            "WHERE e.row BETWEEN ? AND ? AND NOT e.quoted AND s.row IS NULL ORDER BY e.row"
        )
        with self._db.read(partition.tenant) as connection:
            found = fetch(connection, sql, self._range(connection, partition))
        return [(row, SessionKey(*key)) for row, *key in found]

    def put_read(self, partition: Partition, found: Mapping[int, str]) -> None:
        source = (
            "SELECT CAST(?1 AS BIGINT), ?2 WHERE EXISTS "
            "(SELECT 1 FROM episode WHERE row = ?1 AND NOT quoted AND row BETWEEN ?3 AND ?4)"
        )
        sql = upsert("shadow", ["row", "candidates"], ["row"], source=source)
        with self._db.write(partition.tenant) as connection:
            bounds = self._range(connection, partition)
            connection.executemany(sql, [(row, text, *bounds) for row, text in found.items()])

    def read(self, partition: Partition) -> dict[int, str]:
        sql = "SELECT row, candidates FROM shadow WHERE row BETWEEN ? AND ? ORDER BY row"
        with self._db.read(partition.tenant) as connection:
            return dict(fetch(connection, sql, self._range(connection, partition)))

    def forgotten(self, partition: Partition) -> dict[str, list[Span]]:
        sql = (
            "SELECT f.episode_id, f.start, f.stop FROM forgotten f JOIN episode e ON e.id = f.episode_id "
            "WHERE e.row BETWEEN ? AND ?"
        )
        found: dict[str, list[Span]] = {}
        with self._db.read(partition.tenant) as connection:
            for key, start, stop in fetch(connection, sql, self._range(connection, partition)):
                found.setdefault(str(rows.id_text(key)), []).append((start, stop))
        return found

    def keep_forgotten(self, partition: Partition, words: Mapping[str, Sequence[Span]]) -> None:
        sql = (
            "INSERT INTO forgotten SELECT id, CAST(?1 AS BIGINT), CAST(?2 AS BIGINT) FROM episode "
            "WHERE id = ?3 AND row BETWEEN ?4 AND ?5 ON CONFLICT DO NOTHING"
        )
        with self._db.write(partition.tenant) as connection:
            bounds = self._range(connection, partition)
            spans = [(*span, rows.id_bytes(key), *bounds) for key, found in words.items() for span in found]
            connection.executemany(sql, spans)

    def clear(self, partition: Partition) -> None:
        with self._db.write(partition.tenant) as connection:
            bounds = self._range(connection, partition)
            connection.execute("DELETE FROM shadow WHERE row BETWEEN ? AND ?", bounds)
        self._db.checkpoint()

    def revision(self, partition: Partition) -> int:
        sql = "SELECT revision FROM partition WHERE tenant = ? AND kind = ? AND owner = ?"
        with self._db.read(partition.tenant) as connection:
            return fetch_value(connection, sql, partition) or 0

    # -- what is put in place ----------------------------------------------------------------------------------------
    def put(
        self,
        partition: Partition,
        revision: int,
        tier: Sequence[Fact],
        terms: Mapping[str, Sequence[str]],
        *,
        keep: str | None,
    ) -> bool:
        sql = "SELECT no, last_seq, revision FROM partition WHERE tenant = ? AND kind = ? AND owner = ?"
        with self._db.write(partition.tenant) as connection:
            known = fetch_value(connection, sql + self._db.for_update, partition)
            if known is None or known[2] != revision:
                return False
            no, last_seq, _ = known
            bounds = rows.row_range(no)
            _drop_former(connection, no)
            if keep:
                connection.execute("INSERT INTO former_fact SELECT * FROM fact WHERE row BETWEEN ? AND ?", bounds)
                of_ours = "WHERE fact_id IN (SELECT id FROM fact WHERE row BETWEEN ? AND ?)"
                sql = f"INSERT INTO former_evidence SELECT * FROM evidence {of_ours} ON CONFLICT DO NOTHING"  # noqa: S608
                connection.execute(sql, bounds)
            last, touched = _replace(connection, no, last_seq, tier, terms)
            if keep:
                value = (_last_row(no), json.dumps([keep, no << rows.SEQ_BITS | last]))
                put_setting(connection, *value)
            connection.execute("DELETE FROM shadow WHERE row BETWEEN ? AND ?", bounds)
            author = Author(WORKER, partition.tenant, no)
            append(connection, author, "rebuild" if keep else "restore", (), count=len(touched))
            touch(connection, no, revision + 1, touched, last)
        return True

    def former(self, partition: Partition) -> Former | None:
        with self._db.read(partition.tenant) as connection, connection:
            first, last = self._range(connection, partition)
            sql = "SELECT value FROM setting WHERE name = ?"
            noted = fetch_value(connection, sql, (_last_row(first >> rows.SEQ_BITS),))
            if noted is None:
                return None
            rebuild, last_row = json.loads(noted)
            sql = f"SELECT {_FACTS} FROM former_fact WHERE row BETWEEN ? AND ? ORDER BY row"  # noqa: S608
            found = fetch(connection, sql, (first, last))
            quotes: dict[bytes, list[Evidence]] = {}
            place = rows.FACT_COLUMNS.index("id")
            sql = "SELECT episode_id, quote FROM former_evidence WHERE fact_id = ?"
            for key in {values[place] for values in found}:
                quotes[key] = [Evidence(str(rows.id_text(e)), quote) for e, quote in fetch(connection, sql, (key,))]
        return Former([rows.fact_from(values, quotes[values[place]]) for values in found], rebuild, last_row)

    def drop_former(self, partition: Partition) -> None:
        with self._db.write(partition.tenant) as connection:
            no = fetch_value(connection, _NUMBER, partition)
            if no is not None:
                _drop_former(connection, no)


def _drop_former(connection: Connection, no: int) -> None:
    bounds = rows.row_range(no)
    of_ours = "fact_id IN (SELECT id FROM former_fact WHERE row BETWEEN ? AND ?)"
    connection.execute(f"DELETE FROM former_evidence WHERE {of_ours}", bounds)  # noqa: S608
    connection.execute("DELETE FROM former_fact WHERE row BETWEEN ? AND ?", bounds)
    connection.execute("DELETE FROM setting WHERE name = ?", (_last_row(no),))


def _replace(
    connection: Connection, no: int, last_seq: int, tier: Sequence[Fact], terms: Mapping[str, Sequence[str]]
) -> tuple[int, list[int]]:
    """The facts of a partition replaced; returns the sequence number given last, and the rows touched."""
    sql = "SELECT id, version, row, text FROM fact WHERE row BETWEEN ? AND ?"
    there = {(key, version): (row, text) for key, version, row, text in fetch(connection, sql, rows.row_range(no))}
    kept = {(rows.id_bytes(fact.id), fact.version) for fact in tier}
    gone = [(row,) for key, (row, _) in there.items() if key not in kept]
    for table in ("fact", "entry", "vector", "token_state"):
        connection.executemany(f"DELETE FROM {table} WHERE row = ?", gone)  # noqa: S608
    ids = {key for key, _ in there} | {key for key, _ in kept}
    connection.executemany("DELETE FROM evidence WHERE fact_id = ?", [(key,) for key in ids])
    touched = {row for (row,) in gone}
    for fact in tier:
        row, text = there.get((rows.id_bytes(fact.id) or b"", fact.version), (fact.row, None))
        if not row:
            last_seq += 1
            row = no << rows.SEQ_BITS | last_seq
        _put_fact(connection, fact, row, terms)
        touched.add(row)
        if text != fact.text:
            for table in ("vector", "token_state"):
                connection.execute(f"DELETE FROM {table} WHERE row = ?", (row,))  # noqa: S608
            job = ("embed", no, json.dumps({"first_row": row, "last_row": row}))
            connection.execute("INSERT INTO job (kind, partition, payload) VALUES (?, ?, ?)", job)
    return last_seq, sorted(touched)


def _put_fact(connection: Connection, fact: Fact, row: int, terms: Mapping[str, Sequence[str]]) -> None:
    values = list(rows.fact_values(fact))
    values[rows.FACT_COLUMNS.index("row")] = row
    connection.execute(upsert("fact", rows.FACT_COLUMNS, ["row"]), values)
    connection.execute(INSERT_ENTRY, rows.fact_entry(fact, row, terms[fact.text])[:-1])
    evidence = [(rows.id_bytes(fact.id), rows.id_bytes(e.episode_id), e.quote) for e in fact.evidence]
    connection.executemany(INSERT_EVIDENCE, evidence)


# -- forgetting --------------------------------------------------------------------------------------------------------
_SPANS = """
SELECT DISTINCT e.id, instr(e.text, v.quote) - 1, instr(e.text, v.quote) - 1 + length(v.quote)
FROM doomed d JOIN evidence v ON v.fact_id = d.id JOIN episode e ON e.id = v.episode_id
WHERE instr(e.text, v.quote) > 0 AND e.id NOT IN (SELECT id FROM doomed)
"""
#: Of an episode that is there, in a range of rows.
_PUT_SPAN = """
INSERT INTO forgotten SELECT id, ?, ? FROM episode WHERE id = ? AND row BETWEEN ? AND ? ON CONFLICT DO NOTHING
"""
#: Of the former facts: those named, those that rest on nothing else than what was forgotten, and what they replaced.
_FORMER = """
WITH RECURSIVE gone(id) AS (
    SELECT id FROM former_fact WHERE id IN (SELECT id FROM doomed)
    UNION
    SELECT f.id FROM former_fact f WHERE f.row BETWEEN ? AND ?
      AND EXISTS (SELECT 1 FROM former_evidence v WHERE v.fact_id = f.id)
      AND NOT EXISTS (
          SELECT 1 FROM former_evidence v LEFT JOIN episode e ON e.id = v.episode_id
          WHERE v.fact_id = f.id AND v.episode_id NOT IN (SELECT id FROM doomed)
            AND NOT EXISTS (
                SELECT 1 FROM forgotten w WHERE w.episode_id = v.episode_id
                  AND w.start < instr(e.text, v.quote) - 1 + length(v.quote) AND w.stop > instr(e.text, v.quote) - 1
            )
      )
    UNION
    SELECT f.id FROM former_fact f JOIN gone g ON f.superseded_by_id = g.id
)
"""
_SHADOW = """
FROM shadow WHERE row IN (
    SELECT row FROM doomed UNION
    SELECT e.row FROM episode e JOIN evidence v ON v.episode_id = e.id WHERE v.fact_id IN (SELECT id FROM doomed)
)
"""


def doomed_spans(connection: Connection) -> list[SpanOf]:
    """The words that the doomed rest on, of messages that stay."""
    return [(str(rows.id_text(key)), start, stop) for key, start, stop in connection.execute(_SPANS)]


def put_spans(connection: Connection, no: int, spans: Sequence[SpanOf]) -> None:
    """Nothing is drawn any more from these words of messages."""
    bounds = rows.row_range(no)
    values = [(start, stop, rows.id_bytes(episode_id), *bounds) for episode_id, start, stop in spans]
    connection.executemany(_PUT_SPAN, values)


def of_either(table: str, facts: str) -> str:
    """What of a table of evidence is of such facts, or of doomed episodes: each found by its own index, not by both."""
    columns = "fact_id, episode_id, quote"
    return (
        f"({columns}) IN (SELECT {columns} FROM {table} WHERE fact_id {facts} "  # noqa: S608  our own names
        f"UNION SELECT {columns} FROM {table} WHERE episode_id IN (SELECT id FROM doomed))"
    )


def erase_copies(connection: Connection, no: int) -> list[ErasurePlace]:
    """What a rebuild keeps of the doomed: called before they themselves are deleted."""
    connection.execute("CREATE TEMP TABLE doomed_former (id BLOB PRIMARY KEY)")
    former = f"{_FORMER} INSERT INTO doomed_former SELECT id FROM gone WHERE TRUE ON CONFLICT DO NOTHING"  # noqa: S608
    connection.execute(former, rows.row_range(no))
    former = "IN (SELECT id FROM doomed_former)"
    of_doomed = "FROM forgotten WHERE episode_id IN (SELECT id FROM doomed)"
    evidence = f"FROM former_evidence WHERE {of_either('former_evidence', former)}"
    places = []
    for place, what in (
        ("shadow", _SHADOW),
        ("former_fact", f"FROM former_fact WHERE id {former}"),
        ("former_evidence", evidence),
        ("forgotten", of_doomed),
    ):
        connection.execute(f"DELETE {what}")
        erased = connection.changes()
        places.append(ErasurePlace(place, erased, connection.execute(f"SELECT count(*) {what}").get))
    connection.execute("DROP TABLE doomed_former")
    return places
