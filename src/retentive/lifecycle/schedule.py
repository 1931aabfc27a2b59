"""The schedule: which upkeep is due for whom, by what the store remembers of the last time.

Nothing is kept in the process, so a worker that was killed goes on where it was, and two of them do nothing twice. What
may ask a model is due only for those who spoke within a day: whom nobody hears from costs nothing.
"""

from __future__ import annotations

from typing import Final

from retentive.contracts import Listing, Store
from retentive.lifecycle.plan import KINDS, Plan
from retentive.types import NewJob, Partition, Tier

_AWAKE_US: Final = 24 * 3_600_000_000
#: Jobs that may ask a model.
_ASKING: Final = frozenset({"consolidate", "verify"})


def enqueue_due(store: Store, plan: Plan, now_us: int) -> int:
    """Put the jobs that are due in the outbox, each partition's in the order of `KINDS`; returns how many."""
    count = 0
    for partition in list(store.partitions()):
        due = [kind for kind in KINDS if _is_due(store, plan, partition, kind, now_us)]
        if _ASKING & set(due) and not _is_awake(store, partition, now_us):
            due = [kind for kind in due if kind not in _ASKING]
        if due:
            with store.transaction(partition) as transaction:
                for kind in due:
                    transaction.enqueue(NewJob(kind, {}))
            for kind in due:
                store.set_note(_name(partition, kind), str(now_us))
        count += len(due)
    return count


def _is_due(store: Store, plan: Plan, partition: Partition, kind: str, now_us: int) -> bool:
    every_us, last = plan.every_us(kind), store.note(_name(partition, kind))
    # a last time that is still to come is of a clock that was set back since
    return every_us is not None and (last is None or not 0 <= now_us - int(last) < every_us)


def _is_awake(store: Store, partition: Partition, now_us: int) -> bool:
    newest = store.listing(partition, Listing(Tier.EPISODIC, limit=1))
    return any(now_us - memory.recorded_us < _AWAKE_US for memory in newest)


def _name(partition: Partition, kind: str) -> str:
    """What the last time is remembered under. It tells nothing of whose it is."""
    return f"upkeep {kind} {partition.digest}"
