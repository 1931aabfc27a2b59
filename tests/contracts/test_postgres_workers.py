"""Worker processes that share the jobs of one store, and the bell that wakes them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from retentive import Memory
from retentive.backends.postgres import open_backend
from retentive.contracts import Backend
from retentive.models.embed_none import NoEmbedder
from retentive.testing.made import ALICE, put, said
from retentive.testing.postgres import Server
from retentive.types import NewJob

_WORKERS, _JOBS = 4, 400
_WAIT_S = 60


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


def test_four_workers_share_the_jobs_and_two_that_are_killed_lose_none(url: str) -> None:
    with Memory.open(url, embedder=NoEmbedder(), background=False):
        pass  # says whose vectors the store holds
    backend = open_backend(url, cache_bytes=1 << 20)
    rows = []
    for _ in range(_JOBS // 100):
        new = put(backend.store, ALICE, [said(f"Message {n}") for n in range(100)])
        rows += new
        jobs = [NewJob("embed", {"first_row": row, "last_row": row}) for row in new]
        with backend.store.transaction(ALICE) as transaction:
            for job in jobs:
                transaction.enqueue(job)
    with workers(url) as started:
        wait_until(backend, _JOBS - 50)
        for one in started[:2]:
            one.kill()
            one.wait()
        wait_until(backend, 0)
        assert backend.index.without_vector(ALICE, rows[0], rows[-1], NoEmbedder().name) == []
        assert backend.store.status(deep=True).problems == ()
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
