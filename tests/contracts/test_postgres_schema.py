"""The schema on a server: shards, migrations there and back, and what a schema is held against."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from retentive import Memory
from retentive.backends.postgres import open_backend, schema
from retentive.backends.postgres.connection import PostgresConnection
from retentive.backends.postgres.database import CONNECT, PostgresDatabase
from retentive.backends.postgres.url import parse_url
from retentive.errors import Conflict, StoreError
from retentive.models.embed_none import NoEmbedder
from retentive.testing.made import ALICE, known, put, said
from retentive.testing.postgres import Server
from retentive.types import Partition
from stubs import StubEmbedder

_SHARDED = ("episode", "fact", "entry", "vector", "token_state")


@pytest.fixture
def url(postgres: Server) -> Iterator[str]:
    with postgres.empty_store() as made:
        yield made


def connected(url: str) -> tuple[psycopg.Connection[Any], str, str]:
    """A connection of the store's role that works for everyone, the schema and the path to it."""
    place = parse_url(url)
    raw = psycopg.connect(place.conninfo, **CONNECT)
    path = f"{place.schema}, public"
    raw.execute("SELECT set_config('search_path', %s, false), set_config('retentive.tenant', '*', false)", (path,))
    return raw, place.schema, path


def catalogue(raw: psycopg.Connection[Any]) -> list[str]:
    return [line for (line,) in raw.execute(schema.catalogue_sql().encode())]


# -- shards ------------------------------------------------------------------------------------------------------------
def test_an_owners_rows_lie_in_one_shard_and_owners_are_spread(url: str) -> None:
    with Memory.open(url, embedder=StubEmbedder(), background=False) as memory:
        for number in range(40):
            mine = memory.scope(user_id=f"u{number}")
            mine.record([{"role": "user", "content": f"I live in Oslo, house {number}"}], session_id="s")
            mine.remember("Likes tea")
        memory.process()
    raw, _, _ = connected(url)
    with raw:
        for table in _SHARDED[:4]:
            found = raw.execute(f"SELECT tableoid, row >> 32 FROM {table}".encode()).fetchall()
            shards_of: dict[int, set[int]] = {}
            for shard, owner in found:
                shards_of.setdefault(owner, set()).add(shard)
            assert len(shards_of) == 40
            assert {len(shards) for shards in shards_of.values()} == {1}
            assert len({shard for shard, _ in found}) > 8  # 40 owners in 16


def test_what_names_an_owners_rows_reads_one_shard(url: str) -> None:
    with Memory.open(url, embedder=NoEmbedder(), background=False) as memory:
        memory.scope(user_id="alice").remember("Likes tea")
    raw, _, _ = connected(url)
    with raw:
        (no,) = raw.execute("SELECT no FROM partition").fetchone() or (0,)
        for table in _SHARDED:
            asked = f"EXPLAIN SELECT * FROM {table} WHERE row BETWEEN {no << 32} AND {no << 32 | 9}"
            plan = " ".join(line for (line,) in raw.execute(asked.encode()))
            assert plan.count(f"{table}_") >= 1
            assert "Append" not in plan


def test_an_id_is_taken_in_all_shards_of_a_tenant_until_it_is_forgotten(url: str) -> None:
    backend = open_backend(url, cache_bytes=1 << 20)
    owners = [Partition("default", "user", f"u{number}") for number in range(8)]  # of several shards
    for one in (said("Likes tea"), known("Likes tea")):
        put(backend.store, owners[0], [one])
        for other in owners[1:]:
            with pytest.raises(Conflict):
                put(backend.store, other, [one])
        backend.store.erase(owners[0], None)
        put(backend.store, owners[1], [one])
        put(backend.store, Partition("acme", "user", "u0"), [one])
    backend.store.close()


# -- migrations --------------------------------------------------------------------------------------------------------
def test_the_schema_equals_all_migrations_as_written_down(url: str) -> None:
    """`python scripts/postgres_schema.py` writes it down."""
    PostgresDatabase(parse_url(url)).close()
    raw, _, _ = connected(url)
    with raw:
        assert catalogue(raw) == (Path(schema.__file__).with_name("schema.txt")).read_text("utf-8").splitlines()


def test_migrations_go_up_down_and_up_to_the_same_schema(url: str) -> None:
    PostgresDatabase(parse_url(url)).close()
    raw, name, path = connected(url)
    with raw:
        before = catalogue(raw)
        schema.revert(raw, name, path, 0)
        assert catalogue(raw) == []
        types = "SELECT count(*) FROM pg_type WHERE typnamespace = CAST(%s AS regnamespace)"
        assert raw.execute(types.encode(), (name,)).fetchone() == (0,)
        schema.migrate(raw, name, path)
        assert catalogue(raw) == before


def test_every_migration_has_a_way_back() -> None:
    assert all(schema.way_back(number) for number, _ in schema.migration_files())


def test_a_way_back_takes_nobodys_memories(url: str) -> None:
    backend = open_backend(url, cache_bytes=1 << 20)
    put(backend.store, ALICE, [said("Likes tea")])
    raw, name, path = connected(url)
    with raw:
        before = catalogue(raw)
        with pytest.raises(StoreError, match="holds memories"):
            schema.revert(raw, name, path, 0)
        assert catalogue(raw) == before
    assert backend.store.status().counts["episode"] == 1
    backend.store.close()


def test_an_online_migration_lets_writers_go_on(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """CREATE INDEX CONCURRENTLY waits for who writes already, and holds nobody up."""
    backend = open_backend(url, cache_bytes=1 << 20)
    put(backend.store, ALICE, [said("Before")])
    online = (2, "-- online\nCREATE INDEX CONCURRENTLY IF NOT EXISTS session_owner ON session (owner);\n")
    known_before = schema.migration_files()
    monkeypatch.setattr(schema, "migration_files", lambda: [*known_before, online])
    monkeypatch.setattr(schema, "way_back", {2: "DROP INDEX session_owner"}.__getitem__)
    raw, name, path = connected(url)
    with raw:
        writer, _, _ = connected(url)
        with writer:
            writer.execute("BEGIN; UPDATE session SET owner = NULL")
            migrating = threading.Thread(target=schema.migrate, args=(raw, name, path))
            migrating.start()
            until_index(writer)
            put(backend.store, ALICE, [said("Meanwhile")])
            writer.execute("COMMIT")
            migrating.join(30)
            assert not migrating.is_alive()
        raw.execute("SELECT set_config('search_path', %s, false), set_config('retentive.tenant', '*', false)", (path,))
        assert any("session_owner" in line for line in catalogue(raw))
        assert schema.schema_version(PostgresConnection(raw)) == 2
        schema.revert(raw, name, path, 1)
        assert not any("session_owner" in line for line in catalogue(raw))
    backend.store.close()


def until_index(raw: psycopg.Connection[Any]) -> None:
    deadline_s = time.monotonic() + 30
    while raw.execute("SELECT count(*) FROM pg_class WHERE relname = 'session_owner'").fetchone() == (0,):
        assert time.monotonic() < deadline_s
        time.sleep(0.02)


def test_doctor_names_what_a_schema_lacks(url: str) -> None:
    with Memory.open(url, embedder=NoEmbedder(), background=False) as memory:
        raw, _, _ = connected(url)
        with raw:
            raw.execute("DROP INDEX fact_digest")
            raw.execute("CREATE INDEX somebodys_own ON fact (text)")  # nobody's harm
        (problem,) = memory.doctor().problems
        assert "fact_digest" in problem


# -- the graph of a shard ----------------------------------------------------------------------------------------------
_GRAPHS = """
SELECT c.relname, i.indisvalid, CAST(i.indrelid AS regclass) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE c.relname LIKE 'near%' AND c.relnamespace = CAST(current_schema() AS regnamespace)
"""


def test_a_graph_whose_building_was_cut_off_is_built_anew(url: str, postgres: Server) -> None:
    row = 3 << 59 | 1 << 32
    first = PostgresDatabase(parse_url(url))
    first.make_graph("model", 4, row)
    first.close()
    raw, _, _ = connected(url)
    with raw, psycopg.connect(postgres.admin, autocommit=True) as admin:
        ((name, valid, table),) = raw.execute(_GRAPHS).fetchall()
        assert (valid, table) == (True, "vector_03")
        this_one = "(SELECT max(oid) FROM pg_class WHERE relname = %s)"
        cut_off = f"UPDATE pg_index SET indisvalid = false WHERE indexrelid = {this_one}"
        admin.execute(cut_off.encode(), (name,))
        second = PostgresDatabase(parse_url(url))
        second.make_graph("model", 4, row)
        second.close()
        assert raw.execute(_GRAPHS).fetchall() == [(name, True, "vector_03")]


def test_a_build_that_is_stopped_does_not_count_as_made(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    database = PostgresDatabase(parse_url(url))
    raw, _, _ = connected(url)
    with raw:
        raw.execute("BEGIN; LOCK TABLE vector_00 IN ROW EXCLUSIVE MODE")  # the build waits for who writes
        monkeypatch.setattr("retentive.backends.postgres.database._BUILD_S", 0.5)
        database.make_graph("model", 4, 0)
        raw.execute("COMMIT")
        monkeypatch.undo()
        database.make_graph("model", 4, 0)
        assert [valid for _, valid, _ in raw.execute(_GRAPHS)] == [True]
    database.close()


# -- two that wait for each other --------------------------------------------------------------------------------------
def test_who_gives_way_to_another_writer_tries_again(url: str) -> None:
    """The server ends the transaction of one of two that wait for each other."""
    with Memory.open(url, embedder=NoEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        mine.remember("Likes tea")
        raw, name, _ = connected(url)
        with raw:
            raw.execute("BEGIN")
            raw.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (f"{name} audit",))
            receipts: list[Any] = []
            writing = threading.Thread(target=lambda: receipts.append(mine.remember("Likes coffee")))
            writing.start()
            waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
            deadline_s = time.monotonic() + 30
            while raw.execute(waiting).fetchone() == (0,):
                assert time.monotonic() < deadline_s
            raw.execute("SELECT no FROM partition FOR UPDATE")  # it has that, and wants what is held here
            raw.execute("COMMIT")
            writing.join(30)
        assert [receipt.items[0].outcome for receipt in receipts] == ["stored"]
        assert {item.text for item in mine.list()} == {"Likes tea", "Likes coffee"}
