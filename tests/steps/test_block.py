"""The block: what stands in it, in what order, and what is left out first."""

from __future__ import annotations

import pytest

from retentive import Memory, ScopedMemory, Settings, parse_block
from retentive.block import BudgetTooSmall
from retentive.errors import InvalidInput
from retentive.models.embed_none import NoEmbedder
from retentive.types import BLOCK_NOTE
from stubs import StubEmbedder


def said(text: str, **more: object) -> list[dict[str, object]]:
    return [{"role": "user", "content": text, **more}]


def test_nothing_to_say_is_an_empty_string(memory: Memory, mine: ScopedMemory) -> None:
    block = mine.block("anything")
    assert (block.text, block.stable, block.volatile, block.tokens, block.left_out) == ("", "", "", 0, 0)
    assert (block.ids, block.source_ids) == ((), ())
    assert str(block) == ""
    mine.remember("Prefers tea")
    memory.process()
    assert mine.block().text == ""
    assert mine.block("zzz").text == ""


def test_the_order_is_profile_always_recalled_sessions(memory: Memory, mine: ScopedMemory) -> None:
    mine.record(said("Where are my invoices?", timestamp="2026-08-17T23:30:00+08:00", id="m1"), session_id="s1")
    mine.remember("The invoice of May is late")
    mine.remember("Allergic to peanuts", evergreen=True)
    mine.update_profile({"timezone": "GMT+8", "name": "Alice"})
    memory.process()
    block = mine.block("invoice")
    lines = block.text.split("\n")
    assert lines[:2] == ["<MEMORY>", BLOCK_NOTE]
    assert lines[-1] == "</MEMORY>"
    assert [line for line in lines if line.startswith("##")] == [
        "## Profile",
        "## Always",
        "## Recalled",
        "## Recent sessions",
    ]
    shown = parse_block(block.text)
    assert shown["Profile"] == ["name: Alice", "timezone: GMT+8"]  # in the order of the settings
    assert shown["Always"] == ["Allergic to peanuts"]
    assert sorted(shown["Recalled"]) == ["The invoice of May is late", "Where are my invoices?"]
    assert shown["Recent sessions"] == ["Where are my invoices?"]
    assert "- [2026-08-17 user] Where are my invoices?" in lines
    assert "- [2026-08-17, 1 message] Where are my invoices?" in lines
    assert block.source_ids == ("m1",)
    assert len(block.ids) == 5


def test_what_is_always_there_is_not_recalled_again(memory: Memory, mine: ScopedMemory) -> None:
    mine.remember("Allergic to peanuts", evergreen=True)
    mine.update_profile({"diet": "no peanuts"})
    memory.process()
    block = mine.block("peanuts")
    assert block.text.count("peanuts") == 2
    assert "Recalled" not in block.text


def test_marks_tell_what_is_disputed_or_untrusted(memory: Memory, mine: ScopedMemory) -> None:
    mine.record([{"role": "tool", "content": "The weather page says rain", "name": "web]"}])
    mine.record([{"role": "assistant", "content": "The weather is fine"}])
    memory.process()
    text = mine.block("weather").text
    assert "web\\u005d untrusted] The weather page says rain" in text
    assert "assistant] The weather is fine" in text


def test_a_budget_leaves_out_the_oldest_first(mine: ScopedMemory) -> None:
    for number in range(30):
        mine.remember(f"Rule {number:02} holds in every season of the year", evergreen=True)
    full = mine.block(budget_tokens=5000)
    assert len(parse_block(full.text)["Always"]) == 30
    small = mine.block(budget_tokens=250)
    shown = parse_block(small.text)["Always"]
    assert 3 <= len(shown) < 30
    assert shown == [f"Rule {number:02} holds in every season of the year" for number in range(30 - len(shown), 30)]
    assert small.left_out == 30 - len(shown)
    assert small.tokens <= 250


def test_the_best_hits_stay_and_the_oldest_sessions_go(memory: Memory, mine: ScopedMemory) -> None:
    for number in range(9):
        talk = said(f"Talk {number} was about gardens and their fences", timestamp=f"2026-08-0{number + 1}T10:00:00Z")
        mine.record(talk, session_id=f"s{number}")
    mine.remember("The passport is in the blue drawer")
    mine.remember("The passport of the dog is in the car")
    memory.process()
    sessions = parse_block(mine.block("passport drawer", k=2, budget_tokens=3000).text)["Recent sessions"]
    assert [text[5] for text in sessions] == ["8", "7", "6", "5", "4"]
    small = mine.block("passport drawer", k=2, budget_tokens=110)
    shown = parse_block(small.text)
    assert shown["Recalled"][0] == "The passport is in the blue drawer"
    assert [text[5] for text in shown.get("Recent sessions", [])] == ["8", "7", "6", "5"][
        : len(shown.get("Recent sessions", []))
    ]
    assert small.left_out > 0


@pytest.mark.parametrize("episodes", [0, 1, 3])
def test_episodes_is_how_many_sessions(mine: ScopedMemory, episodes: int) -> None:
    for number in range(5):
        mine.record(said(f"Talk {number}"), session_id=f"s{number}")
    shown = parse_block(mine.block(budget_tokens=2000, episodes=episodes).text) if episodes else {}
    assert len(shown.get("Recent sessions", [])) == episodes
    if not episodes:
        assert mine.block(episodes=0).text == ""


def test_the_tag_and_the_budget_come_from_the_call_or_the_settings(tmp_path_factory: pytest.TempPathFactory) -> None:
    settings = Settings(tag="RUSH_MEMORY", budget_tokens=120)
    store = tmp_path_factory.mktemp("store") / "memory.db"
    with Memory.open(store, embedder=NoEmbedder(), settings=settings, background=False) as memory:
        mine = memory.scope(user_id="alice")
        for number in range(40):
            mine.remember(f"Rule number {number} is to be kept", evergreen=True)
        assert mine.block().text.startswith("<RUSH_MEMORY>\n")
        assert mine.block().text.endswith("</RUSH_MEMORY>")
        assert mine.block().tokens <= 120
        assert mine.block(tag="X", budget_tokens=900).text.startswith("<X>\n")
        assert mine.block(budget_tokens=900).tokens > 120


def test_a_budget_too_small_for_one_memory_is_an_error(mine: ScopedMemory) -> None:
    mine.remember("Allergic to peanuts", evergreen=True)
    with pytest.raises(BudgetTooSmall, match="raise budget_tokens"):
        mine.block(budget_tokens=10)
    assert mine.block(budget_tokens=200).ids


def test_one_long_memory_does_not_push_out_the_short_ones(memory: Memory, mine: ScopedMemory) -> None:
    mine.remember("peanuts " + "and a very long story about them " * 200)
    mine.remember("Allergic to peanuts since school")
    memory.process()
    block = mine.block("peanuts", budget_tokens=200)
    assert parse_block(block.text)["Recalled"] == ["Allergic to peanuts since school"]
    assert block.left_out == 1


def test_what_expired_or_was_forgotten_is_not_shown(memory: Memory, mine: ScopedMemory) -> None:
    mine.remember("Old rule", evergreen=True, expires_at="2020-01-01T00:00:00Z")
    gone = mine.remember("Forgotten rule", evergreen=True).ids[0]
    mine.remember("Current rule", evergreen=True, expires_at="2999-01-01T00:00:00Z")
    mine.forget(gone)
    memory.process()
    assert parse_block(mine.block("rule").text) == {"Always": ["Current rule"]}


def test_an_agents_block_holds_what_is_for_it_and_for_all(memory: Memory) -> None:
    everyone = memory.scope(user_id="alice")
    support = memory.scope(user_id="alice", agent_id="support")
    sales = memory.scope(user_id="alice", agent_id="sales", project_id="p")
    everyone.remember("For all agents", evergreen=True)
    support.remember("For support only", evergreen=True)
    sales.remember("For sales in p only", evergreen=True)
    support.record(said("Talk with support"), session_id="s1")
    assert parse_block(support.block().text)["Always"] == ["For all agents", "For support only"]
    assert parse_block(sales.block().text) == {"Always": ["For all agents", "For sales in p only"]}
    assert len(parse_block(everyone.block().text)["Always"]) == 3


@pytest.mark.parametrize("text", ["", "no block", "<MEMORY>\nx", "<MEMORY>\n<MEMORY>\n</MEMORY></MEMORY>"])
def test_what_is_no_block_is_not_parsed(text: str) -> None:
    with pytest.raises(InvalidInput, match="block"):
        parse_block(text)


def test_degraded_is_passed_on(memory: Memory, mine: ScopedMemory, stub_embedder: StubEmbedder) -> None:
    mine.remember("Prefers tea")
    assert mine.block("tea").degraded
    memory.process()
    assert mine.block("tea").degraded == ()
    assert stub_embedder.calls


def test_a_long_memory_yields_to_short_ones_that_are_worth_more_a_token(memory: Memory, mine: ScopedMemory) -> None:
    """The best always stays, and what fits stands in the order of recall."""
    texts = [
        "The boiler was repaired, the boiler is fine",
        "The boiler" + " and the plumber and the pipes and the tap and the bath" * 6,
        "The boiler hums",
        "The boiler is old",
    ]
    for place, text in enumerate(texts):
        mine.record(said(text), session_id=f"s{place}")
    memory.process()
    ranked = [hit.text for hit in mine.recall("boiler plumber pipes tap bath", k=4).hits]
    wide = parse_block(mine.block("boiler plumber pipes tap bath", k=4, episodes=0, budget_tokens=2000).text)
    assert wide["Recalled"] == ranked
    assert ranked[0] == texts[1]  # the long one is the best here, so it stays
    tight = mine.block("boiler", k=4, episodes=0, budget_tokens=150)
    shown = parse_block(tight.text)["Recalled"]
    ranked = [hit.text for hit in mine.recall("boiler", k=4).hits]
    assert shown == [text for text in ranked if text != texts[1]]
    assert tight.left_out == 1


def test_it_says_what_each_memory_takes(mine: ScopedMemory) -> None:
    mine.update_profile({"name": "Alice"})
    mine.remember("Allergic to peanuts", evergreen=True)
    mine.remember("Prefers window seats in the front of the plane")
    block = mine.block("Which window seats?")
    tokens = dict(zip(block.ids, block.id_tokens, strict=True))
    by_text = {mine.get(one).text: taken for one, taken in tokens.items()}
    assert by_text["Prefers window seats in the front of the plane"] > by_text["Allergic to peanuts"] > 0
    assert sum(tokens.values()) < block.tokens  # the frame and the titles are nobody's
