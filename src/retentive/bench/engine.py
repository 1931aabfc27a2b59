"""Is one user's recall as fast in a store of many users as in a store of one?

Two stores are built with the public verbs: one shared by many users, one of a single user with as many memories as each
of them has. The same queries are asked in both, in turn, so that whatever else the machine does hits both alike. The
embedder is a stub with a fixed seed, and knows the queries' vectors beforehand: what is measured is the engine.
The floor is what no engine can be faster than: one product of the user's vectors with the query's.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from retentive.config import Settings
from retentive.contracts import Embedder, Vectors
from retentive.memory import Memory
from retentive.scoped import ScopedMemory

#: Messages recorded in one call, each one durable commit.
_BATCH = 1000
_QUERY_WORDS = 5
_MESSAGE_WORDS = (6, 18)
#: Queries asked before the clock counts: a process's first ones load what later ones share.
_WARM_UP = 20
#: Users of the shared store asked for the first time, one query each.
_FIRST_ASKED = 100
_WORDS = (
    "invoice customer market river garden letter Tuesday colour meeting train ticket budget report sister holiday "
    "kitchen window doctor recipe battery keyboard server backup password deadline project manager contract lawyer "
    "school teacher football concert guitar bicycle mountain weather storm summer winter coffee breakfast dinner bread "
    "cheese allergy medicine hospital airport passport visa hotel booking refund delivery parcel address balcony "
    "neighbour landlord rent mortgage insurance tax salary pension savings dollar euro Berlin Lisbon Osaka Nairobi "
    "prefers likes dislikes bought sold moved wrote called asked answered forgot promised cancelled signed paid "
    "monthly weekly daily early late quickly slowly always never often sometimes green blue small large old new"
).split()


@dataclass(frozen=True, slots=True)
class Plan:
    """What to build and ask: `memories` of all `users` of the shared store; `queries` in each store.

    audit_reads: enter each query in the audit, as a process with a background thread does.
    """

    memories: int = 1_000_000
    users: int = 1000
    dimension: int = 384
    queries: int = 1000
    seed: int = 7
    audit_reads: bool = False

    @property
    def per_user(self) -> int:
        """Memories of each user."""
        return max(1, self.memories // self.users)


@dataclass(frozen=True, slots=True)
class Build:
    """One store as it was built. `record_per_s` and `vector_per_s` are rows a second, commits included."""

    users: int
    memories: int
    record_per_s: float
    vector_per_s: float
    size_mb: float


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds a call took."""

    p50_ms: float
    p99_ms: float


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a plan. `first` is the first query of a user nobody asked for yet; ratios are shared to alone."""

    plan: Plan
    alone_build: Build
    shared_build: Build
    floor: Latency
    alone: Latency
    shared: Latency
    first: Latency
    ratio_p50: float
    ratio_p99: float

    def lines(self) -> Iterator[str]:
        """The result for people."""
        plan, built = self.plan, self.shared_build
        yield f"recall of one user with {plan.per_user:,} memories, {plan.queries} queries in each store in turn"
        yield f"{'':42}{'p50 ms':>8}{'p99 ms':>8}"
        for name, took in (
            ("matrix product alone (floor)", self.floor),
            ("store of 1 user", self.alone),
            (f"store of {built.users:,} users, {built.memories:,} memories", self.shared),
            ("  a user's first query there", self.first),
        ):
            yield f"{name:42}{took.p50_ms:8.2f}{took.p99_ms:8.2f}"
        yield f"{'ratio':42}{self.ratio_p50:8.2f}{self.ratio_p99:8.2f}"
        yield f"written at {built.record_per_s:,.0f} rows/s, vectors at {built.vector_per_s:,.0f}/s"
        yield f"{built.size_mb:,.0f} MB on disk"


class StubEmbedder(Embedder):
    """Random unit vectors: documents from a seeded stream, queries known beforehand, so that asking costs nothing."""

    def __init__(self, dimension: int, seed: int, queries: Sequence[str]) -> None:
        self.name, self.dimension = f"stub-{dimension}", dimension
        self._random = np.random.default_rng(seed)
        self._queries = {text: self._made(1) for text in queries}

    def embed(
        self,
        texts: Sequence[str],
        *,
        purpose: Literal["document", "query"] = "document",
        timeout_s: float | None = None,  # noqa: ARG002  a stub is never late
    ) -> Vectors:
        """Return (n, dimension) float32 of length 1."""
        if purpose == "query":
            return np.concatenate([self._queries[text] for text in texts])
        return self._made(len(texts))

    def _made(self, count: int) -> Vectors:
        raw = self._random.standard_normal((count, self.dimension), np.float32)
        unit: Vectors = raw / np.linalg.norm(raw, axis=1, keepdims=True)
        return unit


def measure(plan: Plan, folder: Path | None = None, advance: Callable[[int], None] = lambda _: None) -> Result:
    """Build both stores, ask, and compare. `folder` keeps them; `advance` is told how many memories were written."""
    texts = random.Random(plan.seed)  # noqa: S311  words of a test text
    queries = list(dict.fromkeys(sentence(texts, _QUERY_WORDS) for _ in range(plan.queries)))
    with (
        _place(folder) as place,
        _open(place / "alone.db", plan, queries) as alone,
        _open(place / "shared.db", plan, queries) as shared,
    ):
        alone_build = _build(alone, 1, plan, texts, lambda _: None)
        shared_build = _build(shared, plan.users, plan, texts, advance)
        first = [_timed(_user(shared, number), queries[0]) for number in range(1, plan.users)[:_FIRST_ASKED]]
        timings = _in_turn(_user(alone, 0), _user(shared, 0), queries)
    alone_times, shared_times = latency(timings[0]), latency(timings[1])
    return Result(
        plan=plan,
        alone_build=alone_build,
        shared_build=shared_build,
        floor=_floor(plan),
        alone=alone_times,
        shared=shared_times,
        first=latency(first or timings[1]),
        ratio_p50=shared_times.p50_ms / alone_times.p50_ms,
        ratio_p99=shared_times.p99_ms / alone_times.p99_ms,
    )


# -- building ----------------------------------------------------------------------------------------------------------
@contextmanager
def _place(folder: Path | None) -> Iterator[Path]:
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="retentive-bench-") as made:
            yield Path(made)
    else:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder


def _open(path: Path, plan: Plan, queries: Sequence[str]) -> Memory:
    embedder = StubEmbedder(plan.dimension, plan.seed, queries)
    settings = Settings(audit_reads=plan.audit_reads)
    return Memory.open(path, embedder=embedder, settings=settings, background=plan.audit_reads)


def _user(memory: Memory, number: int) -> ScopedMemory:
    return memory.scope(user_id=f"user-{number}")


def _build(memory: Memory, users: int, plan: Plan, texts: random.Random, advance: Callable[[int], None]) -> Build:
    """Write the memories of so many users and make their vectors, by the verbs and the jobs anyone uses."""
    begun = time.perf_counter()
    for number in range(users):
        mine = _user(memory, number)
        for start in range(0, plan.per_user, _BATCH):
            count = min(_BATCH, plan.per_user - start)
            mine.record([{"content": sentence(texts, texts.randint(*_MESSAGE_WORDS))} for _ in range(count)])
            advance(count)
    written = time.perf_counter()
    memory.process()
    embedded = time.perf_counter()
    memories = users * plan.per_user
    path = Path(memory.status().location)
    size_mb = sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*")) / 1e6
    return Build(users, memories, memories / (written - begun), memories / (embedded - written), size_mb)


def sentence(texts: random.Random, words: int) -> str:
    """So many words at random: a message or a query that means nothing and costs what one does."""
    return " ".join(texts.choices(_WORDS, k=words))


# -- asking ------------------------------------------------------------------------------------------------------------
def _in_turn(alone: ScopedMemory, shared: ScopedMemory, queries: Sequence[str]) -> tuple[list[float], list[float]]:
    """Seconds of each query in each store, asked in turn; who is asked first changes every time."""
    for query in queries[:_WARM_UP]:
        _timed(alone, query)
        _timed(shared, query)
    times: tuple[list[float], list[float]] = ([], [])
    for number, query in enumerate(queries):
        for which in (0, 1) if number % 2 else (1, 0):
            times[which].append(_timed((alone, shared)[which], query))
    return times


def _timed(mine: ScopedMemory, query: str) -> float:
    begun = time.perf_counter()
    mine.recall(query)
    return time.perf_counter() - begun


def _floor(plan: Plan) -> Latency:
    """The product of one user's vectors with a query's, and nothing else."""
    stub = StubEmbedder(plan.dimension, plan.seed, ["query"])
    vectors, query = stub.embed([""] * plan.per_user), stub.embed(["query"], purpose="query")[0]
    times = []
    for _ in range(plan.queries):
        begun = time.perf_counter()
        vectors @ query
        times.append(time.perf_counter() - begun)
    return latency(times)


def latency(seconds: Sequence[float]) -> Latency:
    """Median and 99th percentile, in milliseconds."""
    p50, p99 = np.percentile(seconds, (50, 99))
    return Latency(float(p50) * 1e3, float(p99) * 1e3)
