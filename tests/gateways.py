"""A gateway in front of a stand-in for a model, OpenAI's own client to it, and what was kept of what was said."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import uvicorn

from chat_server import Reply
from retentive import Memory
from retentive.config import Settings
from retentive.server.app import create_app
from retentive.server.pages.table import page_routes
from stubs import StubEmbedder

USAGE = {"prompt_tokens": 900, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 800}}


def whole(text: str) -> Reply:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    body = {"id": "c1", "object": "chat.completion", "created": 1, "model": "tiny", "choices": [choice], "usage": USAGE}
    return Reply(json.dumps(body).encode(), headers={"Content-Type": "application/json"})


@contextlib.contextmanager
def gateway(tmp_path: Path, url: str, **settings: Any) -> Iterator[tuple[Memory, str]]:
    """A server in front of an endpoint, on a port of its own."""
    ours = Settings(model_url=url, model_name="tiny", model_key="sk-upstream-0123456789", **settings)
    with Memory.open(tmp_path / "memory.db", embedder=StubEmbedder(), settings=ours, background=False) as memory:
        server = uvicorn.Server(uvicorn.Config(create_app(memory, more=page_routes()), port=0, log_level="error"))
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive()
            yield memory, f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/v1"
        finally:
            server.should_exit = True
            thread.join()


def client(url: str, key: str = "none", **more: Any) -> openai.OpenAI:
    return openai.OpenAI(base_url=url, api_key=key, max_retries=0, **{"default_query": {"user_id": "alice"}, **more})


def said(memory: Memory, user: str = "alice") -> list[str]:
    items = memory.scope(user_id=user).list("episodic", limit=100)
    return [item.text for item in reversed(items.items)]


def asked(text: str) -> dict[str, Any]:
    return {"model": "tiny", "messages": [{"role": "user", "content": text}]}
