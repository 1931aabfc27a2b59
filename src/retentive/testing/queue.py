"""The queue: oldest first, each job in one hand, nothing lost."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from retentive.contracts import Store
from retentive.testing.made import ALICE, BOB, put, said
from retentive.testing.suite import Place, check
from retentive.types import Job, NewJob

_JOBS, _WORKERS = 60, 4


def _filled(store: Store, count: int) -> None:
    jobs = [NewJob("embed", {"number": number, "of": "ids"}) for number in range(count)]
    put(store, ALICE, [said("Work")], jobs)


@check("the queue")
def jobs_come_oldest_first_and_in_one_hand(place: Place) -> None:
    """A claimed job is nobody else's while its lease runs, and done it is gone."""
    with place.backend() as backend:
        queue = backend.queue
        _filled(backend.store, 5)
        put(backend.store, BOB, [said("More")], [NewJob("end_session", {"session_id": "s1"})])
        first = queue.claim("one", limit=2, lease_s=60)
        assert [job.payload["number"] for job in first] == [0, 1]
        assert [job.payload.get("number") for job in queue.claim("two", limit=9, lease_s=60)] == [2, 3, 4, None]
        assert queue.claim("three", limit=9, lease_s=60) == []
        assert queue.depth() == {"ready": 0, "leased": 6, "delayed": 0, "dead": 0}
        queue.done(first)
        assert queue.depth()["leased"] == 4
        assert (first[0].partition, first[0].kind, first[0].attempts) == (ALICE, "embed", 1)


@check("the queue")
def failed_jobs_wait_or_give_up_with_their_reason(place: Place) -> None:
    """A job that failed for now comes again after its delay, one that gave up when it is asked for again."""
    with place.backend() as backend:
        queue = backend.queue
        _filled(backend.store, 2)
        later, never = queue.claim("one", limit=2, lease_s=60)
        queue.retry(later, delay_s=60, error="down: for now")
        queue.dead(never, "broken: for good")
        assert queue.depth() == {"ready": 0, "leased": 0, "delayed": 1, "dead": 1}
        assert queue.claim("two", limit=9, lease_s=60) == []
        queue.retry(later, delay_s=0, error="at once")
        assert [(job.id, job.partition, job.error) for job in queue.given_up(limit=9)] == [
            (never.id, ALICE, "broken: for good")
        ]
        assert queue.requeue() == 1
        again = queue.claim("two", limit=9, lease_s=60)
        assert [(job.id, job.attempts) for job in again] == [(later.id, 2), (never.id, 1)]
        assert backend.queue.requeue() == 0


@check("the queue")
def what_is_done_late_ends_no_other_job(place: Place) -> None:
    """A job goes with everything of its owner, and its number may be another's before its worker is done."""
    with place.backend() as backend:
        queue = backend.queue
        _filled(backend.store, 1)
        late = queue.claim("one", limit=1, lease_s=60)
        backend.store.erase(ALICE, None)
        put(backend.store, BOB, [said("More")], [NewJob("embed", {"number": 7})])
        queue.done(late)
        assert [job.payload for job in queue.claim("two", limit=9, lease_s=60)] == [{"number": 7}]


@check("the queue")
def a_lease_that_ran_out_is_taken_over(place: Place) -> None:
    """A job whose lease is over is claimed by the next worker, one attempt more."""
    with place.backend() as backend:
        _filled(backend.store, 1)
        (held,) = backend.queue.claim("slow", limit=1, lease_s=0)
        (taken,) = backend.queue.claim("next", limit=1, lease_s=60)
        assert (taken.id, taken.attempts) == (held.id, 2)


@check("the queue")
def a_lease_is_held_on_to_until_another_takes_over(place: Place) -> None:
    """A lease is made longer or given back by who holds it; who lost it changes nothing of the job any more."""
    with place.backend() as backend:
        queue = backend.queue
        _filled(backend.store, 1)
        (held,) = queue.claim("slow", limit=1, lease_s=0)
        assert queue.extend([held], lease_s=60) == [held]
        assert queue.claim("next", limit=1, lease_s=60) == []
        assert queue.extend([held], lease_s=0) == [held]
        (taken,) = queue.claim("next", limit=1, lease_s=60)
        assert queue.extend([held], lease_s=60) == []
        queue.retry(held, delay_s=0, error="too late")
        queue.dead(held, "too late")
        assert queue.depth() == {"ready": 0, "leased": 1, "delayed": 0, "dead": 0}
        queue.done([taken])


@check("the queue")
def workers_share_the_jobs(place: Place) -> None:
    """Four workers at once: every job is claimed by exactly one of them."""
    with place.backend() as backend:
        _filled(backend.store, _JOBS)

        def work(worker: str) -> list[Job]:
            hand: list[Job] = []
            while jobs := backend.queue.claim(worker, limit=3, lease_s=60):
                hand += jobs
                backend.queue.done(jobs)
            return hand

        with ThreadPoolExecutor(_WORKERS) as pool:
            hands = list(pool.map(work, "abcd"))
        assert sorted(job.payload["number"] for hand in hands for job in hand) == list(range(_JOBS))
        assert backend.queue.depth()["leased"] == 0


CHECKS = (
    jobs_come_oldest_first_and_in_one_hand,
    failed_jobs_wait_or_give_up_with_their_reason,
    what_is_done_late_ends_no_other_job,
    a_lease_that_ran_out_is_taken_over,
    a_lease_is_held_on_to_until_another_takes_over,
    workers_share_the_jobs,
)
