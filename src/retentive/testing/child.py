"""What checks let another process do to a store: python -m retentive.testing.child URL WHAT [...].

It prints what was acknowledged, one line each, and may end itself as `kill -9` would.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

from retentive.config import Settings
from retentive.contracts import Backend, Listing
from retentive.plugins import make_backend
from retentive.testing.made import ALICE, known, put, said
from retentive.types import AddEpisode, NewJob


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _write(backend: Backend, name: str, count: str) -> None:
    for number in range(int(count)):
        fact = known(f"Process {name} keeps {number}")
        put(backend.store, ALICE, [fact])
        print(fact.id, flush=True)  # noqa: T201  the acknowledgement


def _die_inside(backend: Backend) -> None:
    """Die before the commit, with a memory and a job written."""
    with backend.store.transaction(ALICE) as transaction:
        transaction.apply([AddEpisode(said("Never committed"))])
        transaction.enqueue(NewJob("embed", {}))
        _die()


def _die_after(backend: Backend) -> None:
    """Die right after the commit."""
    put(backend.store, ALICE, [said("Committed")], [NewJob("embed", {})])
    _die()


def _die_working(backend: Backend, worker: str) -> None:
    """Die with a claimed job in hand."""
    print(*(job.id for job in backend.queue.claim(worker, limit=1, lease_s=300)), flush=True)  # noqa: T201
    _die()


def _read(backend: Backend) -> None:
    for memory in backend.store.listing(ALICE, Listing(status=None, limit=1000)):
        print(memory.id, flush=True)  # noqa: T201


_ACTS: dict[str, Callable[..., None]] = {
    "write": _write,
    "die-inside": _die_inside,
    "die-after": _die_after,
    "die-working": _die_working,
    "read": _read,
}


def main(url: str, what: str, *more: str) -> None:
    """Do it."""
    backend = make_backend(url, Settings())
    try:
        _ACTS[what](backend, *more)
    finally:
        backend.store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
