"""CASE 41: the same facts are the same bytes, so that a provider's prompt cache keeps them; what moves comes last."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from retentive import Memory, ScopedMemory
from retentive.models.embed_none import NoEmbedder

QUERIES = [None, "invoices", "which language?", "早报", "zzz nothing", "invoices " * 50]
READ = (
    "import sys; from retentive import Memory; from retentive.models.embed_none import NoEmbedder as N; "
    "m = Memory.open(sys.argv[1], embedder=N(), background=False); "
    "sys.stdout.buffer.write(m.scope(user_id='alice').block(sys.argv[2]).stable.encode())"
)


def fill(mine: ScopedMemory) -> None:
    """A profile out of order, evergreen facts, facts, and talk."""
    mine.update_profile({"timezone": "GMT+8", "name": "Zoë", "language": "Deutsch"})
    mine.update_profile({"tone": "brief"})
    for text in ("Allergic to peanuts", "对青霉素过敏", "Never schedule before 9:00"):
        mine.remember(text, evergreen=True)
    mine.remember("The invoice of May is due on Friday")
    mine.record([{"role": "user", "content": "Where are my invoices?"}], session_id="s1")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    with Memory.open(path, embedder=NoEmbedder(), background=False) as memory:
        fill(memory.scope(user_id="alice"))
    return path


def test_case_41_the_query_does_not_move_a_byte(store: Path) -> None:
    with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        blocks = [mine.block(query) for query in QUERIES]
    assert len({block.stable for block in blocks}) == 1
    assert len({block.text for block in blocks}) > 1
    for block in blocks:
        assert block.text == block.stable + block.volatile
        assert "Zoë" in block.stable
        assert "peanuts" in block.stable
        assert "invoice" not in block.stable


def test_case_41_nor_does_another_process_or_a_new_start(store: Path) -> None:
    seen = set()
    for query in ("invoices", "language"):
        command = [sys.executable, "-c", READ, str(store), query]
        seen.add(subprocess.run(command, capture_output=True, check=True).stdout)
    for _ in range(2):
        with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
            seen.add(memory.scope(user_id="alice").block("invoices").stable.encode())
    assert len(seen) == 1


def test_case_41_talk_and_passing_facts_do_not_move_it(store: Path) -> None:
    with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        before = mine.block("invoices").stable
        mine.record([{"role": "user", "content": f"Talk {number}"} for number in range(20)], session_id="s2")
        mine.remember("Likes long walks")
        mine.remember("Allergic to peanuts")  # known: counted once more
        mine.update_profile({"timezone": "GMT+8"})
        mine.update_profile({"name": "Zoë", "language": "Deutsch"})
        memory.process()
        assert mine.block("talk").stable == before
        mine.remember("Allergic to shellfish", evergreen=True)
        assert mine.block("talk").stable != before


def test_case_41_the_same_facts_in_another_store_are_the_same_bytes(store: Path, tmp_path: Path) -> None:
    with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        mine.export(tmp_path / "all.jsonl")
        stable = mine.block().stable
    with Memory.open(tmp_path / "second.db", embedder=NoEmbedder(), background=False) as memory:
        memory.scope(user_id="alice").import_(tmp_path / "all.jsonl")
        assert memory.scope(user_id="alice").block("x").stable == stable
    with Memory.open(tmp_path / "third.db", embedder=NoEmbedder(), background=False) as memory:
        fill(memory.scope(user_id="alice"))
        assert memory.scope(user_id="alice").block("x").stable == stable


@pytest.mark.parametrize("budget_tokens", [120, 200, 300, 2000])
def test_case_41_a_small_budget_keeps_the_same_bytes_too(store: Path, budget_tokens: int) -> None:
    with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        blocks = [mine.block(query, budget_tokens=budget_tokens) for query in QUERIES]
    assert len({block.stable for block in blocks}) == 1
    assert all(block.tokens <= budget_tokens for block in blocks)


def test_case_41_a_system_prompt_begins_with_what_stays(store: Path) -> None:
    with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        chat = mine.session("s9")
        first = chat.system_prompt("You are a helper.", query="invoices")
        chat.add("user", "Which language do I want?")
        second = chat.system_prompt("You are a helper.")
        same = "You are a helper.\n\n" + mine.block().stable
        assert first.startswith(same)
        assert second.startswith(same)
        assert first != second
