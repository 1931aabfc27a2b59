"""What only a server has: roles, row-level security, connections that break, transactions without a session."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import psycopg_pool
import pytest

from retentive import Memory, testing
from retentive.backends.postgres import open_backend
from retentive.backends.postgres.database import PostgresDatabase
from retentive.backends.postgres.url import parse_url
from retentive.backends.sqlite.database import Database
from retentive.contracts import Backend, Listing
from retentive.contracts.ledger import Account, Carried
from retentive.contracts.models import Usage
from retentive.errors import NotAStore, RetentiveError, StoreBusy, StoreNewer, StoreUnavailable
from retentive.models.embed_none import NoEmbedder
from retentive.testing.made import ALICE, known, put, said
from retentive.testing.postgres import Server
from retentive.types import AddEpisode, Partition
from stubs import StubEmbedder

ACME = Partition("acme", "user", "alice")
_TABLES = "SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace(%s) AND relrowsecurity"


@pytest.fixture
def url(postgres: Server) -> Iterator[str]:
    with postgres.empty_store() as made:
        yield made


@contextmanager
def opened(url: str) -> Iterator[Backend]:
    backend = open_backend(url, cache_bytes=1 << 20)
    try:
        yield backend
    finally:
        backend.store.close()


def plain(url: str) -> tuple[psycopg.Connection[Any], str]:
    """A connection of the store's own role without anything of ours set, and the schema."""
    conninfo, _, schema = url.partition("?schema=")
    return psycopg.connect(conninfo, autocommit=True), schema


# -- who may keep memories ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("rights", "says"), [("SUPERUSER", "superuser"), ("BYPASSRLS", "bypass row-level security")])
def test_a_role_that_row_level_security_does_not_bind_is_refused(postgres: Server, rights: str, says: str) -> None:
    with psycopg.connect(postgres.admin, autocommit=True) as admin:
        admin.execute(f"CREATE ROLE strong LOGIN PASSWORD 'pw' {rights}".encode())
        try:
            with pytest.raises(StoreUnavailable, match=says):
                open_backend(f"{postgres.url('strong', 'pw')}?schema=never", cache_bytes=1)
            assert admin.execute("SELECT to_regnamespace('never')").fetchone() == (None,)
        finally:
            admin.execute("DROP ROLE strong")


def test_a_database_without_pgvector_is_refused(postgres: Server) -> None:
    with psycopg.connect(postgres.admin, autocommit=True) as admin:
        admin.execute("CREATE DATABASE plain")
        try:
            with pytest.raises(StoreUnavailable, match="CREATE EXTENSION vector"):
                open_backend(postgres.url("retentive", postgres.role_password, "plain"), cache_bytes=1)
        finally:
            admin.execute("DROP DATABASE plain WITH (FORCE)")


def test_a_role_needs_no_right_but_a_schema_of_its_own(postgres: Server) -> None:
    with psycopg.connect(postgres.admin, autocommit=True) as admin:
        admin.execute("CREATE ROLE modest LOGIN PASSWORD 'pw'")
        url = f"{postgres.url('modest', 'pw')}?schema=granted"
        try:
            with pytest.raises(StoreUnavailable, match="CREATE SCHEMA granted AUTHORIZATION"):
                open_backend(url, cache_bytes=1)
            admin.execute("CREATE SCHEMA granted AUTHORIZATION modest")
            with opened(url) as backend:
                put(backend.store, ALICE, [said("Hello")])
        finally:
            admin.execute("DROP SCHEMA IF EXISTS granted CASCADE")
            admin.execute("DROP ROLE modest")


def test_a_server_that_is_not_there_and_a_wrong_password_are_named(postgres: Server) -> None:
    for bad in ("postgresql://retentive:no@127.0.0.1:1/memories", postgres.url("retentive", "wrong-password")):
        with pytest.raises(StoreUnavailable, match="does not answer") as caught:
            open_backend(bad, cache_bytes=1)
        assert "wrong-password" not in str(caught.value)


def test_another_programs_schema_and_a_newer_store_are_left_alone(postgres: Server, url: str) -> None:
    connection, schema = plain(url)
    with connection, psycopg.connect(postgres.admin, autocommit=True) as admin:
        admin.execute(f"CREATE SCHEMA {schema} AUTHORIZATION retentive".encode())
        connection.execute(f"CREATE TABLE {schema}.orders (no int)".encode())
        with pytest.raises(NotAStore, match="another program"):
            open_backend(url, cache_bytes=1)
        connection.execute(f"DROP TABLE {schema}.orders".encode())
        with opened(url):
            connection.execute(f"UPDATE {schema}.setting SET value = '9999' WHERE name = 'schema'".encode())
        with pytest.raises(StoreNewer):
            open_backend(url, cache_bytes=1)


# -- row-level security ------------------------------------------------------------------------------------------------
def test_without_a_tenant_there_are_no_rows_and_with_one_only_its_own(url: str) -> None:
    with opened(url) as backend, Memory.open(url, embedder=StubEmbedder(), background=False) as memory:
        for tenant in ("default", "acme"):
            mine = memory.scope(user_id="alice", tenant=tenant)
            mine.record([{"role": "user", "content": f"I live in Oslo, says {tenant}"}], session_id="s1")
            likes = mine.remember(f"Likes {tenant}").ids[0]
            account = Account(mine.scope.partition, "chat", "s1")
            backend.ledger.settle(account, 0, Usage(9, 1), model="m", carried=[Carried(likes, 1, 9)])
        memory.process()
        put(backend.store, ACME, [said("More")])
    connection, schema = plain(url)
    with connection:
        tables = [table for (table,) in connection.execute(_TABLES, (schema,))]
        assert len(tables) == 20 + 7 * 16  # and the shards, which may be asked by their own names
        counted = {
            table: f"SELECT count(*), count(*) FILTER (WHERE tenant <> 'acme') FROM {schema}.{table}"
            for table in tables
        }
        assert {connection.execute(sql.encode()).fetchone() for sql in counted.values()} == {(0, 0)}
        connection.execute("SET retentive.tenant = 'acme'")
        seen = {table: connection.execute(sql.encode()).fetchone() for table, sql in counted.items()}
        assert {foreign for _, foreign in seen.values()} == {0}  # type: ignore[misc]  count gives one row
        assert (seen["episode"], seen["carried"]) == ((2, 0), (1, 0))
        assert seen["vector"][0] >= 2  # type: ignore[index]  as above
        forged = f"INSERT INTO {schema}.partition (tenant, kind, owner) VALUES ('default', 'user', 'mallory')"
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(forged.encode())
        assert connection.execute(f"DELETE FROM {schema}.fact WHERE tenant = 'default'".encode()).rowcount == 0


def test_a_conflict_tells_nothing_of_another_tenant(url: str) -> None:
    """The same ids in another tenant are no conflict, so nobody learns that they are taken."""
    with opened(url) as backend:
        episode, fact = said("Likes tea"), known("Likes tea")
        for partition in (ALICE, ACME):
            put(backend.store, partition, [episode, fact])
        for partition in (ALICE, ACME):
            assert len(backend.store.get(partition, [episode.id, fact.id])) == 2
        backend.store.erase(ALICE, None)
        assert len(backend.store.get(ACME, [episode.id, fact.id])) == 2


def test_both_schemas_have_the_same_tables_and_columns(url: str) -> None:
    """The shared SQL is written once: a table or a column that one engine lacks would be found by its users only."""
    embedded = Database(":memory:")
    with embedded.read() as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        there = {
            name: [column[1] for column in connection.execute(f"PRAGMA table_info({name})")]
            for name in tables
            if not name.startswith("sqlite_")
        }
    embedded.close()
    with opened(url):
        connection_there, schema = plain(url)
    with connection_there as server:
        columns = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = %s"
        here: dict[str, list[str]] = {}
        for table, column in server.execute(f"{columns} ORDER BY ordinal_position".encode(), (schema,)):
            here.setdefault(table, []).append(column)
    assert there.keys() <= here.keys()
    own = {"tenant", "near", "words", "word_count"}
    assert {name: [c for c in here[name] if c not in own] for name in there} == {
        name: [c for c in found if c not in own] for name, found in there.items()
    }


def test_doctor_finds_a_table_that_its_owner_is_not_bound_by(url: str) -> None:
    with Memory.open(url, embedder=NoEmbedder(), background=False) as memory:
        assert memory.doctor().problems == ()
        connection, schema = plain(url)
        with connection:
            connection.execute(f"ALTER TABLE {schema}.fact NO FORCE ROW LEVEL SECURITY".encode())
        assert memory.doctor().problems == ("row-level security is not forced on the table fact",)


def test_no_password_is_shown(postgres: Server, url: str) -> None:
    with Memory.open(url, embedder=NoEmbedder(), background=False) as memory:
        status = memory.status()
    assert postgres.role_password in url
    assert postgres.role_password not in repr(status)
    assert status.engine.startswith("PostgreSQL 18")


def test_a_statement_that_takes_too_long_is_stopped(url: str) -> None:
    database = PostgresDatabase(parse_url(url), durable=False)

    def sleep() -> None:
        with database.write() as connection:
            assert connection.execute("SHOW statement_timeout").get == "1min"
            assert connection.execute("SHOW synchronous_commit").get == "off"
            connection.execute("SET LOCAL statement_timeout = '50ms'")
            connection.execute("SELECT pg_sleep(20)")

    try:
        with pytest.raises(StoreBusy):
            sleep()
        with database.read() as connection:
            assert connection.execute("SHOW synchronous_commit").get == "on"
    finally:
        database.close()


# -- connections -------------------------------------------------------------------------------------------------------
def terminate(postgres: Server) -> int:
    """Cut every connection of the role, as a fail-over does; returns how many."""
    with psycopg.connect(postgres.admin, autocommit=True) as admin:
        cut = admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'retentive'")
        return len(cut.fetchall())


def test_cut_connections_are_made_anew(postgres: Server, url: str) -> None:
    with opened(url) as backend:
        put(backend.store, ALICE, [said("Before")])
        assert terminate(postgres) >= 1
        put(backend.store, ALICE, [said("After")])
        assert len(backend.store.listing(ALICE, Listing())) == 2


def test_a_connection_cut_inside_a_transaction_stores_nothing_and_the_next_is_fine(postgres: Server, url: str) -> None:
    with opened(url) as backend:
        put(backend.store, ALICE, [said("Before")])

        def write_while_it_is_cut() -> None:
            with backend.store.transaction(ALICE) as transaction:
                transaction.apply([AddEpisode(said("Cut"))])
                terminate(postgres)
                transaction.apply([AddEpisode(said("After the cut"))])

        with pytest.raises(StoreUnavailable):
            write_while_it_is_cut()
        began = time.monotonic()
        put(backend.store, ALICE, [said("After")])
        assert time.monotonic() - began < 5
        found = backend.store.listing(ALICE, Listing(oldest_first=True))
        assert [one.text for one in found] == ["Before", "After"]


@pytest.mark.parametrize(
    "check",
    [
        check
        for check in testing.CHECKS
        if check.topic in {"scope isolation", "forget leaves nothing", "the queue", "score direction"}
        and check.name != "no_byte_of_it_is_on_disk"
    ],
    ids=str,
)
def test_nothing_is_left_in_a_session(check: testing.Check, postgres: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """As behind PgBouncer in transaction mode: each transaction finds a session that knows nothing."""
    give_back = psycopg_pool.ConnectionPool.putconn

    def forgetful(pool: Any, connection: psycopg.Connection[Any]) -> None:
        if not connection.broken and connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE:
            prepared = connection.execute("SELECT count(*) FROM pg_prepared_statements").fetchone()
            settings = connection.execute("SELECT current_setting('retentive.tenant', true)").fetchone()
            tables = connection.execute("SELECT count(*) FROM pg_class WHERE relpersistence = 't'").fetchone()
            assert (prepared, tables, settings) in {((0,), (0,), ("",)), ((0,), (0,), (None,))}
            connection.execute("DISCARD ALL")
        give_back(pool, connection)

    monkeypatch.setattr(psycopg_pool.ConnectionPool, "putconn", forgetful)
    testing.run(check, testing.Engine("Postgres", postgres.empty_store))


def test_who_finds_that_another_was_first_takes_nothing_away(url: str) -> None:
    """Two write a user's first memory at once; the second has nothing to add, and what the first wrote stays."""
    with opened(url) as backend:
        inside = threading.Event()

        def second() -> None:
            inside.wait(20)
            with backend.store.transaction(ALICE):
                pass

        thread = threading.Thread(target=second)
        thread.start()
        with backend.store.transaction(ALICE) as transaction:
            transaction.apply([AddEpisode(said("First"))])
            inside.set()
            time.sleep(0.3)  # the other waits for this one's end
        thread.join()
        assert [one.text for one in backend.store.listing(ALICE, Listing())] == ["First"]


def test_writers_of_two_users_do_not_wait_for_each_other(url: str) -> None:
    with opened(url) as backend:
        inside = threading.Event()
        done = threading.Event()

        def slow() -> None:
            with backend.store.transaction(ALICE) as transaction:
                transaction.apply([AddEpisode(said("Slow"))])
                inside.set()
                done.wait(20)

        thread = threading.Thread(target=slow)
        thread.start()
        inside.wait(20)
        put(backend.store, ACME, [said("Quick")])
        assert backend.store.listing(ALICE, Listing()) == []
        done.set()
        thread.join()
        assert len(backend.store.listing(ALICE, Listing())) == 1


class WithTokens(StubEmbedder):
    """Gives a token state a word, which recall asks the store for while it scores."""

    token_dimension = 256

    def embed_tokens(self, texts: Any, **_: Any) -> tuple[Any, list[Any]]:  # type: ignore[override]  whatever is asked
        return self.embed(texts), [self.embed(text.split()) for text in texts]


def test_more_threads_than_connections_recall_at_once(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recall needs one connection at a time, so that none waits for one that another recall holds."""
    monkeypatch.setattr("retentive.backends.postgres.database._POOL_SIZE", 2)
    monkeypatch.setattr("retentive.backends.postgres.database.LOCK_S", 5)
    with Memory.open(url, embedder=WithTokens("tokens"), background=False) as memory:
        users = [memory.scope(user_id=f"u{number}") for number in range(8)]
        for mine in users:
            mine.remember("The passport is in the drawer")
        memory.process()
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda mine: [mine.recall("passport drawer").hits for _ in range(10)], users))
        assert all(hits for each in found for hits in each)
        assert any("tokens" in hit.parts for hit in found[0][0])


def test_a_store_made_by_many_at_once_is_made_once(url: str) -> None:
    failures: list[RetentiveError] = []

    def open_it() -> None:
        try:
            with opened(url):
                pass
        except RetentiveError as error:
            failures.append(error)

    threads = [threading.Thread(target=open_it) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


# -- the same memories in another place --------------------------------------------------------------------------------
def test_an_export_goes_there_and_back_byte_for_byte(url: str, tmp_path: Path) -> None:
    def at(place: str) -> Memory:
        return Memory.open(place, embedder=StubEmbedder(), background=False)

    with at(str(tmp_path / "one.db")) as one, at(url) as two, at(str(tmp_path / "three.db")) as three:
        mine = one.scope(user_id="alice")
        with mine.session("s1") as chat:
            for text in ("I live in Oslo.", "Früher wohnte ich in Bergen.", "我喜欢喝茶。"):
                chat.add("user", text, metadata={"n": 1.0})
        mine.remember("Lives in Bergen")
        one.process()
        mine.export(tmp_path / "1.jsonl")
        two.scope(user_id="alice").import_(tmp_path / "1.jsonl")
        two.scope(user_id="alice").export(tmp_path / "2.jsonl")
        three.scope(user_id="alice").import_(tmp_path / "2.jsonl")
        three.scope(user_id="alice").export(tmp_path / "3.jsonl")
        asked = {"k": 10, "now": "2040-01-01Z"}
        for memory in (two, three):
            memory.process()
        found = [memory.scope(user_id="alice").recall("where did I live?", **asked) for memory in (two, three)]
        assert [(hit.text, hit.score) for hit in found[0]] == [(hit.text, hit.score) for hit in found[1]]
    texts = [(tmp_path / name).read_bytes() for name in ("1.jsonl", "2.jsonl", "3.jsonl")]
    assert texts[0] == texts[1] == texts[2]
