"""The verbs within a scope: reading, paging, changing, history, evidence, forgetting, and the two clocks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from retentive import Memory, ScopedMemory
from retentive.errors import InvalidInput, NotFound
from retentive.results import Item


def texts(items: Any) -> list[str]:
    return [item.text for item in items]


# -- get and list ----------------------------------------------------------------------------------------------------
def test_get_gives_everything_that_was_said(mine: ScopedMemory) -> None:
    fact = mine.remember(
        "Prefers the window seat",
        category="preference",
        confidence=0.75,
        evergreen=True,
        expires_at="2999-12-31T23:59:59+01:00",
        source="form",
        metadata={"page": 3},
        idempotency_key="k",
    ).ids[0]
    item = mine.get(fact)
    assert (item.id, item.tier, item.text, item.status) == (fact, "semantic", "Prefers the window seat", "active")
    assert (item.category, item.confidence, item.evergreen, item.source) == ("preference", 0.75, True, "form")
    assert (item.expires_at, item.metadata, item.version, item.seen_count) == (
        "2999-12-31T22:59:59Z",
        {"page": 3},
        1,
        1,
    )
    episode = mine.record(
        [
            {
                "role": "tool",
                "name": "sql",
                "content": "3 rows",
                "id": "m1",
                "type": "tool_result",
                "metadata": {"ms": 5},
            }
        ],
        session_id="s1",
    ).ids[0]
    item = mine.get(episode)
    assert (item.tier, item.text, item.role, item.name, item.session_id) == ("episodic", "3 rows", "tool", "sql", "s1")
    assert (item.source_ids, item.episode_ids, item.trust, item.metadata) == (
        ("m1",),
        (episode,),
        "untrusted",
        {"ms": 5},
    )


def test_what_a_caller_does_to_metadata_stays_with_the_caller(mine: ScopedMemory) -> None:
    given = {"tags": ["a"]}
    fact = mine.remember("Prefers tea", metadata=given).ids[0]
    given["tags"].append("b")
    mine.get(fact).metadata["tags"].append("c")
    assert mine.get(fact).metadata == {"tags": ["a"]}


def test_list_is_newest_first_by_tier_status_and_filter(mine: ScopedMemory) -> None:
    mine.record([{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}], session_id="s1")
    mine.remember("Likes tea", category="preference", metadata={"lang": "en", "n": 1, "f": 1.5, "b": True})
    mine.remember("Trinkt Tee", metadata={"lang": "de", "n": 2})
    assert texts(mine.list()) == ["Trinkt Tee", "Likes tea", "two", "one"]
    assert texts(mine.list("episodic")) == ["two", "one"]
    assert texts(mine.list("semantic")) == ["Trinkt Tee", "Likes tea"]
    assert texts(mine.list(where={"lang": "de"})) == ["Trinkt Tee"]
    assert texts(mine.list(where={"lang": "en", "n": 1, "f": 1.5, "b": True})) == ["Likes tea"]
    assert texts(mine.list(where={"lang": "en", "n": 2})) == []
    assert texts(mine.list(where={"n": True})) == []
    assert texts(mine.list(where={"b": 1})) == []
    assert texts(mine.list(where={"category": "preference"})) == ["Likes tea"]
    assert texts(mine.list(where={"role": "assistant", "session_id": "s1"})) == ["two"]
    assert texts(mine.list(status="superseded")) == []
    assert texts(mine.recall("tea", where={"lang": "en"})) == ["Likes tea"]


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 24, 25, 26])
def test_pages_hold_everything_once_in_order(mine: ScopedMemory, limit: int) -> None:
    ids = []
    for number in range(12):
        ids += mine.remember(f"A note, the one after {number - 1}").ids
        ids += mine.record([{"role": "user", "content": f"Message {number}"}]).ids
    ids += mine.remember("Last").ids
    found: list[Item] = []
    cursor = None
    while True:
        page = mine.list(limit=limit, cursor=cursor)
        assert len(page) <= limit
        found += page
        if page.cursor is None:
            break
        cursor = page.cursor
        mine.remember(f"Written while paging {len(found)}")
    assert [item.id for item in found] == ids[::-1]


def test_a_narrow_scope_sees_its_own_and_what_is_for_all(memory: Memory) -> None:
    everyone = memory.scope(user_id="alice")
    bot = memory.scope(user_id="alice", agent_id="bot")
    blog = memory.scope(user_id="alice", agent_id="bot", project_id="blog")
    everyone.remember("For all")
    bot.remember("For the bot")
    blog.remember("For the bot in the blog")
    blog.update_profile({"tone": "playful"})
    everyone.update_profile({"name": "Alice"})
    assert texts(everyone.list(where={"category": "other"})) == ["For the bot in the blog", "For the bot", "For all"]
    assert texts(memory.scope(user_id="alice", agent_id="other").list()) == ["name: Alice", "For all"]
    assert texts(memory.scope(user_id="alice", project_id="shop").list()) == ["name: Alice", "For the bot", "For all"]
    assert blog.profile() == {"name": "Alice", "tone": "playful"}
    assert bot.profile() == {"name": "Alice", "tone": "playful"}
    assert memory.scope(user_id="alice", agent_id="bot", project_id="shop").profile() == {"name": "Alice"}


# -- update, history, why --------------------------------------------------------------------------------------------
def test_update_changes_what_is_said_and_keeps_the_rest(mine: ScopedMemory) -> None:
    fact = mine.remember("Prefers tea", category="preference", metadata={"a": 1}, evergreen=True, confidence=0.5).ids[0]
    mine.remember("Prefers tea")
    assert mine.update(fact, text="Prefers green tea").ids == [fact]
    item = mine.get(fact)
    assert (item.text, item.category, item.metadata, item.evergreen, item.confidence) == (
        "Prefers green tea",
        "preference",
        {"a": 1},
        True,
        0.5,
    )
    assert (item.version, item.seen_count) == (2, 2)
    mine.update(
        fact, metadata=None, evergreen=False, confidence=1.0, expires_at="2999-01-01Z", category="other", version=2
    )
    item = mine.get(fact)
    assert (item.metadata, item.evergreen, item.confidence, item.category) == ({}, False, 1.0, "other")
    assert item.expires_at == "2999-01-01T00:00:00Z"
    mine.update(fact, expires_at=None)
    assert mine.get(fact).expires_at is None
    assert [(one.version, one.text) for one in mine.history(fact)] == [
        (1, "Prefers tea"),
        (2, "Prefers green tea"),
        (3, "Prefers green tea"),
        (4, "Prefers green tea"),
    ]
    assert texts(mine.list()) == ["Prefers green tea"]
    assert mine.recall("green tea").hits[0].id == fact


@pytest.mark.parametrize(
    "change",
    [
        {"text": ""},
        {"text": "a\0b"},
        {"category": "mood"},
        {"confidence": 7},
        {"metadata": [1]},
        {"expires_at": "2026-01-01"},
    ],
)
def test_a_wrong_change_changes_nothing(mine: ScopedMemory, change: dict[str, Any]) -> None:
    fact = mine.remember("Prefers tea").ids[0]
    before = mine.get(fact)
    with pytest.raises(InvalidInput):
        mine.update(fact, **change)
    assert mine.get(fact) == before


def test_an_update_is_known_by_its_new_words(mine: ScopedMemory) -> None:
    fact = mine.remember("Prefers tea").ids[0]
    mine.update(fact, text="Prefers coffee")
    assert mine.remember("Prefers coffee").ids == [fact]
    assert mine.remember("Prefers tea").ids != [fact]


def test_an_update_takes_the_place_of_what_it_contradicts(mine: ScopedMemory) -> None:
    old, fact = (mine.remember(text).ids[0] for text in ("I live in Ghent", "I like tea"))
    item = mine.update(fact, text="I live in Porto").items[0]
    assert (item.outcome, item.replaced_id) == ("superseded", old)
    assert texts(mine.list()) == ["I live in Porto"]
    assert mine.profile() == {"location": "Porto"}


def test_an_update_to_known_words_leaves_one_row(mine: ScopedMemory) -> None:
    tea, coffee = (mine.remember(text).ids[0] for text in ("I like tea", "I like coffee"))
    assert mine.update(coffee, text="I like tea").items[0].replaced_id == tea
    assert [item.id for item in mine.list()] == [coffee]


def test_an_update_that_leaves_it_open_says_so_on_both(mine: ScopedMemory) -> None:
    mine.remember("My son is called Tom")
    fact = mine.remember("I like tea").ids[0]
    mine.update(fact, text="My son is called Max")
    assert {item.status for item in mine.list()} == {"disputed"}


def test_an_update_of_an_untrusted_fact_replaces_no_person_s_word(mine: ScopedMemory) -> None:
    mine.update_profile({"location": "Ghent"})
    page = mine.remember("The user likes tea", source="web").ids[0]
    mine.update(page, text="The user lives in Porto")
    assert mine.profile() == {"location": "Ghent"}
    mine.update(page, metadata={"seen": True})
    assert mine.get(page).status == "disputed"


def test_an_update_in_a_narrow_scope_stays_in_it(memory: Memory) -> None:
    blog = memory.scope(user_id="alice", project_id="blog")
    fact = blog.remember("Write in British English").ids[0]
    memory.scope(user_id="alice").update(fact, text="Write in Scots")
    assert texts(blog.list()) == ["Write in Scots"]
    assert texts(memory.scope(user_id="alice", project_id="shop").list()) == []


def test_a_replaced_fact_cannot_be_changed(mine: ScopedMemory) -> None:
    old = mine.remember("I live in Munich").ids[0]
    mine.remember("I live in Hamburg")
    with pytest.raises(NotFound):
        mine.update(old, text="I live in Berlin")
    assert texts(mine.list()) == ["I live in Hamburg"]


def test_history_is_the_whole_line_from_any_of_its_members(mine: ScopedMemory) -> None:
    steps = ["I live in Munich", "I live in Hamburg", "I live in Lisbon"]
    ids = [mine.remember(step).ids[0] for step in steps]
    mine.update(ids[1 + 1], category="identity")
    for one in ids:
        line = mine.history(one)
        assert [item.text for item in line] == [*steps, steps[-1]]
        assert [item.status for item in line] == ["superseded", "superseded", "superseded", "active"]
        assert line[0].superseded_by_id == ids[1]
        assert line[1].supersedes_id == ids[0]
        assert all(item.reason and item.retired_at for item in line[:-1])
        assert line[-1].retired_at is None
    assert texts(mine.why(ids[0]).versions) == [*steps, steps[-1]]


def test_an_episode_has_no_history_but_itself(mine: ScopedMemory) -> None:
    episode = mine.record([{"role": "user", "content": "Hello"}]).ids[0]
    assert texts(mine.history(episode)) == ["Hello"]
    why = mine.why(episode)
    assert (why.item.text, why.evidence, texts(why.versions)) == ("Hello", (), ["Hello"])


# -- profile ---------------------------------------------------------------------------------------------------------
def test_the_profile_is_set_changed_and_emptied_field_by_field(mine: ScopedMemory) -> None:
    assert mine.profile() == {}
    receipt = mine.update_profile({"timezone": "GMT+8", "name": "  Alice \n B. "})
    assert [item.outcome for item in receipt.items] == ["stored", "stored"]
    assert list(mine.profile().items()) == [("name", "Alice B."), ("timezone", "GMT+8")]
    changed = mine.update_profile({"timezone": "GMT+1"})
    assert changed.items[0].outcome == "superseded"
    mine.remember("Deutsch", field="language")
    assert mine.profile() == {"name": "Alice B.", "language": "Deutsch", "timezone": "GMT+1"}
    mine.update_profile({"timezone": None, "language": None})
    assert mine.profile() == {"name": "Alice B."}
    assert [item.text for item in mine.history(changed.ids[0])] == ["timezone: GMT+8", "timezone: GMT+1"]
    mine.update_profile({"timezone": "GMT+1"})
    assert mine.profile()["timezone"] == "GMT+1"


def test_a_profile_is_all_or_nothing(mine: ScopedMemory) -> None:
    mine.update_profile({"tone": "brief", "name": "Alice"})
    for wrong in (
        {"tone": None, "name": "x" * 500},
        {"name": "Bob", "shoe_size": "44"},
        {"tone": None, "name": "a\0b"},
    ):
        with pytest.raises(InvalidInput):
            mine.update_profile(wrong)
    assert mine.profile() == {"tone": "brief", "name": "Alice"}
    assert len(mine.list(status=None)) == 2


# -- recall ----------------------------------------------------------------------------------------------------------
def test_recall_takes_tiers_sessions_and_budgets(memory: Memory, mine: ScopedMemory) -> None:
    mine.remember("The garden gate is green")
    mine.record([{"role": "user", "content": "Paint the garden gate"}], session_id="s1")
    mine.record([{"role": "user", "content": "The garden gate squeaks " * 30}], session_id="s2")
    memory.process()
    assert {hit.tier for hit in mine.recall("garden gate", tiers=["semantic"])} == {"semantic"}
    assert {hit.tier for hit in mine.recall("garden gate", tiers=("episodic",))} == {"episodic"}
    assert [hit.session_id for hit in mine.recall("garden gate", session_id="s1")] == ["s1"]
    assert len(mine.recall("garden gate", k=1)) == 1
    small = mine.recall("garden gate", budget_tokens=20)
    assert 1 <= len(small) <= 2
    assert all("squeaks" not in hit.text for hit in small)
    assert [hit.score for hit in mine.recall("garden gate")] == sorted(
        (hit.score for hit in mine.recall("garden gate")), reverse=True
    )


def test_explain_adds_up(memory: Memory, mine: ScopedMemory) -> None:
    mine.remember("The garden gate is green")
    memory.process()
    recall = mine.recall("garden gate", explain=True)
    assert recall.trace is not None
    assert sum(recall.trace["shares"].values()) == pytest.approx(1)
    assert recall.trace["in_view"] == 1
    hit = recall.hits[0]
    assert sum(hit.parts.values()) == pytest.approx(hit.score, rel=1e-5)
    assert mine.recall("garden gate").trace is None
    json.dumps(recall.trace)
