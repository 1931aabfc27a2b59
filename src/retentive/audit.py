"""Looking into the audit: pages of entries, and the chain followed from its beginning."""

from __future__ import annotations

import re
from dataclasses import dataclass

from retentive.contracts.audit import AuditCheck, AuditPage, AuditQuery, AuditTrail, verify
from retentive.errors import InvalidInput
from retentive.read_log import ReadLog

_HEAD = re.compile(r"\d{1,18}:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Audit:
    """The audit of an open store, with the reads that are on their way into it."""

    trail: AuditTrail
    reads: ReadLog | None

    def page(self, query: AuditQuery) -> AuditPage:
        """One page, this process's own reads included."""
        self.flush()
        entries = self.trail.entries(query)
        return AuditPage(tuple(entries), f"{entries[-1].no:x}" if len(entries) == query.limit else None)

    def verify(self, head: str | None) -> AuditCheck:
        """Follow the chain. Raises InvalidInput for a head that is none."""
        if head is not None and not _HEAD.fullmatch(head):
            message = "a head is what `audit verify` printed: a number, a colon and 64 hexadecimal digits"
            raise InvalidInput(message)
        self.flush()
        return verify(self.trail.links(), head, self.trail.start())

    def flush(self) -> None:
        """Enter the reads that wait."""
        if self.reads is not None:
            self.reads.flush()
