"""What goes and what was: forgetting, expiry, and the two clocks on a fact."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from retentive import Memory, ScopedMemory
from retentive.clock import now_us
from retentive.errors import NotFound
from retentive.results import Hit


def texts(items: Any) -> list[str]:
    return [item.text for item in items]


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], str]:
    """Set the clock forward by so many seconds; returns the moment just before, as a timestamp."""
    offset = {"ns": 0}
    real = time.time_ns
    monkeypatch.setattr("retentive.clock.time.time_ns", lambda: real() + offset["ns"])

    def forward(seconds: float) -> str:
        from retentive.clock import format_us  # noqa: PLC0415

        before = format_us(now_us())
        offset["ns"] += int(seconds * 1e9)
        return before

    return forward


# -- forget ----------------------------------------------------------------------------------------------------------
def test_forget_takes_every_version_and_says_so(memory: Memory, mine: ScopedMemory) -> None:
    fact = mine.remember("Prefers tea").ids[0]
    mine.update(fact, text="Prefers green tea")
    kept = mine.remember("Has a cat").ids[0]
    memory.process()
    report = mine.forget(fact)
    assert report.ids == (fact,)
    assert report.complete
    assert {place.place: place.erased for place in report.places}["fact"] == 2
    for call in (mine.get, mine.history, mine.why, mine.forget):
        with pytest.raises(NotFound):
            call(fact)
    assert mine.recall("green tea").hits == ()
    assert texts(mine.list(status=None)) == ["Has a cat"]
    assert mine.get(kept).text == "Has a cat"
    assert memory.doctor().problems == ()


def test_one_unknown_id_and_nothing_is_forgotten(mine: ScopedMemory) -> None:
    ids = [mine.remember(f"A note, the one after {number - 1}").ids[0] for number in range(3)]
    with pytest.raises(NotFound):
        mine.forget([*ids, "0190a000-0000-7000-8000-000000000000"])
    assert len(mine.list()) == 3
    assert set(mine.forget(ids[:2] * 2).ids) == set(ids[:2])
    assert mine.forget([]).ids == ()
    assert len(mine.list()) == 1


def test_forget_by_filter_takes_what_matches_and_no_more(mine: ScopedMemory) -> None:
    mine.remember("One", metadata={"import": "a"})
    mine.remember("Two", metadata={"import": "b"})
    mine.record([{"role": "user", "content": "Three", "metadata": {"import": "a"}}])
    assert len(mine.forget(where={"import": "a"}).ids) == 2
    assert texts(mine.list()) == ["Two"]
    assert mine.forget(where={"import": "zzz"}).ids == ()


def test_forgotten_words_are_not_in_the_file(memory: Memory, mine: ScopedMemory, store_file: Path) -> None:
    secret = "The vault code is xylophone-7731"
    ids = mine.remember(secret, metadata={"note": "xylophone-7731"}).ids
    ids += mine.record([{"role": "user", "content": secret, "id": "xylophone-7731"}], session_id="s1").ids
    memory.process()
    with mine.session("s1"):
        pass
    memory.process()
    mine.recall("xylophone-7731")
    assert any(b"xylophone-7731" in path.read_bytes() for path in store_file.parent.glob(store_file.name + "*"))
    assert mine.forget(ids).complete
    memory.process()
    assert not any(b"xylophone-7731" in path.read_bytes() for path in store_file.parent.glob(store_file.name + "*"))


def test_forget_everything_leaves_others_alone(memory: Memory, mine: ScopedMemory) -> None:
    mine.remember("Mine")
    memory.scope(user_id="alice", agent_id="bot").record([{"role": "user", "content": "Mine too"}], session_id="s1")
    other = memory.scope(user_id="bob")
    other.remember("Theirs")
    assert mine.forget_everything().complete
    assert (len(mine.list(status=None)), mine.sessions(), mine.profile(), mine.block("Mine").text) == (0, [], {}, "")
    assert mine.forget_everything().complete
    assert texts(other.list()) == ["Theirs"]
    mine.remember("A new start")
    memory.process()
    assert texts(mine.recall("new start")) == ["A new start"]
    assert memory.doctor().problems == ()


# -- the two clocks --------------------------------------------------------------------------------------------------
def test_as_of_is_what_was_believed_then(mine: ScopedMemory, later: Callable[[float], str]) -> None:
    before = later(3600)
    mine.remember("I live in Munich")
    first = later(3600)
    fact = mine.remember("I live in Hamburg").ids[0]
    second = later(3600)
    mine.update(fact, text="I live in Hamburg-Altona")
    third = later(3600)
    mine.forget(mine.remember("I live on Mars", idempotency_key="x").ids)

    def then(moment: str | None) -> list[str]:
        return sorted(texts(mine.recall("where do I live", as_of=moment, tiers=["semantic"], k=50)))

    assert then(before) == []
    assert then(first) == ["I live in Munich"]
    assert then(second) == ["I live in Hamburg"]
    assert then(third) == ["I live in Hamburg-Altona"]


def test_as_of_shows_no_fact_that_waits_for_a_person(memory: Memory, mine: ScopedMemory, tmp_path: Path) -> None:
    """Pending is not believed: now, then, in the block or in the profile."""
    mine.remember("The rent is due on Friday", evergreen=True)
    mine.export(tmp_path / "one.jsonl")
    mine.forget_everything()
    lines = [json.loads(line) for line in (tmp_path / "one.jsonl").read_text("utf-8").splitlines()]
    lines[-1]["status"] = "pending"
    (tmp_path / "two.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", "utf-8")
    mine.import_(tmp_path / "two.jsonl")
    memory.process()
    assert [item.status for item in mine.list("semantic", status="pending")] == ["pending"]
    assert mine.recall("rent").hits == ()
    assert mine.block("rent").text == ""
    assert mine.recall("rent", as_of="2999-01-01Z").hits == ()


@pytest.mark.parametrize("evergreen", [False, True])
def test_what_expired_is_gone_from_every_reading(
    memory: Memory, mine: ScopedMemory, later: Callable[[float], str], *, evergreen: bool
) -> None:
    from datetime import UTC, datetime, timedelta  # noqa: PLC0415

    ends = datetime.now(UTC) + timedelta(seconds=1800)
    fact = mine.remember("The parking permit is valid", expires_at=ends, evergreen=evergreen).ids[0]
    memory.process()
    assert texts(mine.recall("parking permit")) == ["The parking permit is valid"]
    assert "permit" in mine.block("parking permit").text
    while_valid = later(3600)
    assert mine.recall("parking permit").hits == ()
    assert mine.block("parking permit").text == ""
    assert texts(mine.list()) == []
    assert mine.get(fact).text == "The parking permit is valid"
    assert texts(mine.recall("parking permit", as_of=while_valid)) == ["The parking permit is valid"]
    assert texts(mine.list(status=None)) == ["The parking permit is valid"]


def test_since_and_until_bound_when_it_happened(mine: ScopedMemory) -> None:
    for day in range(1, 10):
        mine.record([{"role": "user", "content": f"Rain on day {day}", "timestamp": f"2026-05-0{day}T12:00:00+02:00"}])
    found = mine.recall("rain", since="2026-05-03T10:00:00Z", until="2026-05-05T10:00:00Z", k=50)
    assert sorted(texts(found)) == ["Rain on day 3", "Rain on day 4", "Rain on day 5"]
    assert mine.recall("rain", since="2026-05-05Z", until="2026-05-03Z").hits == ()


def unthinned(hit: Hit) -> float:
    """The score before a likeness to a better hit was counted."""
    return hit.score - hit.parts.get("repeat", 0.0)


def test_evergreen_is_not_faded(memory: Memory, mine: ScopedMemory) -> None:
    mine.remember("The passport is in the blue drawer", evergreen=True)
    mine.remember("The passport is in the blue folder")
    memory.process()
    scores = {hit.text[-6:]: unthinned(hit) for hit in mine.recall("passport blue", now="2040-01-01Z")}
    today = {hit.text[-6:]: unthinned(hit) for hit in mine.recall("passport blue")}
    assert scores["drawer"] == pytest.approx(today["drawer"], rel=1e-3)
    assert scores["folder"] < today["folder"]
