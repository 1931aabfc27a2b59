"""Errors are logged: they say what is wrong without saying a secret back, and they stay short."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from retentive import Memory, ScopedMemory
from retentive.errors import RetentiveError
from retentive.models.embed_none import NoEmbedder

SECRET = "ghp_" + "A1b2C3d4E5f6G7h8J9k0" + "L1m2N3p4Q5r6S7t8"
CALLS: dict[str, Callable[[ScopedMemory, str], Any]] = {
    "category": lambda mine, s: mine.remember("Likes tea", category=s),
    "field": lambda mine, s: mine.remember("Likes tea", field=s),
    "profile field": lambda mine, s: mine.update_profile({s: "x"}),
    "forget": lambda mine, s: mine.forget(s),
    "get": lambda mine, s: mine.get(s),
    "status": lambda mine, s: mine.list(status=s),
    "filter value": lambda mine, s: mine.list(where={"category": [s]}),
    "filter name": lambda mine, s: mine.list(where={s: []}),
    "message field": lambda mine, s: mine.record([{"role": "user", "content": "x", s: 1}]),
    "tier": lambda mine, s: mine.recall("x", tiers=[s]),
    "timestamp": lambda mine, s: mine.recall("x", since=s),
    "tag": lambda mine, s: mine.block(tag=s + "<"),
    "document": lambda mine, s: mine.apply_document(mine.document().replace("## ", f"## {s} ", 1)),
}


@pytest.fixture
def mine(tmp_path: Path) -> ScopedMemory:
    memory = Memory.open(tmp_path / "memory.db", embedder=NoEmbedder(), background=False)
    mine = memory.scope(user_id="alice")
    mine.remember("Keeps bees", category="event")
    return mine


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_an_error_does_not_say_a_secret_back(call: Callable[[ScopedMemory, str], Any], mine: ScopedMemory) -> None:
    with pytest.raises(RetentiveError) as raised:
        call(mine, SECRET)
    assert SECRET not in str(raised.value)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_an_error_is_short(call: Callable[[ScopedMemory, str], Any], mine: ScopedMemory) -> None:
    with pytest.raises(RetentiveError) as raised:
        call(mine, "x" * 100_000)
    assert len(str(raised.value)) < 600


@pytest.mark.parametrize("wrong", [None, 0, b"x", [], {}, object()])
def test_what_is_no_text_and_no_path_is_said_so(mine: ScopedMemory, wrong: Any) -> None:
    for call in (mine.apply_document, mine.export):
        with pytest.raises(RetentiveError):
            call(wrong)
