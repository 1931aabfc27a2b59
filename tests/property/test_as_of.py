"""The two clocks: what `as_of` gives is what a look at that moment gave, and what is known now of that moment."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from retentive import Memory, ScopedMemory
from retentive.models.embed_none import NoEmbedder

START = datetime(2026, 1, 1, tzinfo=UTC)
CITIES = ("Porto", "Lisbon", "Faro", "Braga", "Evora", "Coimbra")


class Clock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.now = START

    def forward(self, chance: random.Random) -> None:
        self.now += timedelta(seconds=chance.randint(1, 40_000))

    def ns(self) -> int:
        return int((self.now - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1)) * 1000


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr("retentive.clock.time.time_ns", found.ns)
    return found


def believed(mine: ScopedMemory, **when: datetime) -> set[str]:
    return {item.text for item in mine.list("semantic", limit=1000, **when)}


def recalled(mine: ScopedMemory, **when: datetime) -> set[str]:
    return {hit.text for hit in mine.recall("keeps lives reads thing", k=1000, tiers=["semantic"], **when)}


def act(mine: ScopedMemory, memory: Memory, chance: random.Random, number: int) -> None:
    """One of the things that change what is believed."""
    current = mine.list("semantic", limit=1000).items
    kind = chance.choice(("place", "note", "note", "update", "expire", "field", "empty"))
    if kind == "place":
        mine.remember(f"I live in {chance.choice(CITIES)}")
    elif kind == "note":
        mine.remember(f"Keeps thing {number}", evergreen=chance.random() < 0.3)
    elif kind == "update" and current:
        chosen = chance.choice([item for item in current if item.field is None] or [None])
        if chosen is not None:
            mine.update(chosen.id, text=f"Keeps the other thing {number}")
    elif kind == "expire":
        ends = mine_now(memory) + timedelta(seconds=chance.randint(10_000, 90_000))
        mine.remember(f"Reads thing {number}", expires_at=ends)
    elif kind == "field":
        mine.update_profile({"name": f"Ann {chance.choice('ABC')}"})
    elif kind == "empty":
        mine.update_profile({"name": None})


def mine_now(memory: Memory) -> datetime:
    from retentive.clock import now_us  # noqa: PLC0415

    assert memory is not None
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=now_us())


@pytest.mark.parametrize("seed", range(8))
def test_as_of_every_moment_is_what_was_seen_then(tmp_path: Path, clock: Clock, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  the same histories each time
    with Memory.open(tmp_path / "memory.db", embedder=NoEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        seen: list[tuple[datetime, set[str], dict[str, str]]] = [(clock.now, set(), {})]
        for number in range(25):
            clock.forward(chance)
            act(mine, memory, chance, number)
            seen.append((clock.now, believed(mine), mine.profile()))
        clock.forward(chance)
        for reread in (False, True):
            for moment, facts, profile in seen:
                for at in (moment, moment + timedelta(microseconds=1)):
                    assert believed(mine, as_of=at) == facts
                    assert recalled(mine, as_of=at) == {text for text in facts if _found(text)}
                assert mine.profile(as_of=moment) == profile
            if not reread:
                memory.doctor(fix=True)  # the index made anew knows the same
                memory.process()


def _found(text: str) -> bool:
    return any(word in text for word in ("Keeps", "Reads", "live"))


def test_a_hundred_random_dates_on_both_clocks(tmp_path: Path, clock: Clock) -> None:
    """Statements told late: what was true at one moment, as it was known at another, against a plain list of them."""
    chance = random.Random(20261130)  # noqa: S311  the same dates each time
    told: list[tuple[datetime, datetime, str]] = []
    with Memory.open(tmp_path / "memory.db", embedder=NoEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        said = START
        for number in range(30):
            said += timedelta(days=chance.uniform(0.5, 9))
            clock.now = max(clock.now, said) + timedelta(days=chance.uniform(0, 6))
            text = f"I moved to {CITIES[number % len(CITIES)]}."
            mine.record([{"role": "user", "content": text, "timestamp": said.isoformat()}])
            memory.process()
            told.append((said, clock.now, text.removeprefix("I moved to ").removesuffix(".")))
        last = clock.now
        clock.now += timedelta(days=10)
        for _ in range(100):
            true_at = START + (last - START) * chance.random()
            known_at = START + (last - START) * chance.random()
            for as_of, known in ((true_at, known_at), (true_at, clock.now), (true_at, None)):
                heard = [one for one in told if one[1] <= (known or as_of) and one[0] <= as_of]
                found = mine.recall("moved", as_of=as_of, known_at=known, tiers=["semantic"], k=100)
                assert [hit.text.split()[-1].strip(".") for hit in found] == [city for *_, city in heard[-1:]]


def test_what_was_rejected_was_never_believed(memory: Memory, mine: ScopedMemory, clock: Clock) -> None:
    chance = random.Random(1)  # noqa: S311  any steps will do
    mine.record([{"role": "user", "content": "I live in Porto."}], session_id="s")
    mine.end_session("s")
    memory.process()
    clock.forward(chance)
    mine.record([{"role": "user", "content": "I live in Faro."}], session_id="t")
    mine.end_session("t")
    memory.process()
    waiting = memory.review.pending()
    between = clock.now + timedelta(seconds=1)
    clock.forward(chance)
    for one in waiting:
        memory.review.reject(one.item.id, "no")
    clock.forward(chance)
    for when in ({"as_of": between}, {"as_of": between, "known_at": clock.now}):
        texts = {hit.text for hit in mine.recall("lives", tiers=["semantic"], **when)}
        assert texts.isdisjoint({one.item.text for one in waiting})
        assert len(texts) == 1


def test_case_10_what_was_merged_away_is_seen_only_by_who_asks_from_before(
    memory: Memory, mine: ScopedMemory, clock: Clock
) -> None:
    chance = random.Random(1)  # noqa: S311  any steps will do
    mine.remember("Keeps the bicycle in the cellar")
    clock.forward(chance)
    mine.remember("Really keeps a bicycle in the cellar")
    before = clock.now + timedelta(seconds=1)
    clock.forward(chance)
    assert memory.consolidate().merged == 1
    after = clock.now + timedelta(seconds=1)
    clock.forward(chance)
    assert len(believed(mine, as_of=before)) == 2
    assert len(believed(mine)) == len(believed(mine, as_of=after)) == len(recalled(mine)) == 1
    found = mine.recall("bicycle cellar", as_of=before, known_at=after, tiers=["semantic"])
    assert {hit.text for hit in found} <= believed(mine)
