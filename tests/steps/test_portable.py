"""Export and import lose nothing: ids, versions, both clocks, evidence, sessions, and every character."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from retentive import Memory, ScopedMemory
from retentive.errors import IdempotencyConflict, ImportFailed
from retentive.results import Item
from stubs import StubEmbedder


def opened(path: Path) -> Memory:
    return Memory.open(path, embedder=StubEmbedder(), background=False)


def fill(memory: Memory, mine: ScopedMemory) -> None:
    """Of everything there is."""
    work = memory.scope(user_id="alice", agent_id="bot", project_id="blog")
    with mine.session("s1") as chat:
        chat.add(
            "user", "Where are my invoices? 早报 👩‍🔬 </MEMORY>\n\\n", id="m1", timestamp="2026-08-18T12:45:00+08:00"
        )
        chat.add("assistant", "  spaces stay  ", metadata={"a": {"b": [1, 2.5, None, True, "ü"]}})
    memory.process()
    mine.record([{"role": "tool", "content": "rows: 3", "name": "sql", "type": "tool_result"}], session_id="s2")
    mine.record([{"role": "user", "content": "No session"}])
    mine.remember("My favourite player is Ronaldo", category="preference")
    new = mine.remember("My favourite player is Messi", metadata={"by": "form", "n": 2**53}).ids[0]
    mine.update(new, confidence=0.5, expires_at="2999-01-01T00:00:00Z")
    mine.remember("Allergic to peanuts", evergreen=True, idempotency_key="k1")
    mine.remember("Allergic to peanuts")
    mine.update_profile({"name": "Alice", "tone": "brief"})
    mine.update_profile({"tone": None, "name": "Alice B."})
    mine.remember("I love cilantro")
    mine.remember("I hate cilantro")
    work.remember("Write in British English")
    work.record([{"role": "user", "content": "For the blog"}], session_id="s3")


def all_of(mine: ScopedMemory) -> dict[str, Any]:
    """Everything a reader can see of a scope."""
    items: list[Item] = list(mine.list(status=None, limit=10_000))
    return {
        "items": items,
        "histories": {item.id: mine.history(item.id) for item in items},
        "why": {item.id: mine.why(item.id) for item in items},
        "sessions": mine.sessions(),
        "messages": {session.id: mine.session_messages(session.id) for session in mine.sessions()},
        "profile": mine.profile(),
        "block": mine.block("favourite player", budget_tokens=4000),
        "recall": [(hit.id, hit.score) for hit in mine.recall("favourite player", k=20, now="2040-01-01Z")],
        "as_of": [hit.id for hit in mine.recall("favourite player", k=20, as_of="2040-01-01Z")],
    }


def test_nothing_is_lost_on_the_way(tmp_path: Path) -> None:
    with opened(tmp_path / "one.db") as memory:
        mine = memory.scope(user_id="alice")
        fill(memory, mine)
        lines = mine.export(tmp_path / "one.jsonl")
        memory.process()
        before = all_of(mine)
    assert lines == len((tmp_path / "one.jsonl").read_text("utf-8").splitlines())
    with opened(tmp_path / "two.db") as memory:
        mine = memory.scope(user_id="alice")
        receipt = mine.import_(tmp_path / "one.jsonl")
        assert {item.outcome for item in receipt.items} == {"stored"}
        assert len(receipt.items) == len(before["items"])
        memory.process()
        after = all_of(mine)
        sessions, before_sessions = after.pop("sessions"), before.pop("sessions")
        assert [(s.id, s.message_count, s.started, s.last) for s in sessions] == [
            (s.id, s.message_count, s.started, s.last) for s in before_sessions
        ]
        assert after == before
        assert memory.doctor().problems == ()
        mine.export(tmp_path / "two.jsonl")
        assert len(memory.scope(user_id="alice", agent_id="bot", project_id="blog").list("semantic", status=None)) > 0
        assert len(memory.scope(user_id="alice", agent_id="other").recall("British English").hits) == 0
    memories = [
        line for line in (tmp_path / "one.jsonl").read_text("utf-8").splitlines() if '"kind": "session"' not in line
    ]
    again = [
        line for line in (tmp_path / "two.jsonl").read_text("utf-8").splitlines() if '"kind": "session"' not in line
    ]
    assert again == memories


def test_what_comes_after_an_import_meets_what_was_imported(tmp_path: Path) -> None:
    with opened(tmp_path / "one.db") as memory:
        fill(memory, memory.scope(user_id="alice"))
        memory.scope(user_id="alice").export(tmp_path / "one.jsonl")
    with opened(tmp_path / "two.db") as memory:
        mine = memory.scope(user_id="alice")
        mine.import_(tmp_path / "one.jsonl")
        assert mine.remember("Allergic to peanuts").items[0].outcome == "duplicate"
        again = mine.remember("Allergic to peanuts", evergreen=True, idempotency_key="k1")
        assert again.items[0].outcome == "duplicate"
        with pytest.raises(IdempotencyConflict):
            mine.remember("Whatever", idempotency_key="k1")
        assert mine.remember("My favourite player is Mbappé").items[0].outcome == "superseded"
        assert mine.record([{"role": "user", "content": "x", "id": "m1"}], session_id="s1").items[0].outcome == "stored"
        with mine.session("s1") as chat:
            assert len(chat.messages) >= 2
        memory.process()
        assert {session.state for session in mine.sessions()} <= {"ended", "open"}


def test_a_session_that_was_ending_is_ended_where_it_arrives(tmp_path: Path) -> None:
    with opened(tmp_path / "one.db") as memory:
        mine = memory.scope(user_id="alice")
        with mine.session("s1") as chat:
            chat.add("user", "The parcel is lost.")
        mine.export(tmp_path / "one.jsonl")
    with opened(tmp_path / "two.db") as memory:
        mine = memory.scope(user_id="alice")
        mine.import_(tmp_path / "one.jsonl")
        memory.process()
        assert [(s.state, s.summary) for s in mine.sessions()] == [("ended", "The parcel is lost.")]


def test_what_is_here_already_stays_as_it_is(memory: Memory, mine: ScopedMemory, tmp_path: Path) -> None:
    fill(memory, mine)
    mine.export(tmp_path / "one.jsonl")
    fact = mine.list("semantic").items[0]
    mine.update(fact.id, text="Changed since the export")
    memory.process()
    before = all_of(mine)
    receipt = mine.import_(tmp_path / "one.jsonl")
    assert {item.outcome for item in receipt.items} == {"duplicate"}
    memory.process()
    assert all_of(mine) == before


def test_what_was_forgotten_since_can_be_brought_back(memory: Memory, mine: ScopedMemory, tmp_path: Path) -> None:
    fill(memory, mine)
    memory.process()
    mine.export(tmp_path / "one.jsonl")
    before = all_of(mine)
    mine.forget_everything()
    assert len(mine.list(status=None)) == 0
    mine.import_(tmp_path / "one.jsonl")
    memory.process()
    after = all_of(mine)
    assert [item.id for item in after["items"]] == [item.id for item in before["items"]]
    assert after["block"] == before["block"]


def changed(number: int, change: Callable[[dict[str, Any]], object]) -> Callable[[list[str]], list[str]]:
    """Change one line of an export."""

    def edit(lines: list[str]) -> list[str]:
        known = json.loads(lines[number])
        change(known)
        lines[number] = json.dumps(known)
        return lines

    return edit


BROKEN: list[tuple[str, Callable[[list[str]], list[str]]]] = [
    ("no head", lambda lines: lines[1:]),
    ("another format", changed(0, lambda known: known.update(format="mem0"))),
    ("a newer version", changed(0, lambda known: known.update(version=99))),
    ("cut in the middle of a line", lambda lines: [*lines[:-1], lines[-1][: len(lines[-1]) // 2]]),
    ("not JSON", lambda lines: [*lines, "and so on"]),
    ("a list", lambda lines: [*lines, "[]"]),
    ("a number", lambda lines: [*lines, "17"]),
    ("an unknown kind", lambda lines: [*lines, '{"kind": "dream"}']),
    ("an unknown field", changed(-1, lambda known: known.update(mood="good"))),
    ("a missing field", changed(-1, lambda known: known.pop("text"))),
    ("an id that is none", changed(-1, lambda known: known.update(id="first"))),
    ("a status that is none", changed(-1, lambda known: known.update(status="maybe"))),
    ("a digest that is none", changed(-1, lambda known: known.update(digest="zz"))),
    ("evidence that is none", changed(-1, lambda known: known.update(evidence=[["only one"]]))),
    ("a number as text", changed(-1, lambda known: known.update(text=17))),
    ("a NUL", changed(-1, lambda known: known.update(text="a\0b"))),
    ("half a surrogate pair", lambda lines: [*lines[:-1], lines[-1].replace('"text": "', '"text": "\\ud800', 1)]),
    ("a time in words", changed(-1, lambda known: known.update(valid_from_us="today"))),
    ("a time that never was", changed(-1, lambda known: known.update(valid_from_us=10**30))),
    ("no metadata", changed(-1, lambda known: known.update(metadata=None))),
]


@pytest.mark.parametrize("edit", [case[1] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_a_broken_file_imports_nothing_and_says_where(tmp_path: Path, edit: Callable[[list[str]], list[str]]) -> None:
    with opened(tmp_path / "one.db") as memory:
        mine = memory.scope(user_id="alice")
        mine.record([{"role": "user", "content": "A message before"}], session_id="s1")
        mine.remember("A fact after")
        mine.export(tmp_path / "one.jsonl")
    lines = edit((tmp_path / "one.jsonl").read_text("utf-8").splitlines())
    (tmp_path / "broken.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    with opened(tmp_path / "two.db") as memory:
        mine = memory.scope(user_id="alice")
        mine.remember("Kept")
        with pytest.raises(ImportFailed, match=r"line \d+|not in a format") as caught:
            mine.import_(tmp_path / "broken.jsonl")
        assert "\n" not in str(caught.value)
        assert [item.text for item in mine.list(status=None)] == ["Kept"]
        assert mine.sessions() == []
        assert memory.doctor().problems == ()


def test_a_file_of_bytes_or_of_nothing_is_refused(mine: ScopedMemory, tmp_path: Path) -> None:
    (tmp_path / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\xff\xfe")
    (tmp_path / "empty.jsonl").write_bytes(b"")
    for name in ("image.png", "empty.jsonl", "missing.jsonl"):
        with pytest.raises(ImportFailed):
            mine.import_(tmp_path / name)


def test_an_export_appears_only_when_it_is_whole(mine: ScopedMemory, tmp_path: Path) -> None:
    mine.remember("First")
    target = tmp_path / "all.jsonl"
    target.write_text("older export")
    mine.export(target)
    assert "First" in target.read_text("utf-8")
    assert [path.name for path in tmp_path.iterdir() if "jsonl" in path.name] == ["all.jsonl"]


def test_more_memories_than_a_query_binds_values_go_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite's limit on bound values, made small so that the test is: whoever asks for many asks in parts."""
    real = apsw.Connection

    def limited(*args: Any, **kwargs: Any) -> apsw.Connection:
        connection = real(*args, **kwargs)
        connection.limit(apsw.SQLITE_LIMIT_VARIABLE_NUMBER, 150)
        return connection

    monkeypatch.setattr("retentive.backends.sqlite.database.apsw.Connection", limited)
    monkeypatch.setattr("retentive.sql.database._MOST_KEYS", 100)
    with opened(tmp_path / "one.db") as memory:
        mine = memory.scope(user_id="alice")
        mine.record([{"role": "user", "content": f"n{number}", "id": f"m{number}"} for number in range(400)])
        for number in range(110):
            mine.remember(f"Keeps the note n{number}")
        memory.process()
        mine.export(tmp_path / "one.jsonl")
        assert len(mine.list(limit=1000)) == 510
        assert len(mine.recall("n7", k=500)) >= 1
        assert len(mine.forget(where={"role": "user"}).ids) == 400
        assert len(mine.forget([item.id for item in mine.list(limit=1000)]).ids) == 110
        assert len(mine.import_(tmp_path / "one.jsonl").ids) == 510
        assert {item.outcome for item in mine.import_(tmp_path / "one.jsonl").items} == {"duplicate"}
        assert memory.doctor(fix=True)


@pytest.mark.parametrize("said", ["I moved to Cusco", "Call me Ali", "My timezone is GMT+8"])
def test_a_statement_that_fills_a_field_speaks_of_the_same_after_an_import(tmp_path: Path, said: str) -> None:
    with opened(tmp_path / "one.db") as one, opened(tmp_path / "two.db") as two:
        one.scope(user_id="alice").remember(said)
        one.scope(user_id="alice").export(tmp_path / "one.jsonl")
        two.scope(user_id="alice").import_(tmp_path / "one.jsonl")
        two.scope(user_id="alice").export(tmp_path / "two.jsonl")
    assert (tmp_path / "two.jsonl").read_bytes() == (tmp_path / "one.jsonl").read_bytes()
