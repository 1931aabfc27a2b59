"""Background work that waits: written with what it is about, run at least once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Event

from retentive.types import DeadJob, Job


class Queue(ABC):
    """The outbox. A job is run at least once: its effects must bear being repeated."""

    @abstractmethod
    def claim(self, worker: str, *, limit: int, lease_s: float) -> list[Job]:
        """Take up to `limit` jobs that wait, oldest first, for `lease_s` seconds on the machine's monotonic clock."""

    @abstractmethod
    def extend(self, jobs: Sequence[Job], *, lease_s: float) -> list[Job]:
        """Hold on to claimed jobs for `lease_s`, 0 to give them back; returns those nobody has claimed since."""

    @abstractmethod
    def release(self, gone: Callable[[str], bool]) -> int:
        """Take back the leases of workers that are `gone`; returns of how many jobs."""

    @abstractmethod
    def done(self, jobs: Iterable[Job]) -> None:
        """Their effects are stored: forget them."""

    @abstractmethod
    def retry(self, job: Job, *, delay_s: float, error: str) -> None:
        """It failed for now: give it back after `delay_s`, with the reason; unless another worker claimed it since."""

    @abstractmethod
    def dead(self, job: Job, error: str) -> None:
        """It cannot succeed: keep it with its reason until someone requeues it; unless another claimed it since."""

    @abstractmethod
    def given_up(self, *, limit: int) -> list[DeadJob]:
        """The dead ones, oldest first, of all partitions."""

    @abstractmethod
    def requeue(self) -> int:
        """Give dead jobs another chance; returns how many."""

    def wait(self, woken: Event, timeout_s: float) -> None:
        """Until there may be work: `woken` is set, the queue hears of new jobs, or the time is over."""
        woken.wait(timeout_s)

    @abstractmethod
    def depth(self) -> Mapping[str, int]:
        """Jobs by state: ready, leased, delayed, dead."""
