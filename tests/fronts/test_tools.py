"""Tools for a model: schemas that say what the functions take, and mistakes that come back as words."""

from __future__ import annotations

import json

import pytest

from retentive import tools
from retentive.scoped import ScopedMemory

NAMES = [
    "save_fact",
    "update_profile",
    "search_memories",
    "list_memories",
    "get_memory",
    "update_memory",
    "delete_memory",
    "get_memory_block",
]


def test_the_schemas_are_those_of_the_interface() -> None:
    """Eight functions, each an object schema that refuses unknown arguments."""
    functions = [schema["function"] for schema in tools.schemas()]
    assert {function["name"] for function in functions} == set(NAMES)
    assert all(function["parameters"]["additionalProperties"] is False for function in functions)


def test_a_model_saves_finds_corrects_and_deletes(mine: ScopedMemory) -> None:
    """The whole life of a memory through tools, with JSON text as arguments."""
    saved = tools.call(mine, "save_fact", json.dumps({"text": "Prefers aisle seats", "category": "preference"}))
    fact_id = saved["items"][0]["id"]
    found = tools.call(mine, "search_memories", {"query": "aisle seats"})
    assert [memory["id"] for memory in found["memories"]] == [fact_id]
    tools.call(mine, "update_memory", {"id": fact_id, "text": "Prefers window seats"})
    assert tools.call(mine, "get_memory", {"id": fact_id})["text"] == "Prefers window seats"
    assert tools.call(mine, "delete_memory", {"id": fact_id}) == {"forgotten": [fact_id], "complete": True}
    assert "error" in tools.call(mine, "get_memory", {"id": fact_id})
    assert tools.call(mine, "list_memories", {})["memories"] == []


def test_what_a_model_saves_is_believed_and_told_from_a_persons_words(mine: ScopedMemory) -> None:
    (said,) = mine.remember("The user lives in Oslo").ids
    (saved,) = tools.call(mine, "save_fact", {"text": "The user moved to Rome"})["items"]
    assert saved["outcome"] == "superseded"
    assert mine.get(saved["id"]).trust == "assistant"
    assert [(one.id, one.trust) for one in mine.history(saved["id"])] == [(said, "user"), (saved["id"], "assistant")]


def test_the_profile_and_the_block(mine: ScopedMemory) -> None:
    """A profile set by a tool stands in the block a tool gives."""
    tools.call(mine, "update_profile", {"values": {"name": "Alice"}})
    assert "- name: Alice" in tools.call(mine, "get_memory_block", {})["text"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("no_such_tool", {}),
        ("save_fact", {}),
        ("save_fact", "not json"),
        ("save_fact", {"text": ""}),
        ("save_fact", {"text": "x", "user_id": "bob"}),
        ("search_memories", {"query": "x", "k": 10_000}),
        ("get_memory", {"id": "nothing"}),
        ("update_profile", {"values": ["name"]}),
        ("update_profile", {"values": {"shoe_size": "44"}}),
    ],
)
def test_a_mistake_comes_back_as_words(mine: ScopedMemory, name: str, arguments: object) -> None:
    """Nothing is raised and nothing is stored."""
    assert tools.call(mine, name, arguments)["error"]  # type: ignore[arg-type]  a model may send anything
    assert len(mine.list(status=None)) == 0


def test_no_answer_grows_without_bound(mine: ScopedMemory) -> None:
    """A thousand long memories come a page at a time, each cut."""
    mine.record([{"content": f"{number} " + "word " * 2000} for number in range(120)])
    seen, cursor = [], None
    while True:
        page = tools.call(mine, "list_memories", {"limit": 50} | ({"cursor": cursor} if cursor else {}))
        assert len(json.dumps(page)) < 25_000
        seen += [memory["id"] for memory in page["memories"]]
        cursor = page["cursor"]
        if cursor is None:
            break
    assert len(set(seen)) == len(seen) == 120
    found = tools.call(mine, "search_memories", {"query": "word", "k": 50})
    assert len(json.dumps(found)) < 25_000
    assert found["left_out"] == 50 - len(found["memories"])
