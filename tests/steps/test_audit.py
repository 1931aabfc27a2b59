"""The audit tells who did what to which memory, never what it says, and shows when someone changed it."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from retentive import Memory, ScopedMemory
from retentive.config import Settings
from retentive.contracts.audit import NO_HASH, Change, verb_of
from retentive.errors import ConfigError, InvalidInput, NotFound
from retentive.models.embed_none import NoEmbedder
from retentive.sql.audit import links_after
from retentive.types import Scope
from stubs import StubEmbedder

WRITER = str(Path(__file__).parents[1] / "faults" / "writer.py")


def opened(path: Path, *, reads: bool = False, background: bool = False) -> Memory:
    settings = Settings(audit_reads=reads)
    return Memory.open(path, embedder=StubEmbedder(), settings=settings, background=background)


def verbs(memory: Memory) -> list[str]:
    """Oldest first."""
    return [entry.verb for entry in reversed(memory.audit(limit=1000).entries)]


def test_every_write_is_entered_with_its_actor_and_ids(memory: Memory) -> None:
    mine = memory.scope(user_id="alice", actor="key-7f3a")
    recorded = mine.record([{"role": "user", "content": "One"}, {"role": "user", "content": "Two"}])
    fact = mine.remember("My favourite player is Ronaldo").ids[0]
    newer = mine.remember("My favourite player is Messi").ids[0]
    mine.update(newer, confidence=0.5)
    mine.remember("My favourite player is Messi")
    mine.update_profile({"name": "Alice"})
    mine.update_profile({"name": None})
    report = mine.forget(recorded.ids)
    page = memory.audit()
    assert [(e.verb, e.count) for e in reversed(page.entries)] == [
        ("record", 2),
        ("remember", 1),
        ("supersede", 1),
        ("remember", 1),
        ("update", 1),
        ("confirm", 1),
        ("remember", 1),
        ("expire", 1),
        ("forget", 2),
    ]
    assert {e.actor for e in page} == {"key-7f3a"}
    assert {(e.tenant, e.kind, e.owner) for e in page} == {("default", "user", "alice")}
    assert page.entries[-1].ids == tuple(recorded.ids)
    assert set(page.entries[0].ids) == set(report.ids)
    assert [e.verb for e in memory.audit(memory_id=fact)] == ["supersede", "remember"]


def test_background_work_and_a_persons_decisions_are_told_apart(memory: Memory) -> None:
    mine = memory.scope(user_id="alice")
    mine.remember("Lives in Porto", field="location")
    with mine.session() as chat:
        chat.add("user", "I was diagnosed with diabetes. I moved to Lisbon.")
    memory.process()
    assert {e.actor for e in memory.audit(verb="remember")} == {"local", "worker"}
    waiting = memory.review.pending()
    for pending, decide in zip(waiting, (memory.review.approve, memory.review.reject), strict=False):
        if decide == memory.review.reject:
            memory.review.reject(pending.item.id, "no", actor="dr-grey")
        else:
            memory.review.approve(pending.item.id, actor="dr-grey")
    decided = memory.audit(actor="dr-grey")
    assert [e.verb for e in reversed(decided.entries)] == ["approve", "reject"][: len(waiting)]


def test_an_import_is_one_entry(memory: Memory, mine: ScopedMemory, tmp_path: Path) -> None:
    mine.remember("Prefers tea")
    mine.export(tmp_path / "all.jsonl")
    mine.forget_everything()
    mine.import_(tmp_path / "all.jsonl")
    assert verbs(memory) == ["remember", "forget", "import"]


def test_a_write_that_fails_is_not_entered(memory: Memory, mine: ScopedMemory) -> None:
    with pytest.raises(NotFound):
        mine.forget("01a1b2c3-d4e5-7f00-8000-000000000000")
    with pytest.raises(InvalidInput):
        mine.record([{"role": "user", "content": "Good"}, {"role": "user", "content": 17}])
    assert verbs(memory) == []
    assert memory.audit_verify().head == f"0:{'0' * 64}"


def test_entries_are_filtered_and_paged(memory: Memory) -> None:
    alice, bob = memory.scope(user_id="alice"), memory.scope(user_id="bob", tenant="acme", actor="key-b")
    for number in range(5):
        alice.remember(f"Keeps note {number}")
        bob.remember(f"Keeps note {number}")
    assert {e.owner for e in memory.audit(scope=Scope(user_id="alice"))} == {"alice"}
    assert {e.owner for e in memory.audit(tenant="acme")} == {"bob"}
    assert len(memory.audit(actor="key-b")) == 5
    entries = memory.audit().entries
    assert [e.no for e in entries] == list(range(10, 0, -1))
    third = entries[-3]
    assert [e.no for e in memory.audit(until=third.at)] == [2, 1]
    assert [e.no for e in memory.audit(since=third.at)][-1] == 3
    first = memory.audit(limit=7)
    assert [e.no for e in memory.audit(limit=7, cursor=first.cursor)] == [3, 2, 1]
    assert len(memory.audit(memory_id="no such id")) == 0


def test_forgetting_everything_keeps_counts_and_no_name(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    with opened(store) as memory:
        mine = memory.scope(user_id="alice-quokka")
        mine.remember("Collects quokka stamps")
        mine.record([{"role": "user", "content": "Another quokka stamp"}])
        number = memory.audit().entries[0].partition
        mine.forget_everything()
        last = memory.audit().entries[0]
        assert (last.verb, last.count, last.ids, last.owner, last.partition) == ("forget", 2, (), None, number)
        assert memory.audit_verify().problems == ()
        assert len(memory.audit(scope=Scope(user_id="alice-quokka"))) == 0
    assert b"quokka" not in store.read_bytes()


# -- the chain -------------------------------------------------------------------------------------------------------
TAMPERING = {
    "edited": ("UPDATE audit SET actor = 'someone' WHERE no = 4", "entry 4 "),
    "count edited": ("UPDATE audit SET count = 9 WHERE no = 4", "entry 4 "),
    "of another type": ("UPDATE audit SET verb = x'00ff', ids = 'text', hash = 'text' WHERE no = 4", "entry 4 "),
    "removed": ("DELETE FROM audit WHERE no = 4", "entries 4 to 4 are missing"),
    "removed at the beginning": ("DELETE FROM audit WHERE no < 3", "entries 1 to 2 are missing"),
    "reordered": ("UPDATE audit SET no = CASE no WHEN 4 THEN -5 ELSE -4 END WHERE no IN (4, 5)", "entry 4 "),
    "removed and renumbered": ("DELETE FROM audit WHERE no = 4; UPDATE audit SET no = no - 1 WHERE no > 4", "entry 4 "),
}


@pytest.mark.parametrize(("sql", "named"), TAMPERING.values(), ids=TAMPERING)
def test_an_entry_that_was_tampered_with_is_named(tmp_path: Path, sql: str, named: str) -> None:
    store = tmp_path / "memory.db"
    with opened(store) as memory:
        for number in range(8):
            memory.scope(user_id="alice").remember(f"Keeps note {number}")
        assert memory.audit_verify().problems == ()
    connection = apsw.Connection(str(store))
    connection.execute(sql)
    connection.execute("UPDATE audit SET no = -no WHERE no < 0")
    connection.close()
    with opened(store) as memory:
        assert any(problem.startswith(named) for problem in memory.audit_verify().problems)
        assert any(problem.startswith(f"audit: {named}") for problem in memory.doctor().problems)


def test_a_head_kept_elsewhere_finds_what_was_cut_off_or_written_anew(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    with opened(store) as memory:
        mine = memory.scope(user_id="alice")
        mine.remember("Prefers tea")
        early = memory.audit_verify().head
        mine.remember("Has a cat")
        late = memory.audit_verify().head
        assert memory.audit_verify(early).problems == memory.audit_verify(late).problems == ()
    connection = apsw.Connection(str(store))
    connection.execute("DELETE FROM audit WHERE no = 2")
    connection.close()
    with opened(store) as memory:
        assert memory.audit_verify().problems == memory.audit_verify(early).problems == ()
        assert "entry 2" in memory.audit_verify(late).problems[0]
        memory.scope(user_id="alice").remember("Has a dog")
        assert "written anew" in memory.audit_verify(late).problems[0]
        with pytest.raises(InvalidInput, match="number, a colon"):
            memory.audit_verify("ff00")


def test_the_hash_is_what_the_documentation_says(memory: Memory, mine: ScopedMemory, store_file: Path) -> None:
    fact = mine.remember("Prefers tea").ids[0]
    entry = memory.audit().entries[0]
    connection = apsw.Connection(str(store_file))
    at_us = connection.execute("SELECT at_us FROM audit").get
    connection.close()
    covered = f'[1,"{"0" * 64}",{at_us},"default",{entry.partition},"local","remember",1,["{fact}"]]'
    assert json.loads(covered)
    assert entry.hash == hashlib.sha256(covered.encode()).hexdigest()


def test_many_processes_append_to_one_chain(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    Memory.open(store, embedder=NoEmbedder(), background=False).close()
    writers = [
        subprocess.Popen([sys.executable, WRITER, str(store), f"p{number}", "25"], stdout=subprocess.PIPE)
        for number in range(2)
    ]
    acknowledged = {one for writer in writers for one in writer.communicate(timeout=60)[0].decode().split()}
    with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
        check = memory.audit_verify()
        assert check.problems == ()
        assert check.entries == len(memory.audit(limit=1000)) == 50
        assert {one for entry in memory.audit(limit=1000) for one in entry.ids} == acknowledged


# -- reads -----------------------------------------------------------------------------------------------------------
def test_reads_are_not_entered_unless_asked_for(memory: Memory, mine: ScopedMemory) -> None:
    mine.remember("Prefers tea")
    mine.recall("tea")
    mine.list()
    assert verbs(memory) == ["remember"]


@pytest.mark.parametrize("background", [False, True])
def test_reads_are_entered_with_what_they_showed(tmp_path: Path, *, background: bool) -> None:
    with opened(tmp_path / "memory.db", reads=True, background=background) as memory:
        mine = memory.scope(user_id="alice", actor="key-1")
        fact = mine.remember("Prefers tea").ids[0]
        mine.recall("tea")
        mine.get(fact)
        mine.list()
        mine.history(fact)
        mine.why(fact)
        mine.profile()
        mine.export(tmp_path / "all.jsonl")
        reads = [e for e in reversed(memory.audit().entries) if e.verb != "remember"]
        assert [e.verb for e in reads] == ["recall", "get", "list", "history", "why", "profile", "export"]
        assert {e.ids for e in reads[:5]} == {(fact,)}
        assert {e.actor for e in reads} == {"key-1"}
        assert memory.audit_verify().problems == ()


def test_reads_are_in_the_audit_after_closing(tmp_path: Path) -> None:
    with opened(tmp_path / "memory.db", reads=True, background=True) as memory:
        fact = memory.scope(user_id="alice").remember("Prefers tea").ids[0]
        memory.scope(user_id="alice").block("tea")
    with opened(tmp_path / "memory.db") as memory:
        assert [(e.verb, e.ids) for e in memory.audit(verb="block")] == [("block", (fact,))]


# -- no way around it ------------------------------------------------------------------------------------------------
def test_every_kind_of_change_has_its_verb() -> None:
    from retentive.contracts import audit  # noqa: PLC0415
    from retentive.types import AddFact, RetireFact  # noqa: PLC0415

    assert set(audit._VERBS) | {AddFact, RetireFact} == set(Change.__args__)  # noqa: SLF001
    assert callable(verb_of)


def test_a_secret_is_no_actor(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="looks like a secret"):
        memory.scope(user_id="alice", actor="sk-proj-" + "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5dE7fG9")


# -- how long it is kept ---------------------------------------------------------------------------------------------
def aged(store: Path, count: int) -> None:
    """The first entries as if they were two years old, each with its hash made anew: a store that has been in use."""
    connection = apsw.Connection(str(store))
    with connection:
        connection.execute("UPDATE audit SET at_us = at_us - 2 * 31557600 * 1000000 WHERE no <= ?", (count,))
        previous = NO_HASH
        for link in list(links_after(connection, 0)):
            previous = link.hash_after(previous)
            connection.execute("UPDATE audit SET hash = ? WHERE no = ?", (bytes.fromhex(previous), link.no))
    connection.close()


@pytest.mark.parametrize("old", [3, 6])
def test_old_entries_are_cut_off_and_the_rest_still_verifies(tmp_path: Path, old: int) -> None:
    store = tmp_path / "memory.db"
    with opened(store) as memory:
        for number in range(6):
            memory.scope(user_id="alice").remember(f"Keeps note {number}")
    aged(store, old)
    settings = Settings(retention=("audit=1y",))
    with Memory.open(store, embedder=StubEmbedder(), settings=settings, background=False) as memory:
        early, late = memory.audit(limit=6).entries[-1], memory.audit_verify().head
        assert memory.retain(dry_run=True).audit_cut == 0
        assert memory.retain().audit_cut == old
        assert memory.retain().audit_cut == 0
        last = memory.audit().entries[0]
        assert (last.verb, last.count, last.actor, last.no) == ("cut", old, "worker", 7)
        assert memory.audit_verify(late).problems == ()
        assert "keep a newer head" in memory.audit_verify(f"1:{early.hash}").problems[0]
        memory.scope(user_id="alice").remember("Prefers tea")
        assert memory.audit_verify().problems == memory.doctor().problems == ()
        assert [entry.no for entry in memory.audit()] == list(range(8, old, -1))


def test_a_beginning_that_nobody_cut_off_is_missing(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    with opened(store) as memory:
        for number in range(4):
            memory.scope(user_id="alice").remember(f"Keeps note {number}")
        second = memory.audit().entries[-2]
    connection = apsw.Connection(str(store))
    connection.execute("DELETE FROM audit WHERE no <= 2")
    connection.execute("INSERT INTO setting VALUES ('audit_start', ?)", (f"2:{second.hash}",))
    connection.close()
    with opened(store) as memory:
        (problem,) = memory.audit_verify().problems
        assert problem == "entries 1 to 2 are missing, and no entry says that they were cut off"


def test_the_audit_has_no_archive() -> None:
    with pytest.raises(ConfigError, match="no archive"):
        Memory.open(":memory:", embedder=StubEmbedder(), settings=Settings(retention=("audit=1y+archive",)))
