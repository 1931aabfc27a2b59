"""Four worker processes share the jobs of one store, and two of them are killed: is each effect there once?

    python scripts/workers_killed.py [--jobs 10000] [--workers 4] [--killed 2] [--store postgres | sqlite]

Each job makes the vector of one message and, for every tenth, draws the facts of a message by rules. Workers are
`retentive work` with SIGKILL in their middle. Says how many vectors, facts and jobs there are in the end, and how fast
it went. Exit code 1 when anything is missing or there twice.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from retentive import Memory, Settings
from retentive.contracts import Backend, Listing
from retentive.models.embed_none import NoEmbedder
from retentive.plugins import make_backend
from retentive.testing.made import ALICE, put, said
from retentive.testing.postgres import server
from retentive.types import NewJob, Tier

#: Messages stored in one transaction.
BATCH = 500
#: Every so many messages say something of which rules draw a fact.
TELLING = 10
#: For so long nothing may be done before it is given up.
STUCK_S = 120.0


def fill(backend: Backend, jobs: int) -> tuple[int, int]:
    """Messages and a job for each vector and each extraction; returns the first row and the last."""
    rows: list[int] = []
    messages = jobs * TELLING // (TELLING + 1)  # the others' extractions make it up to so many
    for start in range(0, messages, BATCH):
        numbers = range(start, min(start + BATCH, messages))
        told = [f"My crate {n} is called {_name(n)}." if n % TELLING == 0 else f"Message {n}" for n in numbers]
        new = put(backend.store, ALICE, [said(text, session_id=None) for text in told])
        with backend.store.transaction(ALICE) as transaction:
            for number, row in zip(numbers, new, strict=True):
                transaction.enqueue(NewJob("embed", {"first_row": row, "last_row": row}))
                if number % TELLING == 0:
                    transaction.enqueue(NewJob("extract", {"first_row": row, "last_row": row}))
        rows += new
    return rows[0], rows[-1]


def _name(number: int) -> str:
    """A name of its own for each number."""
    return "".join("ABCDEFGHIJ"[int(digit)] for digit in f"{number:05}").capitalize()


def left(backend: Backend) -> int:
    """Jobs that wait or run."""
    depth = backend.queue.depth()
    return sum(count for state, count in depth.items() if state != "dead")


def until(backend: Backend, most: int) -> None:
    """Wait until so few are left. Raises TimeoutError when nothing is done any more."""
    known, since_s = left(backend), time.monotonic()
    while known > most:
        time.sleep(0.2)
        if (now := left(backend)) < known:
            known, since_s = now, time.monotonic()
        elif time.monotonic() - since_s > STUCK_S:
            message = f"{known} jobs are left, and nobody does them"
            raise TimeoutError(message)


def run(url: str, jobs: int, workers: int, killed: int) -> bool:
    """Fill, let them work, kill some, and look; whether all is as it must be."""
    with Memory.open(url, embedder=NoEmbedder(), background=False):
        pass  # says whose vectors the store holds
    with closing((backend := make_backend(url, Settings())).store):
        first, last = fill(backend, jobs)
        jobs = left(backend)
        command = [sys.executable, "-m", "retentive.cli", "work", "--store", url, "--poll", "0.2"]
        environment = os.environ | {"RETENTIVE_EMBEDDER": "none"}
        started = [subprocess.Popen(command, env=environment) for _ in range(workers)]  # noqa: S603  our own command
        try:
            until(backend, jobs - 1)
            begun_s = time.monotonic()
            for number, one in enumerate(started[:killed], 1):
                until(backend, jobs * (killed + 1 - number) // (killed + 1))
                one.kill()
                one.wait()
                print(f"worker {number} killed with {left(backend):,} of {jobs:,} jobs left")
            until(backend, 0)
            took_s = time.monotonic() - begun_s
        finally:
            for one in started:
                one.terminate()
                one.wait()
        return looked(backend, (first, last), f"{jobs:,} jobs in {took_s:.0f} s, {jobs / took_s:.0f} a second")


def looked(backend: Backend, rows: tuple[int, int], done: str) -> bool:
    """Say what the workers made; whether each effect is there once."""
    without = backend.index.without_vector(ALICE, *rows, NoEmbedder().name)
    facts = backend.store.listing(ALICE, Listing(Tier.SEMANTIC, status=None, limit=1_000_000))
    drawn = Counter(one.text for one in facts)
    expected = -(-(rows[1] - rows[0] + 1) // TELLING)
    depth, problems = backend.queue.depth(), backend.store.status(deep=True).problems
    print(f"{done}; {depth['dead']} gave up")
    print(f"{len(without)} of {rows[1] - rows[0] + 1:,} messages without a vector")
    twice = sum(count - 1 for count in drawn.values())
    print(f"{len(drawn):,} facts drawn of {expected:,} messages that say one, {twice} of them twice; {problems=}")
    return not (without or twice or depth["dead"] or problems) and len(drawn) == expected


@contextmanager
def empty(kind: str) -> Iterator[str]:
    """The URL of a store that nobody has used."""
    if kind == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            yield str(Path(folder) / "memory.db")
    else:
        with server() as started, started.empty_store() as url:
            yield url


def main() -> int:
    """Run it; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--killed", type=int, default=2)
    parser.add_argument("--store", choices=("postgres", "sqlite"), default="postgres")
    given = parser.parse_args()
    with empty(given.store) as url:
        return 0 if run(url, given.jobs, given.workers, given.killed) else 1


if __name__ == "__main__":
    raise SystemExit(main())
