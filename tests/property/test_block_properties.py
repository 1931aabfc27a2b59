"""Any text: one block, which parse_block turns back into exactly what was stored, within any budget."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from retentive import parse_block
from retentive.block import BudgetTooSmall, Contents, build, escape, unescape
from retentive.contracts import TokenCounter
from retentive.models.tokens import EstimatedTokenCounter, default_counter
from retentive.results import Hit, Item
from retentive.types import SessionInfo

TAGS = ["MEMORY", "RUSH_MEMORY", "a", "x-1_y"]
PARTS = [
    "</MEMORY>",
    "<MEMORY>",
    "\n",
    "\r\n",
    "## Always",
    "- ",
    "[",
    "] ",
    "\\",
    "\\n",
    "\\u003c",
    "\\U0001f600",
    "Human:",
    "[INST]",
    "[/SYS",
    "<|im_end|>",
    "`",
    "\u2028",
    "\u202e",
    "\u200b",
    "\U000e0041",
    "\ufe0f",
    "é",
    "早",
    " ",
    "\t",
    "\x1b",
    "tag",
    "\U0010ffff",
]
# Text as the store keeps it: no NUL, no half a surrogate pair.
texts = st.one_of(
    st.lists(st.sampled_from(PARTS), min_size=1, max_size=12).map("".join),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=60),
)
names = texts.map(lambda text: "".join(c for c in text if c >= " " and c != "\x7f")).filter(str.strip)


def item(number: int, text: str, **more: object) -> Item:
    plain = Item(
        id=f"id{number}",
        tier="semantic",
        text=text,
        status="active",
        timestamp="2026-08-18T01:00:00Z",
        session_id=None,
        source_ids=(f"m{number}",),
        episode_ids=(),
        category="other",
        field=None,
        metadata={},
        trust="user",
        version=1,
        local_time="2026-08-18T09:00:00+08:00",
    )
    return dataclasses.replace(plain, **more)  # type: ignore[arg-type]


def hit(number: int, found: Item) -> Hit:
    return Hit(
        id=found.id,
        tier=found.tier,
        text=found.text,
        score=1.0 / (number + 1),
        parts={},
        timestamp=found.timestamp,
        session_id=None,
        episode_ids=(),
        source_ids=found.source_ids,
        trust=found.trust,
        category=None,
        item=found,
    )


@st.composite
def contents(draw: st.DrawFn) -> Contents:
    """A profile, evergreen facts, hits of both tiers, sessions: as recall and the store hand them over."""
    profile: Mapping[str, Item] = {
        name: item(100 + place, f"{name}: {draw(texts)}", field=name)
        for place, name in enumerate(draw(st.sampled_from([(), ("name",), ("name", "tone")])))
    }
    evergreen = [
        item(200 + place, text, evergreen=True) for place, text in enumerate(draw(st.lists(texts, max_size=3)))
    ]
    hits: Sequence[Hit] = [
        hit(
            place,
            item(place, draw(texts), tier=tier, name=draw(names), trust=draw(st.sampled_from(["user", "untrusted"]))),
        )
        for place, tier in enumerate(draw(st.lists(st.sampled_from(["semantic", "episodic"]), max_size=4)))
    ]
    sessions = [
        SessionInfo(f"s{place}", 0, 0, message_count=3, summary=text)
        for place, text in enumerate(draw(st.lists(texts, max_size=2)))
    ]
    return Contents(profile, evergreen, hits, sessions)


def counters() -> list[TokenCounter]:
    return [default_counter(), EstimatedTokenCounter()]


@given(texts)
@example("".join(PARTS))
@example("".join(map(chr, range(1, 0x3000))))
def test_escaping_is_one_visible_line_and_loses_nothing(text: str) -> None:
    shown = escape(text)
    assert unescape(shown) == text
    assert shown.isprintable() or all(c.isprintable() or c.isspace() for c in shown)
    assert not set(shown) & set("\n\r\t<>`\x0b\x0c\x1c\x85\u2028\u2029\u200b\u202e")
    assert len(shown.splitlines()) == 1


@given(texts, texts)
def test_two_texts_never_look_the_same(one: str, two: str) -> None:
    assume(one != two)
    assert escape(one) != escape(two)


@given(contents(), st.sampled_from(TAGS))
def test_parse_block_gives_back_exactly_what_was_stored(given_contents: Contents, tag: str) -> None:
    block = build(given_contents, default_counter(), budget_tokens=100_000, tag=tag)
    wanted = {
        "Profile": [found.text for found in given_contents.profile.values()],
        "Always": [found.text for found in given_contents.evergreen],
        "Recalled": [found.text for found in given_contents.hits],
        "Recent sessions": [session.summary for session in given_contents.sessions],
    }
    wanted = {title: lines for title, lines in wanted.items() if lines}
    if not wanted:
        assert block.text == ""
        return
    assert parse_block(block.text, tag) == wanted
    assert block.left_out == 0
    assert block.text == block.stable + block.volatile
    assert block.text.count(f"<{tag}>") == block.text.count(f"</{tag}>") == 1
    assert block.text.count("<") == block.text.count(">") == 2
    shown = [*given_contents.profile.values(), *given_contents.evergreen, *(h.item for h in given_contents.hits)]
    assert block.ids == tuple(found.id for found in shown)


@pytest.mark.parametrize("counter", counters(), ids=lambda counter: counter.name)
@given(given_contents=contents(), budget_tokens=st.integers(1, 400))
def test_the_budget_is_never_exceeded(counter: TokenCounter, given_contents: Contents, budget_tokens: int) -> None:
    try:
        block = build(given_contents, counter, budget_tokens=budget_tokens)
    except BudgetTooSmall:
        return
    assert block.tokens <= budget_tokens
    assert block.tokens == counter.count(block.text)
    if block.text:
        parse_block(block.text)


@given(contents(), contents(), st.integers(60, 2000))
def test_stable_bytes_do_not_depend_on_what_was_recalled(one: Contents, two: Contents, budget_tokens: int) -> None:
    other = Contents(one.profile, one.evergreen, two.hits, two.sessions)
    try:
        blocks = [build(each, default_counter(), budget_tokens=budget_tokens) for each in (one, other)]
    except BudgetTooSmall:
        return
    assume(all(block.text for block in blocks))
    assert blocks[0].stable == blocks[1].stable


@given(contents(), st.integers(40, 300))
def test_what_is_left_out_is_counted(given_contents: Contents, budget_tokens: int) -> None:
    try:
        block = build(given_contents, default_counter(), budget_tokens=budget_tokens)
    except BudgetTooSmall:
        return
    c = given_contents
    total = len(c.profile) + len(c.evergreen) + len(c.hits) + len(c.sessions)
    shown = sum(map(len, parse_block(block.text).values())) if block.text else 0
    assert shown + block.left_out == total
