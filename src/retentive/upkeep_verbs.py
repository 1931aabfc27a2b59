"""The verbs of upkeep that Memory has: what keeps a store bounded and right, by hand or by schedule."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from retentive.backup import backup
from retentive.checking import checked_limit
from retentive.clock import now_us
from retentive.lifecycle.schedule import enqueue_due
from retentive.lifecycle.upkeep import Upkeep
from retentive.results import ConsolidateReport, ProcessReport, RetainReport, VerifyReport
from retentive.types import DeadJob, Partition


class UpkeepVerbs(ABC):
    """Each reads what waits first, then does its job for every user and agent."""

    _upkeep: Upkeep

    @abstractmethod
    def process(self, max_jobs: int | None = None) -> ProcessReport:
        """Run waiting background jobs."""

    @abstractmethod
    def wake(self) -> None:
        """Tell the background thread that there is work."""

    def owners(self, *, tenant: str | None = None) -> list[Partition]:
        """The users and agents of whom there is memory, in the order they came; of one tenant where it is named."""
        every = self._upkeep.backend.store.partitions()
        return [partition for partition in every if tenant in {None, partition.tenant}]

    def dead_jobs(self, limit: int = 100) -> list[DeadJob]:
        """Jobs that gave up, oldest first, and why; `requeue` gives them another chance."""
        return self._upkeep.backend.queue.given_up(limit=checked_limit(limit, "limit"))

    def schedule(self) -> int:
        """Put the upkeep that is due among the waiting jobs, by the setting `upkeep`; returns how many jobs.

        The store remembers when each was due last; what may ask a model is due only for those who spoke within a day.
        """
        count = enqueue_due(self._upkeep.backend.store, self._upkeep.plan, now_us())
        self.wake()
        return count

    def retain(self, *, dry_run: bool = False) -> RetainReport:
        """Hold everything stored to the limits of `retention`; `dry_run` lists what would go, and changes nothing.

        What waits to be read is read first: waiting jobs are run.

        Raises ConfigError where archives are asked for and nobody said where.
        """
        if not dry_run:
            self.process()
        report = self._upkeep.retain(dry_run=dry_run)
        self.wake()
        return report

    def consolidate(self) -> ConsolidateReport:
        """Summarise older sessions, merge near-duplicate facts, add patterns across sessions; nothing is lost by it.

        Raises ModelUnavailable, LimitReached when a model is to be asked and cannot be: what was done stays done.
        """
        self.process()
        report = self._upkeep.consolidate()
        self.wake()
        return report

    def backup(self, path: str | Path, *, passphrase: str | None = None) -> int:
        """Write all of the store to one file while others go on writing; returns its size in bytes.

        passphrase: encrypts the file; without it nobody reads it, you neither. `retentive.restore` puts it back.

        Raises InvalidInput for a file that is there already, MissingExtra, StoreError.
        """
        return backup(self._upkeep.backend.store, path, passphrase)

    def verify(self) -> VerifyReport:
        """Hold facts nobody spoke of for long against what was said since: confirm, supersede, dispute or lower.

        Raises ModelUnavailable, LimitReached when a model is to be asked and cannot be: what was done stays done.
        """
        self.process()
        report = self._upkeep.verify()
        self.wake()
        return report
