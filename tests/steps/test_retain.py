"""Retention: what is past its time goes, what facts rest on stays readable, what is held stays."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from retentive import Memory, Settings
from retentive.clock import duration_us, format_us, simulated
from retentive.errors import ConfigError
from retentive.lifecycle.archive import Archive
from retentive.lifecycle.retention import Retention
from simulated import DAY_US, Days, say
from stubs import StubEmbedder


@pytest.fixture
def days() -> Iterator[Days]:
    clock = Days()
    with simulated(clock):
        yield clock


@pytest.fixture
def opened(tmp_path: Path, days: Days) -> Iterator[Callable[..., Memory]]:  # noqa: ARG001  before the store is opened
    """Opens the store with these retention entries, again and again."""
    stores: list[Memory] = []

    def open_(*retention: str) -> Memory:
        for store in stores:
            store.close()
        settings = Settings(retention=retention)
        stores[:] = [Memory.open(tmp_path / "m.db", embedder=StubEmbedder(), settings=settings, background=False)]
        return stores[0]

    yield open_
    for store in stores:
        store.close()


def raw(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir() if file.is_file())


def test_a_month_later_a_message_is_gone_and_what_a_fact_cites_is_left(
    opened: Callable[..., Memory], days: Days, tmp_path: Path
) -> None:
    memory = opened()
    mine = memory.scope(user_id="alice")
    cited, plain = say(mine, "Hello Quillfeather there. I live in Porto.", "The weather over Zanzibrook was mild.")
    memory.process()
    (fact,) = mine.list("semantic")
    days.pass_(29)
    assert memory.retain().erased == 0
    days.pass_(2)
    report = memory.retain()
    assert (report.erased, report.quoted, report.left) == (1, 1, 0)
    ((quote, episode),) = mine.why(fact.id).evidence
    assert quote == "I live in Porto."
    assert (episode.id, episode.text, episode.status) == (cited, "I live in Porto.", "expired")
    assert plain not in [item.id for item in mine.list(status=None)]
    assert [hit.tier for hit in mine.recall("where do I live? Porto")] == ["semantic"]
    assert mine.profile()["location"] == "Porto"
    assert memory.retain() == replace(memory.retain(dry_run=True), dry_run=False)  # nothing is left to do
    memory.process()
    assert memory.doctor().problems == ()
    memory.close()
    assert b"Zanzibrook" not in raw(tmp_path)
    assert b"Quillfeather" not in raw(tmp_path)


def test_a_dry_run_lists_and_changes_nothing(opened: Callable[..., Memory], days: Days) -> None:
    memory = opened()
    mine = memory.scope(user_id="alice")
    ids = say(mine, "I live in Porto.", "Nice weather.")
    memory.process()
    days.pass_(31)
    before = mine.list(status=None, limit=1000)
    report = memory.retain(dry_run=True)
    assert {(one.id, one.action) for one in report.aged} == {(ids[0], "quote"), (ids[1], "erase")}
    assert all(one.reason for one in report.aged)
    assert mine.list(status=None, limit=1000) == before
    done = memory.retain()
    assert (done.erased, done.quoted) == (report.erased, report.quoted)


def test_what_is_held_stays_and_an_open_conversation_too(opened: Callable[..., Memory], days: Days) -> None:
    memory = opened("max_episodes=1")
    mine = memory.scope(user_id="alice")
    held = say(mine, "Signed the form.", session_id="a", metadata={"audit_hold": "case 7"})
    held += say(mine, "Read the terms.", session_id="b", type="audit_hold")
    chat = mine.session("c")
    held += chat.add("user", "Still talking.").ids
    gone = say(mine, "Just passing.", session_id="d")
    memory.process()
    days.pass_(400)
    assert memory.retain().held == 2
    assert {item.id for item in mine.list("episodic")} == set(held)
    assert gone[0] not in held


def test_limits_by_type_and_source_go_before_that_of_the_tier(opened: Callable[..., Memory], days: Days) -> None:
    memory = opened("episodes=keep", "type:tool_result=7d", "source:web=2d")
    mine = memory.scope(user_id="alice")
    mine.record(
        [
            {"role": "user", "content": "Kept."},
            {"role": "tool", "content": "rows: 3", "type": "tool_result"},
            {"role": "web", "content": "A page."},
        ]
    )
    left = []
    for _ in range(3):
        left.append({item.text for item in mine.list("episodic")})
        days.pass_(3.5)
        memory.retain()
    assert left == [{"Kept.", "rows: 3", "A page."}, {"Kept.", "rows: 3"}, {"Kept."}]


def test_a_fact_expires_by_its_own_date_or_its_kinds_and_its_bytes_go_later(
    opened: Callable[..., Memory], days: Days, tmp_path: Path
) -> None:
    memory = opened("category:event=10d", "expired=5d")
    mine = memory.scope(user_id="alice")
    end = format_us(days.now_us + 3 * DAY_US)
    own = mine.remember("The Vexlimp coupon is valid", expires_at=end).ids[0]
    kind = mine.remember("Went to the Brambledown fair", category="event").ids[0]
    stays = mine.remember("Likes tea").ids[0]
    memory.process()
    days.pass_(4)
    assert memory.retain().expired == 1
    assert mine.get(own).status == "expired"
    assert mine.get(own).retired_at == end
    assert [hit.id for hit in mine.recall("Vexlimp coupon")] == []
    days.pass_(5)
    assert memory.retain().erased == 1  # five days after its end, not after the run that marked it
    days.pass_(2)
    memory.retain()
    assert mine.get(kind).reason == "older than its kind is kept"
    days.pass_(6)
    memory.retain()
    assert [item.id for item in mine.list(status=None)] == [stays]
    memory.close()
    assert b"Vexlimp" not in raw(tmp_path)
    assert b"Brambledown" not in raw(tmp_path)


def test_history_goes_when_its_time_is_over_but_never_that_of_a_living_fact(
    opened: Callable[..., Memory], days: Days
) -> None:
    memory = opened("history=90d")
    mine = memory.scope(user_id="alice")
    mine.remember("My favourite player is Ronaldo")
    living = mine.remember("My favourite player is Messi").ids[0]
    mine.update(living, confidence=0.9)
    days.pass_(60)
    assert memory.retain().erased == 0
    days.pass_(60)
    assert memory.retain().erased == 1
    assert [(item.text, item.version) for item in mine.list(status=None)] == [
        ("My favourite player is Messi", 2),
        ("My favourite player is Messi", 1),
    ]


def test_caps_take_the_oldest_episodes_and_the_least_valuable_facts(opened: Callable[..., Memory]) -> None:
    memory = opened("max_facts=2", "max_episodes=3")
    mine = memory.scope(user_id="alice")
    say(mine, *[f"Talk number {number} of the day." for number in range(5)])
    mine.remember("Prefers rye bread")
    mine.remember("Has a bicycle", confidence=0.3)
    often = mine.remember("Plays chess").ids[0]
    mine.remember("Plays chess")
    always = mine.remember("Allergic to peanuts", evergreen=True, confidence=0.1).ids[0]
    memory.process()
    assert (memory.retain().erased, memory.retain().expired) == (2, 0)
    assert [item.text[12] for item in mine.list("episodic")] == ["4", "3", "2"]
    left = {item.text for item in mine.list("semantic")}
    assert left == {"Prefers rye bread", "Plays chess", "Allergic to peanuts"}
    assert {often, always} <= {item.id for item in mine.list("semantic")}


def test_what_leaves_is_archived_where_asked_and_can_be_read_back(
    opened: Callable[..., Memory], days: Days, tmp_path: Path
) -> None:
    memory = opened("episodes=30d+archive")
    mine, bob = memory.scope(user_id="alice"), memory.scope(user_id="bob")
    say(mine, "First talk, 早报.", "Second talk.")
    say(bob, "Bob's talk.")
    days.pass_(31)
    assert memory.retain().archived == 3
    say(mine, "Third talk.", session_id="t")
    days.pass_(31)
    assert memory.retain().archived == 1
    archive = Archive(tmp_path / "m.db.archive")
    assert [line["text"] for line in archive.lines(mine.scope.partition)] == [
        "First talk, 早报.",
        "Second talk.",
        "Third talk.",
    ]
    assert "alice" not in "".join(file.name for file in archive.folder.iterdir())


def test_what_is_forgotten_is_forgotten_in_the_archive_too(
    opened: Callable[..., Memory], days: Days, tmp_path: Path
) -> None:
    memory = opened("episodes=30d+archive")
    mine = memory.scope(user_id="alice")
    say(mine, "Nothing of note was said.", session_id="a", metadata={"channel": "mail"})
    (cited,) = say(mine, "The talk of Brumhold. I live in Porto.", session_id="b")
    say(mine, "The last of it.", session_id="c")
    memory.process()
    days.pass_(31)
    memory.retain()
    archive, whose = Archive(tmp_path / "m.db.archive"), mine.scope.partition
    assert len(list(archive.lines(whose))) == 3
    report = mine.forget(cited)
    assert ("archive", 1, 0) in [(place.place, place.erased, place.left) for place in report.places]
    mine.forget(where={"channel": "mail"})
    assert [line["text"] for line in archive.lines(whose)] == ["The last of it."]
    (preview,) = [place for place in mine.forget_everything(dry_run=True).places if place.place == "archive"]
    assert preview.erased == 1
    mine.forget_everything()
    assert not archive.path(whose).exists()


def test_what_is_cited_while_retention_looks_is_not_erased(
    opened: Callable[..., Memory], days: Days, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = opened()
    mine = memory.scope(user_id="alice")
    (said,) = say(mine, "The boat trip was moved to Sunday.")
    memory.process()
    days.pass_(31)
    store = memory._backend.store  # noqa: SLF001  what retention asks
    asked: list[int] = []
    whole = type(store).quotes

    def cited_after_the_first_look(self: object, *given: object, **named: object) -> dict[str, list[str]]:
        asked.append(1)
        return whole(self, *given, **named) if len(asked) == 1 else {said: ["Sunday"]}  # type: ignore[arg-type]  as it came

    monkeypatch.setattr(type(store), "quotes", cited_after_the_first_look)
    memory.retain()
    assert [item.id for item in mine.list("episodic")] == [said]


def test_the_archive_is_put_through_a_new_redactor_with_the_rest(opened: Callable[..., Memory], tmp_path: Path) -> None:
    memory = opened("episodes=30d+archive")
    mine = memory.scope(user_id="alice")
    ids = say(mine, "Write to the office, please.", "Plain words.")
    archive, whose = Archive(tmp_path / "m.db.archive"), mine.scope.partition
    stored = memory._backend.store.get(whose, ids)  # noqa: SLF001  what retention reads
    archive.add(whose, [replace(stored[ids[0]], text="Write to ann.smith@example.org"), stored[ids[1]]])
    assert memory.rescan().rewritten == 1
    assert [line["text"] for line in archive.lines(whose)] == ["Write to [REDACTED:email]", "Plain words."]
    assert memory.rescan().rewritten == 0


def test_an_archive_survives_a_crash_in_the_middle_of_a_batch(memory: Memory, tmp_path: Path) -> None:
    mine = memory.scope(user_id="alice")
    first, second = say(mine, "One."), say(mine, "Two.")
    stored = memory._backend.store.get(mine.scope.partition, [*first, *second])  # noqa: SLF001  what retention reads
    archive, whose = Archive(tmp_path / "a"), mine.scope.partition
    archive.add(whose, [stored[first[0]]])
    assert archive.add(whose, [stored[first[0]]]) == 0  # archived, then killed before it left the store
    whole = archive.path(whose).read_bytes()
    archive.add(whose, [stored[second[0]]])
    for cut in range(len(whole) + 1, archive.path(whose).stat().st_size):
        archive.path(whose).write_bytes(archive.path(whose).read_bytes()[:cut])
        assert [line["text"] for line in archive.lines(whose)] == ["One."]
        archive.add(whose, [stored[second[0]]])
        assert [line["text"] for line in archive.lines(whose)] == ["One.", "Two."]


def test_what_a_crash_left_of_a_batch_is_forgotten_with_the_rest(opened: Callable[..., Memory], tmp_path: Path) -> None:
    memory = opened("episodes=30d+archive")
    mine = memory.scope(user_id="alice")
    ids = say(mine, "The talk of Brumhold.")
    archive, whose = Archive(tmp_path / "m.db.archive"), mine.scope.partition
    archive.add(whose, list(memory._backend.store.get(whose, ids).values()))  # noqa: SLF001  as above
    torn = archive.path(whose).read_bytes()[:-6]
    archive.path(whose).write_bytes(torn)
    assert b"Brumhold" in zlib.decompressobj(wbits=31).decompress(torn)
    assert mine.forget(ids).complete
    assert not archive.path(whose).exists()


def test_what_only_a_fact_cited_goes_in_the_same_run_as_the_fact(opened: Callable[..., Memory], days: Days) -> None:
    memory = opened("facts=1d", "expired=0h", "episodes=1d")
    mine = memory.scope(user_id="alice")
    say(mine, "I like Brumhold cheese. The weather was mild.")
    memory.process()
    days.pass_(2)
    preview, report, again = memory.retain(dry_run=True), memory.retain(), memory.retain()
    assert [one.action for one in preview.aged] == ["erase", "erase"]
    assert (report.erased, report.quoted) == (preview.erased, preview.quoted) == (2, 0)
    assert (again.erased, again.quoted) == (0, 0)


def test_an_archive_is_erased_by_line_and_as_a_whole(memory: Memory, tmp_path: Path) -> None:
    mine = memory.scope(user_id="alice")
    ids = say(mine, "One.", "Two.")
    archive, whose = Archive(tmp_path / "a"), mine.scope.partition
    archive.add(whose, list(memory._backend.store.get(whose, ids).values()))  # noqa: SLF001  as above
    place = archive.erase(whose, lambda line: line["id"] == ids[0])
    assert (place.erased, place.left) == (1, 0)
    assert [line["text"] for line in archive.lines(whose)] == ["Two."]
    assert archive.erase(whose).erased == 1
    assert not archive.path(whose).exists()


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("episodes", "write it like"),
        ("episodes=", "write it like"),
        ("episode=30d", "known are"),
        ("episodes=30", "length of time"),
        ("episodes=-3d", "length of time"),
        ("episodes=30d+zip", "archive, or nothing"),
        ("category:invoices=3d", "the categories are"),
        ("colour:red=3d", "known are"),
        ("max_facts=0", "above 0"),
        ("max_facts=many", "above 0"),
    ],
)
def test_a_wrong_entry_stops_the_start_and_says_why(entry: str, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        Retention.read([entry])


def test_an_entry_given_twice_is_refused() -> None:
    with pytest.raises(ConfigError, match="twice"):
        Retention.read(["history=1y", "history=2y"])
    assert Retention.read(["episodes=1y"]).limits["episodes"].age_us == duration_us("1y")


def test_a_store_that_is_no_file_wants_to_know_where_archives_go() -> None:
    settings = Settings(retention=("episodes=1d+archive",))
    with Memory.open(":memory:", embedder=StubEmbedder(), settings=settings, background=False) as memory:
        memory.scope(user_id="alice").remember("Likes tea")
        with pytest.raises(ConfigError, match="archive=FOLDER"):
            memory.retain()


def test_confidence_fades_by_the_half_life_of_its_kind(opened: Callable[..., Memory], days: Days) -> None:
    mine = opened().scope(user_id="alice")
    preference = mine.remember("Prefers tea", category="preference", confidence=0.8).ids[0]
    event = mine.remember("Went to Porto", category="event", confidence=0.8).ids[0]
    days.pass_(365)
    assert mine.get(preference).confidence == pytest.approx(0.4, abs=0.001)
    assert mine.get(event).confidence == 0.8
    mine.remember("Prefers tea")
    assert mine.get(preference).confidence == pytest.approx(0.8, abs=0.001)
