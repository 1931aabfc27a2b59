"""What memory costs by how much there is, and what ten million users would need.

    python scripts/scale_simulation.py [--store sqlite | postgres] [--sizes 10000,30000,100000] [--check 1000000]

A store of each size is filled with users of `--per-user` facts, and the same operations are timed in all of them in
turn, for users drawn by chance, five times over, of which the best counts: processor time of this process and, of a
Postgres started here, of its server too (where there is a /proc to tell it), so that what else the machine does counts
little; and the time that passed, as it was. What each costs is fitted to the small sizes and foretold for those of
`--check`; the last column says how far off that was. Then come how many writers' commits one store takes in a second,
the servers that `--users` of them take, and how evenly a hash of the scope spreads them.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from itertools import count, cycle
from pathlib import Path
from statistics import median

import numpy as np
import psycopg

from retentive import Memory, Settings
from retentive.bench.engine import StubEmbedder, sentence
from retentive.clock import new_id, now_us
from retentive.contracts import Backend
from retentive.plugins import make_backend, make_embedder
from retentive.testing.made import put, said
from retentive.testing.postgres import Server, server
from retentive.types import Fact, Partition

DIMENSION, WORDS, QUERY_WORDS = 384, 10, 4
#: Users that each operation is timed for, and those whose forgetting is.
SAMPLED, FORGETTING, JOBS = 60, 3, 24
ROUNDS = 5
#: What varies by less from size to size is taken to stay as it is. Set after a look at the noise: see docs/scale.md.
STEADY = 0.4
#: Of a processor, so that nobody waits long in a queue.
BUSY = 0.5
KB, MB, GB, TB = 1e3, 1e6, 1e9, 1e12


@dataclass(frozen=True)
class Place:
    """A store, and how its size and its server's processor time are told."""

    url: str
    size_bytes: Callable[[], float]
    server_s: Callable[[], float]


@dataclass(frozen=True)
class Cost:
    """What one call takes, in milliseconds: processor time, and the median of the time that passed."""

    cpu_ms: float
    waited_ms: float


# -- the store ---------------------------------------------------------------------------------------------------------
@contextmanager
def sqlite() -> Iterator[Place]:
    """One file."""
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder)
        yield Place(str(files / "memory.db"), lambda: sum(one.stat().st_size for one in files.iterdir()), lambda: 0.0)


@contextmanager
def postgres(started: Server) -> Iterator[Place]:
    """A schema of its own."""
    sizes = (
        "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relnamespace = %s::regnamespace"
    )
    with started.empty_store() as url:

        def size_bytes() -> float:
            with psycopg.connect(started.admin, autocommit=True) as admin:
                found = admin.execute(sizes, (url.partition("?schema=")[2],)).fetchone()
            return float(found[0]) if found else math.nan

        yield Place(url, size_bytes, lambda: server_s(started))


@contextmanager
def places(store: str, sizes: Sequence[int]) -> Iterator[dict[int, Place]]:
    """An empty store for each size."""
    with ExitStack() as stack:
        started = stack.enter_context(server()) if store == "postgres" else None
        opened = [sqlite() if started is None else postgres(started) for _ in sizes]
        yield {size: stack.enter_context(one) for size, one in zip(sizes, opened, strict=True)}


def server_s(started: Server) -> float:
    """Processor seconds of a server's processes that are there."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[1]) == started.process.pid:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / 100


def owner(number: int) -> Partition:
    """A user."""
    return Partition("default", "user", f"u{number}")


def fill(backend: Backend, embedder: StubEmbedder, users: int, per_user: int) -> None:
    """Give each user their facts, with vectors."""
    chance = random.Random(users)  # noqa: S311  made-up words
    for number in range(users):
        at_us = now_us()
        texts = [f"Keeps note {n}: {sentence(chance, WORDS)}" for n in range(per_user)]
        digests = [hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts]
        facts = [Fact(new_id(), text, at_us, at_us, digest=digest) for text, digest in zip(texts, digests, strict=True)]
        rows = put(backend.store, owner(number), facts)
        vectors = dict(zip(rows, embedder.embed(texts), strict=True))
        backend.index.put_vectors(owner(number), embedder.name, vectors)


# -- measuring ---------------------------------------------------------------------------------------------------------
def timed(place: Place, calls: Sequence[Callable[[], object]], each: int = 1) -> Cost:
    """Medians; a server's processor time, which has steps of 10 ms, in the mean. `each`: operations of a call."""
    waited, own, servers_s = [], [], place.server_s()
    for call in calls:
        begun_s, begun_cpu_s = time.perf_counter(), time.process_time()
        call()
        own.append(time.process_time() - begun_cpu_s)
        waited.append(time.perf_counter() - begun_s)
    servers_s = (place.server_s() - servers_s) / len(calls)
    return Cost((median(own) + servers_s) / each * 1e3, median(waited) / each * 1e3)


def best(rounds: Sequence[dict[str, Cost]]) -> dict[str, Cost]:
    """Of each operation the least that it took: what came on top was others' work."""
    return {
        name: Cost(min(one[name].cpu_ms for one in rounds), min(one[name].waited_ms for one in rounds))
        for name in rounds[0]
    }


def measured(place: Place, embedder: StubEmbedder, queries: Sequence[str], users: int, turn: int) -> dict[str, Cost]:
    """Each operation, for users drawn by chance, through a handle that has seen none of them."""
    chance = random.Random(turn)  # noqa: S311  who is asked
    asked = [chance.randrange(users) for _ in range(SAMPLED)]
    settings = Settings(cache_mb=1024, extractor="none")
    with Memory.open(place.url, embedder=embedder, settings=settings, background=False) as memory:
        mine = [memory.scope(user_id=f"u{number}") for number in asked]
        query = cycle(queries)
        memory.scope(user_id=f"u{users - 1}").recall(next(query))  # what the first call of a process loads

        def each(call: Callable[[int], object], count: int = SAMPLED) -> Cost:
            return timed(place, [lambda n=n: call(n) for n in range(count)])  # type: ignore[misc]

        found = {
            "recall, a user's first": each(lambda n: mine[n].recall(next(query), k=10)),
            "recall": each(lambda n: mine[n].recall(next(query), k=10)),
            "remember": each(lambda n: mine[n].remember(f"Bought crate {n} at turn {turn}")),
            "record a message": each(lambda n: mine[n].record([{"content": f"Crate {n} at turn {turn}"}], f"s{turn}")),
            "a worker's job": timed(place, [lambda: memory.process(JOBS)] * (2 * SAMPLED // JOBS), JOBS),
            "forget one of them": each(lambda n: mine[n].forget(mine[n].list(limit=1).items[0].id), FORGETTING),
            "look over all users": timed(place, [memory._backend.store.revisions] * 5),  # noqa: SLF001  what followers do
        }
        memory.process()
    return found


def held_bytes(place: Place, users: int) -> float:
    """Bytes of memory that a user takes in a process that recalled for them."""
    with (
        closing((backend := make_backend(place.url, Settings())).store),
        backend.index.snapshot(owner(users // 2)) as one,
    ):
        return float(one.byte_size)


def commits_s(place: Place, embedder: StubEmbedder, threads: int, seconds: float = 5.0) -> float:
    """Messages a second that so many threads record, each for a user of its own, one a commit."""
    settings = Settings(extractor="none")
    with Memory.open(place.url, embedder=embedder, settings=settings, background=False) as memory:

        def record(thread: int) -> int:
            mine, end_s = memory.scope(user_id=f"u{thread}"), time.monotonic() + seconds
            for number in count():
                if time.monotonic() > end_s:
                    return number
                mine.record([{"content": f"Crate {number} of thread {thread}"}], f"thread{thread}")
            raise AssertionError

        with ThreadPoolExecutor(threads) as pool:
            return sum(pool.map(record, range(threads))) / seconds


def message_bytes(embedder: StubEmbedder, count: int = 5000) -> float:
    """Bytes on disk of a message with its vector, in one file."""
    chance = random.Random(3)  # noqa: S311  made-up words
    with sqlite() as place, closing((backend := make_backend(place.url, Settings())).store):
        backend.store.set_embedder(embedder.name, embedder.dimension)
        for start in range(0, count, 100):
            texts = [sentence(chance, WORDS) for _ in range(100)]
            rows = put(backend.store, owner(start), [said(text) for text in texts])
            backend.index.put_vectors(owner(start), embedder.name, dict(zip(rows, embedder.embed(texts), strict=True)))
        return place.size_bytes() / count


# -- foretelling -------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Fit:
    """A cost by the number of facts: the same for all, or rising with their logarithm, or with themselves."""

    form: str
    start: float
    slope: float

    def at(self, size: float) -> float:
        """What it comes to at that many facts."""
        return self.start + self.slope * _SHAPES[self.form](size)


_SHAPES: Mapping[str, Callable[[float], float]] = {"steady": lambda _: 0.0, "log n": math.log10, "n": float}


def fitted(points: Mapping[int, float]) -> Fit:
    """The form that fits best by least squares of the relative errors; steady where nothing speaks against it."""
    values = np.array(list(points.values()))
    middle = float(np.median(values))
    if float(np.ptp(values)) < STEADY * middle or values[-1] < values[0]:
        return Fit("steady", middle, 0.0)
    fits = {}
    for form in ("log n", "n"):
        shape = np.array([_SHAPES[form](size) for size in points])
        design = np.stack([np.ones_like(shape), shape], axis=1) / values[:, None]
        (start, slope), *_ = np.linalg.lstsq(design, np.ones_like(values), rcond=None)
        error = float(np.square(design @ [start, slope] - 1).sum())
        fits[error] = Fit(form, float(start), float(slope))
    return fits[min(fits)]


def show(
    known: Mapping[int, Mapping[str, float]], small: Sequence[int], checks: Sequence[int], unit: str
) -> dict[str, Fit]:
    """A line for each measure: the small sizes, the form, and foretold, measured and the error for each check."""
    print(f"\n{unit:28}" + "".join(f"{size:>11,}" for size in small) + f"{'form':>9}", end="")
    print("".join(f"{f'{size:,}':>12} (foretold){'off':>7}" for size in checks))
    fits = {}
    for name in known[small[0]]:
        fit = fits[name] = fitted({size: known[size][name] for size in small})
        line = f"{name:28}" + "".join(f"{known[size][name]:11.3f}" for size in small) + f"{fit.form:>9}"
        for size in checks:
            value, foretold = known[size][name], fit.at(size)
            line += f"{value:12.3f} ({foretold:8.3f}){100 * (foretold / value - 1):+7.0f}%"
        print(line)
    return {name: fitted({size: known[size][name] for size in (*small, *checks)}) for name in fits}


# -- what many take ----------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Load:
    """How many there are and what they do: a share of the users on a day, each so many turns, most in few hours."""

    users: int
    per_user: int
    active: float = 0.1
    turns: int = 20
    peak: float = 3.0
    kept_days: int = 30

    @property
    def turns_s(self) -> float:
        """Turns a second at the day's peak: each is a recall, two messages and their jobs."""
        return self.users * self.active * self.turns / 86_400 * self.peak


def embed_ms() -> float:
    """Processor time that the default models take for a text."""
    embedder, texts = make_embedder(Settings()), random.Random(17)  # noqa: S311  made-up words
    embedder.embed(["What loads them."])
    begun_s = time.process_time()
    for _ in range(SAMPLED // JOBS):
        embedder.embed([sentence(texts, WORDS) for _ in range(JOBS)])
    return (time.process_time() - begun_s) / SAMPLED * 1e3


def need(load: Load, costs: Mapping[str, Fit], space: Mapping[str, Fit], shard: int, message: float) -> None:
    """Print what the load takes, with shards of so many facts and so many bytes for each message."""
    facts, at = load.users * load.per_user, {name: fit.at(shard) for name, fit in costs.items()}
    turn_ms = at["recall"] + 2 * at["record a message"] + 2 * at["a worker's job"]
    model_ms = 3 * embed_ms()
    first_s = load.users * load.active / 86_400 * load.peak
    cores = (load.turns_s * turn_ms + first_s * at["recall, a user's first"]) / 1e3 / BUSY
    messages = load.users * load.active * load.turns * 2 * load.kept_days
    fact = space["MB on disk"].slope * MB
    disk, at_once = facts * fact + messages * message, load.users * load.active * load.peak / 24
    held = at_once * space["KB held a user"].at(shard) * KB
    print(f"\n{load.users:,} users, {facts:,} facts, {load.active:.0%} of them on a day with {load.turns} turns each:")
    print(f"  {load.turns_s:,.0f} turns a second at the peak (a recall, two messages, two jobs)")
    print(f"  {turn_ms:.1f} ms of processor a turn, {model_ms:.1f} for the default embedder's three texts")
    print(f"  {cores:,.0f} cores at {BUSY:.0%} use, {load.turns_s * model_ms / 1e3 / BUSY:,.0f} for the embedder")
    print(f"  {facts * fact / TB:.2f} TB of facts ({fact:,.0f} bytes each)")
    print(f"  {messages * message / TB:.2f} TB of {messages / 1e9:.1f} billion messages of {load.kept_days} days")
    print(f"  {held / GB:,.0f} GB of memory for the {at_once:,.0f} users of an hour")
    print(f"  {-(-facts // shard):,} shards of {shard:,} facts, {disk / facts * shard / GB:,.0f} GB each")


def spread(load: Load, shards: Sequence[int]) -> None:
    """How much more than its share the fullest shard has, users' facts being uneven (lognormal), placed by hash."""
    chance = np.random.default_rng(5)
    facts = chance.lognormal(math.log(load.per_user) - 0.5 * 1.5**2, 1.5, min(load.users, 2_000_000))
    digests = [int(owner(user).digest[:12], 16) for user in range(len(facts))]
    print(f"\n{len(facts):,} users with {facts.mean():.0f} facts each in the mean, the fullest {facts.max():,.0f}:")
    for number in shards:
        held = np.bincount(np.array([digest % number for digest in digests]), weights=facts, minlength=number)
        fullest, emptiest = held.max() / held.mean(), held.min() / held.mean()
        print(f"  {number:6,} shards: the fullest has {fullest:.3f} of the mean, the emptiest {emptiest:.3f}")


def main() -> None:
    """Measure, foretell, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])

    def numbers(text: str) -> list[int]:
        return [int(part) for part in text.split(",") if part]

    parser.add_argument("--store", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--sizes", type=numbers, default=[10_000, 30_000, 100_000])
    parser.add_argument("--check", type=numbers, default=[1_000_000])
    parser.add_argument("--per-user", type=int, default=100)
    parser.add_argument("--users", type=int, default=10_000_000)
    parser.add_argument("--shard", type=int, default=10_000_000, help="facts of a shard")
    given = parser.parse_args()
    texts = random.Random(13)  # noqa: S311  made-up words
    queries = [sentence(texts, QUERY_WORDS) for _ in range(SAMPLED)]
    embedder = StubEmbedder(DIMENSION, 7, queries)
    costs, waits, space = {}, {}, {}
    sizes = [*given.sizes, *given.check]
    with places(given.store, sizes) as stores:
        for size, place in stores.items():
            Memory.open(place.url, embedder=embedder, background=False).close()
            with closing((backend := make_backend(place.url, Settings(durable=False))).store):
                fill(backend, embedder, size // given.per_user, given.per_user)
            print(f"{size:,} facts of {size // given.per_user:,} users are there", flush=True)
            held = held_bytes(place, size // given.per_user)
            space[size] = {"MB on disk": place.size_bytes() / MB, "KB held a user": held / KB}
        rounds: dict[int, list[dict[str, Cost]]] = {size: [] for size in sizes}
        for turn in range(ROUNDS):
            for size, place in stores.items():
                rounds[size].append(measured(place, embedder, queries, size // given.per_user, turn))
        rates = {threads: commits_s(stores[sizes[-1]], embedder, threads) for threads in (1, 8)}
    for size in sizes:
        found = best(rounds[size])
        costs[size] = {name: cost.cpu_ms for name, cost in found.items()}
        waits[size] = {name: cost.waited_ms for name, cost in found.items()}
    print(f"\n{given.store}, {given.per_user} facts a user, vectors of {DIMENSION} numbers")
    fits = show(costs, given.sizes, given.check, "processor ms a call")
    print(f"\n{'ms that passed (median)':28}" + "".join(f"{size:>11,}" for size in sizes))
    for name in waits[sizes[0]]:
        print(f"{name:28}" + "".join(f"{waits[size][name]:11.3f}" for size in sizes))
    space_fits = show(space, given.sizes, given.check, "space")
    for threads, rate in rates.items():
        print(f"{rate:,.0f} commits a second by {threads} threads")
    load = Load(given.users, given.per_user)
    need(load, fits, space_fits, given.shard, message_bytes(embedder))
    spread(load, (16, 100, 256, 1024))


if __name__ == "__main__":
    main()
