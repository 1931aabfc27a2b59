"""Upkeep: the jobs that keep a store bounded and right, of one partition at a time, with what they need at hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from retentive.clock import now_us
from retentive.contracts import Backend
from retentive.errors import ConfigError
from retentive.lifecycle.archive import Archive
from retentive.lifecycle.retain import Place, retain
from retentive.lifecycle.retention import Retention
from retentive.results import RetainReport
from retentive.types import Partition


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What the jobs work with; made once by `Memory.open`."""

    backend: Backend
    retention: Retention

    def retain(self, *, dry_run: bool = False) -> RetainReport:
        """Hold every partition to the limits of retention."""
        report = RetainReport(dry_run=dry_run)
        for partition in list(self.backend.store.partitions()):
            report = self._retain(partition, report)
        return report

    def _retain(self, partition: Partition, report: RetainReport) -> RetainReport:
        archive = archive_of(self.backend, self.retention) if self.retention.archives else None
        return retain(Place(self.backend.store, partition, self.retention, archive, now_us()), report)

    def run(self, kind: str, partition: Partition) -> None:
        """Do one job of the outbox. Raises what kept it from being done: the queue keeps the job with the reason."""
        assert kind == "retain"  # noqa: S101  the kinds that `jobs` knows
        self._retain(partition, RetainReport())


def archive_of(backend: Backend, retention: Retention) -> Archive:
    """The archives of a store: where the setting says, else beside its file.

    Raises ConfigError for a store that is no file, where nobody said where archives go.
    """
    if retention.folder is not None:
        return Archive(retention.folder)
    location = Path(backend.store.status().location)
    if not location.is_file():
        message = "this store is no file, so say where archives go: RETENTIVE_RETENTION=...,archive=FOLDER"
        raise ConfigError(message)
    return Archive(location.with_name(f"{location.name}.archive"))
