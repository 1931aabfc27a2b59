"""Fixtures for all tests. `memory` is a fresh store with the stub embedder; say `Memory.open(...)` for the real one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import retentive
from retentive.errors import MissingExtra
from retentive.testing.postgres import Server, binaries, server
from stubs import StubEmbedder


@pytest.fixture
def stub_embedder() -> StubEmbedder:
    """An embedder that needs no model: vectors are near when words are shared."""
    return StubEmbedder()


@pytest.fixture
def memory(tmp_path: Path, stub_embedder: StubEmbedder) -> Iterator[retentive.Memory]:
    """An empty store in a file of its own. Jobs run when the test says `memory.process()`."""
    with retentive.Memory.open(tmp_path / "memory.db", embedder=stub_embedder, background=False) as opened:
        yield opened


@pytest.fixture
def mine(memory: retentive.Memory) -> retentive.ScopedMemory:
    """Alice's memory in that store."""
    return memory.scope(user_id="alice")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A real Postgres, started for these tests and ended after them. Where there is none CI fails, a laptop skips."""
    try:
        binaries()
    except MissingExtra as error:
        if "CI" in os.environ:
            raise
        pytest.skip(str(error))
    with server() as started:
        yield started
