"""What was forgotten stays so when an older copy of the store comes back; what is said again is kept."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from retentive import Memory, restore
from retentive.clock import simulated
from retentive.errors import StoreFull
from retentive.lifecycle import erase
from retentive.models.embed_none import NoEmbedder
from retentive.types import AddFact
from simulated import Days

CANARY = "marmot-7431"


def opened(path: Path) -> Memory:
    return Memory.open(path, embedder=NoEmbedder(), background=False)


def filled(memory: Memory) -> list[str]:
    """Alice's canary as a message, a fact drawn from it, a fact stated; the ids of what says it."""
    mine = memory.scope(user_id="alice")
    with mine.session("s1") as chat:
        chat.add("user", f"I live in {CANARY} street", name="Alice")
        chat.add("user", "I like tea")
    memory.process()
    mine.remember(f"The code is {CANARY}", category="constraint")
    memory.scope(user_id="bob").remember("Plays the oboe")
    return [item.id for item in mine.list(status=None, limit=1000) if CANARY in item.text]


def in_bytes(folder: Path) -> list[str]:
    return [file.name for file in folder.glob("memory.db*") if CANARY.encode() in file.read_bytes()]


def texts(memory: Memory, user: str = "alice") -> list[str]:
    return sorted(item.text for item in memory.scope(user_id=user).list(status=None, limit=1000))


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("route", ["backup", "copied file"])
def test_an_older_copy_forgets_it_again(tmp_path: Path, route: str, *, everything: bool) -> None:
    store = tmp_path / "memory.db"
    with opened(store) as memory:
        ids = filled(memory)
        memory.backup(tmp_path / "old.backup")
    shutil.copy(store, tmp_path / "old.db")
    with opened(store) as memory:
        mine = memory.scope(user_id="alice")
        if everything:
            mine.forget_everything()
        else:
            mine.forget(ids)
    if route == "backup":
        restore(tmp_path / "old.backup", store, replace=True)
    else:
        shutil.copy(tmp_path / "old.db", store)
    with opened(store) as memory:
        assert not any(CANARY in text for text in texts(memory))
        assert bool(texts(memory)) is not everything
        assert texts(memory, "bob") == ["Plays the oboe"]
        assert memory.doctor().problems == ()
    assert in_bytes(tmp_path) == []


def test_a_restore_elsewhere_takes_the_journal_along(tmp_path: Path) -> None:
    with opened(tmp_path / "memory.db") as memory:
        ids = filled(memory)
        memory.backup(tmp_path / "old.backup")
        memory.scope(user_id="alice").forget(ids)
    restore(tmp_path / "old.backup", tmp_path / "new.db", erasures=tmp_path / "memory.db.erasures")
    with opened(tmp_path / "new.db") as memory:
        assert texts(memory, "bob") == ["Plays the oboe"]
        assert not any(CANARY in text for text in texts(memory))


def test_a_fact_that_an_older_copy_has_not_drawn_yet_does_not_come_back(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    with opened(store) as memory:
        mine = memory.scope(user_id="alice")
        with mine.session("s1") as chat:
            chat.add("user", f"I live in {CANARY}. I work as a baker.")
        memory.backup(tmp_path / "old.backup")  # before anybody read the message
        memory.process()
        facts = {item.text: item.id for item in mine.list("semantic")}
        (gone,) = [one for text, one in facts.items() if CANARY in text]
        assert len(facts) == 2
        mine.forget(gone)  # the message stays
    assert CANARY not in (tmp_path / "memory.db.erasures").read_text()
    restore(tmp_path / "old.backup", store, replace=True)
    with opened(store) as memory:
        memory.process()
        mine = memory.scope(user_id="alice")
        assert {item.text for item in mine.list("semantic")} == {text for text in facts if CANARY not in text}
        assert len(mine.list("episodic")) == 1


def test_what_is_said_again_is_kept(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    with opened(store) as memory:
        mine = memory.scope(user_id="alice")
        mine.remember(f"The code is {CANARY}")
        mine.forget_everything()
        mine.remember(f"The code is {CANARY}")
        memory.backup(tmp_path / "new.backup")
    restore(tmp_path / "new.backup", store, replace=True)
    with opened(store) as memory:
        assert texts(memory) == [f"The code is {CANARY}"]


def test_of_who_was_forgotten_an_older_copy_keeps_no_name(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    with opened(store) as memory:
        mine = memory.scope(user_id=f"user-{CANARY}")
        mine.record([{"role": "user", "content": "Hello there."}], session_id="s1")
        memory.process()
        memory.schedule()
        memory.process()
        memory.backup(tmp_path / "old.backup")
        digest = mine.scope.partition.digest
        mine.forget_everything()
        memory.scope(user_id="bob").remember("Plays the oboe")
    assert not any(digest.encode() in file.read_bytes() for file in tmp_path.glob("memory.db*"))
    restore(tmp_path / "old.backup", store, replace=True)
    with opened(store) as memory:
        assert list(memory.owners()) == []
    assert in_bytes(tmp_path) == []


def test_what_was_recorded_by_a_clock_ahead_is_forgotten_in_an_older_copy_too(tmp_path: Path) -> None:
    store, days = tmp_path / "memory.db", Days()
    with simulated(days):
        with opened(store) as memory:
            days.pass_(1)
            filled(memory)
            memory.backup(tmp_path / "old.backup")
            days.pass_(-1)
            memory.scope(user_id="alice").forget_everything()
        restore(tmp_path / "old.backup", store, replace=True)
        with opened(store) as memory:
            assert texts(memory) == []
            assert texts(memory, "bob") == ["Plays the oboe"]


def test_the_journal_says_nothing_of_what_was_forgotten_or_whose_it_was(tmp_path: Path) -> None:
    with opened(tmp_path / "memory.db") as memory:
        filled(memory)
        memory.scope(user_id="alice").forget_everything()
    journal = (tmp_path / "memory.db.erasures").read_text()
    assert "alice" not in journal
    assert CANARY not in journal


@pytest.mark.parametrize("keep", [0, 5, -3])
def test_a_journal_that_was_cut_off_is_gone_on_with(tmp_path: Path, keep: int) -> None:
    store, journal = tmp_path / "memory.db", tmp_path / "memory.db.erasures"
    with opened(store) as memory:
        ids = filled(memory)
        memory.scope(user_id="bob").forget_everything()
    journal.write_bytes(journal.read_bytes()[:keep])
    shutil.copy(store, tmp_path / "old.db")
    with opened(store) as memory:
        memory.scope(user_id="alice").forget(ids)
    shutil.copy(tmp_path / "old.db", store)
    with opened(store) as memory:
        assert not any(CANARY in text for text in texts(memory))


def test_without_room_for_the_note_nothing_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with opened(tmp_path / "memory.db") as memory:
        ids = filled(memory)
        before = texts(memory)
        monkeypatch.setattr("retentive.sql.erasures.Journal.append", full)
        with pytest.raises(StoreFull):
            memory.scope(user_id="alice").forget(ids)
        assert texts(memory) == before


def test_what_retention_took_between_choice_and_erasing_is_named_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "memory.db"
    with opened(store) as memory:
        mine = memory.scope(user_id="alice")
        (gone,) = mine.remember(f"The cellar is called {CANARY}").ids
        mine.remember("I play the oboe")
        memory.backup(tmp_path / "old.backup")
        backend, chosen = memory._backend, erase.forget  # noqa: SLF001  the moment in between

        def taken_meanwhile(at: Any, what: Any, in_scope: Any, **options: Any) -> Any:
            backend.store.erase(at.partition, [one.row for one in in_scope[0]], lasting=False)
            return chosen(at, what, in_scope, **options)

        monkeypatch.setattr(erase, "forget", taken_meanwhile)
        assert mine.forget(gone).complete
    restore(tmp_path / "old.backup", store, replace=True)
    with opened(store) as memory:
        assert texts(memory) == ["I play the oboe"]


def test_what_was_put_to_another_row_since_is_found_by_its_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path / "memory.db") as memory:
        mine = memory.scope(user_id="alice")
        (gone,) = mine.remember(f"The cellar is called {CANARY}").ids
        backend, chosen = memory._backend, erase.forget  # noqa: SLF001  the moment in between

        def moved_meanwhile(at: Any, what: Any, in_scope: Any, **options: Any) -> Any:
            (old,) = in_scope[0]
            backend.store.erase(at.partition, [old.row], lasting=False)
            with backend.store.transaction(at.partition) as transaction:
                transaction.apply([AddFact(old)], {old.id: []})
            return chosen(at, what, in_scope, **options)

        monkeypatch.setattr(erase, "forget", moved_meanwhile)
        assert mine.forget(gone).complete
        assert texts(memory) == []
    assert in_bytes(tmp_path) == []
