"""A real browser and a served store. `make browser-test` installs the driver and asks for these tests.

The browser is the machine's: `chromium` of the system's packages, or what CHROMIUM names. `make test` leaves them out.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from retentive import Memory
from served_pages import Watched, live, served
from stubs import StubEmbedder

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser, for as long as the tests last."""
    if os.environ.get("BROWSER_TESTS") != "required":
        pytest.skip("`make browser-test` runs this")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  is only there for these tests

    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        pytest.fail("no Chromium: install your system's package `chromium`, or say CHROMIUM=/path/to/it", pytrace=False)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A store with a life in it, shared by a file's tests."""
    place = tmp_path_factory.mktemp("browser") / "memory.db"
    with Memory.open(place, embedder=StubEmbedder(), background=False) as memory:
        live(memory)
        yield memory


@pytest.fixture
def watch(chromium: Any) -> Iterator[Callable[..., Watched]]:
    """Opens pages that note what they complain about and where they ask; at the end there must be nothing of either."""
    opened: list[tuple[Any, Watched]] = []

    def opening(url: str, **how: Any) -> Watched:
        context = chromium.new_context(**how)
        watched = Watched(context.new_page(), url)
        page, notes = watched.page, watched.complaints
        page.on("console", lambda said: notes.append(said.text) if said.type in {"error", "warning"} else None)
        page.on("pageerror", lambda error: notes.append(str(error)))
        page.on("request", lambda asked: None if asked.url.startswith(url) else watched.elsewhere.append(asked.url))
        opened.append((context, watched))
        return watched

    yield opening
    for context, _ in opened:
        context.close()
    assert [(one.complaints, one.elsewhere) for _, one in opened] == [([], [])] * len(opened)


@pytest.fixture
def url(store: Memory) -> Iterator[str]:
    """Where the store is served."""
    with served(store) as address:
        yield address


@pytest.fixture
def images() -> Path | None:
    """Where pictures for the documentation go, if they are wanted: PAGE_IMAGES=docs/images."""
    named = os.environ.get("PAGE_IMAGES")
    return Path(named) if named else None
