"""One write: changes become rows, index entries and jobs between one BEGIN and one COMMIT."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby
from typing import Any, ClassVar

from retentive.contracts import Transaction
from retentive.contracts.audit import memory_of, verb_of
from retentive.corpus import IndexRow
from retentive.errors import Conflict, StoreFull
from retentive.sql import rows
from retentive.sql.audit import Author, append
from retentive.sql.database import Connection, chunks, fetch, marks, upsert
from retentive.sql.touched import touch
from retentive.types import (
    STALE,
    AddEpisode,
    AddFact,
    Change,
    ConfirmFact,
    DisputeFact,
    Episode,
    Evidence,
    Fact,
    NewJob,
    PutSession,
    RetireFact,
    Rewrite,
    SessionInfo,
    SessionKey,
    Status,
)

ENTRY_COLUMNS = IndexRow._fields[:-1]
_EPISODE_SQL = ", ".join(rows.EPISODE_COLUMNS)
_FACT_SQL = ", ".join(rows.FACT_COLUMNS)
_SESSION_SQL = ", ".join(rows.SESSION_COLUMNS)


INSERT_EPISODE = f"INSERT INTO episode ({_EPISODE_SQL}) VALUES ({marks(len(rows.EPISODE_COLUMNS))})"  # noqa: S608
INSERT_FACT = f"INSERT INTO fact ({_FACT_SQL}) VALUES ({marks(len(rows.FACT_COLUMNS))})"  # noqa: S608
INSERT_ENTRY = upsert("entry", ENTRY_COLUMNS, ["row"])
INSERT_EVIDENCE = "INSERT INTO evidence VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
SELECT_EPISODE = f"SELECT {_EPISODE_SQL} FROM episode "  # noqa: S608  our own column names
SELECT_FACT = f"SELECT {_FACT_SQL} FROM fact "  # noqa: S608
SELECT_SESSION = f"SELECT {_SESSION_SQL} FROM session "  # noqa: S608
_THAT_SESSION = "WHERE partition = ? AND id = ? AND agent_id = ? AND project_id = ?"
ONE_SESSION = SELECT_SESSION + _THAT_SESSION
_PUT_SESSION = upsert("session", ["partition", *rows.SESSION_COLUMNS], ["partition", "id", "agent_id", "project_id"])


def load_evidence(connection: Connection, fact_ids: Sequence[bytes]) -> dict[str, list[Evidence]]:
    """Fact id -> its evidence, for many facts in one query."""
    found: dict[str, list[Evidence]] = {}
    for part in chunks(fact_ids):
        sql = f"SELECT fact_id, episode_id, quote FROM evidence WHERE fact_id IN ({marks(len(part))}) ORDER BY 1, 2, 3"  # noqa: S608
        for fact_id, episode_id, quote in fetch(connection, sql, part):
            found.setdefault(str(rows.id_text(fact_id)), []).append(Evidence(str(rows.id_text(episode_id)), quote))
    return found


def load_facts(connection: Connection, condition: str, values: Sequence[Any]) -> list[Fact]:
    """Facts with their evidence."""
    found = fetch(connection, SELECT_FACT + condition, values)
    id_place = rows.FACT_COLUMNS.index("id")
    evidence = load_evidence(connection, list({row[id_place] for row in found}))
    return [rows.fact_from(row, evidence.get(str(rows.id_text(row[id_place])), ())) for row in found]


def load_quotes(
    connection: Connection, no: int, episode_ids: Sequence[str], without: AbstractSet[str] = frozenset()
) -> dict[str, list[str]]:
    """Episode id -> the words of it that facts of the partition cite."""
    keys = [key for key in map(rows.id_bytes, episode_ids) if key is not None]
    found: dict[str, dict[str, None]] = {}
    for part in chunks(keys):
        sql = (
            "SELECT DISTINCT v.episode_id, v.quote, v.fact_id FROM evidence v JOIN fact f ON f.id = v.fact_id "  # noqa: S608
            f"WHERE v.episode_id IN ({marks(len(part))}) AND f.row BETWEEN ? AND ?"
        )
        for key, quote, fact_id in fetch(connection, sql, (*part, *rows.row_range(no))):
            if not without or rows.id_text(fact_id) not in without:
                found.setdefault(str(rows.id_text(key)), {})[quote] = None
    return {key: list(quotes) for key, quotes in found.items()}


def load_outdated(connection: Connection, no: int, wanted: Sequence[int]) -> set[str]:
    """The ids of those episodes, of these rows, that have facts in the partition and none that was not superseded."""
    found: set[str] = set()
    for part in chunks(wanted):
        known = fetch(connection, outdated(f"e.row IN ({marks(part)})"), (*part, *rows.row_range(no)))
        found.update(str(rows.id_text(key)) for (key,) in known)
    return found


def outdated(condition: str) -> str:
    """SQL for the ids of outdated episodes that meet a condition; the range of the facts' rows is bound behind it."""
    return (
        "SELECT v.episode_id FROM episode e JOIN evidence v ON v.episode_id = e.id JOIN fact f ON f.id = v.fact_id "  # noqa: S608
        f"WHERE {condition} AND f.row BETWEEN ? AND ? "
        "GROUP BY v.episode_id HAVING count(*) FILTER (WHERE f.retired_us IS NULL) = 0 "
        "AND count(*) FILTER (WHERE f.status = 'superseded') > 0"
    )


def load_memories(connection: Connection, no: int, wanted: Sequence[int]) -> dict[int, Episode | Fact]:
    """Memories of the partition by row."""
    first, last = rows.row_range(no)
    found: dict[int, Episode | Fact] = {}
    for part in chunks([row for row in wanted if first <= row <= last]):
        condition = f"WHERE row IN ({marks(len(part))})"
        episodes = fetch(connection, SELECT_EPISODE + condition, part)
        facts = load_facts(connection, condition, part) if len(episodes) < len(part) else []
        found |= {fact.row: fact for fact in facts}
        found |= {episode.row: episode for episode in map(rows.episode_from, episodes)}
    return found


class SqlTransaction(Transaction):
    """Rows are numbered in order of arrival within the partition; every touched row is noted for other readers."""

    def __init__(
        self, connection: Connection, author: Author, last_seq: int, revision: int, verb: str | None = None
    ) -> None:
        self._connection = connection
        self._author, self._verb = author, verb
        self._deeds: dict[str, dict[str, None]] = {}
        self._no = author.partition_no
        self._last_seq = last_seq
        self._revision = revision
        self._touched: set[int] = set()
        self._sessions: dict[SessionKey, tuple[Any, ...]] = {}
        self._rewritten = False
        self.changed = False

    def apply(self, changes: Sequence[Change], terms: Mapping[str, Sequence[str]] | None = None) -> list[int]:
        self.changed |= bool(changes)
        applied: list[int] = []
        for kind, same in groupby(changes, type):
            if kind is AddEpisode:
                episodes = [change.episode for change in same if isinstance(change, AddEpisode)]
                self._deeds.setdefault(self._verb or "record", {}).update((one.id, None) for one in episodes)
                applied += self._add_episodes(episodes, terms or {})
            else:
                applied += [self._apply_one(change, terms or {}) for change in same]
        return applied

    def _apply_one(self, change: Change, terms: Mapping[str, Sequence[str]]) -> int:
        verb = verb_of(change)
        if verb is not None:
            self._deeds.setdefault(self._verb or verb, {})[memory_of(change)] = None
        return self._handlers[type(change)](self, change, terms)

    def enqueue(self, job: NewJob) -> None:
        self._connection.execute(
            "INSERT INTO job (kind, partition, payload) VALUES (?, ?, ?)",
            (job.kind, self._no, json.dumps(dict(job.payload))),
        )

    def finish(self) -> None:
        """Note what was touched and who did it, before the commit."""
        for verb, ids in self._deeds.items():
            append(self._connection, self._author, verb, tuple(ids))
        if self._touched:
            touched = None if self._rewritten else sorted(self._touched)
            touch(self._connection, self._no, self._revision + 1, touched, self._last_seq)

    # -- changes ---------------------------------------------------------------------------------------------------
    def _next_rows(self, count: int) -> range:
        if self._last_seq + count > rows.MAX_SEQ:
            message = "this user's partition is full (4,294,967,295 memories): nothing was written"
            raise StoreFull(message)
        first = (self._no << rows.SEQ_BITS | self._last_seq) + 1
        added = range(first, first + count)
        self._last_seq += count
        self._touched.update(added)
        return added

    def _add_episodes(self, episodes: Sequence[Episode], terms: Mapping[str, Sequence[str]]) -> list[int]:
        """Many in two statements, each prepared once."""
        added = self._next_rows(len(episodes))
        numbered = list(zip(episodes, added, strict=True))
        self._connection.executemany(INSERT_EPISODE, [rows.episode_values(one, row) for one, row in numbered])
        self._connection.executemany(
            INSERT_ENTRY,
            [rows.episode_entry(one, row, terms.get(one.id, ()))[:-1] for one, row in numbered if not one.quoted],
        )
        return list(added)

    def _add_fact(self, change: AddFact, terms: Mapping[str, Sequence[str]]) -> int:
        fact, (row,) = change.fact, self._next_rows(1)
        values = list(rows.fact_values(fact))
        values[rows.FACT_COLUMNS.index("row")] = row
        self._connection.execute(INSERT_FACT, values)
        self._connection.execute(INSERT_ENTRY, rows.fact_entry(fact, row, terms.get(fact.id, ()))[:-1])
        self._add_evidence(fact.id, fact.evidence)
        return row

    def _add_evidence(self, fact_id: str, evidence: Sequence[Evidence]) -> int:
        """Returns how much of it is new."""
        before = self._connection.total_changes()
        self._connection.executemany(
            INSERT_EVIDENCE,
            [(rows.id_bytes(fact_id), rows.id_bytes(e.episode_id), e.quote) for e in evidence],
        )
        return self._connection.total_changes() - before

    def _change_current(self, change: RetireFact | ConfirmFact | DisputeFact, sql: str, values: tuple[Any, ...]) -> int:
        """Update the version named, if it is still the current one of this partition; returns its row."""
        first, last = rows.row_range(self._no)
        changed: int | None = self._connection.execute(
            f"UPDATE fact SET {sql} WHERE id = ? AND version = ? AND retired_us IS NULL AND row BETWEEN ? AND ? "  # noqa: S608
            "RETURNING row",
            (*values, rows.id_bytes(change.id), change.version, first, last),
        ).get
        if changed is None:
            raise Conflict
        self._touched.add(changed)
        return changed

    def _retire_fact(self, change: RetireFact, _: Mapping[str, Sequence[str]]) -> int:
        superseded_by = None if change.superseded_by_id is None else rows.id_bytes(change.superseded_by_id)
        row = self._change_current(
            change,
            "status = ?, reason = ?, retired_us = ?, valid_to_us = coalesce(?, valid_to_us), superseded_by_id = ?",
            (change.status.value, change.reason, change.retired_us, change.valid_to_us, superseded_by),
        )
        self._connection.execute(
            "UPDATE entry SET valid_to_us = CASE WHEN retired_us IS NULL AND ? "
            "THEN coalesce(?, valid_to_us, timestamp_us) ELSE timestamp_us END, "
            "retired_us = coalesce(retired_us, ?), current = FALSE WHERE row = ?",
            (change.status is not Status.REJECTED, change.valid_to_us, change.retired_us, row),
        )
        return 0

    def _confirm_fact(self, change: ConfirmFact, _: Mapping[str, Sequence[str]]) -> int:
        new = 1 if not change.evidence or self._add_evidence(change.id, change.evidence) else 0  # a job run twice
        sql = (
            "seen_count = seen_count + ?, last_verified_us = ?, source = coalesce(?, source), "
            "reason = nullif(reason, ?)"  # it was heard of
        )
        self._change_current(change, sql, (new, change.verified_us, change.source, STALE))
        return 0

    def _dispute_fact(self, change: DisputeFact, _: Mapping[str, Sequence[str]]) -> int:
        self._change_current(change, "status = ?, reason = ?", (Status.DISPUTED.value, change.reason))
        return 0

    def _put_session(self, change: PutSession, _: Mapping[str, Sequence[str]]) -> int:
        """Of a session that was read before, what has changed: an index over what stays the same is left alone."""
        key, values = change.session.key, rows.session_values(change.session)
        before = self._sessions.get(key)
        if before is None:
            self._connection.execute(_PUT_SESSION, (self._no, *values))
        else:
            changed = [i for i, value in enumerate(values) if value != before[i]]
            columns = ", ".join(f"{rows.SESSION_COLUMNS[i]} = ?" for i in changed)
            sql = f"UPDATE session SET {columns} {_THAT_SESSION}"  # noqa: S608  our own names
            if changed:
                self._connection.execute(sql, (*[values[i] for i in changed], self._no, *rows.session_key(key)))
        self._sessions[key] = values
        return 0

    def _rewrite(self, change: Rewrite, terms: Mapping[str, Sequence[str]]) -> int:
        """New words in an old row: columns, terms and quotes; the vector of the old words goes.

        An episode that is only quoted leaves the index.
        """
        memory, words = change.memory, terms.get(change.memory.id, ())
        if isinstance(memory, Episode):
            table, names, values = "episode", rows.EPISODE_COLUMNS, rows.episode_values(memory)
            entry = rows.episode_entry(memory, memory.row, words)
        else:
            table, names, values = "fact", rows.FACT_COLUMNS, rows.fact_values(memory)
            entry = rows.fact_entry(memory, memory.row, words)
            self._connection.execute("DELETE FROM evidence WHERE fact_id = ?", (rows.id_bytes(memory.id),))
            self._add_evidence(memory.id, memory.evidence)
        columns = ", ".join(f"{name} = ?" for name in names)
        self._connection.execute(f"UPDATE {table} SET {columns} WHERE row = ?", (*values, memory.row))  # noqa: S608
        if isinstance(memory, Episode) and memory.quoted:
            self._connection.execute("DELETE FROM entry WHERE row = ?", (memory.row,))
        else:
            self._connection.execute(INSERT_ENTRY, entry[:-1])
            self._rewritten = True  # a reader keeps the words of a row that it knows
        for derived in ("vector", "token_state", "shadow"):
            self._connection.execute(f"DELETE FROM {derived} WHERE row = ?", (memory.row,))  # noqa: S608  two names of ours
        self._touched.add(memory.row)
        return 0

    #: What each change does; of the class, for one of an instance would be part of a cycle.
    _handlers: ClassVar[Mapping[type, Callable[..., int]]] = {
        AddFact: _add_fact,
        RetireFact: _retire_fact,
        ConfirmFact: _confirm_fact,
        DisputeFact: _dispute_fact,
        PutSession: _put_session,
        Rewrite: _rewrite,
    }

    # -- reading inside the write ------------------------------------------------------------------------------------
    def facts(
        self,
        *,
        id: str | None = None,  # noqa: A002  the column's name, as in every call of the interface
        digest: bytes | None = None,
        field: str | None = None,
        subject: str | None = None,
        attribute: str | None = None,
        idempotency_key: str | None = None,
        limit: int = 50,
    ) -> list[Fact]:
        wanted = {
            "id": None if id is None else rows.id_bytes(id),
            "digest": digest,
            "field": field,
            "subject": subject,
            "attribute": attribute,
            "idempotency_key": idempotency_key,
        }
        if id is not None and wanted["id"] is None:
            return []  # what is no id names nothing; left out, it would name everything
        given = {name: value for name, value in wanted.items() if value is not None}
        conditions = ["row BETWEEN ? AND ?", *(f"{name} = ?" for name in given)]
        if idempotency_key is None:
            conditions.append("retired_us IS NULL")
        sql = f"WHERE {' AND '.join(conditions)} ORDER BY row DESC LIMIT ?"
        return load_facts(self._connection, sql, (*rows.row_range(self._no), *given.values(), limit))

    @property
    def last_row(self) -> int:
        return self._no << rows.SEQ_BITS | self._last_seq

    def fetch(self, wanted: Sequence[int]) -> dict[int, Episode | Fact]:
        return load_memories(self._connection, self._no, wanted)

    def quotes(self, episode_ids: Sequence[str]) -> dict[str, list[str]]:
        return load_quotes(self._connection, self._no, episode_ids)

    def has_episodes(self, ids: Sequence[str]) -> bool:
        sql = "SELECT 1 FROM episode WHERE id = ? AND row BETWEEN ? AND ?"
        bounds = rows.row_range(self._no)
        return all(self._connection.execute(sql, (rows.id_bytes(one), *bounds)).get for one in ids)

    def was_forgotten(self, evidence: Sequence[Evidence]) -> bool:
        sql = (
            "SELECT 1 FROM forgotten w JOIN episode e ON e.id = w.episode_id WHERE e.id = ?1 "
            "AND w.start < instr(e.text, ?2) - 1 + length(?2) AND w.stop > instr(e.text, ?2) - 1"
        )
        found = (self._connection.execute(sql, (rows.id_bytes(e.episode_id), e.quote)).get for e in evidence)
        return bool(evidence) and all(one is not None for one in found)

    def was_rejected(self, digest: bytes) -> bool:
        sql = "SELECT 1 FROM fact WHERE digest = ? AND status = 'rejected' AND row BETWEEN ? AND ? LIMIT 1"
        return self._connection.execute(sql, (digest, *rows.row_range(self._no))).get is not None

    def said_before(self, source_id: str, session_id: str | None) -> list[Episode]:
        found = fetch(
            self._connection,
            SELECT_EPISODE
            + "WHERE source_id = ? AND row BETWEEN ? AND ? AND session_id IS NOT DISTINCT FROM ? ORDER BY row",
            (source_id, *rows.row_range(self._no), session_id),
        )
        return [rows.episode_from(values) for values in found]

    def session(self, key: SessionKey) -> SessionInfo | None:
        found = self._connection.execute(ONE_SESSION, (self._no, *rows.session_key(key))).get
        if found is None:
            return None
        self._sessions[key] = found
        return rows.session_from(found)
