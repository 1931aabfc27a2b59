"""From one store to another: everything, whatever happens meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from retentive import Memory
from retentive.cli import main
from retentive.config import Settings
from retentive.errors import InvalidInput
from retentive.migrate import checksum, migrate
from retentive.plugins import make_backend
from retentive.testing.postgres import Server
from retentive.types import SessionInfo
from stubs import StubEmbedder


def opened(url: str, embedder: StubEmbedder | None = None) -> Memory:
    return Memory.open(url, embedder=embedder or StubEmbedder(), background=False)


def filled(url: str) -> None:
    """Three users, two tenants: talk, facts that were replaced, one forgotten while its message stays, a profile."""
    with opened(url) as memory:
        for tenant, user in (("default", "alice"), ("default", "bob"), ("acme", "alice")):
            mine = memory.scope(user_id=user, tenant=tenant)
            with mine.session("s1") as chat:
                chat.add("user", f"I live in Bergen and I like tea, says {user}.", id="m1", metadata={"n": 1.0})
                chat.add("assistant", "Noted.")
            mine.record([{"role": "user", "content": "My vault is in Glimmerdeep."}], session_id="s2")
            memory.process()
            mine.remember("I live in Oslo", idempotency_key="k1", metadata={"early": "早"})
            mine.update_profile({"tone": "brief"})
            mine.end_session("s2")
            for agent in ("cook", "coach"):
                theirs = memory.scope(user_id=user, tenant=tenant, agent_id=agent)
                theirs.record([{"role": "user", "content": f"The {agent} is kind."}], session_id="s1")
            memory.process()
            mine.forget([hit.id for hit in mine.recall("vault", tiers=["semantic"]) if "vault" in hit.text])
        memory.process()


def sums(url: str) -> dict[object, object]:
    backend = make_backend(url, Settings())
    try:
        return {
            one: (checksum(backend.store, one), sorted(map(str, map(_told, backend.store.sessions(one, limit=99)))))
            for one in backend.store.partitions()
        }
    finally:
        backend.store.close()


def _told(session: SessionInfo) -> SessionInfo:
    """Without what is of its store."""
    return replace(session, owner=None, unread_row=None)


@pytest.fixture
def there(postgres: Server) -> Iterator[str]:
    with postgres.empty_store() as url:
        yield url


@pytest.fixture
def here(tmp_path: Path) -> str:
    url = str(tmp_path / "here.db")
    filled(url)
    return url


def test_all_of_it_goes_to_another_engine_and_back(here: str, there: str, tmp_path: Path) -> None:
    back = str(tmp_path / "back.db")
    one, two = migrate(here, there), migrate(there, back)
    assert (one.differing, one.waiting, one.partitions) == (two.differing, two.waiting, two.partitions) == (0, 0, 3)
    assert one.copied == one.memories == two.copied == two.memories > 15
    assert one.vectors == two.vectors > 15
    assert sums(here) == sums(there) == sums(back)
    embedder = StubEmbedder()
    asked = {"k": 10, "now": "2040-01-01Z"}
    found = []
    for url in (here, there, back):
        with opened(url, embedder) as memory:
            assert memory.pending() == 0
            mine = memory.scope(user_id="alice")
            found.append([(hit.text, hit.score) for hit in mine.recall("where do I live?", **asked)])
            mine.record([{"role": "user", "content": "Hello again."}], session_id="s2")
            memory.process()
            assert not [item for item in mine.list("semantic", status=None) if "vault" in item.text]
            assert memory.doctor().problems == ()
    assert found[0] == found[1] == found[2]
    assert not [texts for purpose, texts in embedder.calls if purpose == "document" and "vault" in "".join(texts)]


class Stopped(Exception):
    pass


def test_a_run_that_was_cut_short_is_made_up_for(here: str, there: str) -> None:
    seen: list[int] = []

    def stop(count: int) -> None:
        seen.append(count)
        if len(seen) == 2:
            raise Stopped

    with pytest.raises(Stopped):
        migrate(here, there, progress=stop)
    assert sums(here) != sums(there)
    report = migrate(here, there)
    assert (report.differing, report.copied) == (0, report.memories - sum(seen))
    assert sums(here) == sums(there)
    assert migrate(here, there).copied == 0


def test_what_is_written_meanwhile_comes_along(here: str, there: str) -> None:
    """Recorded, changed and forgotten while it runs: the next pass brings it, so one run is enough."""
    with opened(here) as memory:
        mine = memory.scope(user_id="alice")
        doomed = mine.list("episodic").items[0]
        (kept,) = mine.remember("Has a cat").ids
        memory.process()

        def write(_: int) -> None:
            if not mine.list(where={"late": True}).items:
                mine.remember("Has a dog", metadata={"late": True})
                mine.update(kept, text="Has two cats")
                mine.forget(doomed.id)
                memory.process()

        report = migrate(here, there, progress=write)
        assert (report.differing, report.waiting) == (0, 0)
        assert report.erased >= 1
    assert sums(here) == sums(there)
    with opened(there) as memory:
        mine = memory.scope(user_id="alice")
        assert [item.text for item in mine.history(kept)] == ["Has a cat", "Has two cats"]
        assert doomed.id not in {item.id for item in mine.list(status=None)}


def test_a_store_with_memories_of_its_own_is_left_alone(here: str, there: str, tmp_path: Path) -> None:
    with opened(there) as memory:
        memory.scope(user_id="carol").remember("Mine")
    before = sums(there)
    with pytest.raises(InvalidInput, match="memories of its own"):
        migrate(here, there)
    assert sums(there) == before
    with pytest.raises(InvalidInput, match="are one"):
        migrate(here, here)
    moved = str(tmp_path / "moved.db")
    migrate(here, moved)
    with opened(moved) as memory:
        memory.scope(user_id="alice").remember("Said in the new place")
    with pytest.raises(InvalidInput, match="written to since"):
        migrate(here, moved)


def test_the_command_says_what_it_did_and_that_jobs_wait(here: str, tmp_path: Path) -> None:
    target = str(tmp_path / "there.db")
    done = CliRunner().invoke(main, ["migrate", "--from", here, "--to", target])
    assert done.exit_code == 0, done.output
    assert "memories of 3 users and agents are there" in done.output
    with opened(here) as memory:
        memory.scope(user_id="alice").record([{"role": "user", "content": "One more."}], session_id="s9")
    waits = CliRunner().invoke(main, ["migrate", "--from", here, "--to", target])
    assert waits.exit_code == 1
    assert "jobs wait in the old store" in waits.output


def test_a_folder_has_the_pages_people_read_once_the_run_is_over(here: str, tmp_path: Path) -> None:
    """Beside each owner's JSON, for users and agents of every tenant, and a second run brings them up to date."""
    target = tmp_path / "folder"
    migrate(here, f"file:{target}")
    written = sorted(path.relative_to(target).as_posix() for path in target.glob("**/*.md"))
    assert written == ["alice.md", "bob.md", "tenant@acme/alice.md"]
    assert "Oslo" in (target / "bob.md").read_text("utf-8")
    with opened(here) as memory:
        memory.scope(user_id="bob").remember("I live in Rome")
    migrate(here, f"file:{target}")
    assert "Rome" in (target / "bob.md").read_text("utf-8")
