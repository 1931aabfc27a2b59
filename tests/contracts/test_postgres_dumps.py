"""A dump put back by the server's own tools is the same store, and what was forgotten since stays forgotten."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from retentive import Memory
from retentive.testing.postgres import Server, binaries
from stubs import StubEmbedder


@pytest.fixture
def url(postgres: Server) -> Iterator[str]:
    with postgres.empty_store() as made:
        yield made


def dumped(postgres: Server, url: str, to: Path) -> None:
    schema = url.partition("?schema=")[2]
    dump: list[str | Path] = [binaries() / "pg_dump", "--schema", schema, "--file", to, postgres.admin]
    subprocess.run(dump, check=True, timeout=120)


def put_back(postgres: Server, url: str, dump: Path) -> None:
    schema = url.partition("?schema=")[2]
    with psycopg.connect(postgres.admin, autocommit=True) as admin:
        admin.execute(f"DROP SCHEMA {schema} CASCADE".encode())
    load: list[str | Path] = [binaries() / "psql", "--quiet", "-v", "ON_ERROR_STOP=1", "--file", dump, postgres.admin]
    subprocess.run(load, check=True, timeout=120, stdout=subprocess.DEVNULL)


def test_a_dump_put_back_is_the_same_store_without_what_was_forgotten_since(
    url: str, postgres: Server, tmp_path: Path
) -> None:
    """By ids, with what was derived; of everything; of another tenant. What was not forgotten is there as it was."""
    place = f"{url}&erasures={tmp_path / 'erasures'}"
    with Memory.open(place, embedder=StubEmbedder(), background=False) as memory:
        alice, bob = memory.scope(user_id="alice"), memory.scope(user_id="bob", tenant="acme")
        for mine in (alice, bob, memory.scope(user_id="carol")):
            with mine.session("s") as chat:
                chat.add("user", "I live in Oslo. I drink tea.")
            mine.remember("Likes the submarine")
        memory.process()
        dumped(postgres, url, tmp_path / "dump.sql")
        first = alice.list(tier="episodic").items[0]
        alice.forget(first.id)
        left = [item.text for item in alice.list()]
        bob.forget_everything()
        kept = [(item.id, item.text) for item in memory.scope(user_id="carol").list()]
    assert "submarine" not in (tmp_path / "erasures").read_text()
    put_back(postgres, url, tmp_path / "dump.sql")
    with Memory.open(place, embedder=StubEmbedder(), background=False) as memory:
        assert [item.text for item in memory.scope(user_id="alice").list()] == left
        assert list(memory.scope(user_id="bob", tenant="acme").list()) == []
        assert [(item.id, item.text) for item in memory.scope(user_id="carol").list()] == kept
        memory.scope(user_id="bob", tenant="acme").remember("Likes coffee")
        memory.process()
        assert memory.scope(user_id="bob", tenant="acme").recall("coffee").hits
        assert memory.doctor().problems == ()


def test_without_a_journal_a_dump_brings_back_what_was_forgotten(url: str, postgres: Server, tmp_path: Path) -> None:
    """As the page on backends says."""
    with Memory.open(url, embedder=StubEmbedder(), background=False) as memory:
        (stored,) = memory.scope(user_id="alice").remember("Likes tea").ids
        dumped(postgres, url, tmp_path / "dump.sql")
        memory.scope(user_id="alice").forget(stored)
    put_back(postgres, url, tmp_path / "dump.sql")
    with Memory.open(url, embedder=StubEmbedder(), background=False) as memory:
        assert [item.text for item in memory.scope(user_id="alice").list()] == ["Likes tea"]
