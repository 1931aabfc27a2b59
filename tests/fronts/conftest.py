"""What the tests of the command line share: a store and settings of their own, and a way to run a command."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from retentive.cli import main


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Text search only, as alice, in a store of this test, whose path this is."""
    for name in [name for name in os.environ if name.startswith("RETENTIVE_")]:
        monkeypatch.delenv(name)
    path = tmp_path / "memory.db"
    for name, value in {"EMBEDDER": "none", "URL": str(path), "USER": "alice", "DURABLE": "false"}.items():
        monkeypatch.setenv(f"RETENTIVE_{name}", value)
    return path


@pytest.fixture
def run(settings: Path) -> Callable[..., Result]:
    """Run a command in this process and hold it to its exit code."""
    assert settings.parent.is_dir()

    def run(*arguments: str, code: int = 0, stdin: str | None = None) -> Result:
        result = CliRunner().invoke(main, arguments, input=stdin)
        assert result.exit_code == code, f"{result.output}\n{result.exception!r}"
        return result

    return run
