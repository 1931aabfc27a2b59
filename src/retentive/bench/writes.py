"""How fast are messages recorded in groups, and how much slower is that than SQLite alone?

The same texts are written in turn, group by group, by `record` into a store and by one plain INSERT into a table of two
columns in a database of its own, so that whatever else the machine does hits both alike. Both commit each group and
wait for the disk. What lies between the two is redaction, terms for the search by words, the index, the audit and the
receipt; vectors and facts are made later, by background jobs.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import apsw
import numpy as np

from retentive.bench.engine import StubEmbedder, sentence
from retentive.config import Settings
from retentive.memory import Memory

#: Fewer than twelve words: of so many common ones the redactor thinks that they are a seed phrase.
_WORDS = (6, 11)
#: Groups written before the clock counts.
_WARM_UP = 2


@dataclass(frozen=True, slots=True)
class Plan:
    """What to write: `rows` messages, `group` in each call."""

    rows: int = 20_000
    group: int = 100
    seed: int = 7


@dataclass(frozen=True, slots=True)
class Result:
    """Rows a second, commits included: by the median group of each. `times`: how many times as long ours takes."""

    plan: Plan
    rows_per_s: float
    bare_rows_per_s: float
    times: float

    def lines(self) -> Iterator[str]:
        """The result for people."""
        yield f"{self.plan.rows:,} messages in groups of {self.plan.group:,}, each group one durable commit"
        yield f"record            {self.rows_per_s:10,.0f} rows/s"
        yield f"a bare INSERT     {self.bare_rows_per_s:10,.0f} rows/s"
        yield f"ours takes        {self.times:10.1f} times as long"


def measure(plan: Plan) -> Result:
    """Write the same groups in turn to a store and to a bare table."""
    draw = random.Random(plan.seed)  # noqa: S311  words of a test text
    count = plan.rows + _WARM_UP * plan.group
    texts = [f"{number} {sentence(draw, draw.randint(*_WORDS))}" for number in range(count)]
    groups = [texts[start : start + plan.group] for start in range(0, count, plan.group)]
    with tempfile.TemporaryDirectory(prefix="retentive-bench-") as place:
        ours, bare = _in_turn(Path(place), groups)
    full = slice(_WARM_UP, len(groups) if plan.rows % plan.group == 0 else -1)
    ours_s, bare_s = float(np.median(ours[full])), float(np.median(bare[full]))
    return Result(plan, plan.group / ours_s, plan.group / bare_s, ours_s / bare_s)


def _in_turn(folder: Path, groups: Sequence[Sequence[str]]) -> tuple[list[float], list[float]]:
    """Seconds of each group, ours and bare."""
    settings = Settings(extractor="none")
    table = apsw.Connection(str(folder / "bare.db"))
    for pragma in ("journal_mode = WAL", "synchronous = FULL"):
        table.execute(f"PRAGMA {pragma}")
    table.execute("CREATE TABLE message (row INTEGER PRIMARY KEY, text TEXT NOT NULL)")
    times: tuple[list[float], list[float]] = ([], [])
    with Memory.open(
        folder / "memory.db", embedder=StubEmbedder(4, 7, []), settings=settings, background=False
    ) as memory:
        mine = memory.scope("alice")
        for texts in groups:
            begun = time.perf_counter()
            mine.record([{"role": "user", "content": text} for text in texts], "session")
            between = time.perf_counter()
            with table:
                table.executemany("INSERT INTO message (text) VALUES (?)", [(text,) for text in texts])
            times[0].append(between - begun)
            times[1].append(time.perf_counter() - between)
    table.close()
    return times
