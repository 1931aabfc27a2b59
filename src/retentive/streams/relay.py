"""What was done to memories, sent to a topic: each entry of the audit, at least once and in order.

The audit is written by the transaction that does what it tells, so no change is missing from it. How far it was sent is
noted in the store after the log has confirmed. An event names memories by their ids and holds no text: what is
forgotten later stands in no topic, and the event of the forgetting tells whoever keeps copies.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from retentive.contracts import Backend
from retentive.contracts.audit import AuditEntry, AuditQuery
from retentive.errors import LogUnavailable, StoreError
from retentive.given import checked_object
from retentive.streams.log import Log, Message

log = logging.getLogger("retentive")

BATCH = 500
_POLL_S = 0.5
_LONGEST_PAUSE_S = 30.0


@dataclass(frozen=True, slots=True)
class RelayReport:
    """How many events were sent, and how many had been cut off the audit before they were."""

    sent: int = 0
    missed: int = 0


def relay(
    backend: Backend,
    target: Log,
    *,
    stop: Callable[[], bool] = lambda: False,
    follow: bool = True,
    batch: int = BATCH,
    progress: Callable[[int], None] = lambda _: None,
) -> RelayReport:
    """Send what was not sent yet; with `follow` go on as more is done, until `stop()`.

    Without `follow` a log that does not answer raises LogUnavailable; with it, it is asked again, ever more slowly.
    """
    checked_object("target", target, Log)
    report, failures = RelayReport(), 0
    while not stop():
        try:
            step = relay_once(backend, target, batch)
        except (LogUnavailable, StoreError) as error:
            if not follow:
                raise
            failures += 1
            log.warning("relay: %s; again in a moment", type(error).__name__)
            time.sleep(min(0.1 * 2 ** min(failures, 16), _LONGEST_PAUSE_S))
            continue
        failures = 0
        report = RelayReport(report.sent + step.sent, report.missed + step.missed)
        progress(step.sent)
        if step.sent < batch:
            if not follow:
                break
            time.sleep(_POLL_S)
    return report


def relay_once(backend: Backend, target: Log, batch: int = BATCH) -> RelayReport:
    """Send the next events, at most `batch`. Raises LogUnavailable: then they are sent again."""
    note = f"relayed {target.topic}"
    last = int(backend.store.note(note) or 0)
    entries = backend.audit.entries(AuditQuery(after_no=last, limit=batch))
    if not entries:
        return RelayReport()
    target.publish(target.topic, [event(entry) for entry in entries])
    backend.store.set_note(note, str(entries[-1].no))
    return RelayReport(len(entries), _missed(last, entries))


def lag(backend: Backend, topic: str) -> int:
    """How many events wait to be sent to a topic."""
    newest = backend.audit.entries(AuditQuery(limit=1))
    return (newest[0].no if newest else 0) - int(backend.store.note(f"relayed {topic}") or 0)


def _missed(last: int, entries: Sequence[AuditEntry]) -> int:
    """Entries are numbered without gaps: what is missing before the first was cut off."""
    missed = entries[0].no - last - 1
    if missed:
        log.warning("relay: %d entries were cut off the audit before they were sent", missed)
    return missed


def event(entry: AuditEntry) -> Message:
    """An entry of the audit as a message. Its key is the event's id: the number, and the hash no other store has."""
    key = f"{entry.no}:{entry.hash[:16]}"
    told = {
        "id": key,
        "no": entry.no,
        "at": entry.at,
        "tenant": entry.tenant,
        entry.kind or "partition": entry.owner or entry.partition,
        "actor": entry.actor,
        "verb": entry.verb,
        "count": entry.count,
        "ids": list(entry.ids),
    }
    return Message(json.dumps(told, ensure_ascii=False).encode(), key)
