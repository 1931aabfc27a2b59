"""Reads on their way into the audit: entered together within a second, so that no recall waits for a disk.

A process that is killed loses the reads of its last second; one that closes its memory loses none. Where a process runs
no background thread, each read is entered before it returns.
"""

from __future__ import annotations

import functools
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from retentive.clock import now_us
from retentive.contracts.audit import AuditTrail, Deed
from retentive.errors import RetentiveError
from retentive.results import Block, Item, Page, Recall, Why
from retentive.types import Partition

log = logging.getLogger("retentive")

#: How long reads are gathered before they are entered.
GATHER_S = 1.0
P = ParamSpec("P")
R = TypeVar("R")


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


class Reads(Protocol):
    """What a scope enters its reads with."""

    def __call__(self, verb: str, ids: Sequence[str], count: int) -> None:
        """Enter one read."""


class Reader(Protocol):
    """Whoever reads within a scope; `reads` is None where reads are not audited."""

    reads: Reads | None


M = TypeVar("M", bound=Reader)


def reads_of(reads: ReadLog | None, actor: str, partition: Partition) -> Reads | None:
    """What enters this actor's reads of a partition."""
    if reads is None:
        return None

    def enter(verb: str, ids: Sequence[str], count: int) -> None:
        reads.note(Deed(now_us(), actor, verb, partition, tuple(ids), count))

    return enter


def audited(verb: str) -> Callable[[Callable[Concatenate[M, P], R]], Callable[Concatenate[M, P], R]]:
    """Enter what the verb returned, where reads are audited; it costs one comparison where they are not."""

    def wrap(call: Callable[Concatenate[M, P], R]) -> Callable[Concatenate[M, P], R]:
        @functools.wraps(call)
        def read(mine: M, /, *args: P.args, **kwargs: P.kwargs) -> R:
            result = call(mine, *args, **kwargs)
            if mine.reads is not None:
                mine.reads(verb, *_shown(result))
            return result

        return read

    return wrap


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
