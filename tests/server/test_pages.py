"""The web page: what each shows, does and refuses. Real browsers are in tests/browser."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from retentive import Memory, Settings
from retentive.contracts.ledger import Account
from retentive.contracts.models import Usage
from retentive.server.app import create_app
from retentive.server.options import ServerOptions
from retentive.server.pages.operating import shown_settings
from retentive.server.pages.signed_in import LASTS_S, SignedIn
from retentive.server.pages.table import PAGES, page_routes
from retentive.types import RIGHTS
from stubs import StubEmbedder

HOST = "http://127.0.0.1:8377"
ALICE = {"user_id": "alice"}
HOSTILE = "</MEMORY> <script>alert(1)</script> \" onload='x' {{ 7 * 7 }}"

Headers = Callable[..., dict[str, str]]


@pytest.fixture
def browser(memory: Memory) -> Iterator[TestClient]:
    """A browser of this machine, on a store without a key."""
    app = create_app(memory, more=page_routes())
    with TestClient(app, HOST, follow_redirects=False) as client:
        yield client


def token(client: TestClient, path: str = "/memories?user_id=alice") -> str:
    found = re.search(r'name="token" value="([0-9a-f]{64})"', client.get(path).text)
    assert found is not None, path
    return found[1]


def send(client: TestClient, path: str, **fields: str) -> str:
    """Fill in a form, follow to the page it leads to, and read that."""
    answer = client.post(path, data={"token": token(client), **fields}, follow_redirects=True)
    assert answer.status_code == 200, answer.text
    return answer.text


def sign_in(client: TestClient, headers: dict[str, str]) -> None:
    key = headers["authorization"].removeprefix("Bearer ")
    answer = client.post("/sign-in", data={"token": token(client, "/sign-in"), "key": key})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")


@pytest.fixture
def lived(memory: Memory) -> dict[str, str]:
    """A memory with something on every page, hostile where it can be; ids by what they are."""
    mine = memory.scope(user_id="alice")
    said = [
        {"role": "user", "content": "I live in Lisbon. I prefer window seats."},
        {"role": "user", "content": HOSTILE},
    ]
    mine.record(said, session_id="s-1")
    mine.end_session("s-1")
    memory.process()
    hostile = mine.remember(HOSTILE, source="web").ids[0]
    plain = mine.remember("Works at Globex", metadata={"team": HOSTILE}).ids[0]
    mine.update(plain, text="Works at Initech")
    mine.remember("Never call before noon", evergreen=True)
    extracted = next(item.id for item in mine.list("semantic") if item.episode_ids and "seats" in item.text)
    return {"hostile": hostile, "plain": plain, "extracted": extracted}


PATHS = [
    "/", "/memories", "/memories?q=seats", "/memories?tier=episodic", "/memories?status=any&category=preference",
    "/memories?meta=team%3Dx", "/memories?as_of=2030-01-01T00:00", "/memories/{hostile}", "/memories/{plain}",
    "/memories/{extracted}", "/memories/{hostile}/forget", "/recall", "/recall?q=where+does+she+live&k=3", "/block",
    "/block?q=seats", "/timeline", "/timeline?as_of=2030-01-01T00:00",
    "/timeline?q=work&as_of=2030-01-01T00:00&known_at=2030-01-01T00:00", "/graph", "/sessions", "/session?id=s-1",
    "/transfer", "/erase", "/review", "/usage", "/jobs", "/audit", "/audit?verify=1", "/keys", "/settings",
]  # fmt: skip


def paths(ids: dict[str, str]) -> Iterator[str]:
    for path in PATHS:
        yield path.format(**ids) + ("&" if "?" in path else "?") + "user_id=alice"


def test_every_page_shows_what_is_stored_as_text_and_nothing_else(browser: TestClient, lived: dict[str, str]) -> None:
    seen = 0
    for path in paths(lived):
        answer = browser.get(path)
        assert answer.status_code == 200, path
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert HOSTILE not in answer.text
        assert not re.search(r"<script(?! src=\"/static/)|<[^>]* (on\w+|style)=|<style|https?://", answer.text), path
        seen += html.escape("<script>alert(1)</script>", quote=False) in answer.text
    assert seen >= 8  # as text, where memories are shown


def test_every_page_in_the_table_was_looked_at() -> None:
    looked_at = {re.sub(r"\{\w+\}", "{id}", path.partition("?")[0]) for path in PATHS}
    assert looked_at == {page.path for page in PAGES} - {"/transfer/export", "/operations/{id}"}


def test_a_memory_shows_its_quote_in_its_conversation_its_versions_and_who(
    browser: TestClient, lived: dict[str, str]
) -> None:
    text = browser.get(f"/memories/{lived['extracted']}", params=ALICE).text
    assert "I live in Lisbon. <mark>I prefer window seats.</mark>" in text
    assert "worker" in text
    text = browser.get(f"/memories/{lived['plain']}", params=ALICE).text
    assert text.index("Works at Initech") < text.index("Works at Globex")
    assert ("superseded" in text, "Believed from" in text, "local" in text) == (True, True, True)


def test_a_person_remembers_finds_corrects_and_forgets(browser: TestClient, memory: Memory) -> None:
    assert "Nothing is remembered here yet" in browser.get("/memories", params=ALICE).text
    page = send(browser, "/memories?user_id=alice", text="Prefers aisle seats", category="preference")
    assert ("Stored." in page, "Prefers aisle seats" in page) == (True, True)
    memory.process()
    mine = memory.scope(user_id="alice")
    (item,) = mine.list()
    assert (item.category, item.evergreen) == ("preference", False)
    assert f"/memories/{item.id}" in browser.get("/recall", params={**ALICE, "q": "seats"}).text
    fields = {"text": "Prefers window seats", "category": "preference", "version": '"1"'}
    assert "Prefers window seats" in send(browser, f"/memories/{item.id}?user_id=alice", **fields)
    assert (mine.get(item.id).text, mine.get(item.id).version) == ("Prefers window seats", 2)
    stale = browser.post(f"/memories/{item.id}?user_id=alice", data={"token": token(browser), **fields, "text": "No"})
    assert stale.status_code == 409
    assert "Would go" in browser.get(f"/memories/{item.id}/forget", params=ALICE).text
    assert "nothing of it is left" in send(browser, f"/memories/{item.id}/forget?user_id=alice")
    assert len(mine.list(status=None)) == 0
    assert browser.get(f"/memories/{item.id}", params=ALICE).status_code == 404


def test_a_memory_is_taken_along(browser: TestClient, memory: Memory, tmp_path: Path) -> None:
    memory.scope(user_id="alice").remember("Prefers aisle seats")
    exported = browser.get("/transfer/export", params=ALICE)
    assert "attachment" in exported.headers["content-disposition"]
    with Memory.open(tmp_path / "other.db", embedder=StubEmbedder(), background=False) as other:
        client = TestClient(create_app(other, more=page_routes()), HOST)
        assert "1 stored" in send(client, "/transfer?user_id=alice", lines=exported.text)
        assert [item.text for item in other.scope(user_id="alice").list()] == ["Prefers aisle seats"]


def test_all_of_a_user_is_erased_by_whoever_writes_the_name(browser: TestClient, memory: Memory) -> None:
    memory.scope(user_id="alice").remember("Prefers aisle seats")
    memory.scope(user_id="bob").remember("Prefers window seats")
    page = browser.get("/erase", params=ALICE).text
    assert "Would go" in page
    wrong = browser.post("/erase?user_id=alice", data={"token": token(browser), "name": "bob"})
    assert (wrong.status_code, len(memory.scope(user_id="alice").list())) == (422, 1)
    assert "nothing of it is left" in send(browser, "/erase?user_id=alice", name="alice", verify="yes")
    assert [len(memory.scope(user_id=user).list(status=None)) for user in ("alice", "bob")] == [0, 1]


def test_hidden_characters_are_written_out(browser: TestClient, memory: Memory) -> None:
    (hidden,) = memory.scope(user_id="alice").remember("Pays in\u202e euros").ids
    assert "Pays in\\u202e euros" in browser.get(f"/memories/{hidden}", params=ALICE).text


def test_the_graph_shows_statements_and_what_tools_marked(browser: TestClient, memory: Memory) -> None:
    mine = memory.scope(user_id="alice")
    mine.remember("My sister Anna lives in Rome")
    about = {"graph": "relation", "entity": "Globex", "to": "Initech", "type": "owns"}
    mine.remember("Globex owns Initech", metadata=about)
    mine.remember("What a day", metadata={"graph": "relation", "entity": 7, "to": [], "type": {}})
    page = browser.get("/graph", params=ALICE).text
    for ties in ("sister Anna: location: Rome", "Globex: owns: Initech", "alice: knows: Globex"):
        assert ties in page


def test_pages_are_turned_without_missing_or_repeating_any(browser: TestClient, memory: Memory) -> None:
    mine = memory.scope(user_id="alice")
    mine.record([{"content": f"Message number {number} of many"} for number in range(120)])
    found, path = list[str](), "/memories?user_id=alice&tier=episodic"
    while path:
        text = browser.get(path).text
        found += re.findall(r"Message number (\d+) of many", text)
        older = re.search(r'rel="next" href="([^"]+)"', text)
        path = html.unescape(older[1]) if older else ""
    assert sorted(map(int, found)) == list(range(120))


def test_what_waits_is_approved_in_a_persons_words_or_turned_down(browser: TestClient, memory: Memory) -> None:
    mine = memory.scope(user_id="alice")
    for number, session in ((7, "s-1"), (12, "s-2"), (99, "s-3")):
        said = {"role": "user", "content": f"My invoice address is Rua Augusta {number}."}
        mine.record([said], session_id=session)
        mine.end_session(session)
        memory.process()
    waiting = memory.review.pending()
    assert len(waiting) == 2
    page = browser.get("/review").text
    assert "Rua Augusta 12" in page
    first, second = (one.item for one in waiting)
    send(browser, "/review", id=first.id, decision="approve", text="Invoices go to Rua Augusta 12a", was=first.text)
    send(browser, "/review", id=second.id, decision="reject", why="misheard", text=second.text, was=second.text)
    assert mine.get(first.id).text == "Invoices go to Rua Augusta 12a"
    assert (mine.get(second.id).status, mine.get(second.id).reason) == ("rejected", "misheard")
    assert memory.review.pending() == []


def test_jobs_that_gave_up_are_shown_and_have_another_chance(browser: TestClient, memory: Memory) -> None:
    memory.scope(user_id="alice").remember("Prefers aisle seats")
    queue = memory._backend.queue  # noqa: SLF001  a job gives up only after hours
    (job,) = queue.claim("test", limit=1, lease_s=60)
    queue.dead(job, "LookupError: no such thing")
    page = browser.get("/jobs").text
    assert ("LookupError" in page, "alice" in page) == (True, True)
    assert "another chance" in send(browser, "/jobs", kind="requeue")
    assert memory.process().done == 1
    assert memory.dead_jobs() == []
    started = send(browser, "/jobs", kind="doctor")
    assert "Doctor" in started


def test_the_meters_add_up(browser: TestClient, memory: Memory) -> None:
    account = Account(memory.scope(user_id="alice").scope.partition, "extract", "s-1")
    now = 1_787_014_800_000_000
    memory._backend.ledger.settle(account, now, Usage(1200, 300, 1000, 0.5), model="small")  # noqa: SLF001
    page = browser.get("/usage", params={"by": "model"}).text
    assert ("<b>1,500</b> tokens" in page, "<b>$0.50</b>" in page, "small" in page) == (True, True, True)


def test_beliefs_of_a_moment_are_shown(browser: TestClient, memory: Memory) -> None:
    memory.scope(user_id="alice").remember("Works at Globex")
    page = browser.get("/timeline", params={**ALICE, "as_of": "2001-01-01T00:00"}).text
    assert "Nothing was believed then." in page
    assert page.count("Works at Globex") == 1  # in the life of each fact alone


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
    "read": {"/memories", "/memories/{id}", "/recall", "/block", "/timeline", "/graph", "/sessions", "/session"},
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


# -- parts -------------------------------------------------------------------------------------------------------------
def test_a_new_key_is_shown_once(browser: TestClient) -> None:
    page = send(browser, "/keys", action="create", name="root", **{f"right_{right}": "yes" for right in RIGHTS})
    text = re.search(r"rtv_[0-9a-f]{12}_\w{49}", page)
    assert text is not None
    sign_in(browser, {"authorization": f"Bearer {text[0]}"})
    assert text[0] not in browser.get("/keys").text


def test_settings_show_no_secret() -> None:
    secret = "sk-" + "a1B2" * 8
    url = "postgresql://ann:hunter2secret@db.example/memory"
    shown = dict((name, value) for name, value, _ in shown_settings(Settings(model_key=secret, url=url)))  # noqa: C402
    assert (shown["model_key"], shown["embedder_key"]) == ("set, not shown", "not set")
    assert "hunter2secret" not in shown["url"]
    assert secret not in str(shown)


def test_a_sign_in_is_over_after_its_time() -> None:
    now = [0.0]
    signed_in = SignedIn(lambda: now[0])
    name = signed_in.begin("rtv_x")
    now[0] = LASTS_S - 1
    assert signed_in.key(name) == "rtv_x"
    now[0] = LASTS_S
    assert (signed_in.key(name), signed_in.key(None)) == (None, None)


def test_files_are_kept_by_browsers_and_nothing_else_is_served(browser: TestClient) -> None:
    page = browser.get("/").text
    for path in re.findall(r'"(/static/[^"]+)"', page):
        answer = browser.get(path)
        assert (answer.status_code, "immutable" in answer.headers["cache-control"]) == (200, True)
    assert "no-store" in browser.get("/").headers["cache-control"]
    for name in ("nothing.css", "..%2Fvisit.py", "%2e%2e/site.py"):
        assert browser.get(f"/static/{name}").status_code == 404
