"""Exports to look at: Markdown that people can read, CSV that no spreadsheet runs."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from retentive import Memory, ScopedMemory
from retentive.errors import InvalidInput


@pytest.fixture
def full(memory: Memory, mine: ScopedMemory) -> ScopedMemory:
    with mine.session("s1") as chat:
        chat.add("user", "I prefer tea over coffee.", name="Alice", timestamp="2026-08-18T12:45:00+08:00", id="m1")
        chat.add("assistant", "=HYPERLINK(A1) [a](http://b.example) <img src=x>")
    memory.process()
    mine.remember("My favourite player is Ronaldo", category="preference")
    mine.remember("My favourite player is Messi", category="preference", evergreen=True)
    mine.update_profile({"name": "Alice"})
    mine.remember("Weighs *less* than 1_000 g", source="web", expires_at="2999-01-01T00:00:00Z")
    return mine


def test_markdown_shows_what_is_known_and_why(full: ScopedMemory, tmp_path: Path) -> None:
    full.export(tmp_path / "alice.md")
    page = (tmp_path / "alice.md").read_text("utf-8")
    titles = [line for line in page.splitlines() if line.startswith("#")]
    assert titles[:2] == ["# What is remembered of alice", "## Profile"]
    assert titles[-2:] == ["## No longer so", "## Conversation s1"]
    assert "- name: Alice (since 20" in page
    assert "Ronaldo" in page[page.index("## No longer so") :]
    assert "Messi" in page[: page.index("## No longer so")]
    assert "always shown" in page
    assert "“I prefer tea over coffee.” 2026-08-18, Alice" in page
    assert "- 2026-08-18 12:45 **Alice**: I prefer tea over coffee." in page
    assert "Weighs \\*less\\* than 1\\_000 g" in page
    assert "until 2999-01-01; from web, not checked" in page
    assert "<img" not in page.replace("\\<img", "")
    assert "[a](http" not in page


def test_csv_has_a_row_for_each_and_runs_no_formula(full: ScopedMemory, tmp_path: Path) -> None:
    assert full.export(tmp_path / "alice.csv") == 1 + len(full.list(status=None, limit=1000))
    with (tmp_path / "alice.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["tier"] for row in rows} == {"episodic", "semantic"}
    assert next(row["text"] for row in rows if row["role"] == "assistant").startswith("'=HYPERLINK")
    said = next(row for row in rows if row["name"] == "Alice")
    assert said["timestamp"] == "2026-08-18T04:45:00Z"
    assert json.loads(said["source_ids"]) == ["m1"]
    drawn = next(row for row in rows if "I prefer tea over coffee." in row["quotes"])
    assert json.loads(drawn["quotes"]) == ["I prefer tea over coffee."]
    assert {row["status"] for row in rows} == {"active", "superseded"}


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "  =1", "＝1", "|x", "%0a"])
def test_every_way_into_a_formula_is_closed(mine: ScopedMemory, tmp_path: Path, text: str) -> None:
    mine.record([{"role": "user", "content": text, "name": text.strip(), "metadata": {"k": text}}])
    mine.export(tmp_path / "all.csv")
    with (tmp_path / "all.csv").open(encoding="utf-8-sig", newline="") as file:
        row = next(csv.DictReader(file))
    assert not any(cell.lstrip()[:1] in tuple("=+-@|%＝") for cell in row.values() if cell)
    assert row["text"] == f"'{text}"


def test_the_suffix_or_the_format_says_what_is_written(mine: ScopedMemory, tmp_path: Path) -> None:
    mine.remember("Prefers tea")
    mine.export(tmp_path / "all.txt", format="csv")
    assert (tmp_path / "all.txt").read_text("utf-8-sig").startswith('"tier","id"')
    mine.export(tmp_path / "all")
    assert json.loads((tmp_path / "all").read_text("utf-8").splitlines()[0])["format"] == "retentive-export"
    mine.export(tmp_path / "all.MD")
    assert (tmp_path / "all.MD").read_text("utf-8").startswith("# ")
    with pytest.raises(InvalidInput, match="jsonl, markdown, csv"):
        mine.export(tmp_path / "all.pdf", format="pdf")  # type: ignore[arg-type]
