"""Upkeep: the jobs that keep a store bounded and right, of one partition at a time, with what they need at hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from retentive.clock import now_us
from retentive.contracts import Backend, Model
from retentive.contracts.audit import WORKER
from retentive.contracts.ledger import Account
from retentive.errors import ConfigError, ModelBadReply
from retentive.learn import Rules
from retentive.lifecycle.archive import Archive, archive_beside
from retentive.lifecycle.consolidate import Desk, consolidate
from retentive.lifecycle.plan import Plan
from retentive.lifecycle.retain import Place, retain
from retentive.lifecycle.retention import KEEP, Retention
from retentive.lifecycle.verify import Bench, verify
from retentive.results import ConsolidateReport, RetainReport, VerifyReport
from retentive.types import Partition


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What the jobs work with; made once by `Memory.open`. `models` gives whom to ask, None where rules do."""

    backend: Backend
    retention: Retention
    plan: Plan
    rules: Rules
    models: Callable[[Account], Model] | None

    # -- by hand: every partition --------------------------------------------------------------------------------------
    def retain(self, *, dry_run: bool = False) -> RetainReport:
        """Hold every partition to the limits of retention."""
        report = RetainReport(dry_run=dry_run)
        for partition in list(self.backend.store.partitions()):
            report = self._retain(partition, report)
        return report if dry_run else replace(report, audit_cut=self._cut_audit())

    def _cut_audit(self) -> int:
        limit = self.retention.limits.get("audit", KEEP)
        return 0 if limit.age_us is None else self.backend.audit.cut(now_us() - limit.age_us, WORKER)

    def consolidate(self) -> ConsolidateReport:
        """Consolidate every partition."""
        report = ConsolidateReport()
        for partition in list(self.backend.store.partitions()):
            report = self._consolidate(partition, report)
        return report

    def verify(self) -> VerifyReport:
        """Check the stale facts of every partition; the budget is of each."""
        report = VerifyReport()
        for partition in list(self.backend.store.partitions()):
            report = self._verify(partition, report)
        return report

    # -- as jobs: one partition ----------------------------------------------------------------------------------------
    def run(self, kind: str, partition: Partition) -> None:
        """Do one job of the outbox. Raises what kept it from being done: the queue keeps the job with the reason."""
        if kind == "retain":
            self._retain(partition, RetainReport())
            self._cut_audit()
        elif kind == "verify":
            _all_done(self._verify(partition, VerifyReport()).errors)
        else:
            _all_done(self._consolidate(partition, ConsolidateReport()).errors)

    def _retain(self, partition: Partition, report: RetainReport) -> RetainReport:
        archive = archive_of(self.backend, self.retention) if self.retention.archives else None
        return retain(Place(self.backend.store, partition, self.retention, archive, now_us()), report)

    def _verify(self, partition: Partition, report: VerifyReport) -> VerifyReport:
        model = None if self.models is None else self.models(Account(partition, "verify"))
        return verify(Bench(self.backend, partition, self.plan, self.rules, model, now_us()), report)

    def _consolidate(self, partition: Partition, report: ConsolidateReport) -> ConsolidateReport:
        model = None if self.models is None else self.models(Account(partition, "summarise"))
        desk = Desk(self.backend.store, partition, self.plan, self.retention, self.rules, model, now_us())
        return consolidate(desk, report)


def _all_done(errors: tuple[str, ...]) -> None:
    """What a model answered badly is asked again later, and in the end stands in the dead letters with its reason."""
    if errors:
        message = f"{len(errors)} replies changed nothing; the first: {errors[0]}"
        raise ModelBadReply(message)


def archive_of(backend: Backend, retention: Retention) -> Archive:
    """The archives of a store: where the setting says, else beside its file.

    Raises ConfigError for a store that is no file, where nobody said where archives go.
    """
    archive = archive_beside(backend.store, retention)
    if archive is None:
        message = "this store is no file, so say where archives go: RETENTIVE_RETENTION=...,archive=FOLDER"
        raise ConfigError(message)
    return archive
