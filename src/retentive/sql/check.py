"""Is the store sound? What `doctor` asks: the engine's own check, and the index held against the truth."""

from __future__ import annotations

from retentive.analyze import index_terms
from retentive.contracts.audit import verify
from retentive.corpus import unpack_vectors
from retentive.counts import pack_terms
from retentive.sql import models, rows
from retentive.sql.audit import chain_start, links_after
from retentive.sql.database import Connection, SqlDatabase
from retentive.types import indexed_text

#: (what is wrong, a count of the rows where it is)
_CHECKS = (
    (
        "episodes without an index entry",
        "SELECT count(*) FROM episode LEFT JOIN entry USING (row) WHERE entry.row IS NULL AND NOT quoted",
    ),
    ("facts without an index entry", "SELECT count(*) FROM fact LEFT JOIN entry USING (row) WHERE entry.row IS NULL"),
    (
        "index entries without a memory",
        (
            "SELECT count(*) FROM entry LEFT JOIN episode USING (row) LEFT JOIN fact USING (row) "
            "WHERE episode.row IS NULL AND fact.row IS NULL"
        ),
    ),
    (
        "vectors without an index entry",
        "SELECT count(*) FROM vector LEFT JOIN entry USING (row) WHERE entry.row IS NULL",
    ),
    (
        "token states without an index entry",
        "SELECT count(*) FROM token_state LEFT JOIN entry USING (row) WHERE entry.row IS NULL",
    ),
    (
        "memories that wait for a vector without a job to make it",
        (
            "SELECT count(*) FROM entry e LEFT JOIN vector v ON v.row = e.row AND v.model = "
            ":serving WHERE v.row IS NULL AND NOT EXISTS "
            "(SELECT 1 FROM job j WHERE j.kind = 'embed' AND j.partition = e.row >> 32)"
        ),
    ),
    (
        "vectors of an embedder that is of no use any more",
        (
            "SELECT count(*) FROM vector WHERE model NOT IN "
            "(:serving, :next) "
            "AND NOT EXISTS (SELECT 1 FROM setting WHERE name = 'former_vectors')"
        ),
    ),
    (
        "facts whose index entry disagrees about being current",
        (
            "SELECT count(*) FROM fact JOIN entry USING (row) "
            "WHERE entry.current <> (fact.retired_us IS NULL AND fact.status IN ('active', 'disputed'))"
        ),
    ),
    (
        "facts with two current versions",
        "SELECT count(*) FROM (SELECT id FROM fact WHERE retired_us IS NULL GROUP BY id HAVING count(*) > 1) AS twice",
    ),
    (
        "evidence that quotes an episode which is not there",
        "SELECT count(*) FROM evidence LEFT JOIN episode ON episode.id = evidence.episode_id WHERE episode.id IS NULL",
    ),
)
#: Of entries of the audit that do not fit; `audit verify` names them all.
_MOST_NAMED = 10
_COUNTED = ("partition", "episode", "fact", "session", "vector", "job")


def counts(connection: Connection) -> dict[str, int]:
    """Rows by table."""
    return {table: connection.execute(f"SELECT count(*) FROM {table}").get for table in _COUNTED}  # noqa: S608


def _damaged_vectors(connection: Connection) -> int:
    """Vectors that are cut off or hold what no embedder made."""
    wrong = 0
    for dimension, value in connection.execute("SELECT dimension, CAST(value AS BLOB) FROM vector"):
        wrong += not len(unpack_vectors([value], dimension)[0])
    return wrong


def _stale_terms(connection: Connection) -> int:
    """Index entries that do not say what the text says today: damaged, or analysed by an older version."""
    wrong = 0
    for table, columns, read in (
        ("episode", rows.EPISODE_COLUMNS, rows.episode_from),
        ("fact", rows.FACT_COLUMNS, rows.fact_from),
    ):
        known = ", ".join(f"t.{name}" for name in columns)
        sql = f"SELECT CAST(e.terms AS BLOB), {known} FROM {table} t JOIN entry e ON e.row = t.row"  # noqa: S608
        for terms, *values in connection.execute(sql):
            wrong += terms != pack_terms(index_terms(indexed_text(read(values))))
    return wrong


def problems(database: SqlDatabase, connection: Connection, *, deep: bool) -> list[str]:
    """What is wrong, one line each; empty when all is well. `deep` reads every page."""
    found = []
    if deep:
        found += database.problems(connection)
        names = [name for name, _ in models.kept(connection)]
        named = {"serving": names[0] if names else "", "next": names[-1] if names else ""}
        for what, sql in _CHECKS:
            wrong = connection.execute(sql, named).get
            if wrong:
                found.append(f"{wrong} {what}")
        derived = {"damaged vectors": _damaged_vectors, "index entries that do not fit their text": _stale_terms}
        for what, count in derived.items():
            wrong = count(connection)
            if wrong:
                found.append(f"{wrong} {what}: run `retentive doctor --fix`")
        broken = verify(links_after(connection, 0), start=chain_start(connection)).problems
        found += [f"audit: {problem}" for problem in broken[:_MOST_NAMED]]
    dead = connection.execute("SELECT count(*) FROM job WHERE state = 'dead'").get
    if dead:
        found.append(
            f"{dead} jobs gave up: see their reasons with `retentive doctor --json`, then `retentive process --requeue`"
        )
    return found
