"""Upkeep looks first and acts then: what was forgotten or changed in between stays so."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from retentive import Memory, ScopedMemory, Settings
from retentive.clock import simulated
from retentive.lifecycle import rescan, retain
from retentive.lifecycle.archive import Archive
from simulated import Days, say
from stubs import StubEmbedder

CANARY = "Brumhold"


@pytest.fixture
def days() -> Iterator[Days]:
    clock = Days()
    with simulated(clock):
        yield clock


def opened(path: Path, **settings: Any) -> Memory:
    return Memory.open(path, embedder=StubEmbedder(), settings=Settings(**settings), background=False)


def first(monkeypatch: pytest.MonkeyPatch, where: object, name: str, do: Callable[[], object]) -> None:
    """Have something done once, just before a step of a job begins."""
    step, waiting = getattr(where, name), [do]

    def late(*given: Any, **named: Any) -> Any:
        if waiting:
            waiting.pop()()
        return step(*given, **named)

    monkeypatch.setattr(where, name, late)


def stored_raw(folder: Path) -> tuple[Memory, ScopedMemory, str, str]:
    """A store with a message and the fact that cites it, stored before mail addresses were taken out."""
    with opened(folder / "m.db", redaction=("pii=allow",)) as memory:
        mine = memory.scope(user_id="alice")
        (message,) = say(mine, f"I like to write to ann.smith@example.org about {CANARY}.", session_id="s")
        memory.process()
        (fact,) = mine.list("semantic")
    memory = opened(folder / "m.db")
    return memory, memory.scope(user_id="alice"), message, fact.id


def test_what_is_forgotten_while_old_rows_are_cleaned_stays_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, mine, message, fact = stored_raw(tmp_path)
    first(monkeypatch, rescan, "_rewrite", lambda: mine.forget([message, fact]))
    assert memory.rescan().rewritten == 0
    memory.process()
    assert memory.doctor().problems == ()
    assert memory.status().counts["job"] == 0
    memory.close()
    assert CANARY.encode() not in b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())


def test_what_is_changed_while_old_rows_are_cleaned_stays_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, mine, _, fact = stored_raw(tmp_path)
    first(monkeypatch, rescan, "_rewrite", lambda: mine.update(fact, text="Likes to write letters"))
    memory.rescan()
    assert [item.text for item in mine.list("semantic")] == ["Likes to write letters"]
    old, new = mine.history(fact)
    assert (old.status, new.status) == ("superseded", "active")
    assert "[REDACTED:email]" in old.text
    memory.close()


def test_what_is_forgotten_while_retention_archives_is_not_archived(
    tmp_path: Path, days: Days, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = opened(tmp_path / "m.db", retention=("episodes=30d+archive",))
    mine = memory.scope(user_id="alice")
    before, meanwhile = say(mine, f"All about {CANARY}.", f"More about {CANARY}.")
    memory.process()
    days.pass_(31)
    first(monkeypatch, retain, "_carry_out", lambda: mine.forget(before))
    forgetting, done = threading.Thread(target=lambda: (mine.forget(meanwhile), done.set())), threading.Event()

    def forget_the_other() -> None:
        forgetting.start()
        done.wait(0.5)  # it has to wait for the archive

    first(monkeypatch, Archive, "add", forget_the_other)
    assert memory.retain().archived == 1
    forgetting.join()
    assert list(Archive(tmp_path / "m.db.archive").lines(mine.scope.partition)) == []
    assert len(mine.list(status=None)) == 0
    memory.close()


def test_words_cited_while_retention_looks_are_kept(
    tmp_path: Path, days: Days, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = opened(tmp_path / "m.db", extractor="none", retention=("category:summary=keep",))
    mine = memory.scope(user_id="alice")
    say(mine, "The boat is blue. The mast is green.", session_id="s")
    memory.process()
    memory.consolidate()
    days.pass_(25)
    memory.consolidate()
    (summary,) = mine.list("semantic")
    days.pass_(6)
    store, whole = memory._backend.store, type(memory._backend.store).quotes  # noqa: SLF001  what retention asks

    def cited_less_at_first(self: object, *given: Any, **named: Any) -> dict[str, list[str]]:
        return {key: quotes[:1] for key, quotes in whole(self, *given, **named).items()}  # type: ignore[arg-type]

    monkeypatch.setattr(type(store), "quotes", cited_less_at_first)
    assert memory.retain().quoted == 1
    assert len(summary.quotes) == 2
    assert all(quote in mine.get(summary.episode_ids[0]).text for quote in summary.quotes)
    memory.close()


def test_a_job_does_not_bring_back_the_name_of_who_was_forgotten(
    tmp_path: Path, days: Days, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = opened(tmp_path / "m.db")
    mine = memory.scope(user_id=CANARY)
    say(mine, "Nothing of note.")
    memory.process()
    days.pass_(31)
    first(monkeypatch, retain, "_carry_out", mine.forget_everything)
    memory.retain()
    assert list(memory.owners()) == []
    memory.close()
    assert CANARY.encode() not in b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
