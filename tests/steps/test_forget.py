"""What to forget is said by id, conversation, project or time; what would go can be seen, and looked for after."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from retentive import AsyncMemory, Memory, ScopedMemory, Settings, restore
from retentive.errors import InvalidInput, NotFound
from retentive.lifecycle.archive import Archive
from retentive.models.embed_none import NoEmbedder
from retentive.results import ErasureReport


def said(mine: ScopedMemory, text: str, session_id: str | None = None, at: str | None = None) -> str:
    message: dict[str, Any] = {"role": "user", "content": text}
    return mine.record([message | ({"timestamp": at} if at else {})], session_id).ids[0]


def texts(mine: ScopedMemory) -> set[str]:
    return {item.text for item in mine.list(status=None, limit=1000)}


def left(report: ErasureReport) -> dict[str, int]:
    return {place.place: place.left for place in report.places if place.left}


def erased(report: ErasureReport) -> dict[str, int]:
    return {place.place: place.erased for place in report.places if place.erased}


def test_a_conversation_goes_with_what_was_stated_in_it_and_drawn_from_it(memory: Memory, mine: ScopedMemory) -> None:
    said(mine, "I live in Utrecht. My boat is called Halcyon.", "s1")
    mine.remember("The mooring costs 40 euros", session_id="s1")
    said(mine, "I live in Utrecht.", "s2")
    for name in ("s1", "s2"):
        mine.end_session(name)
    memory.process()
    assert mine.block().text.count("Halcyon") >= 1
    report = mine.forget(session_id="s1")
    memory.process()
    assert report.complete
    assert texts(mine) == {"I live in Utrecht.", "The user lives in Utrecht."}
    assert {item.session_id for item in mine.list(limit=1000)} == {"s2"}
    assert [session.id for session in mine.sessions()] == ["s2"]
    assert "Halcyon" not in mine.block().text
    assert {"session", "session summaries", "episode", "fact"} <= erased(report).keys()


def test_what_is_left_of_a_conversation_is_counted_and_summarised_anew(memory: Memory, mine: ScopedMemory) -> None:
    gone = said(mine, "My boat is called Halcyon.", "s1")
    said(mine, "The mooring costs 40 euros.", "s1")
    mine.end_session("s1")
    memory.process()
    assert erased(mine.forget(gone))["session summaries"] == 1
    memory.process()
    (session,) = mine.sessions()
    assert (session.message_count, session.state) == (1, "ended")
    assert "40 euros" in (session.summary or "")
    assert "Halcyon" not in (session.summary or "")


def test_by_project_and_by_time(memory: Memory, mine: ScopedMemory) -> None:
    boats, house = (memory.scope(user_id="alice", project_id=name) for name in ("boats", "house"))
    for number, scope in enumerate((boats, house, mine)):
        said(scope, f"Note {number} of March", at="2026-03-01T12:00:00Z")
        said(scope, f"Note {number} of May", at="2026-05-01T12:00:00Z")
    assert mine.forget(of_project="boats", until="2026-04-01T00:00:00Z").complete
    assert texts(mine) == {f"Note {n} of March" for n in (1, 2)} | {f"Note {n} of May" for n in range(3)}
    assert mine.forget(since="2026-05-01T12:00:00Z", where={"role": "user"}, of_project="boats").complete
    assert len(house.forget(of_project="boats").ids) == 0
    assert mine.forget(until="2026-03-01T12:00:00Z").complete
    assert texts(mine) == {"Note 1 of May", "Note 2 of May"}
    assert house.forget(since="2026-01-01T00:00:00Z", of_project="house").complete
    assert texts(mine) == {"Note 2 of May"}


def test_a_condition_meets_only_what_the_scope_may_see(memory: Memory, mine: ScopedMemory) -> None:
    house = memory.scope(user_id="alice", project_id="house")
    said(memory.scope(user_id="alice", project_id="boats"), "A note on boats", "s1")
    said(memory.scope(user_id="bob"), "A note of another person", "s1")
    assert house.forget(session_id="s1").ids == ()
    assert texts(mine) == {"A note on boats"}


def test_ids_and_conditions_exclude_each_other(mine: ScopedMemory) -> None:
    for call in (
        mine.forget,
        lambda: mine.forget("x", session_id="s1"),
        lambda: mine.forget("x", since="2026-01-01T00:00:00Z"),
    ):
        with pytest.raises(InvalidInput, match="say what to forget"):
            call()
    with pytest.raises(InvalidInput):
        mine.forget(of_project="*")


def test_a_dry_run_says_what_goes_and_changes_nothing(memory: Memory, mine: ScopedMemory, tmp_path: Path) -> None:
    message = said(mine, "I live in Utrecht.", "s1")
    mine.end_session("s1")
    memory.process()
    (fact,) = mine.list("semantic")
    before = texts(mine)
    files = {path.name for path in tmp_path.iterdir()}
    preview = mine.forget(message, dry_run=True)
    assert texts(mine) == before
    assert {path.name for path in tmp_path.iterdir()} == files  # nothing is noted down for later either
    assert preview.dry_run
    assert (preview.ids, preview.derived) == ((message,), (fact.id,))
    report = mine.forget(message)
    assert (report.ids, report.derived) == (preview.ids, preview.derived)
    assert erased(preview).items() <= erased(report).items()
    assert mine.forget_everything(dry_run=True).places
    with pytest.raises(NotFound):
        mine.forget(message, dry_run=True)


def test_verify_finds_words_that_lie_beside_the_store_and_no_word_that_is_still_said(
    memory: Memory, mine: ScopedMemory, tmp_path: Path, store_file: Path
) -> None:
    assert store_file.parent == tmp_path
    words = "The alarm code of the summer house is kept under the third stone"
    fact = mine.remember(words).ids
    memory.scope(user_id="bob").remember("The alarm code of the summer house is kept by Alice")
    (tmp_path / "service.log").write_text(f"got: {words}\n", "utf-8")
    report = mine.forget(fact, verify=True)
    assert left(report).keys() == {"bytes of service.log"}
    assert "bytes of memory.db" in {place.place for place in report.places}
    (tmp_path / "service.log").write_text("", "utf-8")
    again = mine.remember(words).ids
    assert mine.forget(again, verify=True).complete


def test_an_archived_memory_that_quotes_what_goes_goes_too(tmp_path: Path) -> None:
    settings = Settings(retention=("expired=0d+archive", "episodes=keep"), extractor="none")
    with Memory.open(tmp_path / "m.db", embedder=NoEmbedder(), settings=settings, background=False) as memory:
        mine = memory.scope(user_id="alice")
        message = said(mine, "My boat is called Halcyon.", "s1")
        line = mine.remember("The mooring costs 40 euros", expires_at="2026-01-01T00:00:00Z", session_id="s1").ids
        memory.retain()
        assert not mine.list("semantic", status=None)
        preview = mine.forget(session_id="s1", dry_run=True)
        assert (preview.ids, erased(preview)["archive"]) == ((message,), 1)
        report = mine.forget(session_id="s1", verify=True)
        assert (report.complete, erased(report)["archive"]) == (True, 1)
        assert line[0] not in report.ids
        assert not list(tmp_path.glob("m.db.archive/*"))


def test_an_archived_fact_goes_with_the_archived_message_it_quotes(tmp_path: Path) -> None:
    settings = Settings(retention=("episodes=0h+archive", "facts=0h", "expired=0h+archive"))
    with Memory.open(tmp_path / "m.db", embedder=NoEmbedder(), settings=settings, background=False) as memory:
        mine = memory.scope(user_id="alice")
        said(mine, "I like Brumhold cheese.", "s1")
        said(mine, "Other talk.", "s2")
        for session in ("s1", "s2"):
            mine.end_session(session)
        memory.process()
        assert memory.retain().archived == 3
        preview = mine.forget(session_id="s1", dry_run=True)
        report = mine.forget(session_id="s1")
        assert erased(preview)["archive"] == erased(report)["archive"] == 2
        archive = Archive(tmp_path / "m.db.archive")
        assert [line["text"] for line in archive.lines(mine.scope.partition)] == ["Other talk."]


def test_a_memory_that_only_the_archive_has_is_forgotten_by_its_id(tmp_path: Path) -> None:
    settings = Settings(retention=("expired=0d+archive",), extractor="none")
    with Memory.open(tmp_path / "m.db", embedder=NoEmbedder(), settings=settings, background=False) as memory:
        mine = memory.scope(user_id="alice")
        gone = mine.remember("My boat is called Halcyon", expires_at="2026-01-01T00:00:00Z").ids
        memory.backup(tmp_path / "old.backup")
        memory.retain()
        with pytest.raises(NotFound):
            memory.scope(user_id="bob").forget(gone)
        report = mine.forget(gone)
        assert (report.ids, erased(report)) == (tuple(gone), {"archive": 1})
        with pytest.raises(NotFound):
            mine.forget(gone)
    restore(tmp_path / "old.backup", tmp_path / "m.db", replace=True)
    with Memory.open(tmp_path / "m.db", embedder=NoEmbedder(), settings=settings, background=False) as memory:
        assert texts(memory.scope(user_id="alice")) == set()


def test_to_await(tmp_path: Path) -> None:
    async def forgotten() -> ErasureReport:
        async with await AsyncMemory.open(tmp_path / "m.db", embedder=NoEmbedder(), background=False) as memory:
            mine = memory.scope(user_id="alice")
            await mine.record([{"role": "user", "content": "I live in Utrecht."}], "s1")
            assert len((await mine.forget(session_id="s1", dry_run=True)).ids) == 1
            return await mine.forget(session_id="s1", verify=True)

    assert asyncio.run(forgotten()).complete
