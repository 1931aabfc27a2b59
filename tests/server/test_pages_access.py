"""Who may see and do what on the web page, and what its forms refuse."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from page_visits import ALICE, HOST, paths, sign_in, token
from retentive import Memory
from retentive.server.app import create_app
from retentive.server.options import ServerOptions
from retentive.server.pages.table import PAGES, page_routes
from retentive.types import RIGHTS
from stubs import StubEmbedder

Headers = Callable[..., dict[str, str]]


# -- who may -------------------------------------------------------------------------------------------------------
def test_without_signing_in_there_is_only_the_way_in(
    browser: TestClient, key_of: Headers, lived: dict[str, str]
) -> None:
    key_of("read")
    for path in paths(lived):
        answer = browser.get(path)
        assert (answer.status_code, answer.text) == (303, ""), path
        assert answer.headers["location"].startswith("/sign-in?next=%2F")
    assert browser.post("/memories?user_id=alice", data={"text": "x"}).headers["location"].startswith("/sign-in")
    assert browser.get("/sign-in").status_code == 200


def test_signing_in_gives_a_cookie_that_is_no_key(browser: TestClient, key_of: Headers, lived: dict[str, str]) -> None:
    headers = key_of()
    wrong = {"token": token(browser, "/sign-in"), "key": "rtv_000000000000_" + "a" * 49}
    assert browser.post("/sign-in", data=wrong).status_code == 401
    right = {**wrong, "key": headers["authorization"].removeprefix("Bearer ")}
    away = browser.post("/sign-in?next=//evil.example", data=right)
    assert away.headers["location"] == "/"
    cookie = away.headers["set-cookie"]
    assert ("HttpOnly" in cookie, "SameSite=strict" in cookie, right["key"] in cookie) == (True, True, False)
    for path in paths(lived):
        answer = browser.get(path)
        assert (answer.status_code, right["key"] in answer.text) == (200, False), path
    assert browser.get("/v1/profile", params=ALICE).status_code == 401  # the cookie opens pages alone
    browser.post("/sign-out", data={"token": token(browser)})
    assert browser.get("/").status_code == 303


def test_guessing_keys_is_slowed_and_keeps_nobody_out(memory: Memory, key_of: Headers) -> None:
    right = key_of()
    client = TestClient(
        create_app(memory, ServerOptions(failures_minute=3), more=page_routes()), HOST, follow_redirects=False
    )
    guess = {"token": token(client, "/sign-in"), "key": "rtv_000000000000_" + "a" * 49}
    assert [client.post("/sign-in", data=guess).status_code for _ in range(5)] == [401, 401, 401, 429, 429]
    sign_in(client, right)


def test_a_revoked_key_is_signed_out_at_once(browser: TestClient, key_of: Headers, memory: Memory) -> None:
    sign_in(browser, key_of())
    assert browser.get("/").status_code == 200
    memory.keys.revoke(memory.keys.list()[0].id)
    assert browser.get("/").status_code == 303


#: What each right opens.
OPENS = {
    "read": {
        "/memories",
        "/memories/{id}",
        "/profile",
        "/recall",
        "/block",
        "/timeline",
        "/graph",
        "/sessions",
        "/session",
    },
    "export": {"/transfer/export"},
    "forget": {"/memories/{id}/forget", "/erase"},
    "review": {"/review"},
    "admin": {"/keys", "/audit", "/usage", "/jobs", "/settings", "/operations/{id}"},
}
FOR_ALL = {"/", "/transfer"}


@pytest.mark.parametrize("right", RIGHTS)
def test_each_right_opens_its_own_pages_and_no_other(
    browser: TestClient, key_of: Headers, lived: dict[str, str], right: str
) -> None:
    sign_in(browser, key_of(right))
    opened = set()
    for page in PAGES:
        path = page.path.replace("{id}", lived["plain"])
        answer = browser.get(path, params={**ALICE, "id": "s-1", "q": "work"})
        assert answer.status_code in {200, 403, 404}, page.path
        opened |= {page.path} if answer.status_code != 403 else set()
    # a page that erases shows first what would go: it takes both rights
    also = {"/memories/{id}/forget"} if right == "forget" else set()
    assert opened - FOR_ALL == OPENS.get(right, set()) - also


def test_a_key_of_another_tenant_sees_its_own_alone(
    browser: TestClient, key_of: Headers, lived: dict[str, str]
) -> None:
    sign_in(browser, key_of(tenant="acme"))
    assert "user_id=alice" not in browser.get("/").text
    assert browser.get(f"/memories/{lived['plain']}", params=ALICE).status_code == 404
    for path in ("/jobs", "/settings"):
        assert browser.get(path).status_code == 403
    assert re.findall(r"<td>(\w+)</td><td class=\"r\">", browser.get("/audit").text) == ["create_key"]


def test_a_key_for_some_users_is_asked_which(browser: TestClient, key_of: Headers) -> None:
    sign_in(browser, key_of("read", users=["alice", "ann"]))
    page = browser.get("/memories").text
    assert ("user_id=alice" in page, "user_id=ann" in page) == (True, True)
    assert browser.get("/memories", params={"user_id": "bob"}).status_code == 403


def test_a_sign_in_ends_with_signing_out_or_in_anew(browser: TestClient, key_of: Headers) -> None:
    sign_in(browser, key_of())
    first = dict(browser.cookies)
    sign_in(browser, key_of())
    second = dict(browser.cookies)
    browser.post("/sign-out", data={"token": token(browser)})
    for kept in (first, second):
        browser.cookies.update(kept)
        assert browser.get("/").status_code == 303


# -- forms ---------------------------------------------------------------------------------------------------------
def test_a_form_that_this_site_did_not_make_changes_nothing(browser: TestClient, memory: Memory) -> None:
    for data in ({"text": "Planted"}, {"text": "Planted", "token": "0" * 64}, {"text": "Planted", "token": ""}):
        assert browser.post("/memories?user_id=alice", data=data).status_code == 403
    theirs = TestClient(create_app(memory, more=page_routes()), HOST)
    other = {"text": "Planted", "token": token(theirs)}
    assert browser.post("/memories?user_id=alice", data=other).status_code == 403
    elsewhere = {"origin": "http://evil.example"}
    mine = {"text": "Planted", "token": token(browser)}
    assert browser.post("/memories?user_id=alice", data=mine, headers=elsewhere).status_code == 403
    assert len(memory.scope(user_id="alice").list()) == 0


def test_a_form_belongs_to_who_signed_in(browser: TestClient, key_of: Headers) -> None:
    sign_in(browser, key_of())
    before = token(browser)
    browser.post("/sign-out", data={"token": before})
    sign_in(browser, key_of())
    assert browser.post("/memories?user_id=alice", data={"token": before, "text": "Planted"}).status_code == 403


def test_a_form_that_does_not_fit_says_what_is_wrong(browser: TestClient) -> None:
    data = {"token": token(browser), "text": "  "}
    answer = browser.post("/memories?user_id=alice", data=data)
    assert (answer.status_code, "$.text is missing" in answer.text) == (422, True)
    assert browser.get("/recall", params={**ALICE, "q": "x", "k": "five"}).status_code == 422
    big = ServerOptions(max_body_bytes=1000)
    with Memory.open(":memory:", embedder=StubEmbedder(), background=False) as memory:
        client = TestClient(create_app(memory, big, more=page_routes()), HOST)
        assert client.post("/transfer?user_id=alice", data={"lines": "x" * 2000}).status_code == 413
