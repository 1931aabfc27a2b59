"""Vectors once more in a Qdrant: its engine in this process, and its client's local mode; no server can be had here."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from qdrant_client import QdrantClient
from qdrant_client.http.exceptions import ResponseHandlingException

from retentive import Memory
from retentive.backends.qdrant import QdrantVectors, open_client
from retentive.cli import main
from retentive.config import Settings
from retentive.contracts import Backend
from retentive.errors import ConfigError, IndexUnavailable
from retentive.plugins import make_backend
from retentive.types import Scope
from stubs import StubEmbedder

#: The server has them; the local mode looks at every point.
pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect")

ALICE = Scope(user_id="alice")


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "memory.db")


@pytest.fixture
def memory(path: str) -> Iterator[Memory]:
    with Memory.open(path, embedder=StubEmbedder(), background=False) as opened:
        yield opened


@pytest.fixture
def backend(memory: Memory, path: str) -> Iterator[Backend]:  # noqa: ARG001  which has made the store
    opened = make_backend(path, Settings())
    yield opened
    opened.store.close()


@pytest.fixture(params=["engine", "local mode"])
def vectors(backend: Backend, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[QdrantVectors]:
    """Qdrant's own engine in this process, and the client's stand-in for it."""
    if request.param == "engine":
        edge_client = (
            pytest.importorskip("edge_client") if "CI" not in os.environ else importlib.import_module("edge_client")
        )
        client: Any = edge_client.EdgeClient(tmp_path / "edge")
    else:
        client = QdrantClient(":memory:")
    yield QdrantVectors(client, "memories", backend)
    client.close()


def told(memory: Memory, user: str, *texts: str, **scope: str) -> list[str]:
    mine = memory.scope(user_id=user, **scope)
    ids = [one for text in texts for one in mine.remember(text).ids]
    memory.process()
    return ids


def near(vectors: QdrantVectors, query: str, scope: Scope = ALICE, limit: int = 10) -> list[str]:
    found = vectors.search(scope, StubEmbedder().embed([query])[0], limit)
    stored = vectors.backend.store.fetch(scope.partition, [one.row for one in found])
    return [stored[one.row].text for one in found if one.score > 0.01]


def test_it_finds_what_the_store_itself_finds(memory: Memory, vectors: QdrantVectors, backend: Backend) -> None:
    texts = [f"Shelf {n} holds the {word} invoice" for n, word in enumerate(("red", "blue", "green", "grey"))]
    told(memory, "alice", *texts, "Tea at four")
    assert vectors.lag() > 0
    assert vectors.sync().lag == 0
    query = StubEmbedder().embed(["the blue invoice"])[0]
    found = vectors.search(ALICE, query, 5)
    with backend.index.snapshot(ALICE.partition) as corpus:
        exact = dict(zip(corpus.column("row").tolist(), corpus.vectors @ query, strict=True))
    assert next(one.row for one in found) == max(exact, key=lambda row: exact[row])
    assert np.allclose([one.score for one in found], sorted(exact.values(), reverse=True), atol=1e-5)


def test_no_search_leaves_its_scope(memory: Memory, vectors: QdrantVectors) -> None:
    told(memory, "alice", "Likes red wine")
    told(memory, "bob", "Likes red cars")
    told(memory, "alice", "Likes red shoes", tenant="acme")
    told(memory, "alice", "Likes red tape", agent_id="clerk")
    told(memory, "alice", "Likes red ink", project_id="novel")
    vectors.sync()
    assert set(near(vectors, "red")) == {"Likes red wine", "Likes red tape", "Likes red ink"}
    assert set(near(vectors, "red", Scope("alice", "clerk"))) == {"Likes red wine", "Likes red tape", "Likes red ink"}
    assert set(near(vectors, "red", Scope("alice", "other"))) == {"Likes red wine", "Likes red ink"}
    assert set(near(vectors, "red", Scope("alice", "other", "poem"))) == {"Likes red wine"}
    assert near(vectors, "red", Scope("carol")) == []


def test_it_follows_every_change(memory: Memory, vectors: QdrantVectors) -> None:
    (first, _) = told(memory, "alice", "Likes red wine", "Likes tea")
    vectors.sync()
    memory.scope(user_id="alice").update(first, text="Likes white wine")
    told(memory, "alice", "Likes red shoes")
    done = vectors.sync()
    assert (done.put, done.dropped) == (2, 1)  # two new versions; the old one is no longer current
    assert near(vectors, "red") == ["Likes red shoes"]
    assert near(vectors, "white") == ["Likes white wine"]
    assert vectors.sync() == type(done)(0, 0, 0)


def test_what_is_forgotten_is_never_found_and_then_gone(memory: Memory, vectors: QdrantVectors) -> None:
    (doomed, _) = told(memory, "alice", "Likes red wine", "Likes red shoes")
    told(memory, "bob", "Likes red cars")
    vectors.sync()
    memory.scope(user_id="alice").forget(doomed)
    assert near(vectors, "red") == ["Likes red shoes"]  # before it was told
    vectors.sync()
    assert points(vectors) == 2
    memory.scope(user_id="bob").forget_everything()
    assert vectors.lag() == 1
    assert vectors.sync().lag == 0
    assert points(vectors) == 1


def points(vectors: QdrantVectors) -> int:
    (name,) = [name for name in vectors._collections() if not name.endswith("-marks")]  # noqa: SLF001
    return vectors.client.count(name).count


def test_what_was_lost_is_fed_again(memory: Memory, vectors: QdrantVectors) -> None:
    told(memory, "alice", "Likes red wine", "Likes tea")
    vectors.sync()
    for name in vectors._collections():  # noqa: SLF001
        vectors.client.delete_collection(name)
    again = QdrantVectors(vectors.client, "memories", vectors.backend)
    assert again.lag() > 0
    assert again.sync().put == 2
    assert near(again, "red") == ["Likes red wine"]
    assert again.rebuild().put == 2
    assert points(again) == 2


def test_vectors_of_two_embedders_are_never_compared(memory: Memory, vectors: QdrantVectors) -> None:
    told(memory, "alice", "Likes red wine")
    vectors.sync()
    memory.reembed(StubEmbedder("other", 64))
    vectors.sync()
    query = StubEmbedder("other", 64).embed(["red"])[0]
    assert len(vectors.search(ALICE, query, 5)) == 1
    assert len(vectors._collections()) == 2  # noqa: SLF001  its points and its marks alone


def test_a_qdrant_that_is_down_loses_nothing(
    memory: Memory, vectors: QdrantVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(memory, "alice", "Likes red wine")
    with monkeypatch.context() as patched:

        def refuse(*_: Any, **__: Any) -> None:
            raise ResponseHandlingException(ConnectionError())

        patched.setattr(vectors.client, "upsert", refuse)
        with pytest.raises(IndexUnavailable, match="catches up"):
            vectors.sync()
    assert vectors.lag() > 0
    assert vectors.sync().lag == 0
    assert near(vectors, "red") == ["Likes red wine"]


def test_no_text_and_no_owner_is_in_it(memory: Memory, vectors: QdrantVectors) -> None:
    told(memory, "alice", "The vault is behind the painting")
    vectors.sync()
    (name,) = [name for name in vectors._collections() if not name.endswith("-marks")]  # noqa: SLF001
    kept = json.dumps([one.payload for one in vectors.client.scroll(name)[0]])
    assert "vault" not in kept
    assert "alice" not in kept


def test_the_command_keeps_it_up_to_date(memory: Memory, path: str, tmp_path: Path) -> None:
    told(memory, "alice", "Likes red wine")
    target = f"qdrant://{tmp_path}/qdrant/memories"
    for more, put in ((["--once"], 1), (["--once"], 0), (["--once", "--rebuild"], 1)):
        ran = CliRunner().invoke(main, ["index", "--to", target, "--store", path, "--json", *more])
        assert ran.exit_code == 0, ran.output
        assert json.loads(ran.stdout) == {"put": put, "dropped": 0, "lag": 0}
    for wrong in ("qdrant://host:6333", "http://host/c", "qdrant://:key@host/a/b"):
        with pytest.raises(ConfigError, match="address of a Qdrant"):
            open_client(wrong)
