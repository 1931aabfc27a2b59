"""Who may call: keys, rights, tenants, hosts and origins, and how often."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from retentive import Memory, keys
from retentive.errors import ConfigError, InvalidInput, NotFound
from retentive.redaction import redact
from retentive.server.app import ROUTES, create_app
from retentive.server.options import ServerOptions
from retentive.server.problems import Refused
from retentive.server.routing import Route
from retentive.types import RIGHTS
from stubs import StubEmbedder

HOST = "http://127.0.0.1:8377"

Headers = Callable[..., dict[str, str]]
#: What anybody may ask: nothing of a memory is in it.
OPEN = {"/health/live", "/health/ready", "/healthz", "/v1/openapi.json"}


def paths(app: Starlette) -> Iterator[tuple[str, str]]:
    for route in app.routes:
        for method in route.methods - {"HEAD"}:  # type: ignore[attr-defined]  all of ours have them
            yield method, route.path.replace("{id}", "x")  # type: ignore[attr-defined]  as above


def test_every_route_asks_for_a_key(app: Starlette, client: TestClient, key_of: Headers) -> None:
    key_of("read")
    answers = {(method, path): client.request(method, path).status_code for method, path in paths(app)}
    assert {path for (_, path), status in answers.items() if status != 401} == OPEN
    wrong = {"authorization": "Bearer rtv_000000000000_" + "a" * 49}
    assert client.get("/v1/profile", headers=wrong).status_code == 401
    assert client.get("/v1/profile").headers["www-authenticate"].startswith("Bearer")


#: What each right opens: named here, so that a route that changes its right is seen.
EXPECTED = {
    "read": {
        "recall", "block", "get_profile", "list_memories", "get_memory", "history", "why", "list_sessions",
        "session_messages", "session_usage", "get_document",
    },
    "write": {"record", "remember", "update_profile", "update_memory", "end_session", "apply_document", "import"},
    "forget": {"forget_memory", "forget", "forget_everything"},
    "export": {"export"},
    "review": {"list_pending", "approve", "reject"},
    "admin": {
        "usage", "audit", "list_owners", "list_dead_jobs", "list_keys", "create_key", "rotate_key", "revoke_key",
        "status", "audit_verify", "requeue", "start_operation", "get_operation",
    },
}  # fmt: skip


def test_each_right_opens_its_own_routes_and_no_other(client: TestClient, key_of: Headers) -> None:
    assert {name for names in EXPECTED.values() for name in names} == {route.name for route in ROUTES}
    for right in RIGHTS:
        headers = key_of(right)
        opened = {route.name for route in ROUTES if _status(client, route, headers) != 403}
        assert opened == EXPECTED[right], right


def test_what_touches_the_whole_store_is_for_its_own_tenant(client: TestClient, key_of: Headers) -> None:
    headers = key_of(tenant="acme")
    refused = {route.name for route in ROUTES if _status(client, route, headers) == 403}
    assert refused == {"status", "audit_verify", "list_dead_jobs", "requeue", "start_operation", "get_operation"}
    assert client.get("/metrics", headers=headers).status_code == 403


def _status(client: TestClient, route: Route, headers: dict[str, str]) -> int:
    params = {"user_id": "alice"} if route.scoped else {}
    answer = client.request(route.method, route.path.replace("{id}", "x"), headers=headers, params=params)
    assert answer.status_code != 500
    return answer.status_code


def test_the_tenant_comes_from_the_key_alone(client: TestClient, key_of: Headers) -> None:
    acme, other = key_of(tenant="acme"), key_of(tenant="other")
    params = {"user_id": "alice"}
    made = client.post("/v1/facts", json={"text": "Prefers aisle seats"}, headers=acme, params=params)
    fact = made.json()["items"][0]["id"]
    key_id = client.get("/v1/keys", headers=acme).json()[0]["id"]
    for path in (f"/v1/memories/{fact}", f"/v1/memories/{fact}/why", f"/v1/memories/{fact}/history"):
        foreign = client.get(path, headers=other, params=params)
        unknown = client.get(path.replace(fact, "0192f0c1-0000-7000-8000-000000000000"), headers=other, params=params)
        assert (foreign.status_code, foreign.json()) == (404, unknown.json())
    assert client.request("DELETE", f"/v1/memories/{fact}", headers=other, params=params).status_code == 404
    assert client.request("DELETE", f"/v1/keys/{key_id}", headers=other).status_code == 404
    assert [key["tenant"] for key in client.get("/v1/keys", headers=other).json()] == ["other"]
    assert client.get("/v1/audit", headers=other).json()["entries"][0]["verb"] == "create_key"
    assert client.get("/v1/memories", headers=other, params=params).json()["items"] == []
    assert client.get("/v1/profile", headers=acme, params={**params, "tenant": "other"}).status_code == 422


def test_a_key_for_some_users_reaches_no_other(client: TestClient, key_of: Headers) -> None:
    headers = key_of("read", "write", users=["alice", "ann"])
    assert client.get("/v1/profile", headers=headers, params={"user_id": "ann"}).status_code == 200
    for params in ({"user_id": "bob"}, {"agent_id": "support"}, {}):
        assert client.get("/v1/profile", headers=headers, params=params).status_code == 403


# -- keys --------------------------------------------------------------------------------------------------------------
def test_a_key_is_known_to_the_redactor_and_kept_nowhere(memory: Memory) -> None:
    made = memory.keys.create("website")
    assert [span.kind for span in redact(f"use {made.text}, please").spans] == ["retentive_key"]
    assert made.text not in repr(made)
    secret = made.text.rpartition("_")[2].encode()
    location = memory.status().location
    memory.close()
    with open(location, "rb") as file:  # noqa: PTH123
        assert secret not in file.read()


def test_a_mistyped_key_opens_nothing(memory: Memory) -> None:
    text = memory.keys.create("website").text
    assert memory.keys.check(text) is not None
    for place in range(len(text)):
        other = "b" if text[place] != "b" else "c"
        assert memory.keys.check(text[:place] + other + text[place + 1 :]) is None
    assert memory.keys.check("") is None
    assert memory.keys.check(text + "\n") is None


def test_keys_are_made_rotated_and_revoked_over_http(client: TestClient, memory: Memory) -> None:
    admin = {"authorization": f"Bearer {memory.keys.create('root', rights=['admin']).text}"}
    made = client.post("/v1/keys", json={"name": "site", "rights": ["read"]}, headers=admin).json()
    reader = {"authorization": f"Bearer {made['text']}"}
    profile = {"user_id": "alice"}
    assert client.get("/v1/profile", headers=reader, params=profile).status_code == 200
    rotated = client.post(f"/v1/keys/{made['key']['id']}/rotate", json={}, headers=admin).json()
    assert client.get("/v1/profile", headers=reader, params=profile).status_code == 401
    reader = {"authorization": f"Bearer {rotated['text']}"}
    assert client.get("/v1/profile", headers=reader, params=profile).status_code == 200
    assert client.delete(f"/v1/keys/{rotated['key']['id']}", headers=admin).json()["ended_at"]
    assert client.get("/v1/profile", headers=reader, params=profile).status_code == 401
    again = client.post(f"/v1/keys/{made['key']['id']}/rotate", json={}, headers=admin)
    assert (again.status_code, again.json()["type"]) == (409, "urn:retentive:conflict")
    assert client.post("/v1/keys/000000000000/rotate", json={}, headers=admin).status_code == 404
    assert "text" not in client.get("/v1/keys", headers=admin).text.replace("context", "")


def test_a_key_revoked_elsewhere_opens_nothing_any_more(
    client: TestClient, memory: Memory, stub_embedder: StubEmbedder
) -> None:
    made = memory.keys.create("website", rights=["read"])
    headers, params = {"authorization": f"Bearer {made.text}"}, {"user_id": "alice"}
    assert client.get("/v1/profile", headers=headers, params=params).status_code == 200
    with Memory.open(memory.status().location, embedder=stub_embedder, background=False) as other:
        other.keys.revoke(made.key.id)
    assert client.get("/v1/profile", headers=headers, params=params).status_code == 401


def test_every_wrong_key_costs_the_work_of_a_right_one(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    made, ended = memory.keys.create("site"), memory.keys.create("old")
    memory.keys.revoke(ended.key.id)
    body = made.text[:-6]
    other, unknown = body[:-1] + "ab"[body[-1] == "a"], body.replace(made.key.id, "0123456789ab")
    checksum = keys._checksum  # noqa: SLF001  to make what fits and is wrong all the same
    wrong = [
        ended.text,
        other + checksum(other),
        unknown + checksum(unknown),
        made.text[:-1] + "!",
        "",
        "sk-1",
    ]
    done: list[str] = []

    def counted(where: Any, name: str) -> None:
        real = getattr(where, name)
        monkeypatch.setattr(where, name, lambda *given: (done.append(name), real(*given))[1])

    counted(memory.keys.store, "find")
    counted(keys.hmac, "digest")
    counted(keys.hmac, "compare_digest")
    counted(keys, "_checksum")
    assert memory.keys.check(made.text) == made.key
    work, done[:] = sorted(done), []
    assert len(work) == 4
    for text in wrong:
        assert memory.keys.check(text) is None
        assert (sorted(done), text) == (work, text)
        done.clear()


def test_an_expired_key_and_one_in_its_grace(memory: Memory) -> None:
    assert memory.keys.check(memory.keys.create("old", expires_at="2020-01-01T00:00:00Z").text) is None
    made = memory.keys.create("site")
    memory.keys.rotate(made.key.id, grace_s=60)
    assert memory.keys.check(made.text) is not None


def test_what_is_no_key_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="rights are some of"):
        memory.keys.create("x", rights=["everything"])
    with pytest.raises(InvalidInput, match="whole tenant"):
        memory.keys.create("x", rights=["admin"], users=["alice"])
    with pytest.raises(NotFound):
        memory.keys.revoke("none")


def test_while_there_is_no_key_none_can_be_right(client: TestClient, memory: Memory) -> None:
    params, text = {"user_id": "alice"}, "rtv_000000000000_" + "a" * 49
    answer = client.get("/v1/profile", params=params, headers={"authorization": f"Bearer {text}"})
    assert (answer.status_code, "retentive keys create" in answer.json()["detail"]) == (401, True)
    for placeholder in ("Bearer unused", "Bearer sk-none", "Basic eDp5", "Bearer"):
        answer = client.get("/v1/profile", params=params, headers={"authorization": placeholder})
        assert answer.status_code == 200, placeholder
    memory.keys.create("first")
    assert client.get("/v1/profile", params=params, headers={"authorization": "Bearer unused"}).status_code == 401


def test_without_any_key_only_this_machine_is_served(client: TestClient, memory: Memory) -> None:
    params = {"user_id": "alice"}
    assert client.get("/v1/profile", params=params).status_code == 200
    made = memory.keys.create("first")
    assert client.get("/v1/profile", params=params).status_code == 401
    memory.keys.revoke(made.key.id)
    assert client.get("/v1/profile", params=params).status_code == 401  # what was closed once stays so
    with TestClient(create_app(memory, ServerOptions(host="0.0.0.0")), HOST) as public:  # noqa: S104
        assert public.get("/v1/profile", params=params).status_code == 401


# -- how often ---------------------------------------------------------------------------------------------------------
def test_who_tries_wrong_keys_is_slowed_and_the_right_one_is_not(
    app: Starlette, client: TestClient, memory: Memory
) -> None:
    right = {"authorization": f"Bearer {memory.keys.create('site').text}"}
    wrong = f"Bearer {memory.keys.create('other').text[:-1]}!"
    statuses = []
    for _ in range(500):
        with pytest.raises(Refused) as refused:
            app.state.service.access.caller(wrong, "testclient", "read", operator=False)
        statuses.append(refused.value.status)
    assert set(statuses) == {401, 429}
    assert statuses.count(401) < 100
    params = {"user_id": "alice"}
    assert client.get("/v1/profile", headers=right, params=params).status_code == 200
    late = client.get("/v1/profile", headers={"authorization": wrong}, params=params)
    assert (late.status_code, int(late.headers["retry-after"]) >= 1) == (429, True)


def test_a_key_and_a_tenant_have_their_rates(memory: Memory, key_of: Headers) -> None:
    app = create_app(memory, ServerOptions(tenant_minute=5))
    slow, fast = key_of(rate_minute=2), key_of()
    params = {"user_id": "alice"}
    with TestClient(app, HOST) as client:
        assert [client.get("/v1/profile", headers=slow, params=params).status_code for _ in range(3)] == [200, 200, 429]
        assert [client.get("/v1/profile", headers=fast, params=params).status_code for _ in range(4)].count(200) == 3


# -- web pages of elsewhere --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1.evil.example:8377"}, 421),
        ({"host": "evil.example@127.0.0.1"}, 421),
        ({"host": "127.0.0.1:80:80"}, 421),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:9999"}, 403),
        ({"origin": "http://127.0.0.1:8377.evil.example"}, 403),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}, 403),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, 200),
        ({"origin": "http://127.0.0.1:8377"}, 200),
        ({"host": "LOCALHOST:8377"}, 200),
        ({"host": "[::1]:8377"}, 200),
    ],
)
def test_hosts_and_origins(client: TestClient, headers: dict[str, str], status: int) -> None:
    answer = client.get("/v1/profile", params={"user_id": "alice"}, headers=headers)
    assert answer.status_code == status
    assert "access-control-allow-origin" not in answer.headers


def test_an_origin_that_is_allowed_may_call(memory: Memory) -> None:
    app = create_app(memory, ServerOptions(allow_origins=("https://app.example.org",), allow_hosts=("memory.example",)))
    with TestClient(app, HOST) as client:
        headers = {"origin": "https://app.example.org", "host": "memory.example"}
        answer = client.get("/v1/profile", params={"user_id": "alice"}, headers=headers)
        assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, "https://app.example.org")
        ask = {**headers, "access-control-request-method": "POST", "access-control-request-headers": "authorization"}
        assert client.options("/v1/recall", headers=ask).status_code == 200


@pytest.mark.parametrize("options", [{"allow_origins": ("*",)}, {"allow_hosts": ("*.example",)}])
def test_no_wildcard_can_be_asked_for(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        ServerOptions(**options)


def test_nothing_is_kept_by_caches(client: TestClient) -> None:
    for path, origin in itertools.product(("/v1/profile", "/health/live"), ({}, {"origin": "null"})):
        headers = client.get(path, params={"user_id": "alice"} if "v1" in path else {}, headers=origin).headers
        assert "no-store" in headers.get("cache-control", "no-store" if origin else "")
