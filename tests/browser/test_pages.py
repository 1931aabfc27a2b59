"""The web page in a real browser: every page, the life of a memory, a keyboard, no script, ten thousand memories."""

from __future__ import annotations

import io
import re
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from retentive import Memory
from retentive.clock import simulated
from retentive.models.embed_none import NoEmbedder
from retentive.server.pages.table import PAGES as TABLE
from retentive.types import RIGHTS
from served_pages import NOW_US, Watched, served

Watch = Callable[..., Watched]
PAGES = {
    "overview": "/", "memories": "/memories?user_id=alice", "memory": "/memories/{id}?user_id=alice",
    "forget": "/memories/{id}/forget?user_id=alice", "recall": "/recall?user_id=alice&q=where+does+Anna+live",
    "block": "/block?user_id=alice&q=seats", "timeline": "/timeline?user_id=alice&as_of=2026-11-20T00:00",
    "graph": "/graph?user_id=alice", "sessions": "/sessions?user_id=alice",
    "session": "/session?user_id=alice&id=s-move", "transfer": "/transfer?user_id=alice",
    "erase": "/erase?user_id=alice", "review": "/review", "profile": "/profile?user_id=alice",
    "usage": "/usage", "audit": "/audit?verify=1", "keys": "/keys", "jobs": "/jobs", "settings": "/settings",
    "sign in": "/sign-in", "whose": "/recall", "nobody": "/memories?user_id=nobody",
}  # fmt: skip
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
#: In the documentation: name, page, colours.
PICTURES = [
    ("memories", "memories", "light"), ("memory", "memory", "light"), ("recall", "recall", "light"),
    ("block", "block", "dark"), ("timeline", "timeline", "light"), ("graph", "graph", "dark"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def in_its_time() -> Iterator[None]:
    """The server's clock, for what pages count from now."""
    with simulated(lambda: NOW_US):
        yield


def address(store: Memory, name: str) -> str:
    items = store.scope(user_id="alice").list("semantic")
    return PAGES[name].format(id=next(item.id for item in items if "Anna" in item.text))


def wrong(page: Any) -> list[str]:
    """What is hard to use for some, as axe sees it; nothing serious, and nothing beyond the screen's edge."""
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415  is only there for these tests

    found = [f"{one['id']} ({one['impact']})" for one in Axe().run(page).response["violations"]]
    beyond = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return found + ([f"{beyond} px beyond the edge"] if beyond > 0 else [])


@pytest.mark.parametrize(("size", "colours"), [(WIDE, "light"), (WIDE, "dark"), (NARROW, "light"), (NARROW, "dark")])
def test_every_page_is_sound(watch: Watch, store: Memory, url: str, size: dict[str, int], colours: str) -> None:
    watched = watch(url, viewport=size, color_scheme=colours)
    found = {}
    for name in PAGES:
        watched.open(address(store, name))
        found[name] = wrong(watched.page)
    assert {name: said for name, said in found.items() if said} == {}


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[tuple[Memory, str]]:
    """An empty store, served."""
    with Memory.open(tmp_path / "memory.db", embedder=NoEmbedder(), background=False) as memory, served(memory) as at:
        yield memory, at


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_the_life_of_a_memory(watch: Watch, fresh: tuple[Memory, str], script: bool) -> None:
    memory, url = fresh
    watched = watch(url, java_script_enabled=script)
    page = watched.page
    watched.open("/memories?user_id=alice")
    page.get_by_text("Remember something").click()
    page.get_by_label("Statement").fill("Prefers <b>aisle</b> seats")
    page.get_by_role("button", name="Remember", exact=True).click()
    page.get_by_text("Stored.").wait_for()
    memory.process()
    page.get_by_role("link", name="Memories", exact=True).first.click()
    page.get_by_label("Search").fill("aisle")
    page.get_by_label("Search").press("Enter")
    page.get_by_text("answer best").wait_for()
    page.get_by_role("link", name="Recall", exact=True).click()
    page.get_by_label("Query").fill("which seats?")
    page.get_by_role("button", name="Recall", exact=True).click()
    page.get_by_text("How it came to").first.click()
    assert page.get_by_role("cell", name="Score", exact=True).is_visible()
    page.get_by_role("link", name="Prefers <b>aisle</b> seats").click()
    page.get_by_text("Correct", exact=True).click()
    page.get_by_label("Statement").fill("Prefers window seats")
    page.get_by_role("button", name="Save as a new version").click()
    page.get_by_role("heading", name="Prefers window seats").wait_for()
    assert page.get_by_role("cell", name="Prefers <b>aisle</b> seats").is_visible()
    memory_page = page.url
    page.get_by_role("link", name="Export, import").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert "Prefers window seats" in Path(download.value.path()).read_text(encoding="utf-8")
    page.goto(memory_page)
    page.get_by_role("link", name="Forget").click()
    page.get_by_role("button", name="Forget it").click()
    page.get_by_role("heading", name="Forgotten").wait_for()
    assert len(memory.scope(user_id="alice").list(status=None)) == 0


def test_no_page_is_left_out() -> None:
    """Those of the table that are not looked at above: a file, and the page of upkeep, which has a test of its own."""
    looked_at = {re.sub("\\?.*", "", path) for path in PAGES.values()}
    assert {page.path for page in TABLE} - looked_at == {"/transfer/export", "/operations/{id}"}


def test_a_quote_stands_in_its_conversation(watch: Watch, store: Memory, url: str) -> None:
    watched = watch(url)
    page = watched.page
    watched.open(address(store, "memory"))
    quote = page.locator(".talk .cited mark")
    assert "Anna lives in Rome" in quote.text_content()
    assert "I moved to Lisbon." in page.locator(".talk .cited p").text_content()
    assert "Congratulations!" in page.locator(".talk").text_content()  # with what was said around it
    page.get_by_role("link", name="s-move").click()
    page.get_by_text("Answer in German, please.").first.wait_for()


def test_the_timeline_says_what_was_believed_and_the_graph_leads_to_facts(watch: Watch, url: str) -> None:
    watched = watch(url)
    page = watched.page
    for day, moved in (("2026-11-01", False), ("2026-11-27", True)):
        watched.open("/timeline?user_id=alice")
        page.get_by_label("True at").fill(f"{day}T00:00")
        page.get_by_role("button", name="Look").click()
        page.get_by_role("heading", name="At that moment").wait_for()
        then = page.locator("#results").text_content().split("Life of each fact")[0]
        assert ("Kastanienallee 7" in then, "moved to Lisbon" in then) == (True, moved)
    watched.open("/graph?user_id=alice")
    assert page.locator("svg.graph text", has_text="Anna").is_visible()
    page.get_by_role("row", name="Anna").get_by_role("link").first.focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="What it rests on").wait_for()


def test_from_the_first_key_on_one_signs_in(watch: Watch, fresh: tuple[Memory, str]) -> None:
    memory, url = fresh
    watched = watch(url)
    page = watched.page
    watched.open("/keys")
    page.get_by_label("What for").fill("root")
    for right in RIGHTS:
        page.get_by_role("checkbox", name=right, exact=True).check()
    page.get_by_role("button", name="Make it").click()
    text = page.get_by_label("The new key").text_content()
    watched.open("/audit")
    page.get_by_role("heading", name="Sign in").wait_for()
    page.get_by_label("API key").fill(text)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Audit").wait_for()
    assert page.evaluate("document.cookie") == ""  # no script can read it
    memory.keys.revoke(memory.keys.list()[0].id)
    page.reload()
    page.get_by_role("heading", name="Sign in").wait_for()


def test_a_keyboard_is_enough(watch: Watch, url: str) -> None:
    watched = watch(url)
    page = watched.page
    watched.open("/memories?user_id=alice")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    page.locator("#main:focus").wait_for()
    page.get_by_label("Search").focus()
    page.keyboard.type("seats")
    page.keyboard.press("Enter")
    page.locator("#said", has_text="memories shown").wait_for(state="attached")
    assert "q=seats" in page.url
    page.go_back()
    page.get_by_text("newest first").wait_for()
    page.go_forward()
    page.get_by_text("answer best").wait_for()
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.className") == "text":
            break
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="What it rests on").wait_for()


def test_the_chosen_colours_stay(watch: Watch, url: str) -> None:
    watched = watch(url, color_scheme="light")
    page = watched.page
    watched.open("/")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Dark colours").click()
    watched.open("/audit")
    assert page.evaluate(ground) != light
    page.get_by_role("button", name="Light colours").click()
    assert page.evaluate(ground) == light


def test_a_file_is_imported(watch: Watch, fresh: tuple[Memory, str], store: Memory, tmp_path: Path) -> None:
    memory, url = fresh
    store.scope(user_id="bruno").export(tmp_path / "bruno.jsonl")
    watched = watch(url)
    watched.open("/transfer?user_id=bruno")
    watched.page.get_by_label("File").set_input_files(tmp_path / "bruno.jsonl")
    watched.page.locator("#said", has_text="was read").wait_for(state="attached")
    watched.page.get_by_role("button", name="Import").click()
    watched.page.get_by_text("1 stored").wait_for()
    assert [item.text for item in memory.scope(user_id="bruno").list()] == ["Prefers short answers"]


def test_upkeep_is_started_and_followed(watch: Watch, fresh: tuple[Memory, str]) -> None:
    watched = watch(fresh[1])
    watched.open("/jobs")
    watched.page.get_by_role("button", name="Doctor").click()
    watched.page.get_by_text("done", exact=True).wait_for()
    assert wrong(watched.page) == []


def test_ten_thousand_memories_stay_fast(watch: Watch, fresh: tuple[Memory, str]) -> None:
    memory, url = fresh
    mine = memory.scope(user_id="alice")
    for start in range(0, 10_000, 1000):
        texts = [f"Message {n}: order {n * 7919 % 10_007} left for city {n % 313}" for n in range(start, start + 1000)]
        mine.record([{"content": text} for text in texts], session_id=f"s-{start}")
    watched = watch(url)
    watched.open("/")
    for name, path in {
        "first page": "/memories?user_id=alice",
        "search": "/memories?user_id=alice&q=city+17",
        "a session of 1,000": "/session?user_id=alice&id=s-0",
    }.items():
        took_ms = []
        for _ in range(6):
            began_s = time.perf_counter()
            watched.page.goto(url + path, wait_until="load")
            took_ms.append(1000 * (time.perf_counter() - began_s))
        print(f"10,000 memories, {name}: {took_ms[0]:.0f} ms at first, {statistics.median(took_ms[1:]):.0f} ms then")  # noqa: T201
        assert watched.page.get_by_text("Message").count() > 10


def test_pictures_of_the_documentation(watch: Watch, store: Memory, url: str, images: Path | None) -> None:
    if images is None:
        pytest.skip("PAGE_IMAGES=docs/images takes them anew")
    from PIL import Image  # noqa: PLC0415  makes them small

    for name, page, colours in PICTURES:
        watched = watch(url, viewport={"width": 1120, "height": 640}, color_scheme=colours)
        watched.open(address(store, page))
        taken = Image.open(io.BytesIO(watched.page.screenshot()))
        small = taken.convert("P", palette=Image.Palette.ADAPTIVE, colors=96)
        small.save(images / f"web-{name}.png", optimize=True)
