"""The web page: what each shows, does and refuses. Real browsers are in tests/browser."""

from __future__ import annotations

import html
import re
from pathlib import Path

from starlette.testclient import TestClient

from page_visits import ALICE, HOST, HOSTILE, PATHS, paths, send, sign_in, token
from retentive import Memory, Settings
from retentive.contracts.ledger import Account
from retentive.contracts.models import Usage
from retentive.server.app import create_app
from retentive.server.pages.operating import shown_settings
from retentive.server.pages.signed_in import LASTS_S, SignedIn
from retentive.server.pages.table import PAGES, page_routes
from retentive.types import RIGHTS
from stubs import StubEmbedder


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


def test_the_profile_is_set_and_emptied(browser: TestClient, memory: Memory) -> None:
    mine = memory.scope(user_id="alice")
    mine.update_profile({"name": "Alice", "language": "German"})
    page = browser.get("/profile", params=ALICE).text
    assert ('name="name" value="Alice"' in page, 'name="timezone" value=""' in page) == (True, True)
    send(browser, "/profile?user_id=alice", name="Alice", language="", timezone="Europe/Lisbon")
    assert mine.profile() == {"name": "Alice", "timezone": "Europe/Lisbon"}
    assert len(mine.list(status=None, where={"field": "name"})) == 1  # what was left as it was is no new version


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
