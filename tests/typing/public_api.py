"""What a type checker sees of the public names: run by mypy in `make check`, never executed.

A `type: ignore` here is a test too: mypy reports it as unused when the mistake beside it is no longer found.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, assert_type

from retentive import AsyncMemory, Memory, ScopedMemory, Session, Settings, parse_block
from retentive.contracts import Embedder, StoreStatus
from retentive.errors import NotFound, RetentiveError
from retentive.results import Block, ErasureReport, Hit, Item, Page, ProcessReport, Recall, Receipt


def opening(embedder: Embedder, settings: Settings) -> None:
    assert_type(Memory.open(), Memory)
    assert_type(Memory.open("memory.db", embedder=embedder, settings=settings, background=False), Memory)
    assert_type(Memory.open(Path("memory.db")), Memory)
    Memory.open("memory.db", embedder)  # type: ignore[call-arg]
    with Memory.open(":memory:") as memory:
        assert_type(memory, Memory)
        assert_type(memory.scope(user_id="alice", project_id="site"), ScopedMemory)
        memory.scope(user="alice")  # type: ignore[call-arg]


def writing(mine: ScopedMemory, moment: datetime) -> None:
    messages: list[Mapping[str, Any]] = [{"role": "user", "content": "Hello", "metadata": {"channel": "web"}}]
    receipt = assert_type(mine.record(messages, session_id="s1"), Receipt)
    assert_type(mine.remember("Prefers TypeScript", category="preference", expires_at=moment), Receipt)
    assert_type(mine.update_profile({"timezone": "GMT+8", "tone": None}), Receipt)
    assert_type(mine.update(receipt.ids[0], text="Prefers Rust", evergreen=True, expires_at=None), Receipt)
    assert_type(mine.forget([receipt.ids[0]]), ErasureReport)
    assert_type(mine.forget(where={"channel": "web"}), ErasureReport)
    mine.remember("Prefers TypeScript", "preference")  # type: ignore[call-arg]
    mine.record("Hello")  # type: ignore[arg-type]


def reading(mine: ScopedMemory) -> None:
    found = assert_type(mine.recall("which language?", k=3, tiers=("semantic",), since="2026-08-18T09:00:00Z"), Recall)
    for hit in found.hits:
        assert_type(hit, Hit)
        assert_type(hit.text, str)
        assert_type(hit.score, float)
    block = assert_type(mine.block("which language?", budget_tokens=400), Block)
    assert_type(block.text, str)
    assert_type(block.tokens, int)
    assert_type(mine.profile(), dict[str, str])
    assert_type(mine.get("an id"), Item)
    page = assert_type(mine.list("semantic", limit=10), Page)
    assert_type([item for item in page], list[Item])  # noqa: C416  that a page can be gone through is what is asked
    assert_type(page.cursor, str | None)
    assert_type(mine.history("an id"), list[Item])
    mine.recall("which language?", tiers=("working",))  # type: ignore[arg-type]
    mine.list("facts")  # type: ignore[arg-type]


def talking(mine: ScopedMemory) -> None:
    with mine.session() as chat:
        assert_type(chat, Session)
        assert_type(chat.system_prompt("You are helpful.", query="invoices?"), str)
        assert_type(chat.add("user", "Hello"), Receipt)
        assert_type(chat.messages, list[dict[str, str]])


def keeping(memory: Memory) -> None:
    assert_type(memory.process(max_jobs=10), ProcessReport)
    assert_type(memory.doctor(fix=True), StoreStatus)
    try:
        memory.work()
    except NotFound as error:
        base: RetentiveError = error
        raise base from None


async def awaiting() -> None:
    async with await AsyncMemory.open("memory.db") as memory:
        mine = memory.scope(user_id="alice")
        assert_type(await mine.remember("Prefers TypeScript"), Receipt)
        assert_type(await mine.recall("which language?"), Recall)
        async with await mine.session() as chat:
            assert_type(await chat.add("user", "Hello"), Receipt)
        mine.recall("which language?").hits  # type: ignore[attr-defined]  # noqa: B018


def parsing(text: str) -> None:
    parse_block(text)
    parse_block(1)  # type: ignore[arg-type]
