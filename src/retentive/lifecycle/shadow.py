"""The facts that another extractor would have made of the log, beside what no rebuild touches.

    what a person said or decided  ----------------------------------------+
    what the log can no longer tell (its messages are over) ----------------+-> reconciled in order -> a semantic tier
    candidates of the new extractor -> not those that were forgotten -------+

Made in a store of its own that lives in memory, by the same steps as any fact. The same candidates give the same ids
and times, so a rebuild that was killed and gone on with comes to the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, replace
from uuid import UUID

from retentive.contracts import Candidate, Store, Transaction
from retentive.contracts.tiers import Span
from retentive.learn import Rules, facts_of, is_wary
from retentive.lifecycle.portable import everything
from retentive.remember import decide, place
from retentive.types import (
    APPROVED,
    EMPTIED,
    EXTRACTED,
    UPDATED,
    AddFact,
    DisputeFact,
    Episode,
    Fact,
    Partition,
    Status,
)

_BY_A_PERSON = frozenset({APPROVED, EMPTIED, UPDATED})


@dataclass(frozen=True, slots=True)
class Reading:
    """What an extractor of this version drew from the episodes, by row; and by which rules facts are made of it."""

    version: str
    candidates: Mapping[int, str]
    rules: Rules


@dataclass(frozen=True, slots=True)
class Log:
    """A partition as a rebuild finds it: whole episodes by id, facts in every version, words that are forgotten."""

    episodes: Mapping[str, Episode]
    facts: Sequence[Fact]
    forgotten: Mapping[str, Sequence[Span]]


def log_of(store: Store, partition: Partition, forgotten: Mapping[str, Sequence[Span]]) -> Log:
    """Read a partition."""
    memories = list(everything(store, partition))
    whole = {m.id: m for m in memories if isinstance(m, Episode) and not m.quoted}
    return Log(whole, [m for m in memories if isinstance(m, Fact)], forgotten)


def dumped(candidates: Sequence[Candidate]) -> str:
    """Candidates as they are kept."""
    return json.dumps([asdict(candidate) for candidate in candidates], ensure_ascii=False)


# -- what stays --------------------------------------------------------------------------------------------------------
def lines(facts: Sequence[Fact]) -> dict[str, list[Fact]]:
    """Facts by id, every version."""
    found: dict[str, list[Fact]] = {}
    for fact in facts:
        found.setdefault(fact.id, []).append(fact)
    return found


def is_persons(line: Sequence[Fact]) -> bool:
    """Whether a person changed, approved, rejected or emptied it: their word stands, whatever is extracted."""
    return any(fact.status is Status.REJECTED or fact.reason in _BY_A_PERSON for fact in line)


def replaceable(log: Log) -> set[str]:
    """Ids of facts that an extractor drew, that no person touched, and whose every message can be read again."""
    return {
        fact_id
        for fact_id, line in lines(log.facts).items()
        if all(fact.source.startswith(EXTRACTED) and fact.evidence for fact in line)
        and not is_persons(line)
        and all(e.episode_id in log.episodes for fact in line for e in fact.evidence)
    }


def freed(fact: Fact, there: set[str]) -> Fact:
    """A fact without its ties to facts that are no longer there: what replaced it is undone."""
    if fact.supersedes_id is not None and fact.supersedes_id not in there:
        fact = replace(fact, supersedes_id=None)
    if fact.superseded_by_id is None or fact.superseded_by_id in there:
        return fact
    return replace(fact, status=Status.ACTIVE, retired_us=None, valid_to_us=None, superseded_by_id=None, reason=None)


# -- the tier ----------------------------------------------------------------------------------------------------------
def semantic_tier(scratch: Store, partition: Partition, log: Log, reading: Reading) -> list[Fact]:
    """Every version of every fact, in order, that the candidates come to; `scratch` is an empty store."""
    gone = replaceable(log)
    there = {fact.id for fact in log.facts} - gone
    kept = [freed(fact, there) for fact in log.facts if fact.id not in gone]
    drawn = _drawn(partition, log, gone, reading)
    with scratch.transaction(partition) as transaction:
        transaction.apply([AddFact(_standing(fact)) for fact in kept])
        for fact in drawn:
            place(transaction, fact, {fact.id: ()}, wary=is_wary(fact, reading.rules))
        for fact in kept:
            if fact.status is Status.DISPUTED and fact.retired_us is None:
                _dispute_again(transaction, fact)
    before = {(fact.id, fact.version): fact for fact in kept}
    return [_as_it_was(fact, before) for fact in everything(scratch, partition) if isinstance(fact, Fact)]


def _standing(fact: Fact) -> Fact:
    """A fact to reconcile with: said when it was recorded where no message says when; its dispute is decided anew."""
    if fact.status is Status.DISPUTED and fact.retired_us is None:
        fact = replace(fact, status=Status.ACTIVE, reason=None)
    return fact if fact.last_verified_us is not None else replace(fact, last_verified_us=fact.recorded_us)


def _as_it_was(fact: Fact, before: Mapping[tuple[str, int], Fact]) -> Fact:
    old = before.get((fact.id, fact.version))
    if old is not None and old.last_verified_us is None and fact.last_verified_us == old.recorded_us:
        fact = replace(fact, last_verified_us=None)
    return replace(fact, row=0)


def _dispute_again(transaction: Transaction, fact: Fact) -> None:
    found = transaction.facts(id=fact.id, limit=1)
    if found and found[0].status is Status.ACTIVE:
        decision, _ = decide(transaction, found[0])
        if decision.action == "dispute":
            transaction.apply([DisputeFact(found[0].id, found[0].version, decision.reason)])


def _drawn(partition: Partition, log: Log, gone: set[str], reading: Reading) -> list[Fact]:
    """The facts that the candidates state, in order, under the ids that the same facts had."""
    by_row = {episode.row: episode for episode in log.episodes.values()}
    taken = _taken(log, gone)
    old = [fact for fact in log.facts if fact.id in gone]
    current = {fact.digest: fact.id for fact in old if fact.retired_us is None}
    by_key = {fact.idempotency_key: fact.id for fact in old if fact.idempotency_key}
    facts: dict[str, Fact] = {}
    for row, candidates in reading.candidates.items():
        for known in json.loads(candidates) if row in by_row else ():
            candidate, episode = Candidate(**known), by_row[row]
            for fact in facts_of(candidate, episode, partition, reading.version, reading.rules):
                if _overlaps(candidate, episode, taken) and fact.digest not in current:
                    continue
                wanted = by_key.get(fact.idempotency_key or "") or current.get(fact.digest)
                fact_id = wanted if wanted and wanted not in facts else _id_of(fact, episode)
                facts.setdefault(fact_id, _said_then(replace(fact, id=fact_id), episode))
    return list(facts.values())


def _taken(log: Log, gone: set[str]) -> dict[str, list[Span]]:
    """Words that speak for no new fact: those forgotten, and those of facts that a person changed or turned down."""
    taken = {episode_id: list(spans) for episode_id, spans in log.forgotten.items()}
    for fact_id, line in lines(log.facts).items():
        if fact_id not in gone and is_persons(line):
            for evidence in {e for fact in line for e in fact.evidence}:
                episode = log.episodes.get(evidence.episode_id)
                if episode is not None:
                    start = episode.text.find(evidence.quote)
                    taken.setdefault(episode.id, []).append((start, start + len(evidence.quote)))
    return taken


def _overlaps(candidate: Candidate, episode: Episode, taken: Mapping[str, Sequence[Span]]) -> bool:
    start = episode.text.find(candidate.quote)
    stop = start + len(candidate.quote)
    return any(start < end and begin < stop for begin, end in taken.get(episode.id, ()))


def without_forgotten(
    candidates: Sequence[Candidate],
    by_id: Mapping[str, Episode],
    forgotten: Mapping[str, Sequence[Span]],
    facts_in: Callable[[Candidate, Episode], Sequence[Fact]],
    known: Callable[[], AbstractSet[bytes]],
) -> list[Candidate]:
    """The candidates that may be kept aside: of words whose fact was forgotten only what other facts still say.

    known: digests of the facts that are current, asked for where it matters.
    """
    kept: list[Candidate] = []
    for candidate in candidates:
        episode = by_id[candidate.episode_id]
        if not _overlaps(candidate, episode, forgotten):
            kept.append(candidate)
            continue
        still = [fact for fact in facts_in(candidate, episode) if fact.digest in known()]
        kept += [replace(candidate, text=fact.text, field=fact.field, category=fact.category) for fact in still]
    return kept


def _said_then(fact: Fact, episode: Episode) -> Fact:
    """As though this extractor had always been the one: believed from when its message was recorded."""
    return replace(fact, recorded_us=episode.recorded_us, last_verified_us=episode.timestamp_us)


def _id_of(fact: Fact, episode: Episode) -> str:
    """A UUIDv7 that the same candidate always gets, with the time of its message."""
    digest = int.from_bytes(hashlib.blake2b((fact.idempotency_key or "").encode(), digest_size=16).digest())
    head = max(episode.recorded_us // 1000, 0) << 80 | 0x7 << 76 | (digest & 0xFFF) << 64
    return str(UUID(int=head | 0b10 << 62 | digest >> 66))
