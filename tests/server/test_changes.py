"""Changes as server-sent events, over a real connection."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator

import httpx2
import pytest
import uvicorn

from retentive import Memory
from retentive.server.app import create_app


@pytest.fixture
def url(memory: Memory) -> Iterator[str]:
    """A server of the test's store."""
    server = uvicorn.Server(uvicorn.Config(create_app(memory), port=0, log_level="error", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/v1/changes"
    finally:
        server.should_exit = True
        thread.join()


@contextlib.contextmanager
def followed(url: str, user: str, **headers: str) -> Iterator[Iterator[httpx2.ServerSentEvent]]:
    with httpx2.stream("GET", url, params={"user_id": user}, headers=headers, timeout=20) as response:
        assert response.status_code == 200
        yield iter(httpx2.EventSource(response))


def test_what_happens_to_one_user_s_memory_is_told_as_it_happens(memory: Memory, url: str) -> None:
    key = memory.keys.create("app", rights=["read"])
    authorization = f"Bearer {key.text}"
    alice, bob = memory.scope(user_id="alice"), memory.scope(user_id="bob")
    before = alice.remember("Prefers aisle seats").ids[0]
    with followed(url, "alice", authorization=authorization) as events:
        bob.remember("Prefers trains")
        alice.update(before, text="Prefers window seats")
        alice.forget(before)
        told = [next(event for event in events if event.data) for _ in range(2)]
        assert [(one.event, json.loads(one.data)["ids"]) for one in told] == [
            ("update", [before]),
            ("forget", [before]),
        ]
        assert "seats" not in "".join(one.data for one in told)
    resumed = {"last-event-id": told[0].id, "authorization": authorization}
    with followed(url, "alice", **resumed) as events:
        assert next(event for event in events if event.data).id == told[1].id
        memory.keys.revoke(key.key.id)
        assert [event for event in events if event.data] == []  # and the stream ends


def test_what_is_no_place_in_the_stream_is_refused(url: str) -> None:
    answer = httpx2.get(url, params={"user_id": "alice"}, headers={"last-event-id": "yesterday"})
    assert answer.status_code == 422
