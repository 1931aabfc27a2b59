"""CASES 11 to 13: one clock everywhere, the speaker's own time kept, and no moment that breaks it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import pytest

from retentive import Memory, ScopedMemory
from retentive.clock import format_us, new_id, parse_timestamp
from retentive.contracts import Vectors
from retentive.errors import InvalidTimestamp
from retentive.models.embed_none import NoEmbedder
from stubs import StubEmbedder

NS_PER_S = 1_000_000_000

# -- 11: the machine's zone changes nothing --------------------------------------------------------------------------
TELL_ALL = """
import dataclasses, json, sys
from retentive import Memory
from retentive.models.embed_none import NoEmbedder
with Memory.open(sys.argv[1], embedder=NoEmbedder(), background=False) as memory:
    mine = memory.scope(user_id="alice")
    mine.export(sys.argv[2])
    hits = [(h.id, h.timestamp, h.item.timestamp) for h in mine.recall("rent paid", k=50)]
    items = [dataclasses.asdict(item) for item in mine.list(status=None)]
    got = [(i["id"], mine.get(i["id"]).timestamp, mine.why(i["id"]).item.timestamp) for i in items]
    seen = [(s.started, s.last) for s in mine.sessions()]
    block = mine.block("rent paid").text
print(json.dumps({"hits": sorted(hits), "items": items, "got": got, "sessions": seen, "block": block}))
"""


def told_in(zone: str, store: Path, export: Path) -> dict[str, object]:
    """What a process on a machine in this zone says of the store."""
    command = [sys.executable, "-c", TELL_ALL, str(store), str(export)]
    done = subprocess.run(command, env=os.environ | {"TZ": zone}, capture_output=True, text=True, check=True)
    told: dict[str, object] = json.loads(done.stdout)
    return told


@pytest.mark.parametrize("zones", [("Asia/Tokyo", "America/St_Johns"), ("UTC", "Pacific/Kiritimati")])
def test_case_11_the_same_rfc_3339_utc_in_every_zone(tmp_path: Path, zones: tuple[str, str]) -> None:
    store = tmp_path / "memory.db"
    with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        mine.record(
            [
                {"role": "user", "content": "Rent paid", "timestamp": "2026-03-01T00:30:00+09:00"},
                {"role": "user", "content": "Rent paid again", "timestamp": "2026-07-01T23:30:00.25-02:30"},
                {"role": "user", "content": "Rent paid now"},
            ],
            session_id="s1",
        )
        mine.remember("Rent is paid on the first", evergreen=True, expires_at="2999-01-01T00:00:00+05:30")
    first = told_in(zones[0], store, tmp_path / "first.jsonl")
    second = told_in(zones[1], store, tmp_path / "second.jsonl")
    assert first == second
    assert (tmp_path / "first.jsonl").read_bytes() == (tmp_path / "second.jsonl").read_bytes()
    assert len(first["hits"]) == 4  # type: ignore[arg-type]
    items = {item["text"]: item for item in first["items"]}  # type: ignore[attr-defined]
    assert items["Rent paid"]["timestamp"] == "2026-02-28T15:30:00Z"
    assert items["Rent paid again"]["timestamp"] == "2026-07-02T02:00:00.250000Z"
    assert items["Rent is paid on the first"]["expires_at"] == "2998-12-31T18:30:00Z"
    for item in items.values():
        assert item["recorded_at"].endswith("Z")
        assert abs(parse_timestamp(item["recorded_at"])[0] / 1e6 - time.time()) < 600
    by_id = {item["id"]: item["timestamp"] for item in items.values()}
    assert {tuple(hit) for hit in first["hits"]} == {(i, t, t) for i, t in by_id.items()}  # type: ignore[attr-defined]
    assert {tuple(got) for got in first["got"]} == {(i, t, t) for i, t in by_id.items()}  # type: ignore[attr-defined]
    assert all(moment.endswith("Z") for moments in first["sessions"] for moment in moments)  # type: ignore[attr-defined]


# -- 12: 12:45 stays 12:45 -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("said", "local", "utc"),
    [
        ("2026-08-18T12:45:00+08:00", "2026-08-18T12:45:00+08:00", "2026-08-18T04:45:00Z"),
        ("2026-08-18T00:05:00+08:00", "2026-08-18T00:05:00+08:00", "2026-08-17T16:05:00Z"),
        ("2026-12-31T20:30:00-09:30", "2026-12-31T20:30:00-09:30", "2027-01-01T06:00:00Z"),
        ("2026-08-18T12:45:00+05:45", "2026-08-18T12:45:00+05:45", "2026-08-18T07:00:00Z"),
        ("2026-08-18T12:45:00Z", "2026-08-18T12:45:00+00:00", "2026-08-18T12:45:00Z"),
        ("2026-08-18T12:45:00-00:30", "2026-08-18T12:45:00-00:30", "2026-08-18T13:15:00Z"),
    ],
)
def test_case_12_what_was_said_keeps_its_hour_and_zone(
    mine: ScopedMemory, tmp_path: Path, said: str, local: str, utc: str
) -> None:
    text = f"The dentist called at {said[11:16]}"
    stored = mine.record([{"role": "user", "content": text, "timestamp": said}], session_id="s1").ids[0]
    item = mine.get(stored)
    assert (item.text, item.timestamp, item.local_time) == (text, utc, local)
    assert mine.recall("dentist called").hits[0].item.local_time == local
    block = mine.block("dentist called").text
    assert f"[{said[:10]} user] {text}" in block
    assert f"[{said[:10]}, 1 message]" in block
    mine.export(tmp_path / "export.jsonl")
    mine.forget_everything()
    mine.import_(tmp_path / "export.jsonl")
    assert mine.get(stored).local_time == local


# -- 13: clocks that jump, summer time, the ends of the calendar -----------------------------------------------------
class Clock:
    """A wall clock that can be set; the monotonic one is left alone."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.offset_s = 0
        real = time.time_ns
        monkeypatch.setattr("retentive.clock.time.time_ns", lambda: real() + self.offset_s * NS_PER_S)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.mark.parametrize("back_s", [3600, 40 * 365 * 86_400])
def test_case_13_set_back_the_newest_is_still_the_last_written(mine: ScopedMemory, clock: Clock, back_s: int) -> None:
    mine.remember("My favourite player is Ronaldo")
    mine.record([{"role": "user", "content": "before"}], session_id="s1")
    clock.offset_s = -back_s
    last = mine.remember("My favourite player is Messi")
    mine.record([{"role": "user", "content": "after"}], session_id="s1")
    assert last.items[0].outcome == "superseded"
    assert [item.text for item in mine.list("semantic")] == ["My favourite player is Messi"]
    assert [hit.text for hit in mine.recall("favourite player", tiers=["semantic"])] == ["My favourite player is Messi"]
    assert [item.text for item in mine.history(last.ids[0])][-1] == "My favourite player is Messi"
    assert [item.text for item in mine.list("episodic")] == ["after", "before"]
    assert [item.text for item in mine.session_messages("s1")] == ["before", "after"]
    mine.update(last.ids[0], category="preference")
    assert mine.get(last.ids[0]).category == "preference"


def test_case_13_ids_rise_when_the_clock_does_not(clock: Clock) -> None:
    ids = [new_id()]
    for offset_s in (-10, 5, -86_400, 0, 3600, -3600):
        clock.offset_s = offset_s
        ids += [new_id() for _ in range(5000)]
    assert ids == sorted(set(ids))


class Dying(StubEmbedder):
    """An embedder in whose first call the process dies, after others have had a look at the queue."""

    meanwhile: Callable[[], None] | None = None

    def embed(
        self,
        texts: Sequence[str],
        *,
        purpose: Literal["document", "query"] = "document",
        timeout_s: float | None = None,
    ) -> Vectors:
        if self.meanwhile is not None:
            self.meanwhile()
            raise KeyboardInterrupt
        return super().embed(texts, purpose=purpose, timeout_s=timeout_s)


@pytest.mark.parametrize("jump_s", [-30 * 86_400, 3600, 30 * 86_400])
def test_case_13_a_lease_is_held_by_the_monotonic_clock(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch, jump_s: int
) -> None:
    """A claimed job is nobody else's while its lease runs, wherever the date is set; and free again once it ran out."""
    store, embedder = tmp_path / "memory.db", Dying()
    taken: list[int] = []

    def look() -> None:
        clock.offset_s = jump_s
        with Memory.open(store, embedder=StubEmbedder(), background=False) as other:
            taken.append(other.process().done)

    with Memory.open(store, embedder=embedder, background=False) as memory:
        memory.scope(user_id="alice").remember("Prefers tea")
        memory.scope(user_id="bob").remember("Prefers milk")
        embedder.meanwhile = look
        with pytest.raises(KeyboardInterrupt):
            memory.process()
        assert taken == [0]
        embedder.meanwhile = None
        later = time.monotonic() + 3600
        monkeypatch.setattr("retentive.backends.sqlite.database.time.monotonic", lambda: later)
        assert memory.process().done == 2
        assert memory.scope(user_id="alice").recall("tea").degraded == ()


def test_case_13_the_hour_that_comes_twice_and_the_one_that_never_does(mine: ScopedMemory) -> None:
    moments = [
        "2026-10-25T02:30:00+02:00",  # the first 02:30 of that night in Berlin
        "2026-10-25T02:30:00+01:00",  # the second
        "2026-03-29T01:59:59+01:00",
        "2026-03-29T03:00:00+02:00",  # a second later
    ]
    mine.record([{"role": "user", "content": f"train {at}", "timestamp": at} for at in moments])
    stamps = [mine.list("episodic").items[-1 - place].timestamp for place in range(4)]
    assert stamps == ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z"]
    between = mine.recall("train", since="2026-10-25T02:30:00+02:00", until="2026-10-25T02:59:00+02:00")
    assert [hit.timestamp for hit in between] == ["2026-10-25T00:30:00Z"]


@pytest.mark.parametrize(
    "moment",
    [
        "0001-01-01T00:00:00Z",
        "0001-01-01T12:00:00+12:00",
        "0987-06-05T04:03:02-03:00",
        "1969-12-31T23:59:59.999999Z",
        "1970-01-01T00:00:00Z",
        "9999-12-31T23:59:59.999999Z",
        "9999-12-31T20:00:00-03:59",
    ],
)
def test_case_13_from_year_1_to_9999_everything_works(
    memory: Memory, mine: ScopedMemory, tmp_path: Path, moment: str
) -> None:
    message = {"role": "user", "content": "The comet was seen over Rome", "timestamp": moment, "id": "m1"}
    stored = mine.record([message], session_id="s1").ids[0]
    mine.remember("Watches comets", expires_at="9999-12-31T23:59:59.999999Z")
    memory.process()
    item = mine.get(stored)
    assert parse_timestamp(item.timestamp)[0] == parse_timestamp(moment)[0]
    assert item.local_time is not None
    assert parse_timestamp(item.local_time)[0] // 10**6 == parse_timestamp(moment)[0] // 10**6
    assert stored in [hit.id for hit in mine.recall("comet over Rome")]
    assert [hit.id for hit in mine.recall("comet over Rome", since=moment, until=moment)] == [stored]
    assert mine.recall("comet over Rome", now=moment).hits
    assert f"[{item.local_time[:10]} user]" in mine.block("comet").text
    assert mine.sessions()[0].last == item.timestamp
    mine.export(tmp_path / "all.jsonl")
    mine.forget_everything()
    mine.import_(tmp_path / "all.jsonl")
    assert mine.get(stored) == item


@pytest.mark.parametrize(
    "moment",
    [
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "10000-01-01T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "-0044-03-15T12:00:00Z",
    ],
)
def test_case_13_outside_of_that_is_refused_by_name(mine: ScopedMemory, moment: str) -> None:
    with pytest.raises(InvalidTimestamp):
        mine.record([{"role": "user", "content": "x", "timestamp": moment}])
    with pytest.raises(InvalidTimestamp):
        mine.recall("x", since=moment)
    assert len(mine.list()) == 0


def test_case_13_1970_is_a_moment_like_any_other(mine: ScopedMemory) -> None:
    """0 microseconds is not 'nothing given'."""
    gone = mine.remember("Was true until 1970", evergreen=True, expires_at="1970-01-01T00:00:00Z").ids[0]
    later = mine.remember("Is true until 1971", evergreen=True, expires_at="1971-01-01T00:00:00Z").ids[0]
    assert mine.block().text == ""
    assert mine.recall("was true until").hits == ()
    assert [hit.id for hit in mine.recall("true until", now="1970-01-01T00:00:00Z")] == [later]
    assert gone not in [hit.id for hit in mine.recall("true until", now="1970-01-01T00:00:00Z")]


def test_case_13_format_and_parse_agree_at_both_ends() -> None:
    for moment in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "1970-01-01T00:00:00Z"):
        assert format_us(parse_timestamp(moment)[0]) == moment
