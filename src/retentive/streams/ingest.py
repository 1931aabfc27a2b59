"""Messages of a log recorded as they come, each once.

    read -> by scope and session, in order -> record -> poison to the dead letters -> commit

A message is a JSON object: what `record` takes, with `user_id`, `agent_id`, `project_id`, `tenant` and `session_id`
beside it. Its `id` is the key it is known by; one without an id is known by its place in the log. The log is told after
the store's commit, so a crash in between has messages read again, and known again.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retentive.errors import InvalidInput, LogUnavailable, StoreError
from retentive.given import checked_object
from retentive.memory import Memory
from retentive.redaction import redact
from retentive.streams.log import Log, Message, Record

log = logging.getLogger("retentive")

#: The actor in the audit.
INGEST = "ingest"
BATCH = 500
_SCOPE = ("user_id", "agent_id", "project_id", "tenant")
_WAIT_S = 1.0
_LONGEST_PAUSE_S = 30.0


@dataclass(frozen=True, slots=True)
class IngestReport:
    """How many messages were stored, were there already, had nothing to store, and went to the dead letters."""

    stored: int = 0
    duplicate: int = 0
    skipped: int = 0
    poison: int = 0

    @property
    def read(self) -> int:
        """All of them."""
        return self.stored + self.duplicate + self.skipped + self.poison

    def then(self, other: IngestReport) -> IngestReport:
        """Both together."""
        return IngestReport(
            self.stored + other.stored,
            self.duplicate + other.duplicate,
            self.skipped + other.skipped,
            self.poison + other.poison,
        )


class _Poison(Exception):
    """A message that can never be stored, and why."""


@dataclass(frozen=True, slots=True)
class _Given:
    """A record, understood: whose it is, in which session, and the message for `record`."""

    record: Record
    scope: tuple[str | None, ...]
    session_id: str | None
    message: Mapping[str, Any]


def ingest(
    memory: Memory,
    source: Log,
    *,
    dead_topic: str | None = None,
    stop: Callable[[], bool] = lambda: False,
    idle_s: float | None = None,
    batch: int = BATCH,
    progress: Callable[[int], None] = lambda _: None,
) -> IngestReport:
    """Record what comes until `stop()`; what the store or the log refuses for now is tried again, ever more slowly.

    Args:
        memory: where to. Its background jobs are nobody's business here.
        source: the log, already open.
        dead_topic: where messages go that can never be stored, as they came, with the reason in a header; by default
            the topic's name and `.dead`.
        stop: asked between batches.
        idle_s: end when nothing came for so long; never by default.
        batch: messages read at once. Those of one session among them are one transaction.
        progress: told how many messages were dealt with, after each commit.
    """
    checked_object("memory", memory, Memory)
    checked_object("source", source, Log)
    report, waiting, failures = IngestReport(), list[Record](), 0
    last_s = time.monotonic()
    while not stop() and (idle_s is None or time.monotonic() - last_s < idle_s):
        try:
            waiting = waiting or source.read(limit=batch, wait_s=_WAIT_S)
            if not waiting:
                continue
            done, poison = take(memory, waiting)
            if poison:
                source.publish(dead_topic or f"{source.topic}.dead", poison)
            records, waiting, report = waiting, [], report.then(done)
            source.commit(records)  # refused, where another worker has taken over: it knows them again
        except (LogUnavailable, StoreError) as error:
            failures += 1
            log.warning("ingest: %s; again in a moment", type(error).__name__)
            _pause(failures, stop)
        else:
            failures = 0
            progress(len(records))
        last_s = time.monotonic()
    return report


def take(memory: Memory, records: Sequence[Record]) -> tuple[IngestReport, list[Message]]:
    """Store records; returns what became of them, and the dead letters. Raises StoreError with nothing lost."""
    groups: dict[tuple[Any, ...], list[_Given]] = {}
    report, dead = IngestReport(), list[Message]()
    for record in records:
        try:
            given = _understood(record)
        except _Poison as error:
            dead.append(_letter(record, str(error)))
        else:
            groups.setdefault((given.scope, given.session_id), []).append(given)
    for group in groups.values():
        for done, letter in _stored(memory, group):
            report = report.then(done)
            dead += [] if letter is None else [letter]
    return report.then(IngestReport(poison=len(dead))), dead


def _stored(memory: Memory, group: Sequence[_Given]) -> Iterator[tuple[IngestReport, Message | None]]:
    """Messages of one session, in one transaction; one by one and in order where one of them is poison."""
    first = group[0]
    try:
        mine = memory.scope(**dict(zip(_SCOPE, first.scope, strict=True)), actor=INGEST)
        receipt = mine.record([one.message for one in group], first.session_id)
    except InvalidInput as error:
        if len(group) == 1:
            yield IngestReport(), _letter(first.record, str(error))
            return
        for one in group:
            yield from _stored(memory, [one])
        return
    outcomes = [item.outcome for item in receipt.items]
    counts = (outcomes.count("stored"), outcomes.count("duplicate"), outcomes.count("skipped"))
    yield IngestReport(*counts), None


def _understood(record: Record) -> _Given:
    try:
        known = json.loads(record.message.value)
    except ValueError as error:
        message = "the value is no JSON text"
        raise _Poison(message) from error
    if not isinstance(known, dict):
        message = "the value is no JSON object"
        raise _Poison(message)
    scope = tuple(known.pop(name, None) for name in _SCOPE)
    session_id = known.pop("session_id", None)
    if not all(one is None or isinstance(one, str) for one in (*scope, session_id)):
        message = f"{', '.join(_SCOPE)} and session_id are strings"
        raise _Poison(message)
    return _Given(record, scope, session_id, {"id": record.position} | known)


def _letter(record: Record, reason: str) -> Message:
    """A record as it came, for the dead letters, with where it stood and why it is there."""
    told = {"reason": redact(reason).text, "position": record.position}
    return Message(record.message.value, record.message.key, {**record.message.headers, **told})


def _pause(failures: int, stop: Callable[[], bool]) -> None:
    until_s = time.monotonic() + min(0.1 * 2 ** min(failures, 16), _LONGEST_PAUSE_S)
    while time.monotonic() < until_s and not stop():
        time.sleep(0.05)
