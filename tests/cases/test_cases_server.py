"""Cases that other products' users ran into over HTTP."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from retentive import Memory
from retentive.server.app import create_app
from retentive.types import RIGHTS

HOST = "http://127.0.0.1:8377"


@pytest.fixture
def client(memory: Memory) -> Iterator[TestClient]:
    with TestClient(create_app(memory), HOST, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def in_tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def by_mcp(client: TestClient, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool gives, of alice in the tenant of the client's key, in the era of handshakes."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    accept = {"accept": "application/json, text/event-stream"}
    answer = client.post("/mcp", params={"user_id": "alice"}, json=call, headers=accept)
    given: dict[str, Any] = answer.json()["result"]["structuredContent"]
    return given


@pytest.mark.usefixtures("in_tokyo")
def test_case_11_times_are_utc_and_the_same_everywhere(client: TestClient, memory: Memory) -> None:
    alice = {"user_id": "alice"}
    said = [{"content": "I moved to Porto.", "id": "m1", "timestamp": "2026-08-18T09:00:00+08:00"}]
    client.post("/v1/messages", params=alice, json={"messages": said, "session_id": "s1"})
    episode = client.get("/v1/memories", params=alice).json()["items"][0]["id"]
    memory.process()
    times = {
        client.get(f"/v1/memories/{episode}", params=alice).json()["timestamp"],
        client.get("/v1/memories", params={**alice, "tier": "episodic"}).json()["items"][0]["timestamp"],
        client.get("/v1/sessions/s1/messages", params=alice).json()[0]["timestamp"],
        client.post("/v1/recall", params=alice, json={"query": "Porto"}).json()["hits"][0]["timestamp"],
        client.get("/v1/sessions", params=alice).json()[0]["last_at"],
        client.get(f"/v1/memories/{episode}/history", params=alice).json()[0]["timestamp"],
        by_mcp(client, "get_memory", id=episode)["timestamp"],
        by_mcp(client, "list_memories", tier="episodic")["memories"][0]["timestamp"],
    }
    assert times == {"2026-08-18T01:00:00Z"}
    done = [entry["at"] for entry in client.get("/v1/audit").json()["entries"]]
    assert done
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", at) for at in done)


def test_case_27_a_server_says_where_its_store_is_and_starts_with_no_unknown_setting(
    client: TestClient, memory: Memory, tmp_path: Path
) -> None:
    assert client.get("/health/ready").json()["store"] == memory.status().location
    environment = {**os.environ, "RETENTIVE_DATABASE": str(tmp_path / "other.db")}
    command = [sys.executable, "-m", "retentive.cli", "serve", "--port", "0"]
    ran = subprocess.run(command, check=False, capture_output=True, text=True, env=environment, timeout=60)
    assert (ran.returncode, "RETENTIVE_DATABASE" in ran.stderr) == (1, True)
    assert list(tmp_path.glob("other*")) == []


@pytest.mark.parametrize(
    "where",
    [
        {"user_id": "bob"},
        {"tenant": "other"},
        {"$or": "1"},
        {"category": {"$ne": ""}},
        {"category": ["preference", "event"]},
        {"category": "*"},
        {"category": ""},
        {},
        None,
    ],
)
def test_case_32_no_filter_and_no_metadata_leads_to_another_user(client: TestClient, where: Any) -> None:
    bob = {"text": "Prefers trains", "metadata": {"user_id": "alice", "tenant": "other"}}
    client.post("/v1/facts", params={"user_id": "bob"}, json=bob)
    asked = client.post("/v1/recall", params={"user_id": "alice"}, json={"query": "trains", "where": where})
    listed = client.get("/v1/memories", params={"user_id": "alice", "where": json.dumps(where)})
    erased = client.post("/v1/forget", params={"user_id": "alice"}, json={"where": where})
    assert asked.status_code == 422 or asked.json()["hits"] == []
    assert (listed.status_code, erased.status_code) == (422, 422)
    assert len(client.get("/v1/memories", params={"user_id": "bob"}).json()["items"]) == 1


def test_case_32_no_tenant_reads_another_by_any_door(client: TestClient, memory: Memory) -> None:
    """The same user in three tenants: whatever is read, and however it is asked for, there is only one's own."""
    tenants = ("one", "two", "three")
    keys = {name: memory.keys.create(name, rights=RIGHTS, tenant=name).text for name in tenants}
    for name in tenants:
        mine = memory.scope(user_id="alice", tenant=name)
        mine.remember(f"The word of {name} is swordfish", evergreen=True, metadata={"tenant": "one", "user_id": "bob"})
        mine.record([{"content": f"Swordfish, said {name}."}], session_id="s1")
    memory.process()
    ids = {name: memory.scope(user_id="alice", tenant=name).list().items[0].id for name in tenants}
    alice = {"user_id": "alice"}
    for name in tenants:
        client.headers["authorization"] = f"Bearer {keys[name]}"
        read = [
            client.get(f"/v1/{path}", params=alice).text
            for path in (
                "memories",
                "export",
                "document",
                "sessions",
                "sessions/s1/messages",
                "audit",
                "owners",
                "usage",
            )
        ]
        read += [
            client.post("/v1/recall", params=alice, json={"query": "swordfish", "where": where, "k": 50}).text
            for where in (None, {"word": "swordfish"}, {"session_id": "s1"})
        ]
        read += [client.post("/v1/block", params=alice, json={"query": "swordfish", "budget_tokens": 4000}).text]
        read += [
            json.dumps(by_mcp(client, tool, **more))
            for tool, more in (
                ("list_memories", {}),
                ("search_memories", {"query": "swordfish"}),
                ("get_memory_block", {"query": "swordfish"}),
            )
        ]
        others = [other for other in tenants if other != name]
        for text in read:
            assert not [
                other for other in others if f"of {other} is" in text or f"said {other}" in text or ids[other] in text
            ]
        assert sum(f"of {name} is" in text for text in read) >= 6
        for other in others:
            for path in ("", "/history", "/why"):
                assert client.get(f"/v1/memories/{ids[other]}{path}", params=alice).status_code == 404
        assert client.get("/v1/memories", params={**alice, "tenant": others[0]}).status_code == 422
