"""The embedder that asks an endpoint, against endpoints on this machine that misbehave in every way."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from retentive.contracts import Vectors
from retentive.errors import ConfigError, EmbedderMismatch, EmbedderUnavailable
from retentive.models.embed_http import HttpEmbedder

KEY = "sk-made-up-key-0123456789"


class Endpoint(ThreadingHTTPServer):
    """An endpoint on this machine that answers as a test tells it to: one reply a request, then the last."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), EndpointHandler)
        self.requests: list[tuple[str, Mapping[str, str], dict[str, Any]]] = []
        self.replies: list[Callable[[EndpointHandler, list[str]], None]] = [good]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/api/v4"

    @property
    def batches(self) -> list[int]:
        return [len(body["input"]) for _, _, body in self.requests]


class EndpointHandler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, dict(self.headers), body))
        reply = self.server.replies[min(len(self.server.requests), len(self.server.replies)) - 1]
        reply(self, body["input"])

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def send(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)


def numbers(text: str) -> list[float]:
    return [float(len(text)), float(text.count("a")), 1.0]


def items(texts: Sequence[str]) -> list[dict[str, Any]]:
    return [{"object": "embedding", "index": n, "embedding": numbers(text)} for n, text in enumerate(texts)]


def good(handler: EndpointHandler, texts: list[str]) -> None:
    handler.send(json.dumps({"data": items(texts), "model": "m"}).encode())


def data(make: Callable[[list[str]], object]) -> Callable[[EndpointHandler, list[str]], None]:
    return lambda handler, texts: handler.send(json.dumps({"data": make(texts)}).encode())


def raw(body: bytes, status: int = 200, **headers: str) -> Callable[[EndpointHandler, list[str]], None]:
    return lambda handler, _: handler.send(body, status, **headers)


def reset(handler: EndpointHandler, _: list[str]) -> None:
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()
    handler.close_connection = True


def silent(handler: EndpointHandler, _: list[str]) -> None:
    threading.Event().wait(1)  # the tests' waits take no time, so time.sleep would not do
    handler.close_connection = True


def trickling(handler: EndpointHandler, _: list[str]) -> None:
    handler.send_response(200)
    handler.end_headers()
    try:
        for _byte in range(100):
            handler.wfile.write(b" ")
            threading.Event().wait(0.02)
    except OSError:  # the client has gone
        handler.close_connection = True


def cut_short(handler: EndpointHandler, _: list[str]) -> None:
    handler.send(b'{"data": [', Content_Length="5000")
    handler.close_connection = True


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits between attempts, which then take no time."""
    taken: list[float] = []
    monkeypatch.setattr("retentive.models.embed_http.time.sleep", taken.append)
    return taken


@pytest.fixture
def http(endpoint: Endpoint) -> Iterator[HttpEmbedder]:
    embedder = HttpEmbedder(endpoint.url, "m", api_key=KEY, timeout_s=5)
    yield embedder
    embedder.close()


def unit(text: str) -> Vectors:
    return np.divide(numbers(text), np.linalg.norm(numbers(text))).astype(np.float32)


def test_an_endpoint_is_asked_as_openai_is(endpoint: Endpoint, http: HttpEmbedder) -> None:
    vectors = http.embed(["banana", "kiwi"])
    np.testing.assert_allclose(vectors, [unit("banana"), unit("kiwi")], rtol=1e-6)
    assert vectors.dtype == np.float32
    path, headers, body = endpoint.requests[0]
    assert path == "/api/v4/embeddings"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert body == {"model": "m", "input": ["banana", "kiwi"]}
    assert (http.name, http.dimension) == ("m", 3)


def test_glm_takes_dimensions_and_at_most_64_texts(endpoint: Endpoint) -> None:
    endpoint.replies = [data(lambda texts: [{"embedding": [float(t)] + [1.0] * 511} for t in texts])]
    embedder = HttpEmbedder(endpoint.url, "embedding-3", dimensions=512)
    assert (embedder.name, embedder.dimension) == ("embedding-3@512", 512)
    vectors = embedder.embed([str(n) for n in range(150)])
    assert endpoint.batches == [64, 64, 22]
    assert {body["dimensions"] for _, _, body in endpoint.requests} == {512}
    np.testing.assert_allclose(vectors[:, 0] / vectors[:, 1], range(150), rtol=1e-5)
    embedder.close()


def test_a_query_string_and_a_last_slash_stay_in_their_place(endpoint: Endpoint) -> None:
    embedder = HttpEmbedder(endpoint.url + "/?api-version=2", "m")
    embedder.embed(["kiwi"])
    assert endpoint.requests[0][0] == "/api/v4/embeddings?api-version=2"
    assert "Authorization" not in endpoint.requests[0][1]
    embedder.close()


def test_vectors_go_to_their_texts_whatever_order_they_come_in(endpoint: Endpoint, http: HttpEmbedder) -> None:
    endpoint.replies = [data(lambda texts: items(texts)[::-1])]
    texts = ["banana", "kiwi", "papaya", "fig"]
    np.testing.assert_allclose(http.embed(texts), [unit(text) for text in texts], rtol=1e-6)


def test_blank_texts_are_not_sent(endpoint: Endpoint, http: HttpEmbedder) -> None:
    vectors = http.embed(["", "kiwi", " \n"])
    assert endpoint.batches == [1]
    assert [bool(row.any()) for row in vectors] == [False, True, False]
    assert http.embed(["", " "]).shape == (2, 3)
    assert http.embed([]).shape == (0, 3)
    assert endpoint.batches == [1]


def test_text_that_is_no_proper_unicode_is_sent(endpoint: Endpoint, http: HttpEmbedder) -> None:
    http.embed(["half of an emoji: \ud83d"])
    assert endpoint.batches == [1]


@pytest.mark.parametrize("trouble", [raw(b"slow down", 429), raw(b"", 500), raw(b"<html>", 503), reset, cut_short])
def test_passing_trouble_is_tried_again(
    endpoint: Endpoint, http: HttpEmbedder, waits: list[float], trouble: Callable[[EndpointHandler, list[str]], None]
) -> None:
    endpoint.replies = [trouble, trouble, good]
    np.testing.assert_allclose(http.embed(["kiwi"]), [unit("kiwi")], rtol=1e-6)
    assert len(endpoint.requests) == 3
    assert 0.5 <= waits[0] <= 1 <= waits[1] <= 2


@pytest.mark.parametrize("trouble", [raw(b"", 429), raw(b"", 502), reset])
def test_lasting_trouble_is_an_outage_after_the_last_retry(
    endpoint: Endpoint, http: HttpEmbedder, waits: list[float], trouble: Callable[[EndpointHandler, list[str]], None]
) -> None:
    endpoint.replies = [trouble]
    with pytest.raises(EmbedderUnavailable, match=r"127\.0\.0\.1:\d+/api/v4/embeddings .*attempts: 4"):
        http.embed(["kiwi"])
    assert len(endpoint.requests) == 4
    assert len(waits) == 3


@pytest.mark.parametrize("trouble", [silent, trickling])
def test_an_answer_that_does_not_come_in_time_is_an_outage(
    endpoint: Endpoint, waits: list[float], trouble: Callable[[EndpointHandler, list[str]], None]
) -> None:
    endpoint.replies = [trouble]
    embedder = HttpEmbedder(endpoint.url, "m", timeout_s=0.4, max_retries=1)
    with pytest.raises(EmbedderUnavailable, match="did not answer in time"):
        embedder.embed(["kiwi"])
    assert len(waits) == 1
    embedder.close()


def test_a_call_is_over_when_its_time_is(endpoint: Endpoint, http: HttpEmbedder, waits: list[float]) -> None:
    endpoint.replies = [raw(b"", 503, Retry_After="20")]
    with pytest.raises(EmbedderUnavailable, match="503"):
        http.embed(["kiwi"], timeout_s=5)
    assert len(endpoint.requests) == 1
    assert waits == []
    with pytest.raises(EmbedderUnavailable, match="in time"):
        http.embed(["kiwi"], timeout_s=0)
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    ("asked", "shortest", "longest"),
    [
        ("7", 7, 7),
        ("3600", 30, 30),
        (formatdate(time.time() + 3600, usegmt=True), 30, 30),
        ("-5", 0.5, 1),
        ("soon", 0.5, 1),
        ("nan", 0.5, 1),
    ],
)
def test_a_wait_that_is_asked_for_is_taken_within_bounds(
    endpoint: Endpoint, waits: list[float], asked: str, shortest: float, longest: float
) -> None:
    endpoint.replies = [raw(b"", 429, Retry_After=asked), good]
    HttpEmbedder(endpoint.url, "m").embed(["kiwi"])
    assert len(waits) == 1
    assert shortest <= waits[0] <= longest


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 301])
def test_a_refusal_fails_at_once_and_says_why(endpoint: Endpoint, http: HttpEmbedder, status: int) -> None:
    said = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}" + "x" * 5000}}).encode()
    endpoint.replies = [raw(said, status, Location="http://127.0.0.1:1/elsewhere")]
    with pytest.raises(EmbedderUnavailable, match=f"{status} Incorrect API key provided: ") as caught:
        http.embed(["kiwi"])
    assert len(endpoint.requests) == 1
    assert KEY not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("status", [200, 400, 500])
@pytest.mark.parametrize(
    "body",
    [b"", b"<html>Sign in</html>", b"null", b"[]", b'"data"', b"\xff\xfe\x00", b'{"data": ', b"{}", b"[" * 100_000],
)
def test_a_body_that_cannot_be_read_is_an_outage(
    endpoint: Endpoint, http: HttpEmbedder, waits: list[float], body: bytes, status: int
) -> None:
    endpoint.replies = [raw(body, status)]
    with pytest.raises(EmbedderUnavailable):
        http.embed(["kiwi"])
    assert len(waits) == (3 if status == 500 else 0)


@pytest.mark.parametrize(
    "made",
    [
        [],
        None,
        {"embedding": [1.0]},
        [1, 2],
        [{"embedding": [1.0, 2.0]}],
        [{"embedding": [1.0]}, {"embedding": [1.0, 2.0]}],
        [{"embedding": []}, {"embedding": []}],
        [{"embedding": 1.0}, {"embedding": 2.0}],
        [{"embedding": [1.0, None]}, {"embedding": [1.0, 2.0]}],
        [{"embedding": ["one"]}, {"embedding": ["two"]}],
        [{"embedding": [float("nan"), 1.0]}, {"embedding": [1.0, 2.0]}],
        [{"embedding": [float("inf"), 1.0]}, {"embedding": [1.0, 2.0]}],
        [{"embedding": [1e308, 1e308]}, {"embedding": [1.0, 2.0]}],
        [{"embedding": [10**400]}, {"embedding": [1]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [2.0]}],
        [{"index": 1, "embedding": [1.0]}, {"index": 2, "embedding": [2.0]}],
        [{"index": 0, "embedding": [1.0]}, {"embedding": [2.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": [1], "embedding": [2.0]}],
    ],
)
def test_an_answer_that_is_no_list_of_vectors_is_an_outage(
    endpoint: Endpoint, http: HttpEmbedder, made: object
) -> None:
    endpoint.replies = [data(lambda _: made)]
    with pytest.raises(EmbedderUnavailable, match="answered with"):
        http.embed(["kiwi", "fig"])


def test_a_vector_of_zeros_stays_one(endpoint: Endpoint, http: HttpEmbedder) -> None:
    endpoint.replies = [data(lambda _: [{"embedding": [0, 0]}, {"embedding": [0, 2]}])]
    assert http.embed(["kiwi", "fig"]).tolist() == [[0, 0], [0, 1]]


def test_an_endless_answer_is_given_up(endpoint: Endpoint, http: HttpEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retentive.models.embed_http._LARGEST_REPLY", 10_000)
    endpoint.replies = [raw(b" " * 200_000)]
    with pytest.raises(EmbedderUnavailable, match="more than 10000 bytes"):
        http.embed(["kiwi"])


def test_another_dimension_than_asked_for_is_a_mismatch(endpoint: Endpoint) -> None:
    embedder = HttpEmbedder(endpoint.url, "m", dimensions=256)
    with pytest.raises(EmbedderMismatch, match="3 numbers, not 256"):
        embedder.embed(["kiwi"])
    embedder.close()


def test_another_dimension_than_before_is_a_mismatch(endpoint: Endpoint, http: HttpEmbedder) -> None:
    http.embed(["kiwi"])
    endpoint.replies = [data(lambda texts: [{"embedding": [1.0, 2.0]} for _ in texts])]
    with pytest.raises(EmbedderMismatch, match="2 numbers, not 3"):
        http.embed(["kiwi"])


def test_no_one_listening_is_an_outage(waits: list[float]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: nobody else can have the port
        embedder = HttpEmbedder(
            f"http://user:hidden@127.0.0.1:{taken.getsockname()[1]}/v1?key=hidden", "m", api_key=KEY
        )
        with pytest.raises(EmbedderUnavailable, match="could not be reached") as caught:
            embedder.embed(["kiwi"])
    assert "hidden" not in str(caught.value)
    assert len(waits) == 3


@pytest.mark.parametrize(
    "url", ["", "api.example.com/v1", "ftp://example.com", "http://", "http://a:b/", "http://[::1"]
)
def test_a_url_that_cannot_be_asked_is_refused_at_once(url: str) -> None:
    with pytest.raises(ConfigError, match="url"):
        HttpEmbedder(url, "m")


@pytest.mark.parametrize("key", [KEY + "\nX-Header: 1", KEY + "é", "\x00" + KEY])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        HttpEmbedder("http://127.0.0.1:1/v1", "m", api_key=key)
    assert KEY not in str(caught.value)


def test_the_key_is_in_no_repr(http: HttpEmbedder) -> None:
    assert KEY not in repr(http)
    assert KEY not in repr(vars(http))


def test_a_key_read_with_its_line_end_is_sent_without(endpoint: Endpoint) -> None:
    embedder = HttpEmbedder(endpoint.url, "m", api_key=f"{KEY}\n")
    embedder.embed(["kiwi"])
    assert endpoint.requests[0][1]["Authorization"] == f"Bearer {KEY}"
    embedder.close()


def test_a_closed_endpoint_embedder_opens_again(endpoint: Endpoint, http: HttpEmbedder) -> None:
    http.embed(["kiwi"])
    http.close()
    http.embed(["kiwi"])
    assert endpoint.batches == [1, 1]
