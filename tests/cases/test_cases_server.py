"""Cases that other products' users ran into over HTTP."""

from __future__ import annotations

import json
import os
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
    }
    assert times == {"2026-08-18T01:00:00Z"}


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
