"""Wrong input gets a typed error that says what to do, and nothing that was acknowledged is lost."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from uuid import uuid4

import pytest

from retentive import Memory, ScopedMemory
from retentive.errors import (
    Conflict,
    InvalidFilter,
    InvalidInput,
    InvalidScope,
    InvalidTimestamp,
    NotFound,
    RetentiveError,
    StoreClosed,
    TextTooLong,
)
from retentive.models.embed_none import NoEmbedder

Call = Callable[[ScopedMemory], object]


def message(content: object, **more: object) -> list[dict[str, object]]:
    return [{"role": "user", "content": content, **more}]


# -- calls -----------------------------------------------------------------------------------------------------------
WRONG: list[tuple[str, type[RetentiveError], str, Call]] = [
    # whose memory
    ("nobody", InvalidScope, "user_id", lambda mine: scope_of(mine)()),
    ("empty user", InvalidInput, "user_id", lambda mine: scope_of(mine)(user_id="")),
    ("blank user", InvalidInput, "user_id", lambda mine: scope_of(mine)(user_id=" \t")),
    ("everyone", InvalidInput, "user_id", lambda mine: scope_of(mine)(user_id="*")),
    ("NUL in user", InvalidInput, "user_id", lambda mine: scope_of(mine)(user_id="a\0b")),
    ("surrogate in agent", InvalidInput, "agent_id", lambda mine: scope_of(mine)(agent_id="\ud800")),
    ("number as user", InvalidInput, "string", lambda mine: scope_of(mine)(user_id=17)),
    ("list as tenant", InvalidInput, "tenant", lambda mine: scope_of(mine)(user_id="a", tenant=["a", "b"])),
    ("empty tenant", InvalidInput, "tenant", lambda mine: scope_of(mine)(user_id="a", tenant="")),
    ("long project", InvalidInput, "project_id", lambda mine: scope_of(mine)(user_id="a", project_id="x" * 257)),
    # time
    ("naive string", InvalidTimestamp, "zone", lambda mine: mine.record(message("x", timestamp="2026-08-18T09:00:00"))),
    ("naive datetime", InvalidTimestamp, "zone", lambda mine: mine.recall("x", since=datetime(2026, 8, 18))),  # noqa: DTZ001
    ("naive date", InvalidTimestamp, "zone", lambda mine: mine.recall("x", as_of="2026-08-18")),
    ("no time at all", InvalidTimestamp, "2026", lambda mine: mine.recall("x", until="yesterday")),
    ("seconds", InvalidTimestamp, "a number", lambda mine: mine.remember("x", expires_at=1_787_014_800)),  # type: ignore[arg-type]
    ("month 13", InvalidTimestamp, "2026-13", lambda mine: mine.recall("x", now="2026-13-01T00:00:00Z")),
    ("empty time", InvalidTimestamp, "2026", lambda mine: mine.record(message("x", timestamp=""))),
    # switches, paths, and what else has a type
    ("no as evergreen", InvalidInput, "evergreen", lambda mine: mine.remember("x", evergreen="no")),  # type: ignore[arg-type]
    ("list as evergreen", InvalidInput, "evergreen", lambda mine: mine.remember("x", evergreen=[])),  # type: ignore[arg-type]
    ("huge evergreen", InvalidInput, "evergreen", lambda mine: mine.remember("x", evergreen=10**30)),  # type: ignore[arg-type]
    ("list as field", InvalidInput, "field", lambda mine: mine.remember("x", field=["name"])),  # type: ignore[arg-type]
    ("number as tag", InvalidInput, "tag", lambda mine: mine.block("x", tag=5)),  # type: ignore[arg-type]
    ("instructions", InvalidInput, "instructions", lambda mine: mine.session().system_prompt(5)),  # type: ignore[arg-type]
    ("true as floor", InvalidInput, "min_score", lambda mine: mine.recall("x", min_score=True)),
    ("export to nothing", InvalidInput, "path", lambda mine: mine.export("")),
    ("export to NUL", InvalidInput, "path", lambda mine: mine.export("a\0b")),
    ("export to half a letter", InvalidInput, "path", lambda mine: mine.export("\ud800")),
    ("import of a number", InvalidInput, "path", lambda mine: mine.import_(7)),  # type: ignore[arg-type]
    ("import of NUL", InvalidInput, "path", lambda mine: mine.import_("a\0b")),
    # text
    ("NUL", InvalidInput, "NUL", lambda mine: mine.remember("a\0b")),
    ("NUL in a message", InvalidInput, "NUL", lambda mine: mine.record(message("a\0b"))),
    ("NUL in metadata", InvalidInput, "NUL", lambda mine: mine.remember("x", metadata={"a": "\0"})),
    ("lone surrogate", InvalidInput, "surrogate", lambda mine: mine.remember("\ud83d")),
    ("lone surrogate in a message", InvalidInput, "surrogate", lambda mine: mine.record(message("smile \ude00"))),
    ("lone surrogate in metadata", InvalidInput, "surrogate", lambda mine: mine.remember("x", metadata={"\udfff": 1})),
    ("lone surrogate in a name", InvalidInput, "surrogate", lambda mine: mine.record(message("x", name="\ud800"))),
    ("empty", InvalidInput, "empty", lambda mine: mine.remember("")),
    ("blank", InvalidInput, "empty", lambda mine: mine.remember(" \n\t\u3000")),
    ("10 MB", TextTooLong, "split", lambda mine: mine.remember("x" * 10_000_000)),
    ("10 MB message", TextTooLong, "split", lambda mine: mine.record(message("早" * 3_400_000))),
    ("10 MB query", TextTooLong, "query", lambda mine: mine.recall("x" * 10_000_000)),
    ("10 MB metadata", InvalidInput, "metadata", lambda mine: mine.remember("x", metadata={"a": "x" * 10_000_000})),
    ("number as text", InvalidInput, "string", lambda mine: mine.remember(17)),  # type: ignore[arg-type]
    ("bytes as text", InvalidInput, "string", lambda mine: mine.remember(b"x")),  # type: ignore[arg-type]
    ("None as text", InvalidInput, "string", lambda mine: mine.remember(None)),  # type: ignore[arg-type]
    ("number as content", InvalidInput, "content", lambda mine: mine.record(message(17))),
    ("number as query", InvalidInput, "query", lambda mine: mine.recall(17)),  # type: ignore[arg-type]
    ("number as block query", InvalidInput, "query", lambda mine: mine.block(17)),  # type: ignore[arg-type]
    # fields
    ("unknown message field", InvalidInput, "'text'", lambda mine: mine.record([{"role": "user", "text": "x"}])),
    ("unknown category", InvalidInput, "identity", lambda mine: mine.remember("x", category="mood")),
    ("unknown field", InvalidInput, "timezone", lambda mine: mine.remember("x", field="shoe_size")),
    ("unknown profile field", InvalidInput, "timezone", lambda mine: mine.update_profile({"shoe_size": "44"})),
    ("long profile value", InvalidInput, "200", lambda mine: mine.update_profile({"name": "x" * 201})),
    ("empty profile value", InvalidInput, "name", lambda mine: mine.update_profile({"name": " "})),
    ("number in profile", InvalidInput, "name", lambda mine: mine.update_profile({"name": 17})),  # type: ignore[dict-item]
    ("NUL in profile", InvalidInput, "NUL", lambda mine: mine.update_profile({"name": "a\0b"})),
    ("profile is no dict", InvalidInput, "object", lambda mine: mine.update_profile("name")),  # type: ignore[arg-type]
    ("no role", InvalidInput, "role", lambda mine: mine.record([{"role": None, "content": "x"}])),
    ("message is no dict", InvalidInput, "object", lambda mine: mine.record(["x"])),  # type: ignore[list-item]
    ("one message alone", InvalidInput, "list", lambda mine: mine.record({"role": "user", "content": "x"})),  # type: ignore[arg-type]
    ("messages are a string", InvalidInput, "list", lambda mine: mine.record("x")),  # type: ignore[arg-type]
    ("messages are a number", InvalidInput, "list", lambda mine: mine.record(17)),  # type: ignore[arg-type]
    ("too many messages", InvalidInput, "split", lambda mine: mine.record(message("x") * 10_001)),
    ("one wrong among many", InvalidInput, "NUL", lambda mine: mine.record(message("x") * 50 + message("\0"))),
    ("confidence of 2", InvalidInput, "0 to 1", lambda mine: mine.remember("x", confidence=2)),
    ("confidence nan", InvalidInput, "0 to 1", lambda mine: mine.remember("x", confidence=math.nan)),
    ("confidence in words", InvalidInput, "0 to 1", lambda mine: mine.remember("x", confidence="high")),  # type: ignore[arg-type]
    ("metadata is a list", InvalidInput, "object", lambda mine: mine.remember("x", metadata=["a"])),  # type: ignore[arg-type]
    ("metadata of objects", InvalidInput, "JSON", lambda mine: mine.remember("x", metadata={"a": object()})),
    ("metadata nan", InvalidInput, "JSON", lambda mine: mine.remember("x", metadata={"a": math.nan})),
    ("session is a number", InvalidInput, "session_id", lambda mine: mine.session(17)),  # type: ignore[arg-type]
    ("session with NUL", InvalidInput, "session_id", lambda mine: mine.record(message("x"), session_id="a\0")),
    ("messages of a wrong session", InvalidInput, "session_id", lambda mine: mine.session_messages("\ud800")),
    ("recall in a session list", InvalidInput, "session_id", lambda mine: mine.recall("x", session_id=["s1"])),  # type: ignore[arg-type]
    # numbers
    ("k of -1", InvalidInput, "k must", lambda mine: mine.recall("x", k=-1)),
    ("k of 0", InvalidInput, "k must", lambda mine: mine.recall("x", k=0)),
    ("k of 1.5", InvalidInput, "k must", lambda mine: mine.recall("x", k=1.5)),  # type: ignore[arg-type]
    ("k of True", InvalidInput, "k must", lambda mine: mine.recall("x", k=True)),
    ("k of a million", InvalidInput, "k must", lambda mine: mine.recall("x", k=1_000_000)),
    ("k in a block", InvalidInput, "k must", lambda mine: mine.block("x", k=-5)),
    ("k in a block without query", InvalidInput, "k must", lambda mine: mine.block(k=-5)),
    ("episodes of -1", InvalidInput, "episodes", lambda mine: mine.block("x", episodes=-1)),
    ("episodes in words", InvalidInput, "episodes", lambda mine: mine.block("x", episodes="all")),  # type: ignore[arg-type]
    ("limit of -1", InvalidInput, "limit", lambda mine: mine.list(limit=-1)),
    ("limit of 0", InvalidInput, "limit", lambda mine: mine.sessions(limit=0)),
    ("budget of -1", InvalidInput, "budget", lambda mine: mine.recall("x", budget_tokens=-1)),
    ("budget of 0", InvalidInput, "budget", lambda mine: mine.block("x", budget_tokens=0)),
    ("floor in words", InvalidInput, "min_score", lambda mine: mine.recall("x", min_score="high")),  # type: ignore[arg-type]
    ("floor nan", InvalidInput, "min_score", lambda mine: mine.recall("x", min_score=math.nan)),
    # lists and filters
    ("no tiers", InvalidInput, "tiers", lambda mine: mine.recall("x", tiers=[])),
    ("tiers None", InvalidInput, "tiers", lambda mine: mine.recall("x", tiers=None)),  # type: ignore[arg-type]
    ("unknown tier", InvalidInput, "episodic", lambda mine: mine.recall("x", tiers=["working"])),  # type: ignore[list-item]
    ("a list as tier", InvalidInput, "tiers", lambda mine: mine.recall("x", tiers=[["semantic"]])),  # type: ignore[list-item]
    ("unknown tier to list", InvalidInput, "episodic", lambda mine: mine.list("facts")),  # type: ignore[arg-type]
    ("unknown status", InvalidInput, "active", lambda mine: mine.list(status="deleted")),
    ("a list as status", InvalidInput, "active", lambda mine: mine.list(status=["active"])),  # type: ignore[arg-type]
    ("empty filter", InvalidFilter, "where", lambda mine: mine.list(where={})),
    ("operator", InvalidFilter, r"\$or", lambda mine: mine.list(where={"$or": [{"a": 1}]})),
    ("nested operator", InvalidFilter, "plain", lambda mine: mine.list(where={"a": {"$ne": 1}})),
    ("list in a filter", InvalidFilter, "plain", lambda mine: mine.recall("x", where={"a": [1, 2]})),
    ("None in a filter", InvalidFilter, "plain", lambda mine: mine.recall("x", where={"a": None})),
    ("wildcard", InvalidFilter, "plain", lambda mine: mine.forget(where={"a": "*"})),
    ("empty value", InvalidFilter, "plain", lambda mine: mine.forget(where={"a": ""})),
    ("filter is a string", InvalidFilter, "object", lambda mine: mine.list(where="a = 1")),  # type: ignore[arg-type]
    ("filter is a list", InvalidFilter, "object", lambda mine: mine.list(where=[("a", 1)])),  # type: ignore[arg-type]
    ("surrogate in a filter", InvalidFilter, "surrogate", lambda mine: mine.list(where={"a": "\ud800"})),
    ("surrogate as a filter's name", InvalidFilter, "surrogate", lambda mine: mine.recall("x", where={"\ud800": 1})),
    ("huge number in a filter", InvalidFilter, "plain", lambda mine: mine.list(where={"a": 2**70})),
    ("cursor of one's own", InvalidInput, "cursor", lambda mine: mine.list(cursor="next please")),
    ("empty cursor", InvalidInput, "cursor", lambda mine: mine.list(cursor="")),
    ("negative cursor", InvalidInput, "cursor", lambda mine: mine.list(cursor="-5")),
    ("cursor beyond any row", InvalidInput, "cursor", lambda mine: mine.list(cursor="f" * 16)),
    ("cursor is a number", InvalidInput, "cursor", lambda mine: mine.list(cursor=17)),  # type: ignore[arg-type]
    # ids
    ("get nothing", NotFound, "scope", lambda mine: mine.get("")),
    ("get no id", NotFound, "scope", lambda mine: mine.get("'; DROP TABLE fact; --")),
    ("get a number", NotFound, "scope", lambda mine: mine.get(17)),  # type: ignore[arg-type]
    ("get an unknown id", NotFound, "scope", lambda mine: mine.get(str(uuid4()))),
    ("history of no id", NotFound, "scope", lambda mine: mine.history("\ud800")),
    ("why no id", NotFound, "scope", lambda mine: mine.why("nothing")),
    ("update no id", NotFound, "no current fact", lambda mine: mine.update("nothing", text="changed")),
    ("update an empty id", NotFound, "no current fact", lambda mine: mine.update("", text="changed")),
    ("update an unknown id", NotFound, "no current fact", lambda mine: mine.update(str(uuid4()), text="changed")),
    ("update None", NotFound, "no current fact", lambda mine: mine.update(None, text="changed")),  # type: ignore[arg-type]
    ("forget nothing named", InvalidInput, "forget_everything", lambda mine: mine.forget()),
    ("forget both ways", InvalidInput, "ids", lambda mine: mine.forget("x", where={"a": 1})),
    ("forget no id", NotFound, "nothing was forgotten|scope", lambda mine: mine.forget(["nothing"])),
    ("forget a number", InvalidInput, "id", lambda mine: mine.forget(17)),  # type: ignore[arg-type]
    ("messages of no session", NotFound, "session", lambda mine: mine.session_messages("none")),
    # files
    ("import nothing", RetentiveError, "file", lambda mine: mine.import_("/no/such/file.jsonl")),
    ("import a folder", RetentiveError, "file", lambda mine: mine.import_(os.curdir)),
    ("export into nowhere", RetentiveError, "folder", lambda mine: mine.export("/no/such/folder/all.jsonl")),
]


def scope_of(mine: ScopedMemory) -> Callable[..., object]:
    """The scope method of the memory that this scope came from."""
    return lambda **names: Memory.scope(_memories[id(mine)], **names)


_memories: dict[int, Memory] = {}


@pytest.fixture
def holding(memory: Memory, mine: ScopedMemory) -> Iterator[tuple[ScopedMemory, list[str]]]:
    """A scope with acknowledged memories in it."""
    ids = mine.remember("Prefers tea", evergreen=True, metadata={"a": 1}).ids
    ids += mine.record([{"role": "user", "content": "Some tea please", "id": "m1"}], session_id="s1").ids
    _memories[id(mine)] = memory
    yield mine, ids
    del _memories[id(mine)]


@pytest.mark.parametrize(("error", "says", "call"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_it_is_refused_by_type_with_what_to_do_and_nothing_changes(
    memory: Memory,
    holding: tuple[ScopedMemory, list[str]],
    error: type[RetentiveError],
    says: str,
    call: Call,
) -> None:
    mine, ids = holding
    before = [mine.get(one) for one in ids]
    with pytest.raises(error, match=says) as caught:
        call(mine)
    assert isinstance(caught.value, RetentiveError)
    assert str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    assert [mine.get(one) for one in ids] == before
    assert len(mine.list(status=None)) == len(ids)
    assert memory.pending() == 2


def test_a_budget_too_small_for_one_item_says_so(mine: ScopedMemory) -> None:
    mine.remember("Prefers the long way round " * 40, evergreen=True)
    for budget_tokens in (1, 20, 60):
        with pytest.raises(InvalidInput, match="budget_tokens"):
            mine.block(budget_tokens=budget_tokens)
    assert "long way" in mine.block(budget_tokens=2000).text


def test_without_memories_no_budget_is_too_small(mine: ScopedMemory) -> None:
    assert mine.block("anything", budget_tokens=1).text == ""


def test_a_wrong_version_is_a_conflict_and_changes_nothing(mine: ScopedMemory) -> None:
    fact = mine.remember("Prefers tea").ids[0]
    mine.update(fact, text="Prefers green tea", version=1)
    with pytest.raises(Conflict, match="read it again"):
        mine.update(fact, text="Prefers coffee", version=1)
    assert mine.get(fact).text == "Prefers green tea"


def test_the_log_is_never_changed(mine: ScopedMemory) -> None:
    episode = mine.record(message("Some tea please")).ids[0]
    with pytest.raises(NotFound, match="log"):
        mine.update(episode, text="Some coffee please")
    assert mine.get(episode).text == "Some tea please"


def test_a_closed_memory_says_so(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path / "memory.db", embedder=NoEmbedder(), background=False)
    mine = memory.scope(user_id="alice")
    mine.remember("Prefers tea")
    memory.close()
    for call in (lambda: mine.remember("x"), lambda: mine.recall("x"), mine.list, memory.process, memory.status):
        with pytest.raises(StoreClosed, match="open it again"):
            call()
    memory.close()


@pytest.mark.parametrize("url", ["", 5, 1.5, b"memory.db", ["memory.db"], "a\0b", "\ud800.db"])
def test_what_names_no_store_opens_none(url: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match="URL of a store"):
        Memory.open(url, embedder=NoEmbedder(), background=False)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("by", [None, 5, "shoe", ["shoe"], [None], [["session"]]])
def test_usage_is_told_apart_by_what_it_has(by: object) -> None:
    with Memory.open(":memory:", embedder=NoEmbedder(), background=False) as memory:
        with pytest.raises(InvalidInput, match="operation"):
            memory.usage(by)  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match="limit"):
            memory.review.pending("many")  # type: ignore[arg-type]
        assert memory.usage(["session", "session"]) == []


def test_a_floor_beyond_all_scores_lets_nothing_pass() -> None:
    with Memory.open(":memory:", embedder=NoEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        mine.remember("Likes tea")
        assert len(mine.recall("tea", min_score=1e308)) == 0
        assert len(mine.recall("tea", min_score=-1e308)) == 1
