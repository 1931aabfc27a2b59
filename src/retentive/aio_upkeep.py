"""The verbs of upkeep, to await."""

from __future__ import annotations

from pathlib import Path

from retentive.aio_session import in_thread
from retentive.memory import Memory
from retentive.results import ConsolidateReport, RetainReport, VerifyReport
from retentive.types import DeadJob, Partition


class AsyncUpkeepVerbs:
    """See `UpkeepVerbs`."""

    memory: Memory

    async def owners(self, *, tenant: str | None = None) -> list[Partition]:
        """The users and agents of whom there is memory."""
        return await in_thread(self.memory.owners, tenant=tenant)

    async def dead_jobs(self, limit: int = 100) -> list[DeadJob]:
        """Jobs that gave up, and why."""
        return await in_thread(self.memory.dead_jobs, limit)

    async def schedule(self) -> int:
        """Put the upkeep that is due among the waiting jobs."""
        return await in_thread(self.memory.schedule)

    async def retain(self, *, dry_run: bool = False) -> RetainReport:
        """Hold everything stored to the limits of `retention`."""
        return await in_thread(self.memory.retain, dry_run=dry_run)

    async def consolidate(self) -> ConsolidateReport:
        """Summarise older sessions, merge near-duplicate facts, add patterns across sessions."""
        return await in_thread(self.memory.consolidate)

    async def backup(self, path: str | Path, *, passphrase: str | None = None) -> int:
        """Write all of the store to one file while others go on writing."""
        return await in_thread(self.memory.backup, path, passphrase=passphrase)

    async def verify(self) -> VerifyReport:
        """Hold facts nobody spoke of for long against what was said since."""
        return await in_thread(self.memory.verify)
