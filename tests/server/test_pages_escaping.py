"""Whatever a memory holds, a page shows it as text: it opens no tag, sets no attribute, and not a character is lost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from retentive import Memory
from retentive.clock import new_id
from retentive.server.app import create_app
from retentive.server.pages.table import page_routes
from stubs import StubEmbedder

TEMPLATES = files("retentive.server.pages") / "templates"
#: Every tag that stands in a template.
TAGS = {tag for path in TEMPLATES.iterdir() for tag in re.findall(r"<([a-z]+[0-9]?)", path.read_text())} | {"time"}
#: What could end a tag, an attribute, a template's expression or a comment, between ordinary words.
PIECES = [*"<>&\"'=/ é\u202e", "--", "{{", "}}", "{%", "%}", "script", "onload", "&lt;", "&#60;", "]]>"]
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), min_size=1, max_size=12).map("".join)


class Seen(HTMLParser):
    """Tags with their attributes' names, and the words of the first heading."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.marks: set[tuple[str, str]] = set()
        self.heading = ""
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.marks |= {(tag, name) for name, _ in attrs} | {(tag, "")}
        self._inside = tag == "h1"

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "h1"

    def handle_data(self, data: str) -> None:
        self.heading += data if self._inside else ""


def seen(page: str) -> Seen:
    parser = Seen()
    parser.feed(page)
    parser.close()
    return parser


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[Memory, TestClient]]:
    """A store in memory, and a browser on it."""
    with Memory.open(":memory:", embedder=StubEmbedder(), background=False) as memory:
        yield memory, TestClient(create_app(memory, more=page_routes()), "http://127.0.0.1:8377")


@given(text=TEXTS)
@settings(max_examples=25, deadline=None)
def test_any_text_is_shown_as_text(served: tuple[Memory, TestClient], text: str) -> None:
    memory, client = served
    whose = {"user_id": new_id()}
    mine = memory.scope(**whose)
    if not text.strip() or "\0" in text:
        return
    ids = mine.remember(text, source="web", metadata={"note": text}).ids
    if not ids:
        return  # nothing in it to keep
    page = seen(client.get(f"/memories/{ids[0]}", params=whose).text)
    assert page.heading == mine.get(ids[0]).text
    found = seen(client.get("/memories", params={**whose, "q": text, "meta": f"note={text}"}).text)
    for tag, name in page.marks | found.marks:
        assert tag in TAGS
        assert not name.startswith("on")
        assert (tag, name) not in {("script", "type"), ("a", "srcdoc"), ("meta", "http-equiv")}
