"""Does consolidating hold on to memory? Rounds of facts and sessions, and what the process holds after each.

SQLite's page cache, which grows to 16 MiB a connection with the store, is held down to 4 MiB in all: what grows then is
ours. Half of the facts say what the other half says, in other words. Each round is of another user, so that what is
held is held by the process and not asked for by anyone.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import apsw

from retentive.config import Settings
from retentive.memory import Memory
from retentive.models.embed_none import NoEmbedder

_MESSAGES: Final = 8
_PAGE_CACHE_BYTES: Final = 4 << 20


@dataclass(frozen=True, slots=True)
class UpkeepReport:
    """peaks_kib: the most the process ever held, after each round; ru_maxrss, which never falls.

    engine_kib: what SQLite held of it then.
    """

    facts: int
    sessions: int
    merged: int
    summarised: int
    peaks_kib: tuple[int, ...]
    engine_kib: tuple[int, ...]
    took_s: float

    def lines(self) -> Iterator[str]:
        """For people."""
        yield f"{self.facts:,} facts, {self.sessions:,} sessions in {len(self.peaks_kib)} rounds, {self.took_s:.0f} s"
        yield f"{self.merged:,} facts merged, {self.summarised:,} sessions summarised"
        yield "most memory held after each round, MiB: " + " ".join(f"{kib / 1024:.0f}" for kib in self.peaks_kib)
        yield "of which SQLite held, MiB: " + " ".join(f"{kib / 1024:.0f}" for kib in self.engine_kib)


def run(facts: int, sessions: int, rounds: int, advance: Callable[[int], None] = lambda _: None) -> UpkeepReport:
    """Consolidate so many facts and sessions, a part of them each round."""
    began_s, merged, summarised, peaks, engine = time.monotonic(), 0, 0, [], []
    settings = replace(Settings(), durable=False, extractor="none", upkeep=("verbatim=1",), cache_mb=16)
    apsw.soft_heap_limit(_PAGE_CACHE_BYTES)
    with TemporaryDirectory() as name:
        path = Path(name) / "memory.db"
        with Memory.open(path, embedder=NoEmbedder(), settings=settings, background=False) as memory:
            for number in range(rounds):
                _fill(memory, number, facts // rounds, sessions // rounds)
                report = memory.consolidate()
                merged, summarised = merged + report.merged, summarised + report.summarised
                peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
                engine.append(apsw.memory_used() // 1024)
                advance(1)
    took_s = time.monotonic() - began_s
    return UpkeepReport(facts, sessions, merged, summarised, tuple(peaks), tuple(engine), took_s)


def _fill(memory: Memory, number: int, facts: int, sessions: int) -> None:
    mine = memory.scope(user_id=f"user{number}")
    for place in range(facts // 2):
        mine.remember(f"Shelf {place} of cellar {number} holds plum jam")
        mine.remember(f"The shelf {place} of the cellar {number} really holds plum jam")
    for place in range(sessions):
        talk = [
            f"Message {said} of talk {place} in cellar {number} was about the harvest." for said in range(_MESSAGES)
        ]
        mine.record([{"role": "user", "content": text} for text in talk], f"{number}-{place}")
        mine.end_session(f"{number}-{place}")
