"""The verbs over HTTP: what they store, give back and refuse."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from starlette.testclient import TestClient

from retentive import Memory
from retentive.server.app import ROUTES, create_app
from retentive.server.options import ServerOptions
from retentive.server.problems import MEDIA_TYPE


def remembered(client: TestClient, text: str, **more: Any) -> str:
    answer = client.post("/v1/facts", json={"text": text, **more})
    assert answer.status_code == 201, answer.text
    fact_id: str = answer.json()["items"][0]["id"]
    return fact_id


def test_a_memory_lives_and_is_forgotten_over_http(alice: TestClient, memory: Memory) -> None:
    fact = remembered(alice, "Prefers aisle seats", category="preference")
    memory.process()
    hits = alice.post("/v1/recall", json={"query": "aisle seats"}).json()["hits"]
    assert [hit["id"] for hit in hits] == [fact]
    read = alice.get(f"/v1/memories/{fact}")
    assert (read.json()["text"], read.headers["etag"]) == ("Prefers aisle seats", '"1"')
    changed = alice.patch(f"/v1/memories/{fact}", json={"text": "Prefers window seats"}, headers={"if-match": '"1"'})
    assert changed.json()["items"][0]["outcome"] == "stored"
    assert [one["text"] for one in alice.get(f"/v1/memories/{fact}/history").json()] == [
        "Prefers aisle seats",
        "Prefers window seats",
    ]
    assert alice.delete(f"/v1/memories/{fact}").json()["ids"] == [fact]
    assert alice.get(f"/v1/memories/{fact}").status_code == 404


def test_messages_sessions_and_the_block(alice: TestClient, memory: Memory) -> None:
    said = [
        {
            "role": "user",
            "content": "I moved to Porto in May.",
            "id": "msg-17",
            "timestamp": "2026-08-18T09:00:00+08:00",
        },
        {"role": "assistant", "content": "Congratulations!"},
    ]
    answer = alice.post("/v1/messages", json={"messages": said, "session_id": "s1"})
    assert [item["outcome"] for item in answer.json()["items"]] == ["stored", "stored"]
    assert alice.post("/v1/sessions/s1/end").status_code == 202
    memory.process()
    assert [one["id"] for one in alice.get("/v1/sessions").json()] == ["s1"]
    messages = alice.get("/v1/sessions/s1/messages").json()
    assert [one["timestamp"] for one in messages][:1] == ["2026-08-18T01:00:00Z"]
    assert "Porto" in alice.post("/v1/block", json={"query": "where does she live?"}).json()["text"]
    assert alice.get("/v1/sessions/none/messages").status_code == 404


def test_the_profile_and_its_document(alice: TestClient) -> None:
    alice.patch("/v1/profile", json={"name": "Alice", "timezone": "GMT+8"})
    assert alice.get("/v1/profile").json() == {"name": "Alice", "timezone": "GMT+8"}
    text = alice.get("/v1/document").json()["text"]
    headers = {"content-type": "text/markdown"}
    report = alice.put("/v1/document", content=text.replace("GMT+8", "Europe/Lisbon"), headers=headers).json()
    assert len(report["corrected"]) == 1
    assert alice.get("/v1/profile").json()["timezone"] == "Europe/Lisbon"
    assert alice.patch("/v1/profile", json={"shoe_size": "44"}).status_code == 422


def test_pages_follow_each_other(alice: TestClient) -> None:
    ids = [remembered(alice, f"Fact number {number} is about topic {number}") for number in range(5)]
    first = alice.get("/v1/memories", params={"limit": 3}).json()
    second = alice.get("/v1/memories", params={"limit": 3, "cursor": first["cursor"]}).json()
    assert [item["id"] for item in (*first["items"], *second["items"])] == ids[::-1]
    assert second["cursor"] is None
    filtered = alice.get("/v1/memories", params={"where": json.dumps({"category": "event"})})
    assert filtered.json()["items"] == []


def test_an_export_can_be_taken_in_elsewhere(alice: TestClient) -> None:
    remembered(alice, "Prefers aisle seats")
    lines = alice.get("/v1/export")
    assert lines.headers["content-type"].startswith("application/x-ndjson")
    headers = {"content-type": "application/x-ndjson"}
    bob = {"user_id": "bob"}
    clash = alice.post("/v1/import", content=lines.content, headers=headers, params=bob)
    assert clash.status_code == 422  # the same ids cannot be two people's in one store
    assert alice.post("/v1/forget-everything").status_code == 200
    assert alice.post("/v1/import", content=lines.content, headers=headers, params=bob).status_code == 201
    assert len(alice.get("/v1/memories", params=bob).json()["items"]) == 1


# -- errors ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("call", "sent", "status", "words"),
    [
        ("POST /v1/facts", {"json": {}}, 422, "$.text is missing"),
        ("POST /v1/facts", {"json": {"text": "x", "user_id": "bob"}}, 422, "not asked for"),
        ("POST /v1/facts", {"json": {"text": 3}}, 422, "not of type string"),
        ("POST /v1/facts", {"content": b"{", "headers": {"content-type": "application/json"}}, 400, "not JSON"),
        ("POST /v1/facts", {"content": b'{"text": "a"}'}, 415, "application/json"),
        ("POST /v1/facts", {"json": {"text": "a", "expires_at": "2026-08-18T09:00:00"}}, 422, "zone"),
        ("POST /v1/recall", {"json": {"query": "x", "where": {"user_id": "bob"}}}, 422, "is no filter"),
        ("POST /v1/recall", {"json": {"query": "x", "where": {"a": ["b"]}}}, 422, "$.where"),
        ("GET /v1/memories", {"params": {"limit": "many"}}, 422, "limit"),
        ("GET /v1/memories", {"params": {"lim": "1"}}, 422, "none of user_id"),
        ("GET /v1/memories/no-such-id", {}, 404, "No memory"),
        ("POST /v1/sessions/s1/messages", {"json": {}}, 405, "takes another method: see /v1/openapi.json"),
        ("POST /v1/chat/completions", {"json": {}}, 404, "set RETENTIVE_MODEL_URL and RETENTIVE_MODEL_NAME"),
        ("GET /v1/nothing", {}, 404, "no such path: see /v1/openapi.json"),
        ("DELETE /v1/recall", {}, 405, "another method"),
        ("POST /v1/forget-everything", {"json": {"sure": True}}, 422, "no body"),
    ],
)
def test_a_mistake_is_a_problem_that_says_what_is_wrong(
    alice: TestClient, call: str, sent: dict[str, Any], status: int, words: str
) -> None:
    answer = alice.request(*call.split(), **sent)
    problem = answer.json()
    assert (answer.status_code, answer.headers["content-type"]) == (status, MEDIA_TYPE)
    assert problem["status"] == status
    assert words in problem["detail"]
    assert problem["type"].startswith("urn:retentive:")


def test_limits_on_size_and_depth(memory: Memory, alice: TestClient) -> None:
    deep = b'{"text": "a", "metadata": ' + b'{"a":' * 5_000 + b"1" + b"}" * 5_000 + b"}"
    headers = {"content-type": "application/json"}
    assert "nested" in alice.post("/v1/facts", content=deep, headers=headers).json()["detail"]
    brackets_in_words = alice.post("/v1/facts", json={"text": "Likes " + "[" * 100 + '\\"' + "{" * 100})
    assert brackets_in_words.status_code == 201
    huge = alice.post("/v1/facts", content=b" " * (17 << 20), headers=headers)
    assert huge.status_code == 413
    assert len(memory.scope(user_id="alice").list()) == 1


def test_an_answer_that_takes_too_long_says_so(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()
    monkeypatch.setattr(type(memory.scope(user_id="a")), "profile", lambda _: released.wait(20))
    app = create_app(memory, ServerOptions(answer_timeout_s=0.05))
    with TestClient(app, "http://127.0.0.1:8377") as client:
        answer = client.get("/v1/profile", params={"user_id": "alice"})
        released.set()
    assert (answer.status_code, "Idempotency-Key" in answer.json()["detail"]) == (503, True)


def test_a_request_that_comes_too_slowly_is_given_up(memory: Memory) -> None:
    app = create_app(memory, ServerOptions(body_timeout_s=0.05))
    headers = [(b"host", b"127.0.0.1:8377"), (b"content-type", b"application/json"), (b"content-length", b"9")]
    scope = {"type": "http", "method": "POST", "path": "/v1/recall", "headers": headers, "query_string": b"user_id=a"}
    sent: list[Any] = []

    async def never() -> Any:
        await anyio.sleep_forever()

    async def send(message: Any) -> None:
        sent.append(message)

    anyio.run(app, scope, never, send)
    assert sent[0]["status"] == 408


def test_an_error_nobody_expected_tells_nothing(alice: TestClient, memory: Memory, monkeypatch: Any) -> None:
    def fail(*_: object, **__: object) -> None:
        message = "the words of a memory"
        raise ZeroDivisionError(message)

    monkeypatch.setattr(type(memory.scope(user_id="a")), "profile", fail)
    answer = alice.get("/v1/profile")
    assert (answer.status_code, answer.headers["content-type"]) == (500, MEDIA_TYPE)
    assert "memory" not in answer.text.replace("retentive", "")


# -- the same request again --------------------------------------------------------------------------------------------
def test_a_repeated_request_is_answered_once(alice: TestClient, memory: Memory) -> None:
    headers = {"idempotency-key": "job-1"}
    said = {"messages": [{"role": "user", "content": "I moved to Porto."}]}
    first = alice.post("/v1/messages", json=said, headers=headers)
    again = alice.post("/v1/messages", json=said, headers=headers)
    assert (again.status_code, again.json(), again.headers["idempotent-replayed"]) == (201, first.json(), "true")
    assert len(memory.scope(user_id="alice").list(tier="episodic")) == 1
    other = alice.post("/v1/messages", json={"messages": [{"content": "Other"}]}, headers=headers)
    assert (other.status_code, "another request" in other.json()["detail"]) == (422, True)


def test_a_request_that_failed_may_be_sent_again(alice: TestClient) -> None:
    headers = {"idempotency-key": "job-2"}
    assert alice.patch("/v1/profile", json={"shoe_size": "44"}, headers=headers).status_code == 422
    assert alice.patch("/v1/profile", json={"shoe_size": "44"}, headers=headers).status_code == 422
    assert alice.patch("/v1/profile", json={"name": "Alice"}, headers={"idempotency-key": "job-3"}).status_code == 200


def test_a_key_of_a_fact_stands_for_that_fact_however_late(alice: TestClient, memory: Memory) -> None:
    memory.scope(user_id="alice").remember("Prefers aisle seats", idempotency_key="seat-1")
    headers = {"idempotency-key": "seat-1"}
    other = alice.post("/v1/facts", json={"text": "Prefers window seats"}, headers=headers)
    assert (other.status_code, other.json()["type"]) == (409, "urn:retentive:idempotency-conflict")
    same = alice.post("/v1/facts", json={"text": "Prefers aisle seats"}, headers=headers)
    assert (same.status_code, same.json()["items"][0]["outcome"]) == (201, "duplicate")
    assert len(memory.scope(user_id="alice").list()) == 1


def test_answers_that_are_kept_hold_no_text(alice: TestClient, memory: Memory) -> None:
    remembered(alice, "Prefers aisle seats")
    alice.post("/v1/facts", json={"text": "Prefers window seats"}, headers={"idempotency-key": "job-4"})
    fact = alice.get("/v1/memories").json()["items"][0]["id"]
    alice.delete(f"/v1/memories/{fact}")
    assert memory.keys.store is not None
    location = memory.status().location
    with open(location, "rb") as file:  # noqa: PTH123
        assert b"window seats" not in file.read()


def test_a_change_of_what_was_changed_meanwhile_is_refused(alice: TestClient) -> None:
    fact = remembered(alice, "Prefers aisle seats")
    alice.patch(f"/v1/memories/{fact}", json={"text": "Prefers window seats"})
    late = alice.patch(f"/v1/memories/{fact}", json={"text": "Prefers the back"}, headers={"if-match": '"1"'})
    assert late.status_code == 412
    assert alice.get(f"/v1/memories/{fact}").json()["text"] == "Prefers window seats"


# -- the people responsible --------------------------------------------------------------------------------------------
def test_background_work_is_asked_after(alice: TestClient) -> None:
    alice.params = {}
    remembered_by = {"user_id": "alice"}
    alice.post("/v1/facts", json={"text": "Prefers aisle seats"}, params=remembered_by)
    begun = alice.post("/v1/operations", json={"kind": "process"})
    assert begun.status_code == 202
    for _ in range(1000):
        operation = alice.get(f"/v1/operations/{begun.json()['id']}").json()
        if operation["state"] not in {"waiting", "running"}:
            break
    assert (operation["state"], operation["result"]["done"] >= 1) == ("done", True)
    assert alice.get("/v1/operations/none").status_code == 404


def test_usage_audit_and_status(alice: TestClient) -> None:
    fact = remembered(alice, "Prefers aisle seats")
    alice.params = {}
    entry = alice.get("/v1/audit", params={"memory_id": fact}).json()["entries"][0]
    assert re.fullmatch(r"key-[0-9a-f]{12}", entry["actor"])
    assert entry["verb"] == "remember"
    assert alice.get("/v1/audit/check").json()["problems"] == []
    assert alice.get("/v1/usage").json() == []
    assert alice.get("/v1/usage", params={"by": "colour"}).status_code == 422
    assert alice.get("/v1/status").json()["counts"]
    assert alice.post("/v1/jobs/requeue").json() == {"count": 0}


def test_review_over_http(alice: TestClient, memory: Memory) -> None:
    mine = memory.scope(user_id="alice")
    mine.remember("My diagnosis is asthma", category="identity")
    alice.params = {}
    waiting = alice.get("/v1/review").json()
    for one in waiting:
        assert alice.post(f"/v1/review/{one['item']['id']}/approve", json={}).status_code == 200
    assert alice.post("/v1/review/none/approve", json={}).status_code == 404
    assert alice.post("/v1/review/none/reject", json={"why": "wrong"}).status_code == 404


def test_whose_memory_there_is_and_which_jobs_gave_up(
    alice: TestClient, memory: Memory, key_of: Callable[..., dict[str, str]]
) -> None:
    memory.scope(user_id="alice").remember("Prefers aisle seats")
    memory.scope(agent_id="support", tenant="acme").remember("Prefers short answers")
    alice.params = {}
    owners = alice.get("/v1/owners").json()
    assert owners == [{"tenant": "default", "kind": "user", "owner": "alice"}]
    (foreign,) = alice.get("/v1/owners", headers=key_of("admin", tenant="acme")).json()
    assert (foreign["kind"], foreign["owner"]) == ("agent", "support")
    assert alice.get("/v1/jobs/dead").json() == []


def test_metrics_and_health(alice: TestClient, client: TestClient) -> None:
    alice.get("/v1/profile")
    assert client.get("/health/live").json() == {"status": "ok"}
    assert client.get("/healthz").json()["jobs_waiting"] == 0
    text = alice.get("/metrics", params={}).text
    assert 'retentive_requests_total{route="/v1/profile",method="GET",status="200"} 1' in text
    assert 'retentive_request_seconds_bucket{route="/v1/profile",le="+Inf"} 1' in text
    assert "retentive_jobs_waiting 0" in text


def test_every_verb_has_a_route_and_every_name_is_one() -> None:
    names = [route.name for route in ROUTES]
    assert len(set(names)) == len(names)
    assert len({(route.method, route.path) for route in ROUTES}) == len(ROUTES)
