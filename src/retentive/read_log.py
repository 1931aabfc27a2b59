"""Reads on their way into the audit: entered together within a second, so that no recall waits for a disk.

A process that is killed loses the reads of its last second; one that closes its memory loses none. Where a process runs
no background thread, each read is entered before it returns.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from retentive.clock import now_us
from retentive.contracts.audit import AuditTrail, Deed
from retentive.errors import RetentiveError
from retentive.results import Block, Item, Page, Recall, Why
from retentive.types import Partition

log = logging.getLogger("retentive")

#: How long reads are gathered before they are entered.
GATHER_S = 1.0


class ReadLog:
    """The reads of one process."""

    def __init__(self, audit: AuditTrail, gather_s: float) -> None:
        """Gather for `gather_s` seconds; 0 enters each read at once."""
        self._audit, self._gather_s = audit, gather_s
        self._lock, self._entering = threading.Lock(), threading.Lock()
        self._waiting: list[Deed] = []
        self._timer: threading.Timer | None = None

    def note(self, deed: Deed) -> None:
        """Take a read; it is in the audit within `gather_s`."""
        with self._lock:
            self._waiting.append(deed)
            if self._gather_s and self._timer is None:
                self._timer = threading.Timer(self._gather_s, self._enter_later)
                self._timer.daemon = True
                self._timer.start()
        if not self._gather_s:
            self.flush()

    def flush(self) -> None:
        """Enter what waits. Raises StoreError, and keeps it, when the store refuses."""
        with self._entering:
            with self._lock:
                waiting, self._waiting, self._timer = self._waiting, [], None
            try:
                if waiting:
                    self._audit.append(waiting)
            except BaseException:
                with self._lock:
                    self._waiting[:0] = waiting
                raise

    def _enter_later(self) -> None:
        try:
            self.flush()
        except RetentiveError as error:
            log.warning("reads are not yet in the audit: %s", error)


def reads_of(reads: ReadLog | None, actor: str, partition: Partition) -> Callable[[str, Any], None] | None:
    """What enters this actor's reads of a partition: a verb and what it showed."""
    if reads is None:
        return None

    def enter(verb: str, result: Any) -> None:
        ids, count = _shown(result)
        reads.note(Deed(now_us(), actor, verb, partition, tuple(ids), count))

    return enter


def _shown(result: Any) -> tuple[list[str], int]:
    """The ids of the memories a result shows, and how many those are; of an export only how many."""
    if isinstance(result, int):
        return [], result
    if isinstance(result, str):  # a document of them all
        return [], 1
    if isinstance(result, Mapping):
        return [], len(result)
    if isinstance(result, Block):
        ids = list(result.ids)
    elif isinstance(result, Item | Why):
        ids = [(result.item if isinstance(result, Why) else result).id]
    else:
        shown: Recall | Page | Sequence[Item] = result
        ids = list(dict.fromkeys(one.id for one in shown))
    return ids, len(ids)
