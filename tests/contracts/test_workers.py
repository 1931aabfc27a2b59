"""Worker processes that share the jobs of one store, and the bell that wakes them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from retentive import Memory, Settings
from retentive.contracts import Backend, Listing
from retentive.models.embed_none import NoEmbedder
from retentive.plugins import make_backend
from retentive.testing.made import ALICE, put, said
from retentive.testing.postgres import Server
from retentive.types import NewJob, Tier

_WORKERS, _JOBS = 4, 400
_WAIT_S = 60
#: Every so many messages say something of which a fact is drawn.
_TELLING = 10


@pytest.fixture
def url(postgres: Server) -> Iterator[str]:
    with postgres.empty_store() as made:
        yield made


@contextmanager
def workers(url: str) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes of `retentive work`; those that a test leaves are killed."""
    command = [sys.executable, "-m", "retentive.cli", "work", "--store", url, "--poll", "0.2"]
    environment = os.environ | {"RETENTIVE_EMBEDDER": "none"}
    started = [subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) for _ in range(_WORKERS)]
    try:
        yield started
    finally:
        for one in started:
            one.kill()
            one.wait()


def left(backend: Backend) -> int:
    depth = backend.queue.depth()
    assert depth["dead"] == 0
    return sum(depth.values())


def wait_until(backend: Backend, most: int) -> None:
    deadline_s = time.monotonic() + _WAIT_S
    while left(backend) > most:
        assert time.monotonic() < deadline_s, f"{left(backend)} jobs are left"
        time.sleep(0.05)


@pytest.mark.parametrize("store", ["postgres", "sqlite"])
def test_four_workers_share_the_jobs_and_two_that_are_killed_lose_none(
    store: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    url = str(tmp_path / "memory.db") if store == "sqlite" else request.getfixturevalue("url")
    with Memory.open(url, embedder=NoEmbedder(), background=False):
        pass  # says whose vectors the store holds
    backend = make_backend(url, Settings())
    told = [f"My cat is called {'ABCDEFGH'[n % 8]}{'aeiouy' * (n // 8)}." for n in range(_JOBS // _TELLING)]
    texts = [told[n // _TELLING] if n % _TELLING == 0 else f"Message {n}" for n in range(_JOBS)]
    rows = put(backend.store, ALICE, [said(text, session_id=None) for text in texts])
    with backend.store.transaction(ALICE) as transaction:
        for number, row in enumerate(rows):
            for kind in ("embed", "extract")[: 1 if number % _TELLING else 2]:
                transaction.enqueue(NewJob(kind, {"first_row": row, "last_row": row}))
    with workers(url) as started:
        wait_until(backend, _JOBS - 50)  # of more than that
        for one in started[:2]:
            one.kill()
            one.wait()
        wait_until(backend, 0)
        assert backend.index.without_vector(ALICE, rows[0], rows[-1], NoEmbedder().name) == []
        assert backend.store.status(deep=True).problems == ()
        drawn = Counter(fact.text for fact in backend.store.listing(ALICE, Listing(Tier.SEMANTIC, None, limit=1000)))
        assert len(drawn) == len(told)
        assert set(drawn.values()) == {1}
        for one in started[2:]:
            one.send_signal(signal.SIGTERM)
        assert [one.wait(_WAIT_S) for one in started[2:]] == [0, 0]
    backend.store.close()


def test_a_worker_that_waits_hears_of_new_jobs(url: str) -> None:
    """It would look again in ten minutes only."""
    stop = threading.Event()
    with (
        Memory.open(url, embedder=NoEmbedder(), background=False) as waits,
        Memory.open(url, embedder=NoEmbedder(), background=False) as writes,
    ):
        thread = threading.Thread(target=waits.work, args=(stop.is_set, 600.0))
        thread.start()
        for number in range(3):
            writes.scope(user_id="alice").remember(f"Likes tea {number}")
            deadline_s = time.monotonic() + _WAIT_S
            while writes.pending():
                assert time.monotonic() < deadline_s
                time.sleep(0.02)
        stop.set()
        writes.scope(user_id="alice").remember("Likes coffee")
        thread.join(_WAIT_S)
        assert not thread.is_alive()
