"""What a conversation asks for: follow-ups that leave unsaid what they are about, and whole questions after another."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from retentive import Memory, Settings
from retentive.asking import leaves_unsaid, what_to_ask

FILE = Path(__file__).with_name("follow_ups.jsonl")
ROWS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
FOLLOW_UPS = [row for row in ROWS if "other" in row]
WHOLE = [row for row in ROWS if "other" not in row]


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", background=False, settings=Settings(extractor="none")) as memory:
        mine = memory.scope(user_id="ann")
        for text in dict.fromkeys(row[kind] for row in ROWS for kind in ("wanted", "other") if kind in row):
            mine.record([{"role": "user", "content": text}], session_id=text)
        memory.process()
        yield memory


def conversation(row: dict[str, str]) -> list[dict[str, str]]:
    said = (("user", "before"), ("assistant", "reply"), ("user", "last"))
    return [{"role": role, "content": row[kind]} for role, kind in said]


def found(memory: Memory, row: dict[str, str]) -> bool:
    query = what_to_ask(conversation(row)) or ""
    hits = memory.scope(user_id="ann").recall(query, k=3, tiers=("episodic",)).hits
    return row["wanted"] in [hit.text for hit in hits]


def test_a_follow_up_is_searched_for_with_what_it_follows(memory: Memory) -> None:
    assert all(leaves_unsaid(row["last"]) for row in FOLLOW_UPS)
    assert sum(found(memory, row) for row in FOLLOW_UPS) >= len(FOLLOW_UPS) - 2


def test_a_whole_question_is_not_led_astray(memory: Memory) -> None:
    assert all(found(memory, row) for row in WHOLE)


def test_a_session_asks_so(memory: Memory) -> None:
    with memory.scope(user_id="ann").session() as chat:
        chat.add("user", "Which of my sisters lives in Oslo?")
        chat.add("assistant", "Ingrid does.")
        chat.add("user", "What about the other one?")
        assert "Karin, moved to Aarhus" in chat.system_prompt(k=3)


def test_only_what_a_user_said_is_asked() -> None:
    assert what_to_ask([{"role": "assistant", "content": "Hello!"}]) is None
    assert what_to_ask([{"role": "user", "content": "And it?"}]) == "And it?"
