"""The truth in one SQL database. Every read names its partition's row range, so it cannot see another's rows."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Self

from retentive.clock import now_us
from retentive.contracts import Embed, Erased, Listing, Remembered, Store, StoredEmbedders, StoreStatus, Where
from retentive.contracts.audit import LOCAL
from retentive.errors import StoreFull
from retentive.results import ErasurePlace
from retentive.sql import check, models, rows, sessions
from retentive.sql.audit import Author
from retentive.sql.database import Connection, SqlDatabase, chunks, fetch, fetch_value, put_setting, setting
from retentive.sql.erase import erase
from retentive.sql.erasures import Erasures
from retentive.sql.filters import EPISODE_FILTERS, FACT_FILTERS, conditions
from retentive.sql.pieces import erase_in_pieces
from retentive.sql.transaction import (
    SELECT_EPISODE,
    SELECT_SESSION,
    SqlTransaction,
    load_facts,
    load_memories,
    load_outdated,
    load_quotes,
)
from retentive.types import CURRENT, STALE, Episode, Fact, Partition, SessionInfo, SessionKey, Tier

#: A current fact whose time is over, marked as such or not yet.
_EXPIRED = "(retired_us IS NULL AND status IN ('active', 'disputed') AND coalesce(expires_us <= ?, FALSE))"


#: As `recall` reads the two clocks at one moment; a message is there from its own time on.
_AS_OF = (
    "SELECT row FROM entry WHERE row BETWEEN ? AND ? AND timestamp_us <= ? AND coalesce(expires_us > ?, TRUE) "
    "AND CASE WHEN tier = 0 THEN current ELSE recorded_us <= ? "
    "AND (coalesce(retired_us > ?, FALSE) OR coalesce(valid_to_us > ?, TRUE)) END"
)


def partition_number(connection: Connection, partition: Partition, held: str = "") -> int | None:
    """The number of a partition, or None before its first write; `held` is a database's `for_update`."""
    sql = "SELECT no FROM partition WHERE tenant = ? AND kind = ? AND owner = ?"
    number: int | None = fetch_value(connection, sql + held, partition)
    return number


def _partition(connection: Connection, row: int) -> Partition:
    sql = "SELECT tenant, kind, owner FROM partition WHERE no = ?"
    return Partition(*fetch_value(connection, sql, (row >> rows.SEQ_BITS,)))


class _OnlyLookedAt(Exception):
    """Rolls back what was only to be looked at."""


class SqlStore(Store):
    """Reads and transactions over one `SqlDatabase`."""

    def __init__(self, database: SqlDatabase, url: str, actor: str = LOCAL) -> None:
        self._db = database
        self._url = url
        self._actor = actor
        self._journal = Erasures(database)

    def follow_erasures(self, *, anew: bool = False) -> None:
        """Forget what was forgotten in a newer state of this store, before anything of it is served.

        anew: all that was ever forgotten, though it was done before: something older may have come in.
        """
        with self._db.write() as connection:
            if anew:
                put_setting(connection, "erasures", "")
            erased = self._follow(connection)
        if erased:
            self._db.wipe()

    def _follow(self, connection: Connection) -> int:
        """Erase what was missed; a crash before the bytes went is made up for."""
        erased = self._journal.follow(connection)
        if erased:
            self._db.mark_due(connection)
        return erased

    def acting(self, actor: str) -> Self:
        return type(self)(self._db, self._url, actor)

    # -- writing -----------------------------------------------------------------------------------------------------
    @contextlib.contextmanager
    def transaction(self, partition: Partition, *, verb: str | None = None) -> Iterator[SqlTransaction]:
        sql = "SELECT no, last_seq, revision FROM partition WHERE tenant = ? AND kind = ? AND owner = ?"
        with self._db.write(partition.tenant, shared=True) as connection:
            known = fetch_value(connection, sql + self._db.for_update, partition)
            fresh = False
            while known is None:  # another writer's first may come between, and its erasure
                first = "INSERT INTO partition (tenant, kind, owner) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
                connection.execute(first, partition)
                fresh = connection.changes() > 0
                known = fetch_value(connection, sql + self._db.for_update, partition)
            no, last_seq, revision = known
            author = Author(self._actor, partition.tenant, no)
            transaction = SqlTransaction(connection, author, last_seq, revision, verb)
            yield transaction
            if fresh and not transaction.changed:  # what a job of someone forgotten meanwhile brings back is nothing
                connection.execute("DELETE FROM job WHERE partition = ?", (no,))
                connection.execute("DELETE FROM partition WHERE no = ?", (no,))
            else:
                transaction.finish()

    def together(self) -> contextlib.AbstractContextManager[None]:
        return self._db.together()

    def erase(
        self,
        partition: Partition,
        wanted: Sequence[int] | None,
        *,
        lasting: bool = True,
        archived: Sequence[str] = (),
        dry_run: bool = False,
    ) -> Erased:
        once = partial(self._erase_once, partition, noted=lasting and not dry_run, archived=archived, dry_run=dry_run)
        if dry_run:
            return once(wanted)
        try:
            erased = once(wanted)
        except StoreFull:
            erased = erase_in_pieces(self._db, partition, wanted, once)
        # the engine still holds the erased pages, in its log and where no row stands any more
        wiped = ErasurePlace(self._db.wiped_place, 0, 0 if self._db.wipe() else 1)
        return replace(erased, places=(*erased.places, wiped))

    def _erase_once(
        self, partition: Partition, wanted: Sequence[int] | None, *, noted: bool, archived: Sequence[str], dry_run: bool
    ) -> Erased:
        note = partial(self._journal.note, partition=partition, archived=archived)
        erased = Erased()
        with contextlib.suppress(_OnlyLookedAt), self._db.write(partition.tenant) as connection:
            no = partition_number(connection, partition, self._db.for_update)
            if no is not None:
                self._db.mark_due(connection, no)
                author = Author(self._actor, partition.tenant, no)
                erased = erase(connection, author, wanted, partial(note, connection) if noted else None)
            if dry_run:
                raise _OnlyLookedAt
        return erased

    def make_room(self) -> None:
        self._db.make_room()

    def fold(self) -> None:
        self._db.fold()

    def files(self, overlap: int) -> Iterator[tuple[str, Iterator[bytes]]]:
        return self._db.files(overlap)

    # -- reading -----------------------------------------------------------------------------------------------------
    def _reading(self, partition: Partition) -> AbstractContextManager[tuple[Connection, int]]:
        return self._db.reading(partition)

    def get(self, partition: Partition, ids: Sequence[str]) -> dict[str, Remembered]:
        keys = [key for key in map(rows.id_bytes, ids) if key is not None]
        found: dict[str, Remembered] = {}
        with self._reading(partition) as (connection, no):
            for part in chunks(keys):
                condition = f"WHERE id IN ({', '.join('?' * len(part))}) AND row BETWEEN ? AND ? "
                values = (*part, *rows.row_range(no))
                episodes = map(rows.episode_from, fetch(connection, SELECT_EPISODE + condition, values))
                found |= {fact.id: fact for fact in load_facts(connection, condition + "ORDER BY version", values)}
                found |= {episode.id: episode for episode in episodes}
        return found

    def fetch(self, partition: Partition, wanted: Sequence[int]) -> dict[int, Remembered]:
        with self._reading(partition) as (connection, no):
            return load_memories(connection, no, wanted)

    def recalled(self, partition: Partition, wanted: Sequence[int]) -> tuple[dict[int, Remembered], set[str]]:
        with self._reading(partition) as (connection, no):
            found = load_memories(connection, no, wanted)
            said = [row for row, one in found.items() if isinstance(one, Episode)]
            return found, load_outdated(connection, no, said)

    def listing(self, partition: Partition, query: Listing) -> list[Remembered]:
        with self._reading(partition) as (connection, no):
            found: list[Remembered] = []
            if query.tier is not Tier.SEMANTIC and (query.status in {None, "active"} or query.as_of_us is not None):
                sql, values = self._listing_sql(query, no, EPISODE_FILTERS)
                found += map(rows.episode_from, fetch(connection, SELECT_EPISODE + sql, values))
            if query.tier is not Tier.EPISODIC:
                sql, values = self._listing_sql(query, no, FACT_FILTERS)
                if query.status is not None and query.as_of_us is None:
                    over = _EXPIRED if query.status == "expired" else f"NOT {_EXPIRED}"
                    either = "OR" if query.status == "expired" else "AND"
                    sql = sql.replace("WHERE ", f"WHERE (status IN (?, ?) {either} {over}) AND ", 1)
                    # a disputed fact is still believed
                    stands = "disputed" if query.status == "active" else query.status
                    values[:0] = [query.status, stands, now_us()]
                found += load_facts(connection, sql, values)
        found.sort(key=lambda memory: memory.row, reverse=not query.oldest_first)
        return found[: query.limit]

    def _listing_sql(self, query: Listing, no: int, columns: frozenset[str]) -> tuple[str, list[object]]:
        first, last = rows.row_range(no)
        if query.after_row is not None:
            first, last = (
                (max(first, query.after_row + 1), last)
                if query.oldest_first
                else (first, min(last, query.after_row - 1))
            )
        more, values = conditions(self._db, query.where or {}, columns)
        if query.as_of_us is not None:
            more += f" AND row IN ({_AS_OF})"
            values += [first, last, *[query.as_of_us] * 5]
        narrow = {"agent_id": query.agent_id, "project_id": query.project_id}
        for name, value in narrow.items():
            if value is not None:
                more += f" AND ({name} IS NULL OR {name} = ?)"
                values.append(value)
        order = "ASC" if query.oldest_first else "DESC"
        return f"WHERE row BETWEEN ? AND ?{more} ORDER BY row {order} LIMIT ?", [first, last, *values, query.limit]

    def versions(self, partition: Partition, fact_id: str) -> list[Fact]:
        with self._reading(partition) as (connection, no):
            sql = "WHERE id = ? AND row BETWEEN ? AND ? ORDER BY version"
            return load_facts(connection, sql, (rows.id_bytes(fact_id), *rows.row_range(no)))

    def always(self, partition: Partition, as_of_us: int | None = None) -> list[Fact]:
        with self._reading(partition) as (connection, no):
            if as_of_us is not None:
                sql = f"WHERE row IN ({_AS_OF}) AND (field IS NOT NULL OR evergreen) ORDER BY row"
                return load_facts(connection, sql, (*rows.row_range(no), *[as_of_us] * 5))
            sql = "WHERE row BETWEEN ? AND ? AND retired_us IS NULL AND (field IS NOT NULL OR evergreen) ORDER BY row"
            return [fact for fact in load_facts(connection, sql, rows.row_range(no)) if fact.status in CURRENT]

    def sources(self, partition: Partition, episode_ids: Sequence[str]) -> dict[str, str]:
        keys = [key for key in map(rows.id_bytes, episode_ids) if key is not None]
        found: dict[str, str] = {}
        with self._reading(partition) as (connection, no):
            for part in chunks(keys):
                sql = (
                    f"SELECT id, source_id FROM episode WHERE id IN ({', '.join('?' * len(part))}) "  # noqa: S608
                    "AND source_id IS NOT NULL AND row BETWEEN ? AND ?"
                )
                known = fetch(connection, sql, (*part, *rows.row_range(no)))
                found |= {str(rows.id_text(key)): source for key, source in known}
        return found

    def quotes(
        self, partition: Partition, episode_ids: Sequence[str], *, without: AbstractSet[str] = frozenset()
    ) -> dict[str, list[str]]:
        with self._reading(partition) as (connection, no):
            return load_quotes(connection, no, episode_ids, without)

    def matching(self, partition: Partition, where: Where) -> set[int]:
        with self._reading(partition) as (connection, no):
            found: set[int] = set()
            for table, columns in (("episode", EPISODE_FILTERS), ("fact", FACT_FILTERS)):
                more, values = conditions(self._db, where, columns)
                sql = f"SELECT row FROM {table} WHERE row BETWEEN ? AND ?{more}"  # noqa: S608
                found.update(row for (row,) in fetch(connection, sql, (*rows.row_range(no), *values)))
        return found

    # -- sessions ----------------------------------------------------------------------------------------------------
    def sessions(self, partition: Partition, *, limit: int, before_us: int | None = None) -> list[SessionInfo]:
        with self._reading(partition) as (connection, no):
            sql = SELECT_SESSION + "WHERE partition = ? AND last_us < ? ORDER BY last_us DESC, id DESC LIMIT ?"
            before = 1 << 62 if before_us is None else before_us
            return [rows.session_from(values) for values in fetch(connection, sql, (no, before, limit))]

    def session(self, partition: Partition, key: SessionKey) -> SessionInfo | None:
        with self._reading(partition) as (connection, no):
            return sessions.one(connection, no, key)

    def sessions_named(self, partition: Partition, session_id: str) -> list[SessionInfo]:
        with self._reading(partition) as (connection, no):
            return sessions.named(connection, no, session_id)

    def session_episodes(self, partition: Partition, session: SessionKey | str, *, limit: int) -> list[Episode]:
        with self._reading(partition) as (connection, no):
            return sessions.said_in(connection, no, session, limit)

    def episodes_between(
        self, partition: Partition, first_row: int, last_row: int, session: SessionKey
    ) -> list[Episode]:
        with self._reading(partition) as (connection, no):
            return sessions.said_between(connection, no, first_row, last_row, session)

    def open_sessions(self, quiet_since_us: int | None = None) -> list[tuple[Partition, SessionInfo]]:
        with self._db.read() as connection:
            return sessions.still_open(connection, quiet_since_us)

    # -- the whole store -----------------------------------------------------------------------------------------------
    def scrub(self) -> None:
        with self._db.write() as connection:
            connection.execute("DELETE FROM embedding")
            self._db.mark_due(connection)
        self._db.wipe()

    def partitions(self) -> Iterator[Partition]:
        with self._db.read() as connection:
            found = fetch(connection, "SELECT tenant, kind, owner FROM partition ORDER BY no")
        yield from (Partition(*values) for values in found)

    def revisions(self) -> dict[Partition, int]:
        with self._db.read() as connection:
            found = fetch(connection, "SELECT tenant, kind, owner, revision FROM partition ORDER BY no")
        return {Partition(tenant, kind, owner): revision for tenant, kind, owner, revision in found}

    def pending(self, *, limit: int) -> list[tuple[Partition, Fact]]:
        asked = (("status = 'pending'", ()), ("status = 'active' AND reason = ?", (STALE,)))
        with self._db.read() as connection:
            facts: list[Fact] = []
            for condition, values in asked:
                sql = f"WHERE retired_us IS NULL AND {condition} ORDER BY row LIMIT ?"
                facts += load_facts(connection, sql, (*values, limit))
            facts.sort(key=lambda fact: fact.row)
            return [(_partition(connection, fact.row), fact) for fact in facts[:limit]]

    def partition_of(self, memory_id: str) -> Partition | None:
        key = rows.id_bytes(memory_id)
        sql = "SELECT row FROM episode WHERE id = ?1 UNION ALL SELECT row FROM fact WHERE id = ?1 LIMIT 1"
        with self._db.read() as connection:
            row = fetch_value(connection, sql, (key,))
            return None if row is None else _partition(connection, row)

    def embedders(self) -> StoredEmbedders:
        with self._db.read() as connection:
            return models.stored(connection)

    def set_embedder(self, name: str, dimension: int) -> None:
        with self._db.write() as connection:
            models.put_embedder(connection, models.SERVING, name, dimension)

    def begin_reembed(self, name: str, dimension: int) -> None:
        with self._db.write() as connection:
            models.begin(connection, name, dimension)

    def finish_reembed(self, embed: Embed, last_few: int) -> bool:
        with self._db.write() as connection:
            return models.switch(connection, embed, last_few)

    def drop_former_vectors(self, limit: int) -> int:
        with self._db.write() as connection:
            return models.drop_former(connection, limit)

    def note(self, name: str) -> str | None:
        with self._db.read() as connection:
            return setting(connection, f"note {name}")

    def set_note(self, name: str, value: str) -> None:
        with self._db.write() as connection:
            put_setting(connection, f"note {name}", value)

    def status(self, *, deep: bool = False) -> StoreStatus:
        with self._db.read() as connection:
            counts: Mapping[str, int] = check.counts(connection)
            problems = check.problems(self._db, connection, deep=deep)
            reembedding = models.change_under_way(connection)
        return StoreStatus(
            url=self._url,
            location=self._db.path,
            schema_version=self._db.schema_version(),
            engine=self._db.engine(),
            embedder=(self.embedders().serving or (None,))[0],
            counts=counts,
            problems=tuple(problems),
            reembedding=reembedding,
        )

    def close(self) -> None:
        self._db.close()
