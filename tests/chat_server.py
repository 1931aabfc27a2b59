"""A stand-in for a model's endpoint: answers each request with the next of the replies it was given, and keeps it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """One answer: status, headers and the raw body. `cut`: the connection ends before the length that was promised."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "text/event-stream"})
    cut: bool = False


def event(text: str | None = None, **more: Any) -> bytes:
    delta = {} if text is None else {"content": text}
    said = {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} | more
    return f"data: {json.dumps(said, ensure_ascii=False)}\n\n".encode()


def words(*pieces: str) -> Reply:
    """A whole streamed answer, with what servers add: a role first, a comment, usage at the end."""
    first = b'data: {"choices": [{"delta": {"role": "assistant", "content": ""}}]}\n\n: keep-alive\n\n'
    last = b'data: {"choices": [], "usage": {"total_tokens": 3}}\n\ndata: [DONE]\n\n'
    return Reply(first + b"".join(map(event, pieces)) + last)


def refusal(status: int, message: str = "no", **headers: str) -> Reply:
    shown = {"Content-Type": "application/json"} | {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(json.dumps({"error": {"message": message}}).encode(), status, shown)


class ChatServer(ThreadingHTTPServer):
    """`url` is where it is; `requests` what it was asked; `replies` what it will say, the last one again and again."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies = list(replies)
        self.requests: list[dict[str, Any]] = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1"

    def next_reply(self) -> Reply:
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


class _Handler(BaseHTTPRequestHandler):
    server: ChatServer

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests.append(
            {"path": self.path, "headers": dict(self.headers), "body": json.loads(raw), "raw": raw}
        )
        reply = self.server.next_reply()
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body) + 100 * reply.cut))
        self.end_headers()
        self.wfile.write(reply.body)
        self.close_connection = reply.cut

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def serving(*replies: Reply) -> Iterator[ChatServer]:
    with ChatServer(replies) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()
