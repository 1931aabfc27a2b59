"""A simulated year of one user: facts that change by a known script, with every job of upkeep running by schedule.

Prints what the store weighs day by day, and holds what is recalled against the script: what is so now, what was so on
random days, what was replaced, what was forgotten. Time is simulated; the store, the jobs and the search are the real
ones. Summaries are asked of a model that quotes, so that its calls can be counted.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from retentive import plugins
from retentive.clock import duration_us, format_us, simulated
from retentive.config import Settings
from retentive.contracts import Model, Reply, Usage
from retentive.memory import Memory
from retentive.scoped import ScopedMemory

#: Besides the defaults: what is kept of the audit. Whole, it would grow with every write of the year.
RETENTION: Final = ("audit=30d",)
DAY_US: Final = duration_us("1d")
_BEGAN_US: Final = 1_767_571_200_000_000  # 2026-01-05T00:00:00Z
SESSIONS: Final = 6
#: Every so many days nobody says a word.
_IDLE_EVERY: Final = 16
_FLAT_FROM: Final = 60
_MOMENTS: Final = 100
#: What is asked at the end, as often as a person would look.
_PROBE_EVERY: Final = 10
_THINGS: Final = (
    "tea bread colour player song river board game museum bakery walk soup author dessert harbour flower spice".split()
)
_PLACES: Final = "mill pier hall garden workshop ferry square attic".split()
_OBJECTS: Final = "doors windows lamps ropes crates ladders carts bells maps clocks benches gates".split()
_DOINGS: Final = "painted|measured|sorted|visited|photographed|swept|repaired|numbered".split("|")
_SYLLABLES: Final = "bra ce dri fo glu hi jo ka li mor ne pra qui ro sta tu vel wi xa zu".split()


def _names(chance: random.Random) -> Iterator[str]:
    """Made-up names, each once, so that a value that is shown is known by it."""
    every = ["".join(parts).capitalize() for parts in product(_SYLLABLES, repeat=3)]
    chance.shuffle(every)
    return iter(every)


@dataclass(slots=True)
class Script:
    """What the user says when. `values`: thing -> (the day it was said, the value), oldest first."""

    chance: random.Random
    names: Iterator[str]
    values: dict[str, list[tuple[int, str]]] = dataclass_field(default_factory=dict)
    canaries: list[str] = dataclass_field(default_factory=list)

    def day(self, day: int) -> Iterator[list[str]]:
        """The messages of each session of a day."""
        changed = [t for t in _THINGS if t not in self.values or self.chance.random() < 1 / 30]
        for session in range(SESSIONS):
            texts = [self._filler(day, session, number) for number in range(4)]
            for thing in changed[session::SESSIONS]:
                self.values.setdefault(thing, []).append((day, next(self.names)))
                texts.append(self._said(thing))
            if session == 0:
                texts.append(self._said(self.chance.choice(_THINGS)))
            yield texts

    def _filler(self, day: int, session: int, number: int) -> str:
        place, doing = self.chance.choice(_PLACES), self.chance.choice(_DOINGS)
        what, which = self.chance.choice(_OBJECTS), self.chance.randint(1, 900)
        return f"At the {place} they {doing} the {what} of number {which} ({day}.{session}.{number})."

    def turn(self, text: str) -> list[dict[str, str]]:
        """What the user says, and what the assistant answers."""
        note = f"Thank you, that is on the {self.chance.choice(_PLACES)} list for this week, beside the other entries."
        return [{"role": "user", "content": text}, {"role": "assistant", "content": note}]

    def _said(self, thing: str) -> str:
        known = self.values.get(thing)
        return f"My favourite {thing} is {known[-1][1]}." if known else "Good morning."

    def then(self, thing: str, day: int) -> str | None:
        """What was so at the end of a day."""
        return next((value for said, value in reversed(self.values[thing]) if said <= day), None)


class QuotingModel(Model):
    """Sums up a session with the first words said in it, and finds no fact changed; counts how often it is asked."""

    name = "quoting"

    def __init__(self) -> None:
        self.calls = 0

    def complete(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1024,  # noqa: ARG002  it is brief
        timeout_s: float = 60.0,  # noqa: ARG002  it is at once
    ) -> Reply:
        """An answer of the schema's kind."""
        self.calls += 1
        lines = [json.loads(line) for line in messages[-1]["content"].splitlines()]
        if "verdicts" in (schema or {}).get("properties", {}):
            plain = {"verdict": "unknown", "episode": "", "quote": "", "text": ""}
            data: dict[str, Any] = {"verdicts": [{"fact": x["fact"]} | plain for x in lines if "fact" in x]}
        else:
            first = {line["session"]: line for line in reversed(lines)}
            quoted = [
                {
                    "session": session,
                    "summary": line["text"],
                    "quotes": [{"episode": line["episode"], "quote": line["text"]}],
                }
                for session, line in first.items()
            ]
            data = {"sessions": quoted, "patterns": []}
        return Reply(data, json.dumps(data), Usage(), self.name)


@dataclass(frozen=True, slots=True)
class Probes:
    """What was looked at, how much of it was right, and what should never be seen."""

    asked: int = 0
    found: int = 0
    replaced_shown: int = 0
    replaced_unmarked: int = 0
    forgotten_shown: int = 0


@dataclass(frozen=True, slots=True)
class YearReport:
    """Sizes are bytes of the store's files without the write-ahead log, by day of the year."""

    days: int
    messages: int
    sizes: tuple[tuple[int, int], ...]
    probes: Probes
    as_of_asked: int
    as_of_right: int
    forgotten_in_bytes: int
    model_calls: int
    idle_days: int
    idle_calls: int
    jobs_failed: int
    took_s: float

    @property
    def spread(self) -> float:
        """How far the size moves from that of day 60 on, as a share of that day's."""
        later = [size for day, size in self.sizes if day >= _FLAT_FROM]
        return max(abs(size - later[0]) for size in later) / later[0] if later else 0.0

    def lines(self) -> Iterator[str]:
        """For people: the curve, then the figures."""
        largest = max(size for _, size in self.sizes)
        yield "day    KiB"
        for day, size in self.sizes:
            if day % 10 == 0 or day == self.days - 1:
                yield f"{day:3}  {size // 1024:6,}  {'#' * round(40 * size / largest)}"
        share = self.probes.found / max(self.probes.asked, 1)
        yield f"{self.days} days, {self.messages:,} messages in {self.took_s:.0f} s; {self.jobs_failed} jobs failed"
        yield f"size from day {_FLAT_FROM} on: within {self.spread:.1%} of that day's"
        yield f"current facts recalled in the first five: {share:.1%} of {self.probes.asked}"
        yield f"replaced facts shown as current: {self.probes.replaced_shown}"
        yield f"messages with a replaced value, not marked as such: {self.probes.replaced_unmarked}"
        yield f"forgotten ones shown: {self.probes.forgotten_shown}; in the files' bytes: {self.forgotten_in_bytes}"
        yield f"as of a random day: {self.as_of_right} of {self.as_of_asked} right"
        yield f"model calls: {self.model_calls}; on {self.idle_days} idle days: {self.idle_calls}"


@dataclass(slots=True)
class _Year:
    """The year as it goes."""

    memory: Memory
    mine: ScopedMemory
    script: Script
    model: QuotingModel
    folder: Path
    now_us: int = _BEGAN_US
    probes: Probes = Probes()
    sizes: list[tuple[int, int]] = dataclass_field(default_factory=list)
    doomed: list[str] = dataclass_field(default_factory=list)
    messages: int = 0
    failed: int = 0
    idle_days: int = 0
    idle_calls: int = 0

    def day(self, day: int) -> None:
        """Talk from eight in the morning, upkeep half an hour before midnight, a look at the size after it."""
        idle, before = day % _IDLE_EVERY == _IDLE_EVERY - 1, self.model.calls
        if not idle:
            for session, texts in enumerate(self.script.day(day)):
                self.now_us = _BEGAN_US + day * DAY_US + (8 + 2 * session) * DAY_US // 24
                said = [message for text in texts for message in self.script.turn(text)]
                self.messages += len(self.mine.record(said, f"{day}-{session}").ids)
                self.mine.end_session(f"{day}-{session}")
            self._canary(day)
        self.now_us = _BEGAN_US + (day + 1) * DAY_US - DAY_US // 48
        self.failed += self._upkeep()
        self.idle_days += idle
        self.idle_calls += (self.model.calls - before) if idle else 0
        self.sizes.append((day, self._size()))
        if day % _PROBE_EVERY == _PROBE_EVERY - 1:
            self._probe()

    def _size(self) -> int:
        """Bytes of the store, without the write-ahead log, which retention folds in and cuts off each day it erases."""
        files = [file for file in self.folder.rglob("*") if file.is_file() and not file.name.endswith(("-wal", "-shm"))]
        return sum(file.stat().st_size for file in files)

    def _upkeep(self) -> int:
        errors = len(self.memory.process().errors)
        self.memory.schedule()
        return errors + len(self.memory.process().errors)

    def _canary(self, day: int) -> None:
        """Something is said and remembered, and forgotten three days later with all that came of it."""
        if day % 20 == 5:
            word = f"Canary{next(self.script.names)}{day}"
            self.script.canaries.append(word)
            text = f"My favourite locker is {word}."
            self.doomed = self.mine.record([{"role": "user", "content": text}], f"{day}-c").ids
            self.mine.end_session(f"{day}-c")
        elif day % 20 == 8 and self.doomed:
            self.mine.forget(self.doomed)
            self.doomed = []

    def _probe(self) -> None:
        """Ask for everything that is so, and look at what is shown."""
        gone = [word for word in self.script.canaries if not self.doomed or word != self.script.canaries[-1]]
        for thing, values in self.script.values.items():
            now, old = values[-1][1], {value for _, value in values[:-1]} - {values[-1][1]}
            hits = self.mine.recall(f"What is my favourite {thing}?", k=5).hits
            stating = [h for h in hits if h.category != "summary" and any(value in h.text for value in old)]
            probes = self.probes
            self.probes = replace(
                probes,
                asked=probes.asked + 1,
                found=probes.found + any(now in hit.text for hit in hits),
                replaced_shown=probes.replaced_shown + sum(h.tier == "semantic" for h in stating),
                replaced_unmarked=probes.replaced_unmarked
                + sum(h.tier == "episodic" and h.item.status == "active" for h in stating),
                forgotten_shown=probes.forgotten_shown + sum(word in hit.text for word in gone for hit in hits),
            )

    def as_of(self, days: int) -> int:
        """How many of 100 random looks into the past show what was so then."""
        right = 0
        for _ in range(_MOMENTS):
            day, thing = self.script.chance.randrange(days), self.script.chance.choice(list(self.script.values))
            moment = format_us(_BEGAN_US + (day + 1) * DAY_US - 1_000_000)
            hits = self.mine.recall(f"What is my favourite {thing}?", k=5, tiers=["semantic"], as_of=moment).hits
            every = {value for _, value in self.script.values[thing]}
            shown = {value for hit in hits if hit.category != "summary" for value in every if value in hit.text}
            then = self.script.then(thing, day)
            right += shown == ({then} if then else set())
        return right

    def forgotten_in_bytes(self) -> int:
        """In how many places of the files a forgotten word stands."""
        gone = [word for word in self.script.canaries if not self.doomed or word != self.script.canaries[-1]]
        files = [file.read_bytes() for file in self.folder.rglob("*") if file.is_file()]
        return sum(file.count(word.encode()) for file in files for word in gone)


def run(days: int, settings: Settings, *, seed: int = 7, advance: Callable[[int], None] = lambda _: None) -> YearReport:
    """Live through so many days in a store of its own, which is gone afterwards."""
    began_s = time.monotonic()
    model, chance = QuotingModel(), random.Random(seed)  # noqa: S311  the same year each time
    with TemporaryDirectory() as name:
        folder = Path(name)
        retention = settings.retention or RETENTION
        settings = replace(settings, durable=False, background=False, extractor="rules", retention=retention)
        embedder = plugins.make_embedder(settings)
        with Memory.open(folder / "memory.db", embedder=embedder, model=model, settings=settings) as memory:
            mine, script = memory.scope(user_id="alice"), Script(chance, _names(chance))
            year = _Year(memory, mine, script, model, folder)
            with simulated(lambda: year.now_us):
                for day in range(days):
                    year.day(day)
                    advance(1)
                right = year.as_of(days)
        return YearReport(
            days=days,
            messages=year.messages,
            sizes=tuple(year.sizes),
            probes=year.probes,
            as_of_asked=_MOMENTS,
            as_of_right=right,
            forgotten_in_bytes=year.forgotten_in_bytes(),
            model_calls=model.calls,
            idle_days=year.idle_days,
            idle_calls=year.idle_calls,
            jobs_failed=year.failed,
            took_s=time.monotonic() - began_s,
        )
