"""Old rows through today's redactor: what was stored before a rule existed is cleaned where it stands.

Facts drawn from a message, their quotes and session summaries are cleaned with it; vectors of old words are dropped and
made anew, and the bytes of the old words are overwritten.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from retentive.analyze import index_terms
from retentive.cleaning import Cleaner
from retentive.contracts import Backend, Remembered
from retentive.lifecycle.archive import Archive
from retentive.lifecycle.portable import everything
from retentive.redaction import RedactionPolicy
from retentive.remember import derived
from retentive.types import Episode, NewJob, Partition, PutSession, Rewrite, indexed_text

_ALL_SESSIONS = 1_000_000


@dataclass(frozen=True, slots=True)
class RescanReport:
    """How many memories were looked at and rewritten, and what was taken out, by kind."""

    looked_at: int
    rewritten: int
    found: Mapping[str, int]


def rescan(backend: Backend, policy: RedactionPolicy, archive: Archive | None = None) -> RescanReport:
    """Clean every memory of every partition, in the archive too; a partition at a time, each in one transaction."""
    looked_at = rewritten = 0
    found: Counter[str] = Counter()
    for partition in list(backend.store.partitions()):
        memories = list(everything(backend.store, partition))
        cleaner = Cleaner(policy)
        dirty = [old.row for old in memories if _cleaned(old, cleaner) != old]
        looked_at += len(memories)
        rewritten += _rewrite(backend, partition, dirty, Cleaner(policy), archive)
        found += cleaner.found
        former = backend.tiers.former(partition)
        if former is not None and any(cleaner.fact(fact) != fact for fact in former.facts):
            backend.tiers.drop_former(partition)
    backend.store.scrub()
    return RescanReport(looked_at, rewritten, dict(found))


def _cleaned(memory: Remembered, cleaner: Cleaner) -> Remembered:
    if isinstance(memory, Episode):
        return cleaner.episode(memory)
    cleaned = cleaner.fact(memory)
    return cleaned if cleaned.text == memory.text else derived(cleaned)


def _rewrite(
    backend: Backend, partition: Partition, dirty: Sequence[int], cleaner: Cleaner, archive: Archive | None
) -> int:
    """Rewrite these rows, the sessions and the archive as they stand now: much may have happened since the look."""
    sessions = [session.key for session in backend.store.sessions(partition, limit=_ALL_SESSIONS)]
    with backend.store.transaction(partition) as transaction:
        for session in filter(None, map(transaction.session, sessions)):
            clean = cleaner.session(session)
            if clean != session and clean.id == session.id:
                transaction.apply([PutSession(clean)])
        there = transaction.fetch(dirty).values()
        cleaned = [new for old in there if (new := _cleaned(old, cleaner)) != old]
        terms = {memory.id: index_terms(indexed_text(memory)) for memory in cleaned}
        transaction.apply([Rewrite(memory) for memory in cleaned], terms)
        for memory in cleaned:
            transaction.enqueue(NewJob("embed", {"first_row": memory.row, "last_row": memory.row}))
        archived = 0 if archive is None else archive.rewrite(partition, partial(_cleaned, cleaner=cleaner))
    return len(cleaned) + archived
