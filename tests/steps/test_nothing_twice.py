"""A turn embeds its query once, whatever asks for it: the prompt, a recall, a block."""

from __future__ import annotations

from pathlib import Path

import pytest

from retentive import Memory, cleaning
from retentive.redaction import Redacted, RedactionPolicy
from stubs import StubEmbedder


def queries(embedder: StubEmbedder) -> list[str]:
    return [text for purpose, texts in embedder.calls for text in texts if purpose == "query"]


def test_recall_and_block_of_one_turn_embed_their_query_once(memory: Memory, stub_embedder: StubEmbedder) -> None:
    mine = memory.scope(user_id="ann")
    mine.remember("The passport is in the blue drawer")
    memory.process()
    with mine.session() as chat:
        chat.add("user", "where is the passport?")
        assert "blue drawer" in chat.system_prompt()
        assert mine.recall("where is the passport?", k=3).hits
        assert mine.block("where is the passport?").text
        assert memory.scope(user_id="bob").recall("where is the passport?").hits == ()
    asked = queries(stub_embedder)
    assert asked == ["where is the passport?"]


def test_what_was_embedded_as_a_document_is_not_embedded_as_a_query(tmp_path: Path) -> None:
    """The cache goes with the store: another process does not embed it again."""
    first, second = StubEmbedder(), StubEmbedder()
    with Memory.open(tmp_path / "memory.db", embedder=first, background=False) as memory:
        memory.scope(user_id="ann").remember("The passport is in the blue drawer")
        memory.process()
    with Memory.open(tmp_path / "memory.db", embedder=second, background=False) as memory:
        memory.scope(user_id="bob").remember("The passport is in the blue drawer")
        memory.process()
    assert second.calls == []


def test_a_call_reads_a_name_once_however_many_messages_bear_it(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a name that holds a secret, each time: the receipt of every message that bears it says so."""
    read: list[str] = []
    redact = cleaning.redact

    def counted(text: str, *, policy: RedactionPolicy) -> Redacted:
        read.append(text)
        return redact(text, policy=policy)

    monkeypatch.setattr(cleaning, "redact", counted)
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    messages = [{"role": role, "content": "a line", "name": secret} for role in ("user", "user", "tool")]
    receipt = memory.scope(user_id="ann").record(messages, "a talk")
    assert all(read.count(name) <= 1 for name in ("user", "tool", "message"))  # which an earlier call may have read
    assert read.count("a talk") == 1
    assert [item.reason for item in receipt.items] == ["taken out before storing: github_token"] * 3
