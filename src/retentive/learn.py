"""Learning: an extractor reads episodes, and what it finds is held against what is known, one transaction a batch.

    policy -> extract -> facts with evidence -> reconcile -> write

Running a batch again changes nothing: each candidate has a key of extractor version, episode and words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from retentive.analyze import index_terms
from retentive.cleaning import Cleaner
from retentive.contracts import Candidate, Extractor, Store
from retentive.policy import extractable, review_topic
from retentive.redaction import RedactionPolicy
from retentive.remember import new_fact, place
from retentive.results import ReceiptItem
from retentive.types import Episode, Evidence, Fact, Partition, Scope

#: Messages read in one call of an extractor.
BATCH = 10


@dataclass(frozen=True, slots=True)
class Rules:
    """What is taken out of new facts, and of which topics one waits for a person before it replaces something."""

    policy: RedactionPolicy
    topics: Sequence[str]


def batches(episodes: Sequence[Episode]) -> Iterator[Sequence[Episode]]:
    """Episodes in runs of `BATCH`."""
    for start in range(0, len(episodes), BATCH):
        yield episodes[start : start + BATCH]


def learn(
    store: Store, extractor: Extractor, partition: Partition, episodes: Sequence[Episode], rules: Rules
) -> list[ReceiptItem]:
    """Facts of a batch of episodes, reconciled with what is known.

    Raises ModelError when a model could not be asked: nothing is written, and the job is kept.
    """
    allowed = [episode for episode in episodes if extractable(episode)]
    if not allowed:
        return []
    by_id = {episode.id: episode for episode in allowed}
    extraction = extractor.extract(episodes)  # all of them: who answers, and what a prompt said, tells what is meant
    facts = [
        _fact(candidate, by_id[candidate.episode_id], partition, extractor, Cleaner(rules.policy))
        for candidate in extraction.candidates
    ]
    terms = {fact.id: index_terms(fact.text) for fact in facts}
    if not facts:
        return []
    with store.transaction(partition) as transaction:
        return [place(transaction, fact, terms, wary=_is_wary(fact, rules.topics)) for fact in facts]


def _fact(candidate: Candidate, episode: Episode, partition: Partition, extractor: Extractor, cleaner: Cleaner) -> Fact:
    key = f"{extractor.version}|{episode.id}|{candidate.text}"
    return new_fact(
        _scope(partition, episode),
        candidate.text,
        cleaner,
        category=candidate.category,
        field=candidate.field,
        confidence=candidate.confidence,
        evergreen=candidate.evergreen,
        source=f"extracted:{extractor.version}",
        trust=episode.trust,
        idempotency_key=hashlib.blake2b(key.encode(), digest_size=16).hexdigest(),
        valid_from_us=episode.timestamp_us if candidate.valid_from_us is None else candidate.valid_from_us,
        zone_min=episode.zone_min,
        session_id=episode.session_id,
        evidence=(Evidence(episode.id, candidate.quote),),
    )


def _scope(partition: Partition, episode: Episode) -> Scope:
    """The scope the episode was recorded in."""
    user_id = partition.owner if partition.kind == "user" else None
    agent_id = episode.agent_id if partition.kind == "user" else partition.owner
    return Scope(user_id, agent_id, episode.project_id, partition.tenant)


def _is_wary(fact: Fact, topics: Sequence[str]) -> bool:
    return review_topic(fact.text, fact.field, topics) is not None
