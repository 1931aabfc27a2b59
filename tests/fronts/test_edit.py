"""`retentive edit` applies what the editor wrote, asks again for what it cannot read, and loses nothing."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
#: Replaces in the file by the next of the given pairs each time it is opened, and keeps a copy of what it was shown.
EDITOR = """
import json, pathlib, sys, os
plan, path = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
steps = json.loads(plan.read_text("utf-8"))
text = path.read_text("utf-8")
plan.with_suffix(".shown").write_text(text, "utf-8")
if steps:
    old, new = steps.pop(0)
    plan.write_text(json.dumps(steps), "utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    os.utime(path, (2_000_000_000 - len(steps), 2_000_000_000 - len(steps)))
"""


@pytest.fixture
def editor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Path]:
    """An editor that makes these changes, one a time it is opened; returns the file it was last shown."""

    def edits(*steps: tuple[str, str]) -> Path:
        script, plan = tmp_path / "editor.py", tmp_path / "plan.json"
        script.write_text(EDITOR, "utf-8")
        plan.write_text(json.dumps(steps), "utf-8")
        monkeypatch.delenv("VISUAL", raising=False)
        monkeypatch.setenv("EDITOR", f"{sys.executable} {script} {plan}")
        return plan.with_suffix(".shown")

    return edits


def test_what_the_editor_wrote_is_applied(run: Run, editor: Callable[..., Path]) -> None:
    run("remember", "Prefers tea")
    editor(("Prefers tea", "Prefers coffee"))
    assert "corrected" in run("edit").output
    assert "Prefers coffee" in run("list").output


def test_an_editor_that_is_closed_changes_nothing(run: Run, editor: Callable[..., Path]) -> None:
    run("remember", "Prefers tea")
    editor()
    assert "nothing was changed" in run("edit").output


def test_what_cannot_be_read_is_shown_again_with_the_reason(run: Run, editor: Callable[..., Path]) -> None:
    run("remember", "Prefers tea")
    shown = editor(("- Prefers tea", "Prefers coffee"), ("\nPrefers coffee", "\n- Prefers coffee"))
    assert "corrected" in run("edit").output
    again = shown.read_text("utf-8")
    assert again.startswith("<!-- PROBLEM: line ")
    assert "begin what is to be remembered" in again.splitlines()[0]
    assert "\nPrefers coffee" in again
    assert "PROBLEM" not in run("list").output


def test_giving_up_keeps_the_text(run: Run, editor: Callable[..., Path]) -> None:
    run("remember", "Prefers tea")
    editor(("- Prefers tea", "Prefers a long and carefully worded thing"))
    output = " ".join(run("edit", code=1).output.split())
    path = re.search(r"kept in (\S+)", output)
    assert path is not None
    kept = Path(path[1])
    assert "carefully worded" in kept.read_text("utf-8")
    assert kept.stat().st_mode & 0o077 == 0
    kept.unlink()
    assert "Prefers tea" in run("list").output
