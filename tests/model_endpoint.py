"""A scripted `/chat/completions` endpoint on this machine: good answers, every failure, and a client that asks it."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from retentive.models.openai_compatible import Endpoint as Place
from retentive.models.openai_compatible import OpenAICompatibleModel

KEY = "sk-made-up-key-0123456789"
ASK = [
    {"role": "system", "content": "Take the city out of what is said, and nothing else than the city, please."},
    {"role": "user", "content": "I live in Turin."},
]
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
GOOD = {"city": "Turin"}

Body = dict[str, Any]
Behaviour = Callable[["Handler", Body], None]


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    path: str
    headers: Mapping[str, str]
    body: Body

    @property
    def way(self) -> str:
        """How JSON was asked for."""
        if "tools" in self.body:
            return "tool"
        asked = self.body.get("response_format", {"type": "prompt"})
        return str(asked["type"])


class Endpoint(ThreadingHTTPServer):
    """Answers each request with the next behaviour, the last one again and again; `asked` keeps the requests."""

    def __init__(self, *script: Behaviour) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = list(script)
        self.asked: list[Asked] = []
        self.over = threading.Event()
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, *_: Any) -> None:
        """A client that has gone is what some tests are about."""


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.asked.append(Asked(self.path, dict(self.headers), body))
            script = self.server.script
            behaviour = script.pop(0) if len(script) > 1 else script[0]
        behaviour(self, body)

    def send(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def endpoint(*script: Behaviour) -> Iterator[Endpoint]:
    with Endpoint(*script) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            server.shutdown()
            thread.join()


# -- good answers ------------------------------------------------------------------------------------------------------
def completion(content: Any, *, finish: str = "stop", usage: Any = None, **message: Any) -> Body:
    """OpenAI's shape: the fields that its documentation lists."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1796000000,
        "model": "tiny-2026-11-01",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content, "refusal": None} | message,
                "logprobs": None,
                "finish_reason": finish,
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120} if usage is None else usage,
    }


def says(content: Any, **more: Any) -> Behaviour:
    """An answer whose content is the value as JSON, or the text as it is."""
    text = content if isinstance(content, str | type(None) | list) else json.dumps(content, ensure_ascii=False)
    return sends(completion(text, **more))


def calls_tool(arguments: Any) -> Behaviour:
    call = {"id": "call_1", "type": "function", "function": {"name": "answer", "arguments": arguments}}
    return sends(completion(None, finish="tool_calls", tool_calls=[call]))


def sends(answer: Any) -> Behaviour:
    return raw(json.dumps(answer, ensure_ascii=False).encode())


def takes(ways: Mapping[str, Behaviour], otherwise: Behaviour) -> Behaviour:
    """An endpoint that takes only some ways of being asked for JSON."""

    def behave(handler: Handler, body: Body) -> None:
        ways.get(Asked("", {}, body).way, otherwise)(handler, body)

    return behave


# -- failures ----------------------------------------------------------------------------------------------------------
def raw(body: bytes, status: int = 200, **headers: str) -> Behaviour:
    return lambda handler, _: handler.send(body, status, **headers)


def refuses(status: int, message: str = "no", *, code: str | None = None, **headers: str) -> Behaviour:
    return raw(json.dumps({"error": {"message": message, "code": code}}).encode(), status, **headers)


def reset(handler: Handler, _: Body) -> None:
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()
    handler.close_connection = True


def silent(handler: Handler, _: Body) -> None:
    handler.server.over.wait(10)
    handler.close_connection = True


def slow(handler: Handler, _: Body) -> None:
    """A byte now and then, so that no single wait is long."""
    handler.send_response(200)
    handler.end_headers()
    try:
        while not handler.server.over.wait(0.02):
            handler.wfile.write(b" ")
    except OSError:  # the client has gone
        handler.close_connection = True


def cut_short(handler: Handler, _: Body) -> None:
    handler.send(b'{"choices": [', Content_Length="5000")
    handler.close_connection = True


def echoes(handler: Handler, body: Body) -> None:
    """The prompt, said again."""
    handler.send(json.dumps(completion("\n".join(str(one["content"]) for one in body["messages"]))).encode())


# -- a client ----------------------------------------------------------------------------------------------------------
def client_of(*servers: Endpoint, **options: Any) -> OpenAICompatibleModel:
    return OpenAICompatibleModel([Place(server.url, "tiny", api_key=KEY, **options) for server in servers])


def asked(*script: Behaviour, **options: Any) -> tuple[Any, list[Asked]]:
    """The value that came of a script, and the requests it took."""
    with endpoint(*script) as server:
        client = client_of(server, **options)
        value = client.complete(ASK, schema=SCHEMA).data
        client.close()
        return value, server.asked
