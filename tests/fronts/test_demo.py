"""The demo in a process of its own, as a newcomer runs it; and that it fails when a promise is broken."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from retentive.cli import main, story
from retentive.results import ErasurePlace, ErasureReport
from retentive.scoped import ScopedMemory

COMMAND = [sys.executable, "-m", "retentive.cli", "demo"]


def test_demo_keeps_all_its_promises_and_leaves_nothing(tmp_path: Path) -> None:
    environment = os.environ | {"TMPDIR": str(tmp_path), "RETENTIVE_EMBEDDER": "http"}  # no setting sends it elsewhere
    ran = subprocess.run(COMMAND, check=False, capture_output=True, text=True, encoding="utf-8", env=environment)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.count("  ok: ") == 10
    assert "<MEMORY>" in ran.stdout
    assert "Billing: from April" in ran.stdout
    assert len([line for line in ran.stdout.splitlines()[-3:] if line.startswith("  retentive ")]) == 3
    assert list(tmp_path.iterdir()) == []


def test_demo_fails_when_a_promise_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    report = ErasureReport(("some-id",), (ErasurePlace("fact", 1, 0),))
    monkeypatch.setattr(ScopedMemory, "forget", lambda *_, **__: report)  # it says so, but nothing is erased
    result = CliRunner().invoke(main, ["demo"])
    assert result.exit_code == 1
    assert f"'{story.TAKEN_BACK_WORD}' 0 times" not in result.stdout
    assert "no byte of it is left" in result.stderr


def test_demo_fails_when_day_one_dies_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", shutil.which("true"))  # ends at once, and acknowledges nothing
    result = CliRunner().invoke(main, ["demo"])
    assert result.exit_code == 1
    assert "day one was written" in result.stderr
