"""Processes that die between steps, and processes that work at once."""

from __future__ import annotations

from retentive.contracts import Listing
from retentive.testing.made import ALICE, known, put, said
from retentive.testing.suite import Place, check
from retentive.types import NewJob

_PROCESSES, _WRITES = 3, 10


@check("crash between steps", shared=True)
def a_process_killed_before_its_commit_leaves_nothing(place: Place) -> None:
    """After kill -9 inside a transaction none of it is there, and the next writer is not held up."""
    with place.backend() as backend:
        put(backend.store, ALICE, [said("Before")])
        place.said_by("die-inside")
        assert backend.queue.depth()["ready"] == 0
        put(backend.store, ALICE, [said("After")])
        found = backend.store.listing(ALICE, Listing(oldest_first=True))
        assert [one.text for one in found] == ["Before", "After"]


@check("crash between steps", shared=True)
def what_was_committed_outlives_its_process(place: Place) -> None:
    """After kill -9 right behind the commit the memory, its index entry and its job are there for the next process."""
    place.said_by("die-after")
    with place.backend() as backend:
        (memory,) = backend.store.listing(ALICE, Listing())
        assert memory.text == "Committed"
        with backend.index.snapshot(ALICE) as corpus:
            assert len(corpus.postings("committed")[0]) == 0  # it was written without terms
            assert corpus.column("row").tolist() == [memory.row]
        assert backend.queue.depth()["ready"] == 1


@check("crash between steps", shared=True)
def a_dead_workers_job_comes_back(place: Place) -> None:
    """After kill -9 with a claimed job it is leased until the worker is known to be gone, then someone else has it."""
    with place.backend() as backend:
        put(backend.store, ALICE, [said("Work")], [NewJob("embed", {"first_row": 1})])
        (claimed,) = place.said_by("die-working", "dead-worker")
        assert backend.queue.claim("next", limit=5, lease_s=60) == []
        assert backend.queue.release(lambda worker: worker == "other") == 0
        assert backend.queue.release(lambda worker: worker == "dead-worker") == 1
        (job,) = backend.queue.claim("next", limit=5, lease_s=60)
        assert (str(job.id), job.attempts) == (claimed, 2)


@check("many at once", shared=True)
def processes_share_a_store(place: Place) -> None:
    """Three processes write to one partition while this one reads: nothing acknowledged is missing."""
    with place.backend() as backend:
        mine = known("Written here")
        put(backend.store, ALICE, [mine])
        children = [place.child("write", str(name), str(_WRITES)) for name in range(_PROCESSES)]
        with backend.index.snapshot(ALICE) as corpus:
            assert corpus.size >= 1
        outputs = [child.communicate(timeout=60)[0].split() for child in children]
        assert [len(output) for output in outputs] == [_WRITES] * _PROCESSES
        acknowledged = {one for output in outputs for one in output} | {mine.id}
        found = backend.store.listing(ALICE, Listing(status=None, limit=1000))
        assert {one.id for one in found} == acknowledged
        assert len({one.row for one in found}) == len(acknowledged)
        assert set(place.said_by("read")) == acknowledged


@check("many at once", shared=True)
def a_second_handle_sees_every_commit(place: Place) -> None:
    """What one handle commits, another finds at once, in its index as well, also after both have read before."""
    with place.backend() as one, place.backend() as two:
        row = 0
        for number in range(3):
            (row,) = put(one.store, ALICE, [said(f"Message {number}")])
            assert row in two.store.fetch(ALICE, [row])
            with two.index.snapshot(ALICE) as corpus:
                assert corpus.column("row")[-1] == row
        one.store.erase(ALICE, [row])
        with two.index.snapshot(ALICE) as corpus:
            assert int(corpus.column("alive").sum()) == 2
        one.store.erase(ALICE, None)
        with two.index.snapshot(ALICE) as corpus:
            assert int(corpus.column("alive").sum()) == 0


CHECKS = (
    a_process_killed_before_its_commit_leaves_nothing,
    what_was_committed_outlives_its_process,
    a_dead_workers_job_comes_back,
    processes_share_a_store,
    a_second_handle_sees_every_commit,
)
