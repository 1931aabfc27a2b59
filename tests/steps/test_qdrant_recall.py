"""Recall asks a Qdrant for the nearest of large scopes; the store stays the truth, and answers when Qdrant does not.

On Qdrant's own engine in this process, and on its client's local mode; no server can be had here.
"""

from __future__ import annotations

import importlib
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from qdrant_client import QdrantClient
from qdrant_client.http.exceptions import ResponseHandlingException
from starlette.testclient import TestClient

from retentive import Memory, ScopedMemory
from retentive.backends import qdrant
from retentive.backends.qdrant import QdrantBeside, QdrantVectors
from retentive.config import Settings
from retentive.contracts import Backend
from retentive.errors import ConfigError
from retentive.plugins import make_backend
from retentive.results import Recall
from retentive.server.app import create_app
from retentive.server.options import ServerOptions
from retentive.sql import index
from retentive.sql.large import LargeCorpus
from retentive.testing.made import ALICE
from stubs import StubEmbedder

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect")
_WORDS = (
    "river garden letter market window doctor recipe battery keyboard concert guitar bicycle mountain weather".split()
)
QUERIES = ("garden letter", "the doctor's recipe", "guitar concert weather", "bicycle", "battery keyboard window")
_NOW = "2040-01-01Z"


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["engine", "local mode"])
def client(tmp_path: Path, request: pytest.FixtureRequest) -> Any:
    if request.param == "local mode":
        return QdrantClient(":memory:")
    edge = pytest.importorskip("edge_client") if "CI" not in os.environ else importlib.import_module("edge_client")
    return edge.EdgeClient(tmp_path / "edge")


@pytest.fixture
def url(tmp_path: Path, client: Any, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> str:
    """A store beside which that client is asked, from 100 memories of an owner on."""
    monkeypatch.setattr(index, "BESIDE_FROM", 100)

    def opened(_: str, backend: Backend) -> QdrantBeside:
        return QdrantBeside(QdrantVectors(client, "memories", backend), clock)

    monkeypatch.setattr(qdrant, "open_beside", opened)
    return f"{tmp_path}/memory.db+qdrant://127.0.0.1:6333/memories"


@pytest.fixture
def memory(url: str) -> Iterator[Memory]:
    with Memory.open(url, embedder=StubEmbedder(), background=False) as opened:
        filled(opened, opened.scope(user_id="alice"))
        yield opened


@pytest.fixture
def mine(memory: Memory) -> ScopedMemory:
    return memory.scope(user_id="alice")


@pytest.fixture
def vectors(memory: Memory, url: str, client: Any) -> Iterator[QdrantVectors]:  # noqa: ARG001  which has made the store
    backend = make_backend(url, Settings())
    yield QdrantVectors(client, "memories", backend)
    backend.store.close()


def filled(memory: Memory, mine: ScopedMemory, count: int = 150) -> None:
    chance = random.Random(5)  # noqa: S311  made-up words
    said = [{"role": "user", "content": " ".join(chance.choices(_WORDS, k=6)), "id": f"m{n}"} for n in range(count)]
    for start in range(0, count, 50):
        mine.record(said[start : start + 50], session_id=f"s{start}")
        memory.process()


def beside(found: Recall) -> dict[str, Any]:
    assert found.trace is not None
    asked_of: dict[str, Any] = found.trace["beside"]
    return asked_of


def test_what_it_finds_is_scored_as_ever_and_no_vector_is_kept_here(
    memory: Memory, mine: ScopedMemory, vectors: QdrantVectors, url: str
) -> None:
    vectors.sync()
    found = [mine.recall(query, k=5, now=_NOW, explain=True) for query in QUERIES]
    assert all(not one.degraded and beside(one)["index"] == "qdrant" and beside(one)["behind"] == 0 for one in found)
    assert all(hit.parts["vector"] > 0 for one in found for hit in one.hits[:1])
    with memory._backend.index.snapshot(ALICE) as corpus:  # noqa: SLF001
        assert isinstance(corpus, LargeCorpus)
        assert corpus.vectors.nbytes == 0
    with Memory.open(url.partition("+")[0], embedder=StubEmbedder(), background=False) as plain:
        alone = [plain.scope(user_id="alice").recall(query, k=5, now=_NOW) for query in QUERIES]
    same = sum(len({h.id for h in one} & {h.id for h in two}) for one, two in zip(found, alone, strict=True))
    assert same >= 0.9 * sum(len(one) for one in alone)
    assert memory.beside is not None
    assert memory.beside.measures() == {"up": 1.0, "asked": float(len(QUERIES)), "failed": 0.0, "behind": 0.0}


def test_what_is_forgotten_never_comes_back_and_what_is_new_is_found_at_once(
    memory: Memory, mine: ScopedMemory, vectors: QdrantVectors
) -> None:
    (old,) = mine.remember("The submarine is in the harbour").ids
    memory.process()
    vectors.sync()
    assert mine.recall("submarine harbour").hits[0].id == old
    mine.forget(old)
    (new,) = mine.remember("A submarine lies in another harbour").ids
    memory.process()
    found = mine.recall("submarine harbour", explain=True)  # the points know of neither yet
    assert [hit.id for hit in found if "submarine" in hit.text] == [new]
    assert found.hits[0].parts["vector"] > 0
    assert beside(found)["behind"] > 0
    assert memory.beside is not None
    assert memory.beside.measures()["behind"] > 0
    vectors.sync()
    assert beside(mine.recall("submarine harbour", explain=True))["behind"] == 0


def test_it_is_asked_for_what_the_scope_may_see_alone(memory: Memory, vectors: QdrantVectors) -> None:
    clerk = memory.scope(user_id="alice", agent_id="clerk")
    filled(memory, memory.scope(user_id="bob"))
    filled(memory, memory.scope(user_id="alice", agent_id="other"))
    (his,) = clerk.remember("The clerk keeps a garden and a letter").ids
    memory.process()
    vectors.sync()
    found = clerk.recall("garden letter", k=20).hits
    assert his in {hit.id for hit in found}
    seen = {item.id for item in clerk.list(limit=1000)}
    assert {hit.id for hit in found} <= seen


def test_when_it_is_down_the_stores_own_vectors_answer_and_it_is_said(
    memory: Memory, mine: ScopedMemory, vectors: QdrantVectors, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors.sync()
    before = [mine.recall(query, k=5, now=_NOW) for query in QUERIES]
    calls = []

    def refuse(*_: Any, **__: Any) -> None:
        calls.append(1)
        raise ResponseHandlingException(ConnectionError())

    with monkeypatch.context() as patched:
        patched.setattr(vectors.client, "query_points", refuse)
        down = [mine.recall(query, k=5, now=_NOW) for query in QUERIES]
        assert len(calls) == 1  # and then it is left in peace
    why = "vectors: Qdrant refused or did not answer (ResponseHandlingException); the store's own were searched"
    assert {one.degraded for one in down} == {(why,)}
    same = sum(len({h.id for h in one} & {h.id for h in two}) for one, two in zip(before, down, strict=True))
    assert same >= 0.9 * sum(len(one) for one in before)
    assert memory.beside is not None
    assert memory.beside.measures() == {"up": 0.0, "asked": 6.0, "failed": 1.0, "behind": 0.0}
    with TestClient(create_app(memory, ServerOptions()), base_url="http://localhost") as http:
        told = http.get("/metrics").text
    assert "retentive_vector_index_up 0\n" in told
    assert "retentive_vector_index_failed 1\n" in told
    clock.now_s += 31
    assert mine.recall(QUERIES[0], k=5, now=_NOW, explain=True).degraded == ()
    assert memory.beside.measures()["up"] == 1.0
    with memory._backend.index.snapshot(ALICE) as corpus:  # noqa: SLF001
        assert isinstance(corpus, LargeCorpus)


def test_one_that_nobody_has_filled_is_not_believed(mine: ScopedMemory) -> None:
    found = mine.recall("garden letter")
    assert found.hits[0].parts["vector"] > 0
    assert "run `retentive index`" in found.degraded[0]


def test_small_scopes_do_without(memory: Memory, vectors: QdrantVectors) -> None:
    bob = memory.scope(user_id="bob")
    bob.remember("Likes red wine")
    memory.process()
    vectors.sync()
    assert memory.beside is not None
    before = memory.beside.measures()["asked"]
    assert bob.recall("red wine").hits
    assert memory.beside.measures()["asked"] == before


def test_an_address_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="address of a Qdrant"):
        make_backend(f"{tmp_path}/memory.db+qdrant://127.0.0.1:6333", Settings())
    backend = make_backend(f"{tmp_path}/odd+qdrant.db", Settings())  # a name like another
    assert isinstance(backend.beside, QdrantBeside | None)
    assert backend.beside is None
    backend.store.close()
