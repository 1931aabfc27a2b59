"""A scope so large that its vectors stay on the server: found by pgvector, scored by the same arms."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg_pool import ConnectionPool
from qdrant_client import QdrantClient

from retentive import Memory, ScopedMemory
from retentive.backends.postgres import index
from retentive.backends.postgres.large import ServedCorpus
from retentive.backends.qdrant import QdrantVectors, asked
from retentive.corpus import Corpus
from retentive.migrate import migrate
from retentive.plugins import make_backend
from retentive.sql import index as sql_index
from retentive.testing.made import ALICE, EMBEDDER
from retentive.testing.postgres import Server
from stubs import StubEmbedder

_WORDS = (
    "river garden letter market window doctor recipe battery keyboard concert guitar bicycle mountain weather".split()
)
QUERIES = ("garden letter", "the doctor's recipe", "guitar concert weather", "bicycle", "battery keyboard window")


@pytest.fixture
def url(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(index, "LARGE", 100)
    with postgres.empty_store() as made:
        yield made


def filled(mine: ScopedMemory, memory: Memory, count: int = 300) -> None:
    chance = random.Random(5)  # noqa: S311  made-up words
    said = [{"role": "user", "content": " ".join(chance.choices(_WORDS, k=6)), "id": f"m{n}"} for n in range(count)]
    for start in range(0, count, 50):
        mine.record(said[start : start + 50], session_id=f"s{start}")
        memory.process()


def test_the_same_memories_are_found_and_no_vector_is_kept_here(url: str, tmp_path: Path) -> None:
    found = []
    for place in (str(tmp_path / "whole.db"), url):
        with Memory.open(place, embedder=StubEmbedder(), background=False) as memory:
            mine = memory.scope(user_id="alice")
            filled(mine, memory)
            answers = [mine.recall(query, k=5, now="2040-01-01Z").hits for query in QUERIES]
            found.append([{hit.source_ids: hit.parts["text"] for hit in hits} for hits in answers])
            assert all(hit.parts["vector"] > 0 for hits in answers for hit in hits[:1])
    same = sum(len(one.keys() & two.keys()) for one, two in zip(*found, strict=True))
    assert same >= 0.9 * sum(map(len, found[0]))
    shared = [(one[key], two[key]) for one, two in zip(*found, strict=True) for key in one.keys() & two.keys()]
    assert [here for here, _ in shared] == pytest.approx([there for _, there in shared])  # words are counted alike
    backend = make_backend(url, memory.settings)
    with backend.index.snapshot(ALICE) as corpus:
        assert isinstance(corpus, ServedCorpus)
        assert corpus.vectors.nbytes == 0
        assert len(corpus.postings("garden")[0]) > 0
        assert len(Corpus.postings_of(corpus, ["garden"])[0][0]) == 0  # found there, not kept here
        assert corpus.column("embedded").sum() == 300
    backend.store.close()


def test_what_is_forgotten_or_new_is_so_at_once(url: str) -> None:
    with Memory.open(url, embedder=StubEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        filled(mine, memory)
        (stored,) = mine.remember("The submarine is in the harbour").ids
        memory.process()
        assert mine.recall("submarine harbour").hits[0].id == stored
        assert mine.recall("submarine harbour").hits[0].parts["vector"] > 0
        mine.forget(stored)
        assert not [hit for hit in mine.recall("submarine harbour") if hit.id == stored]
        assert mine.recall("nothing of the kind, zzz").hits == ()
        assert memory.doctor().problems == ()


def test_a_large_scope_whose_memories_are_all_forgotten_begins_anew(url: str) -> None:
    with Memory.open(url, embedder=StubEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        filled(mine, memory, 150)
        ids = [item.id for item in mine.list(limit=1000)]
        mine.forget(ids)
    with Memory.open(url, embedder=StubEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        assert mine.recall("garden letter").hits == ()
        (stored,) = mine.remember("The submarine is in the harbour").ids
        memory.process()
        assert [hit.id for hit in mine.recall("submarine harbour").hits] == [stored]


def test_the_graph_answers_for_one_scope_and_tenant(url: str, postgres: Server) -> None:
    with Memory.open(url, embedder=StubEmbedder(), background=False) as memory:
        for tenant, user in (("default", "alice"), ("default", "bob"), ("acme", "alice")):
            filled(memory.scope(user_id=user, tenant=tenant), memory, 150)
        mine = memory.scope(user_id="alice")
        hits = mine.recall("garden letter", k=20).hits
        assert hits
        assert {hit.id for hit in hits} <= {item.id for item in mine.list(limit=1000)}
    schema = url.partition("?schema=")[2]
    with psycopg.connect(postgres.admin, autocommit=True) as admin:
        graphs = "SELECT tablename FROM pg_indexes WHERE schemaname = %s AND indexdef LIKE '%%hnsw%%'"
        tables = [table for (table,) in admin.execute(graphs, (schema,))]
        assert len(set(tables)) == len(tables) > 0  # one a shard
        unfilled = f"SELECT count(*) FROM {schema}.vector WHERE near IS NULL"
        assert admin.execute(unfilled.encode()).fetchone() == (0,)


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect")
def test_beside_a_qdrant_its_own_graph_answers_while_that_is_down(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql_index, "BESIDE_FROM", 100)
    client = QdrantClient(":memory:")
    monkeypatch.setattr(asked, "open_client", lambda *_, **__: (client, "memories"))
    with Memory.open(f"{url}+qdrant://127.0.0.1:6333/memories", embedder=StubEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        filled(mine, memory, 150)
        without = mine.recall("garden letter", k=5, now="2040-01-01Z")
        assert "has not followed" in without.degraded[0]
        backend = make_backend(url, memory.settings)
        QdrantVectors(client, "memories", backend).sync()
        backend.store.close()
        monkeypatch.setattr(memory.beside, "_down", None)
        found = mine.recall("garden letter", k=5, now="2040-01-01Z", explain=True)
        assert found.degraded == ()
        assert found.trace is not None
        assert found.trace["beside"]["found"] == 150
        assert [hit.id for hit in found] == [hit.id for hit in without]


def test_a_large_scope_migrates_with_its_vectors(url: str) -> None:
    with Memory.open(url, embedder=StubEmbedder(), background=False) as memory:
        filled(memory.scope(user_id="alice"), memory, 150)
    with nullcontext(":memory:") as target:
        assert migrate(url, target).vectors == 150
    assert EMBEDDER.name == StubEmbedder().name


def test_one_message_answers_for_words_and_vectors(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the scope stands, the candidates of both sides, the vectors of those found by words, and what was found."""
    with Memory.open(url, embedder=StubEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        filled(mine, memory)
        mine.recall(QUERIES[0])
        transactions: list[int] = []
        connect = ConnectionPool.getconn

        def counted(pool: Any) -> Any:
            transactions.append(1)
            return connect(pool)

        monkeypatch.setattr(ConnectionPool, "getconn", counted)
        assert mine.recall(QUERIES[0]).hits
        assert len(transactions) <= 5  # the first looks for the query's vector in the cache


def test_the_words_of_a_large_scope_follow_what_is_written(url: str, postgres: Server) -> None:
    """By the inverted index on the server, and by what came since: new, rewritten, of another agent, forgotten."""
    with Memory.open(url, embedder=StubEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        filled(mine, memory)
        assert mine.recall("submarine").hits == ()
        with nullcontext(memory.scope(user_id="alice", agent_id="mate")) as theirs:
            theirs.record([{"role": "user", "content": "The submarine dives", "id": "dive"}], session_id="d")
        others = memory.scope(user_id="alice", agent_id="cook")
        assert [hit.source_ids for hit in mine.recall("submarine").hits] == [("dive",)]  # its vector is still to come
        assert others.recall("submarine").hits == ()
        memory.process()
        assert theirs.recall("submarine dives").hits[0].source_ids == ("dive",)
        assert not any("submarine" in hit.text for hit in others.recall("submarine dives").hits)
        mine.forget([item.id for item in mine.list(limit=1000) if "submarine" in item.text])
        assert mine.recall("submarine").hits == ()
        mine.forget_everything()
        assert memory.doctor().problems == ()
    schema = url.partition("?schema=")[2]
    with psycopg.connect(postgres.admin) as admin:
        for table in ("word", "taken", "entry"):
            assert admin.execute(f"SELECT count(*) FROM {schema}.{table}".encode()).fetchone() == (0,)
