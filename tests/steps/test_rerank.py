"""Rerankers: bounded, within a deadline, and where they fail the order without them stands and says so."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from retentive import Memory, Settings, reranking
from retentive.contracts import Reranker
from retentive.errors import ConfigError, RerankerUnavailable
from retentive.models.rerank_http import HttpReranker
from retentive.models.rerank_local import CrossEncoder
from stubs import StubEmbedder

NOTES = [f"The key note number {number} lies in drawer {number}" for number in range(80)]
Reply = Callable[[dict[str, Any]], tuple[int, bytes]]


def longest_first(body: dict[str, Any]) -> tuple[int, bytes]:
    """A good answer: the later a note's number in the list, the better it is said to be."""
    texts = body.get("documents", body.get("texts"))
    name = "score" if "texts" in body else "relevance_score"
    found = [{"index": n, name: (n + 1) / len(texts)} for n in reversed(range(len(texts)))]
    return 200, json.dumps(found if "texts" in body else {"results": found}).encode()


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, reply: Reply) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.reply, self.asked = reply, list[tuple[str, dict[str, Any]]]()
        self.url = f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, body))
        status, answer = self.server.reply(body)
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def serve() -> Iterator[Callable[[Reply], Server]]:
    servers: list[Server] = []

    def start(reply: Reply) -> Server:
        servers.append(Server(reply))
        threading.Thread(target=servers[-1].serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return servers[-1]

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def opened(reranker: Reranker | None) -> Memory:
    memory = Memory.open(
        ":memory:", embedder=StubEmbedder(), reranker=reranker, settings=Settings(extractor="none"), background=False
    )
    mine = memory.scope(user_id="ann")
    for number, note in enumerate(NOTES):
        mine.record([{"role": "user", "content": note}], session_id=str(number))
    memory.process()
    return memory


def order(memory: Memory, k: int = 5) -> list[str]:
    return [hit.text for hit in memory.scope(user_id="ann").recall("key note", k=k).hits]


@pytest.mark.parametrize("texts", [False, True])
def test_an_endpoint_has_the_last_look(serve: Callable[[Reply], Server], *, texts: bool) -> None:
    server = serve(longest_first)
    with opened(None) as memory:
        before = order(memory, 50)
    with opened(HttpReranker(server.url, "judge", texts=texts)) as memory:
        found = memory.scope(user_id="ann").recall("key note", explain=True)
    (path, body) = server.asked[0]
    assert path == "/v1/rerank"
    assert len(body["texts" if texts else "documents"]) == reranking.MOST_READ
    assert [hit.text for hit in found.hits] == before[::-1][:5]
    assert found.degraded == ()
    assert all(sum(hit.parts.values()) == pytest.approx(hit.score) for hit in found.hits)


def hang(_body: dict[str, Any]) -> tuple[int, bytes]:
    threading.Event().wait(1.0)
    return 200, b"{}"


@pytest.mark.parametrize(
    "reply",
    [
        hang,
        lambda _: (500, b"out of order"),
        lambda _: (429, b"{}"),
        lambda _: (200, b"no json"),
        lambda _: (200, b"{}"),
        lambda _: (200, b'{"results": []}'),
        lambda _: (200, b'{"results": [{"index": 99, "relevance_score": 1}]}'),
        lambda _: (200, b'{"results": [{"index": 0, "relevance_score": NaN}]}'),
        lambda _: (200, b'{"results": [{"index": "first", "relevance_score": 1}]}'),
        lambda _: (200, b'{"results": 7}'),
    ],
)
def test_without_an_answer_the_order_stands(
    serve: Callable[[Reply], Server], reply: Reply, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reranking, "DEADLINE_S", 0.2)
    with opened(None) as memory:
        before = order(memory)
    with opened(HttpReranker(serve(reply).url, "judge", api_key="made-up-key-123")) as memory:
        found = memory.scope(user_id="ann").recall("key note")
    assert [hit.text for hit in found.hits] == before
    assert len(found.degraded) == 1
    assert found.degraded[0].startswith("reranker: ")
    assert "made-up-key-123" not in found.degraded[0]


# -- a model in a folder ---------------------------------------------------------------------------------------------
def field(number: int, value: int | bytes) -> bytes:
    """A field of a protocol buffer."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint(value: int) -> bytes:
    low = value & 127
    return bytes([low]) if value < 128 else bytes([low | 128]) + varint(value >> 7)


def tensor(name: bytes, kind: int, *dims: bytes) -> bytes:
    shape = b"".join(field(1, field(2, dim)) for dim in dims)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def largest_id(*, keep: int) -> bytes:
    """An ONNX model whose score of a pair is the largest id of its pieces; keep=1: one column."""
    cast = field(1, b"input_ids") + field(2, b"numbers") + field(4, b"Cast")
    cast += field(5, field(1, b"to") + field(3, 1) + field(20, 2))
    most = field(1, b"numbers") + field(2, b"score") + field(4, b"ReduceMax")
    most += field(5, field(1, b"axes") + field(8, 1) + field(20, 7))
    most += field(5, field(1, b"keepdims") + field(3, keep) + field(20, 2))
    graph = field(1, cast) + field(1, most) + field(2, b"g")
    graph += field(11, tensor(b"input_ids", 7, b"n", b"t")) + field(12, tensor(b"score", 1, *(b"n", b"m")[: 1 + keep]))
    return field(1, 7) + field(8, field(2, 13)) + field(7, graph)


VOCABULARY = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nplain\nbetter\nbest"


def folder(path: Path, model: bytes) -> Path:
    (path / "model.onnx").write_bytes(model)
    (path / "vocab.txt").write_text(VOCABULARY, encoding="utf-8")
    return path


@pytest.mark.parametrize("keep", [0, 1])
def test_a_cross_encoder_reads_query_and_text_together(tmp_path: Path, keep: int) -> None:
    judge = CrossEncoder(folder(tmp_path, largest_id(keep=keep)))
    scores = judge.rerank("plain", ["plain", "best plain plain", "better"], timeout_s=10)
    assert scores[1] > scores[2] > scores[0] > 0.9
    assert len(judge.rerank("plain", ["best"] * 20, timeout_s=10)) == 20
    with pytest.raises(RerankerUnavailable, match="did not read 2 texts"):
        judge.rerank("plain", ["best", "better"], timeout_s=-1)


@pytest.mark.parametrize("model", [b"", b"no model"])
def test_a_folder_without_a_model_is_refused(tmp_path: Path, model: bytes) -> None:
    with pytest.raises(ConfigError, match="cannot run this model"):
        CrossEncoder(folder(tmp_path, model))
    with pytest.raises(ConfigError, match=r"model\.onnx cannot be read"):
        CrossEncoder(tmp_path / "nowhere")


class Picky(Reranker):
    name = "picky"

    def rerank(self, query: str, texts: Sequence[str], *, timeout_s: float) -> Sequence[float]:  # noqa: ARG002
        return [float("drawer 7" in text) for text in texts]


def test_anyone_can_write_one() -> None:
    with opened(Picky()) as memory:
        mine = memory.scope(user_id="ann")
        assert mine.recall("key note 7", k=1).hits[0].text.startswith("The key note number 7")
        assert "drawer 7" in mine.block("key note 7", k=1).text
