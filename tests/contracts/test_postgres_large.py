"""A scope so large that its vectors stay on the server: found by pgvector, scored by the same arms."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import psycopg
import pytest
from qdrant_client import QdrantClient

from retentive import Memory, ScopedMemory
from retentive.backends.postgres import index
from retentive.backends.qdrant import QdrantVectors, asked
from retentive.migrate import migrate
from retentive.plugins import make_backend
from retentive.sql import index as sql_index
from retentive.sql.large import LargeCorpus
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
            found.append([{hit.source_ids for hit in hits} for hits in answers])
            assert all(hit.parts["vector"] > 0 for hits in answers for hit in hits[:1])
    same = sum(len(one & two) for one, two in zip(*found, strict=True))
    assert same >= 0.9 * sum(map(len, found[0]))
    backend = make_backend(url, memory.settings)
    with backend.index.snapshot(ALICE) as corpus:
        assert isinstance(corpus, LargeCorpus)
        assert corpus.vectors.nbytes == 0
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
