"""The semantic tier is drawn from the log anew: compared, put in place, put back; what is forgotten stays forgotten."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import apsw
import pytest

from retentive import Memory, ScopedMemory
from retentive.contracts import Candidate, Extraction, Extractor
from retentive.errors import ModelBadReply, ModelUnavailable, NotFound
from retentive.types import Episode, Job
from stubs import StubEmbedder

SAID = (
    "I live in Porto.",
    "I work at Acme as an engineer.",
    "My favourite colour is green.",
    "I prefer tea over coffee.",
    "I moved to Lisbon.",
    "My sister is called Ines.",
    "I am allergic to walnuts.",
)


class Verbatim(Extractor):
    """Every sentence of a user is a fact in its own words; those named are not seen."""

    def __init__(self, version: str = "verbatim-1", blind_to: Sequence[str] = ()) -> None:
        self.version, self._blind = version, blind_to
        self.before: Callable[[], None] = lambda: None

    def extract(self, episodes: Sequence[Episode]) -> Extraction:
        self.before()
        found = [
            Candidate(f"They said: {e.text}", e.id, e.text, confidence=0.9)
            for e in episodes
            if e.role == "user" and not any(word in e.text for word in self._blind)
        ]
        return Extraction(tuple(found))


@pytest.fixture
def told(memory: Memory) -> ScopedMemory:
    """Alice, who said a few things of which facts were drawn by rules."""
    mine = memory.scope(user_id="alice")
    with mine.session("s1") as chat:
        for text in SAID:
            chat.add("user", text)
            chat.add("assistant", "I see.")
    memory.process()
    return mine


def texts(mine: ScopedMemory, **options: Any) -> set[str]:
    return {item.text for item in mine.list("semantic", **options)}


def exported(mine: ScopedMemory, folder: Path) -> bytes:
    mine.export(folder / "export.jsonl")
    return (folder / "export.jsonl").read_bytes()


def raw(memory: Memory) -> bytes:
    """Every byte of the store's files."""
    path = Path(memory.status().location)
    return b"".join(one.read_bytes() for one in path.parent.glob(path.name + "*"))


def test_the_same_extractor_makes_the_same_facts(memory: Memory, told: ScopedMemory) -> None:
    report = memory.rebuild()
    assert (report.state, report.read, report.unread) == ("compared", 2 * len(SAID), 0)
    assert (report.added, report.lost, report.changed) == ((), (), ())
    assert report.same == report.before == report.after == len(texts(told))


def test_a_dry_run_shows_the_difference_and_changes_nothing(memory: Memory, told: ScopedMemory, tmp_path: Path) -> None:
    before = exported(told, tmp_path)
    block = told.block("where do I live?").text
    report = memory.rebuild(extractor=Verbatim(blind_to=["walnuts"]))
    changed = {(one.before.text, one.after.text) for one in report.changed if one.before and one.after}
    assert ("The user prefers tea over coffee.", "They said: I prefer tea over coffee.") in changed
    lost = [one.before for one in report.lost if one.before]
    assert [item.text for item in lost if "walnuts" in item.text]
    assert all(item.quotes for item in lost)
    assert [one for one in report.added if one.after and one.after.text == "They said: I live in Porto."]
    assert exported(told, tmp_path) == before
    assert told.block("where do I live?").text == block
    assert not any("They said" in hit.text for hit in told.recall("They said", k=50))
    assert memory.doctor().problems == ()


def test_promote_and_restore_give_the_same_bytes(memory: Memory, told: ScopedMemory, tmp_path: Path) -> None:
    told.remember("Plays the cello")
    before = exported(told, tmp_path)
    report = memory.rebuild(dry_run=False, extractor=Verbatim())
    memory.process()
    assert report.state == "promoted"
    assert texts(told) == {f"They said: {text}" for text in SAID} | {"Plays the cello"}
    assert "They said: My sister is called Ines." in {hit.text for hit in told.recall("sister", tiers=["semantic"])}
    promoted = exported(told, tmp_path)
    assert memory.doctor().problems == ()
    memory.rebuild_restore()
    memory.process()
    assert exported(told, tmp_path) == before
    assert "They said" not in " ".join(hit.text for hit in told.recall("sister Ines", k=20))
    assert memory.doctor().problems == ()
    with pytest.raises(NotFound, match="nothing to restore"):
        memory.rebuild_restore()
    memory.rebuild(dry_run=False, extractor=Verbatim())
    assert exported(told, tmp_path) == promoted


def test_what_people_said_and_decided_survives(memory: Memory, told: ScopedMemory) -> None:
    facts = {item.text: item.id for item in told.list("semantic")}
    told.update(facts["The user prefers tea over coffee."], text="Prefers green tea over coffee")
    told.remember("The user's favourite colour is green.")  # what was extracted is stated by a person now
    told.remember("Plays the cello")
    told.update_profile({"company": None, "name": "Alice"})
    report = memory.rebuild(dry_run=False, extractor=Verbatim())
    assert report.kept >= 5
    now = texts(told)
    assert {"Prefers green tea over coffee", "Plays the cello", "name: Alice"} <= now
    assert "The user's favourite colour is green." in now
    assert "They said: I prefer tea over coffee." not in now
    assert told.profile()["name"] == "Alice"
    assert "company" not in told.profile()
    assert not any("Acme" in text for text in now)
    assert told.get(facts["The user prefers tea over coffee."]).text == "Prefers green tea over coffee"
    assert memory.doctor().problems == ()


def test_what_a_person_said_later_is_not_replaced_by_what_was_drawn_from_before(
    memory: Memory, told: ScopedMemory
) -> None:
    told.remember("I live in Faro")
    memory.rebuild(dry_run=False, extractor="rules")
    assert told.profile()["location"] == "Faro"
    assert memory.rebuild().changed == ()


def test_what_was_said_since_stands_when_the_old_facts_are_restored(memory: Memory, told: ScopedMemory) -> None:
    memory.rebuild(dry_run=False, extractor=Verbatim())
    mine = {item.text: item.id for item in told.list("semantic")}
    told.update(mine["They said: My sister is called Ines."], text="The sister is called Inês")
    told.remember("I live in Faro")
    told.remember("Plays the cello")
    memory.rebuild_restore()
    assert {"The sister is called Inês", "I live in Faro", "Plays the cello"} <= texts(told)
    assert "The user moved to Lisbon." not in texts(told)
    assert told.profile()["location"] == "Faro"
    assert "The user prefers tea over coffee." in texts(told)
    assert memory.doctor().problems == ()


def test_case_34_forgotten_and_rebuilt_it_does_not_come_back(memory: Memory, told: ScopedMemory) -> None:
    memory.rebuild(extractor=Verbatim())
    fact = next(item for item in told.list("semantic") if "walnuts" in item.text)
    assert told.forget(fact.id).complete
    episode = next(item for item in told.list("episodic") if "Acme" in item.text)
    assert told.forget(episode.id).complete
    memory.doctor(fix=True)
    for dry_run in (True, False):
        memory.rebuild(dry_run=dry_run, extractor=Verbatim())
        memory.process()
        assert not any("walnuts" in text or "Acme" in text for text in texts(told, status=None))
    assert b"Acme" not in raw(memory)
    memory.rebuild(dry_run=False, extractor="rules")
    assert not any("walnuts" in text for text in texts(told, status=None))


def test_what_is_forgotten_after_a_promotion_is_not_restored(memory: Memory, told: ScopedMemory) -> None:
    memory.rebuild(dry_run=False, extractor=Verbatim())
    told.forget(next(item.id for item in told.list("semantic") if "walnuts" in item.text))
    told.forget(next(item.id for item in told.list("episodic") if "Acme" in item.text))
    assert b"Acme" not in raw(memory)
    memory.rebuild_restore()
    assert not any("walnuts" in text or "Acme" in text for text in texts(told, status=None))
    told.forget_everything()
    assert b"walnuts" not in raw(memory)
    assert b"Ines" not in raw(memory)


def test_a_shadow_leaves_no_bytes_when_it_is_discarded(memory: Memory, told: ScopedMemory, tmp_path: Path) -> None:
    before = exported(told, tmp_path)
    memory.rebuild(extractor=Verbatim())
    assert b"They said" in raw(memory)
    assert memory.rebuild_discard().state == "discarded"
    assert b"They said" not in raw(memory)
    assert exported(told, tmp_path) == before


def test_an_outage_keeps_what_was_read(memory: Memory, told: ScopedMemory) -> None:
    reader = Verbatim()
    read: list[int] = []

    def fail_at_second() -> None:
        read.append(1)
        if len(read) == 2:
            raise ModelUnavailable

    reader.before = fail_at_second
    with pytest.raises(ModelUnavailable):
        memory.rebuild(extractor=reader)
    assert memory.rebuild(extractor=reader).read == 2 * len(SAID)
    assert len(read) == 3  # the batch that failed is read again, the first is not
    assert len(texts(told)) == memory.rebuild(extractor=reader).before


def test_a_bad_reply_is_named_and_nothing_is_put_in_place(memory: Memory, told: ScopedMemory) -> None:
    reader = Verbatim()

    def bad() -> None:
        message = "no JSON in the reply"
        raise ModelBadReply(message)

    reader.before = bad
    before = texts(told)
    report = memory.rebuild(extractor=reader)
    assert (report.unread, set(report.errors)) == (2 * len(SAID), {"no JSON in the reply"})
    with pytest.raises(ModelBadReply, match="could not be read"):
        memory.rebuild(dry_run=False, extractor=reader)
    assert texts(told) == before


class Killed(BaseException):
    """The process is gone."""


def fill(path: Path) -> Path:
    with Memory.open(path, embedder=StubEmbedder(), background=False) as memory:
        for user in ("alice", "bob"):
            mine = memory.scope(user_id=user)
            for number in range(3):
                mine.record(
                    [{"role": "user", "content": f"{text} ({number})"} for text in SAID], session_id=f"s{number}"
                )
            mine.remember("Plays the cello")
        memory.process()
    return path


def test_killed_at_twenty_points_it_comes_to_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed before or after one of the rebuild's commits, at 20 random ones; then it is gone on with."""
    from retentive.sql.tiers import SqlTiers  # noqa: PLC0415

    chance = random.Random(20261130)  # noqa: S311  the same points each time
    first = fill(tmp_path / "first.db")
    stores = [tmp_path / f"{number}.db" for number in range(21)]
    for store in stores:
        store.write_bytes(first.read_bytes())
    commits = {"left": 0, "before": 0}
    for name in ("put_read", "put"):
        whole = getattr(SqlTiers, name)

        def killed(self: Any, *args: Any, whole: Any = whole, **options: Any) -> Any:
            commits["left"] -= 1
            if commits["left"] == 0 and commits["before"]:
                raise Killed
            done = whole(self, *args, **options)
            if commits["left"] == 0:
                raise Killed
            return done

        monkeypatch.setattr(SqlTiers, name, killed)
    results = set()
    for number, store in enumerate(stores):
        commits["left"], commits["before"] = chance.randint(1, 8) if number else -1000, chance.randint(0, 1)
        for _ in range(2):
            with Memory.open(store, embedder=StubEmbedder(), background=False) as memory:
                try:
                    memory.rebuild(dry_run=False, extractor=Verbatim())
                except Killed:
                    commits["left"] = -1000
        with Memory.open(store, embedder=StubEmbedder(), background=False) as memory:
            assert memory.doctor().problems == ()
            results.add(b"".join(exported(memory.scope(user_id=user), tmp_path) for user in ("alice", "bob")))
    assert len(results) == 1


def test_one_user_s_rebuild_leaves_the_others_alone(tmp_path: Path) -> None:
    with Memory.open(fill(tmp_path / "memory.db"), embedder=StubEmbedder(), background=False) as memory:
        alice, bob = memory.scope(user_id="alice"), memory.scope(user_id="bob")
        before = exported(bob, tmp_path)
        report = memory.rebuild(dry_run=False, extractor=Verbatim(), scope=alice.scope)
        assert {one.owner for one in (*report.added, *report.changed)} == {"alice"}
        assert exported(bob, tmp_path) == before
        assert any("They said" in text for text in texts(alice))


def test_the_tables_of_a_rebuild_hold_nothing_after_everything_is_forgotten(memory: Memory, told: ScopedMemory) -> None:
    memory.rebuild(dry_run=False, extractor=Verbatim())
    memory.rebuild(extractor="rules")
    told.forget_everything()
    connection = apsw.Connection(memory.status().location)
    for table in ("shadow", "former_fact", "former_evidence", "forgotten"):
        assert connection.execute(f"SELECT count(*) FROM {table}").get == 0, table  # noqa: S608
    connection.close()


def test_what_a_person_rejected_stays_out_of_a_rebuild(memory: Memory, mine: ScopedMemory) -> None:
    mine.record([{"role": "user", "content": "I live in Porto."}], session_id="s")
    mine.record([{"role": "user", "content": "My name is Ann Smith."}], session_id="s")
    mine.record([{"role": "user", "content": "I am called Bea Jones."}], session_id="t")
    for session_id in ("s", "t"):
        mine.end_session(session_id)
        memory.process()
    waiting = memory.review.pending()
    assert waiting
    for one in waiting:
        memory.review.reject(one.item.id, "no")
    before = texts(mine)
    memory.rebuild(dry_run=False, extractor="rules")
    assert texts(mine) == before
    assert memory.review.pending() == []


def test_case_34_a_message_read_again_does_not_bring_a_forgotten_fact_back(memory: Memory, told: ScopedMemory) -> None:
    partition = told.scope.partition
    told.forget(next(item.id for item in told.list("semantic") if "walnuts" in item.text))
    runner, backend = memory._runner, memory._backend  # noqa: SLF001  a job that is run again after a crash
    rows = [row for row, _ in backend.tiers.unread(partition)]
    again = Job(1, "extract", partition, {"first_row": rows[0], "last_row": rows[-1], "session_id": "s1"}, 1)
    runner.extract([again])
    assert not any("walnuts" in text for text in texts(told, status=None))
    told.record([{"role": "user", "content": "As I said, I am allergic to walnuts."}], session_id="s2")
    told.end_session("s2")
    memory.process()
    assert any("walnuts" in text for text in texts(told))  # said anew, it is known anew


def aside(memory: Memory, told: ScopedMemory) -> str:
    """All that a rebuild keeps of Alice."""
    return "".join(memory._backend.tiers.read(told.scope.partition).values())  # noqa: SLF001  what no verb shows


def test_what_was_forgotten_is_not_kept_aside_by_a_dry_run(memory: Memory, told: ScopedMemory) -> None:
    told.forget(next(item.id for item in told.list("semantic") if "walnuts" in item.text))
    memory.rebuild(extractor="rules")
    assert "Porto" in aside(memory, told)
    assert "walnuts" not in aside(memory, told)


def test_what_is_forgotten_while_it_is_read_is_not_kept_aside(memory: Memory, told: ScopedMemory) -> None:
    extractor = Verbatim()
    gone = next(item.id for item in told.list("semantic") if "walnuts" in item.text)

    def forget_once() -> None:
        extractor.before = lambda: None
        told.forget(gone)

    extractor.before = forget_once
    memory.rebuild(extractor=extractor)
    assert "Porto" in aside(memory, told)
    assert "walnuts" not in aside(memory, told)


class Both(Extractor):
    """Two facts of one sentence."""

    version = "both-1"

    def extract(self, episodes: Sequence[Episode]) -> Extraction:
        said = "I work at Acme and live in Porto"
        found = [Candidate(text, e.id, e.text) for e in episodes for text in ("I work at Acme", "I live in Porto")]
        return Extraction(tuple(one for one in found if one.quote == said))


def test_a_sentence_of_two_facts_keeps_the_one_that_was_not_forgotten(memory: Memory, mine: ScopedMemory) -> None:
    mine.record([{"role": "user", "content": "I work at Acme and live in Porto"}])
    memory.rebuild(dry_run=False, extractor=Both())
    assert texts(mine) == {"I work at Acme", "I live in Porto"}
    mine.forget(next(item.id for item in mine.list("semantic") if "Acme" in item.text))
    memory.rebuild(extractor=Both())
    assert "I live in Porto" in aside(memory, mine)
    assert 'I work at Acme"' not in aside(memory, mine)
    memory.rebuild(dry_run=False, extractor=Both())
    assert texts(mine) == {"I live in Porto"}
