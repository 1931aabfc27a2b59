"""Sessions: every message is stored when it is said, working memory fits, and every session gets its end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from retentive import Memory, ScopedMemory, Settings, parse_block
from retentive.models.embed_none import NoEmbedder
from retentive.models.tokens import default_counter
from retentive.types import SessionInfo


def states(mine: ScopedMemory) -> dict[str, str]:
    return {session.id: session.state for session in mine.sessions()}


def only(mine: ScopedMemory) -> SessionInfo:
    (session,) = mine.sessions()
    return session


def test_a_conversation_is_stored_as_it_goes(memory: Memory, mine: ScopedMemory) -> None:
    with mine.session() as chat:
        chat.add("user", "My invoices are missing.", id="m1", name="Alice", metadata={"channel": "web"})
        assert [item.text for item in mine.session_messages(chat.id)] == ["My invoices are missing."]
        chat.add("assistant", "I will look for them.")
        assert chat.messages == [
            {"role": "user", "content": "My invoices are missing."},
            {"role": "assistant", "content": "I will look for them."},
        ]
        assert states(mine) == {chat.id: "open"}
    stored = mine.session_messages(chat.id)
    assert [(item.role, item.text) for item in stored] == [
        ("user", "My invoices are missing."),
        ("assistant", "I will look for them."),
    ]
    assert (stored[0].source_ids, stored[0].name, stored[0].metadata) == (("m1",), "Alice", {"channel": "web"})
    memory.process()
    session = only(mine)
    assert (session.state, session.message_count) == ("ended", 2)
    assert session.summary == "My invoices are missing."


def test_an_exception_ends_the_session_and_loses_nothing(memory: Memory, mine: ScopedMemory) -> None:
    with pytest.raises(ZeroDivisionError), mine.session("s1") as chat:  # noqa: PT012  the session ends by it
        chat.add("user", "Divide by zero, please.")
        raise ZeroDivisionError
    memory.process()
    assert states(mine) == {"s1": "ended"}
    assert [item.text for item in mine.session_messages("s1")] == ["Divide by zero, please."]


@pytest.mark.parametrize("limit", [30, 100, 400])
def test_working_memory_keeps_the_newest_that_fit(tmp_path: Path, limit: int) -> None:
    settings = Settings(working_tokens=limit)
    with Memory.open(tmp_path / "m.db", embedder=NoEmbedder(), settings=settings, background=False) as memory:
        chat = memory.scope(user_id="alice").session("s1")
        for number in range(60):
            chat.add("user", f"Message number {number} is about the garden fence")
            assert chat.working_tokens <= limit
            tokens = sum(default_counter().count(message["content"]) for message in chat.messages)
            assert tokens <= chat.working_tokens
        kept = [message["content"] for message in chat.messages]
        assert kept == [f"Message number {n} is about the garden fence" for n in range(60 - len(kept), 60)]
        assert len(memory.scope(user_id="alice").session_messages("s1")) == 60
        chat.add("user", "long " * 2000)
        assert len(chat.messages) == 1


def test_what_a_caller_does_to_the_messages_is_theirs(mine: ScopedMemory) -> None:
    chat = mine.session()
    chat.add("user", "Hello")
    chat.messages.append({"role": "user", "content": "forged"})
    chat.messages[0]["content"] = "forged"
    assert chat.messages == [{"role": "user", "content": "Hello"}]


def test_an_empty_or_repeated_message_is_not_said_twice(mine: ScopedMemory) -> None:
    chat = mine.session("s1")
    assert chat.add("user", "  ").items[0].outcome == "skipped"
    assert chat.add("user", "Hello", id="m1").items[0].outcome == "stored"
    assert chat.add("user", "Hello", id="m1").items[0].outcome == "duplicate"
    assert chat.messages == [{"role": "user", "content": "Hello"}]


def test_content_in_parts_is_its_text(mine: ScopedMemory) -> None:
    chat = mine.session("s1")
    parts = [
        {"type": "text", "text": "Look at"},
        {"type": "image_url", "image_url": "x"},
        {"type": "text", "text": "this"},
    ]
    chat.add("user", parts)  # type: ignore[arg-type]  # as chat endpoints send it
    assert chat.messages == [{"role": "user", "content": "Look at\nthis"}]
    assert mine.session_messages("s1")[0].text == "Look at\nthis"


def test_a_session_is_resumed_where_it_stopped(memory: Memory, mine: ScopedMemory) -> None:
    with mine.session("s1") as chat:
        chat.add("user", "My order is ORD-17.")
        chat.add("assistant", "Noted.")
    memory.process()
    with mine.session("s1") as chat:
        assert [message["content"] for message in chat.messages] == ["My order is ORD-17.", "Noted."]
        chat.add("user", "When does it come?")
        assert states(mine) == {"s1": "open"}
    memory.process()
    session = only(mine)
    assert (session.state, session.message_count) == ("ended", 3)
    assert len(mine.session_messages("s1")) == 3


def test_a_new_session_of_an_unknown_id_is_empty(mine: ScopedMemory) -> None:
    assert mine.session("never seen").messages == []
    assert mine.sessions() == []


def test_the_prompt_holds_instructions_and_memory(memory: Memory, mine: ScopedMemory) -> None:
    mine.remember("The invoice of May is late")
    mine.remember("The cat is called Ada")
    memory.process()
    chat = mine.session()
    assert chat.system_prompt("You are a helper.") == "You are a helper."
    chat.add("user", "What about the invoice?")
    prompt = chat.system_prompt("You are a helper.", k=1)
    head, block = prompt.split("\n\n", 1)
    assert head == "You are a helper."
    assert parse_block(block)["Recalled"] in (["The invoice of May is late"], ["What about the invoice?"])
    assert "Ada" in chat.system_prompt(query="cat", k=1)
    assert chat.system_prompt("x", tag="NOTES").split("\n\n", 1)[1].startswith("<NOTES>")


CRASH = """
import os, sys
from retentive import Memory
from retentive.models.embed_none import NoEmbedder
memory = Memory.open(sys.argv[1], embedder=NoEmbedder(), background=False)
chat = memory.scope(user_id="alice").session("s1")
chat.add("user", "The parcel is lost. It was the red one.")
chat.add("assistant", "I am sorry.")
os._exit(9)
"""


def test_a_session_whose_process_died_is_ended_by_the_next(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    assert subprocess.run([sys.executable, "-c", CRASH, str(store)], check=False).returncode == 9
    with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        assert states(mine) == {"s1": "open"}
        memory.process()
        session = only(mine)
        assert (session.state, session.message_count) == ("ended", 2)
        assert session.summary
        assert "parcel" in session.summary
        assert [item.text for item in mine.session_messages("s1")][-1] == "I am sorry."


def test_opening_a_session_ends_those_that_died(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    subprocess.run([sys.executable, "-c", CRASH, str(store)], check=False)
    with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
        memory.scope(user_id="bob").session()
        assert states(memory.scope(user_id="alice")) == {"s1": "ending"}


def test_a_living_process_keeps_its_session(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
        chat = memory.scope(user_id="alice").session("s1")
        chat.add("user", "Still here")
        code = CRASH.replace('chat = memory.scope(user_id="alice").session("s1")', "memory.process(); os._exit(9)")
        subprocess.run([sys.executable, "-c", code, str(store)], check=False)
        memory.process()
        assert states(memory.scope(user_id="alice")) == {"s1": "open"}
        chat.add("user", "And still")
        assert only(memory.scope(user_id="alice")).message_count == 2


def test_a_session_by_record_ends_when_it_goes_quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Old timestamps do not end it: what counts is when the messages came."""
    settings = Settings(session_idle_s=600)
    with Memory.open(tmp_path / "m.db", embedder=NoEmbedder(), settings=settings, background=False) as memory:
        mine = memory.scope(user_id="alice")
        mine.record([{"role": "user", "content": "Old news", "timestamp": "2001-01-01T00:00:00Z"}], session_id="s1")
        memory.process()
        assert states(mine) == {"s1": "open"}
        from retentive.clock import now_us  # noqa: PLC0415

        later = now_us() + 601 * 1_000_000
        monkeypatch.setattr("retentive.session.now_us", lambda: later)
        memory.process()
        assert states(mine) == {"s1": "ended"}


def test_ending_twice_or_without_a_word_is_no_error(memory: Memory, mine: ScopedMemory) -> None:
    with mine.session("silent"):
        pass
    chat = mine.session("s1")
    chat.add("user", "Bye")
    chat.end()
    chat.end()
    memory.process()
    assert states(mine) == {"s1": "ended"}


def test_forgetting_a_message_takes_it_out_of_the_summary(memory: Memory, mine: ScopedMemory) -> None:
    with mine.session("s1") as chat:
        secret = chat.add("user", "The door code is 4711.").ids[0]
        chat.add("user", "Please water the plants.")
    memory.process()
    assert "4711" in (only(mine).summary or "")
    mine.forget(secret)
    assert "4711" not in (only(mine).summary or "")
    memory.process()
    session = only(mine)
    assert (session.state, session.summary) == ("ended", "Please water the plants.")
    mine.forget(where={"session_id": "s1"})
    assert mine.sessions() == []


def test_sessions_are_newest_first_and_per_scope(memory: Memory, mine: ScopedMemory) -> None:
    for number in (2, 0, 1):
        moment = f"2026-08-0{number + 1}T10:00:00Z"
        mine.record([{"role": "user", "content": f"Talk {number}", "timestamp": moment}], session_id=f"s{number}")
    assert [session.id for session in mine.sessions()] == ["s2", "s1", "s0"]
    assert [session.id for session in mine.sessions(limit=1)] == ["s2"]
    assert mine.sessions()[0].started == "2026-08-03T10:00:00Z"
    assert memory.scope(user_id="bob").sessions() == []
    memory.scope(user_id="bob").record([{"role": "user", "content": "Mine"}], session_id="s2")
    assert [item.text for item in memory.scope(user_id="bob").session_messages("s2")] == ["Mine"]


def test_a_summary_quotes_and_invents_nothing(memory: Memory, mine: ScopedMemory) -> None:
    said = ["Hi.", "My flight to Lisbon was cancelled. I need a flight to Lisbon on Friday.", "Thanks a lot!"]
    with mine.session("s1") as chat:
        for text in said:
            chat.add("user", text)
            chat.add("assistant", "The moon is made of cheese.")
        chat.add("system", "You are a helper.")
    memory.process()
    summary = only(mine).summary or ""
    assert "Lisbon" in summary
    assert "cheese" not in summary
    assert "helper" not in summary
    assert len(summary) <= 240
    assert os.linesep not in summary


def test_a_session_with_a_secret_for_a_name_ends_by_that_name(memory: Memory) -> None:
    mine = memory.scope(user_id="alice")
    name = "ghp_a8Kq2LmZ0pQx7RtY3vBn5CsD9eFg1HjW4uIo"
    mine.record([{"role": "user", "content": "I keep bees"}], session_id=name)
    mine.end_session(name)
    memory.process()
    assert [session.state for session in mine.sessions()] == ["ended"]
