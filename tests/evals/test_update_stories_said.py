"""What ends, told to an assistant rather than to `remember`: nothing that is over stays current."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from retentive import Memory, ScopedMemory
from stubs import StubEmbedder

KINDS = ("ended", "again", "profession", "switched")
STORIES: list[dict[str, Any]] = [
    story
    for line in (Path(__file__).parent / "update_stories.jsonl").read_text(encoding="utf-8").splitlines()
    if (story := json.loads(line))["kind"] in KINDS
]


def _told(mine: ScopedMemory, number: int, text: str) -> None:
    mine.record([{"role": "user", "content": text}], session_id=f"s{number}")


@pytest.fixture(scope="module")
def memory() -> Any:
    with Memory.open(":memory:", embedder=StubEmbedder(), background=False) as memory:
        for number in range(max(len(story["statements"]) for story in STORIES)):
            for story in STORIES:
                if number < len(story["statements"]):
                    mine = memory.scope(user_id=story["id"])
                    _told(mine, number, story["statements"][number])
                    mine.end_session(f"s{number}")
            memory.process()
        yield memory


@pytest.mark.parametrize("story", STORIES, ids=[story["id"] for story in STORIES])
def test_nothing_that_is_over_stays_current(story: dict[str, Any], memory: Memory) -> None:
    current = {fact.session_id for fact in memory.scope(user_id=story["id"]).list(tier="semantic")}
    assert not current & {f"s{number}" for number in story["expect"]["superseded"]}


def test_of_what_is_told_most_is_known(memory: Memory) -> None:
    known = [bool(memory.scope(user_id=story["id"]).list(tier="semantic", status=None)) for story in STORIES]
    assert sum(known) >= 0.8 * len(STORIES)  # a story of which nothing is kept shows nothing
