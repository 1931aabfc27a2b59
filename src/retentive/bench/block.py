"""How long does a block for the prompt take, with the embedder that comes with the install?

One user's memories are recorded in sessions and embedded by the jobs anyone uses. Each query is new, so its embedding
is part of the block; the same query is then asked again, when its embedding is known: that is our own part. Extraction
is off, so that there are as many memories as were asked for, and not more.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from retentive.bench.engine import Latency, latency, sentence
from retentive.config import Settings
from retentive.memory import Memory
from retentive.scoped import ScopedMemory

_SESSION = 20
_MESSAGE_WORDS, _QUERY_WORDS = (6, 18), (4, 9)
#: Blocks made before the clock counts: a process's first ones load what later ones share.
_WARM_UP = 20


@dataclass(frozen=True, slots=True)
class Report:
    """What a block took: `whole` with the query's embedding, `own` without; tokens in the mean."""

    memories: int
    blocks: int
    embedder: str
    whole: Latency
    own: Latency
    tokens: float
    embedded_per_s: float

    def lines(self) -> Iterator[str]:
        """The report for people."""
        yield f"{self.blocks} blocks of one user with {self.memories:,} memories, {self.tokens:.0f} tokens in the mean"
        yield f"{'':34}{'p50 ms':>8}{'p99 ms':>8}"
        for name, times in ((f"with the query's {self.embedder}", self.whole), ("own part, embedding known", self.own)):
            yield f"{name:34}{times.p50_ms:8.1f}{times.p99_ms:8.1f}"
        yield f"vectors made at {self.embedded_per_s:,.0f}/s"


def measure(
    memories: int, blocks: int, settings: Settings, seed: int = 7, advance: Callable[[int], None] = lambda _: None
) -> Report:
    """Record so many memories and make blocks of new queries; `advance` is told how many are embedded."""
    texts = random.Random(seed)  # noqa: S311  words of a test text
    settings = replace(settings, extractor="none")
    with (
        tempfile.TemporaryDirectory(prefix="retentive-bench-") as folder,
        Memory.open(Path(folder) / "memory.db", settings=settings, background=False) as memory,
    ):
        mine = memory.scope(user_id="alice")
        embed_s = _build(memory, mine, memories, texts, advance)
        queries = [sentence(texts, texts.randint(*_QUERY_WORDS)) for _ in range(_WARM_UP + blocks)]
        made = [(_timed(mine, query), _timed(mine, query)) for query in queries][_WARM_UP:]
        embedder = memory.status().embedder or "none"
    whole, own = ([pair[which][0] for pair in made] for which in (0, 1))
    tokens = sum(first[1] for first, _ in made) / blocks
    return Report(memories, blocks, embedder, latency(whole), latency(own), tokens, memories / embed_s)


def _build(
    memory: Memory, mine: ScopedMemory, memories: int, texts: random.Random, advance: Callable[[int], None]
) -> float:
    """Record and embed; returns the seconds that embedding took."""
    embed_s = 0.0
    for start in range(0, memories, _SESSION):
        count = min(_SESSION, memories - start)
        messages = [{"content": sentence(texts, texts.randint(*_MESSAGE_WORDS))} for _ in range(count)]
        mine.record(messages, f"s{start}")
        begun = time.perf_counter()
        memory.process()
        embed_s += time.perf_counter() - begun
        advance(count)
    return embed_s


def _timed(mine: ScopedMemory, query: str) -> tuple[float, int]:
    """Seconds that a block took, and its tokens."""
    begun = time.perf_counter()
    block = mine.block(query)
    return time.perf_counter() - begun, block.tokens
