"""`retentive rebuild`: what it prints for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from retentive import Memory
from retentive.cli import main
from retentive.models.embed_none import NoEmbedder


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    """A store in which nothing was drawn from the log yet."""
    monkeypatch.setenv("RETENTIVE_URL", str(tmp_path / "memory.db"))
    monkeypatch.setenv("RETENTIVE_EMBEDDER", "none")
    with Memory.open(tmp_path / "memory.db", embedder=NoEmbedder(), background=False) as memory:
        said = ["I live in Porto.", "My favourite colour is green.", "I am allergic to walnuts."]
        mine = memory.scope(user_id="alice")
        mine.record([{"role": "user", "content": text} for text in said], session_id="s1")
        mine.remember("Plays the cello")
    return CliRunner()


def test_the_difference_is_shown_with_its_quotes(run: CliRunner) -> None:
    shown = run.invoke(main, ["rebuild", "--dry-run"]).output
    assert "+ alice: The user's favourite colour is green. (preference)" in shown
    assert '      "My favourite colour is green."' in shown
    assert "facts: 1 before, 4 after, were it promoted" in shown
    assert "1 are people's own" in shown
    assert "read:  3 messages by rules-1; no model was asked" in shown
    assert "... and 2 more added" in run.invoke(main, ["rebuild", "--dry-run", "--limit", "1"]).output


def test_promote_and_restore(run: CliRunner) -> None:
    promoted = json.loads(run.invoke(main, ["rebuild", "--promote", "--json", "--user", "alice"]).output)
    assert (promoted["state"], promoted["after"], len(promoted["added"])) == ("promoted", 4, 3)
    assert "green" in run.invoke(main, ["list", "--user", "alice"]).output
    restored = run.invoke(main, ["rebuild", "--restore"]).output
    assert "0 added, 3 lost" in restored
    again = run.invoke(main, ["rebuild", "--restore"])
    assert (again.exit_code, "nothing to restore" in again.output) == (1, True)
    assert "thrown away" in run.invoke(main, ["rebuild", "--discard"]).output


def test_what_to_do_has_to_be_said(run: CliRunner) -> None:
    assert run.invoke(main, ["rebuild"]).exit_code == 2
