"""Learning: an extractor reads episodes, and what it finds is held against what is known, one transaction a batch.

    policy -> extract -> facts with evidence -> reconcile -> write

Running a batch again changes nothing: each candidate has a key of extractor version, episode and words.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field

from retentive.analyze import index_terms
from retentive.cleaning import Cleaner
from retentive.contracts import Candidate, Extractor, Store, Transaction
from retentive.extract import guard
from retentive.policy import extractable, review_topic
from retentive.redaction import RedactionPolicy
from retentive.remember import new_fact, place
from retentive.results import ReceiptItem
from retentive.statement import FIELD_OF_ATTRIBUTE, in_own_case, parse_statements
from retentive.summary import joined
from retentive.types import EXTRACTED, Episode, Evidence, Fact, Partition, PutSession, Scope, SessionKey

#: Below it a candidate is a guess, and no guess stands in every prompt.
_SURE = 0.5
#: A longer value, or one with a clause in it, is the rest of the sentence and no field's value.
_LONGEST_VALUE = 60
_CLAUSE = re.compile(r"[,;:，；：。]")
#: Messages read in one call of an extractor.
BATCH = 10


@dataclass(frozen=True, slots=True)
class Rules:
    """What is taken out of new facts, of which topics one waits for a person first, and what a profile may hold.

    fields, field_chars: the fields a profile may have, and how long one may be.
    """

    policy: RedactionPolicy
    topics: Sequence[str]
    fields: Sequence[str]
    field_chars: int


def batches(episodes: Sequence[Episode]) -> Iterator[Sequence[Episode]]:
    """Episodes in runs of `BATCH`."""
    for start in range(0, len(episodes), BATCH):
        yield episodes[start : start + BATCH]


@dataclass(frozen=True, slots=True)
class Learned:
    """What became of a batch: an item a fact, and how many candidates were refused for what reason."""

    items: tuple[ReceiptItem, ...] = ()
    refused: Mapping[str, int] = dataclass_field(default_factory=dict)


def learn(
    store: Store, extractor: Extractor, partition: Partition, episodes: Sequence[Episode], rules: Rules
) -> Learned:
    """Facts of a batch of one session's episodes, reconciled with what is known, and what a model says it was about.

    Raises ModelError when a model could not be asked: nothing is written, and the job is kept.
    """
    allowed = [episode for episode in episodes if extractable(episode)]
    if not allowed:
        return Learned()
    by_id = {episode.id: episode for episode in allowed}
    extraction = extractor.extract(episodes)  # all of them: who answers, and what a prompt said, tells what is meant
    kept, made_up = guard(extraction.candidates, episodes, redact=Cleaner(rules.policy).text)  # whoever extracted
    refused = Counter(extraction.refused) + Counter(made_up)
    facts = [
        fact
        for found in kept
        if found.episode_id in by_id
        for fact in facts_of(found, by_id[found.episode_id], partition, extractor.version, rules)
    ]
    terms = {fact.id: index_terms(fact.text) for fact in facts}
    if not facts and not extraction.summary:
        return Learned((), refused)
    with store.transaction(partition) as transaction:
        if not transaction.has_episodes(list(by_id)):
            return Learned((), refused)  # something was forgotten while it was read: nothing of it comes back
        items = tuple(place(transaction, fact, terms, wary=is_wary(fact, rules)) for fact in facts)
        _tell(transaction, allowed[0].session_key, _storable(extraction.summary, rules), extractor.version)
    return Learned(items, refused)


def _storable(summary: str | None, rules: Rules) -> str | None:
    """What a model says a batch was about, without what no text may hold."""
    plain = (summary or "").encode("utf-8", "replace").decode().replace("\0", " ")
    return Cleaner(rules.policy).text(plain) or None


def _tell(transaction: Transaction, key: SessionKey, summary: str | None, version: str) -> None:
    """Add what a model says a batch was about to what it said of the session before."""
    session = transaction.session(key) if key.id and summary else None
    if session is not None and summary:
        told = [session.summary] if session.summary and session.summary_by else []
        if summary not in "".join(told):
            transaction.apply([PutSession(replace(session, summary=joined([*told, summary]), summary_by=version))])


def facts_of(candidate: Candidate, episode: Episode, partition: Partition, version: str, rules: Rules) -> list[Fact]:
    """The facts that a candidate of an extractor states: itself, or one for each profile field it fills."""
    found = _with_profile(_in_its_field(candidate, rules), rules)
    return [_fact(one, episode, partition, version, Cleaner(rules.policy)) for one in found]


def _in_its_field(candidate: Candidate, rules: Rules) -> Candidate:
    """The candidate; without the field that its extractor named where the profile has none such, or its words say else.

    A model may name any field for any words, and what is in one stands in every prompt and replaces what was.
    """
    field = candidate.field
    if field is None:
        return candidate
    value = candidate.text.removeprefix(f"{field}: ")
    said = [s for s in parse_statements(candidate.text) if s.tense == "now" and s.polarity > 0]
    holds = {FIELD_OF_ATTRIBUTE.get(s.attribute) for s in said if s.subject == "user"}
    named = value != candidate.text or not said or field not in FIELD_OF_ATTRIBUTE.values()
    told, fits = named or field in holds, len(value) <= rules.field_chars
    kept = field in rules.fields and told and fits and candidate.confidence >= _SURE
    return candidate if kept else replace(candidate, field=None)


def _with_profile(candidate: Candidate, rules: Rules) -> list[Candidate]:
    """The candidate, or in its place a candidate for each profile field its sentence fills.

    "I'm at Acme and I live in Porto" is one sentence and two fields: each must be replaced alone when it changes.
    """
    statements = parse_statements(candidate.text)
    values = {
        FIELD_OF_ATTRIBUTE[s.attribute]: in_own_case(s.value, candidate.text)
        for s in statements
        if s.subject == "user" and s.attribute in FIELD_OF_ATTRIBUTE and s.tense == "now" and s.polarity > 0
        if FIELD_OF_ATTRIBUTE[s.attribute] in rules.fields
        if 0 < len(s.value) <= _LONGEST_VALUE and not _CLAUSE.search(s.value)
    }
    if not values or candidate.confidence < _SURE:
        return [candidate]
    if len(statements) == 1:
        return [replace(candidate, field=next(iter(values)))]
    return [
        replace(candidate, text=f"{field}: {value}", field=field, category="identity", evergreen=False)
        for field, value in values.items()
    ]


def _fact(candidate: Candidate, episode: Episode, partition: Partition, version: str, cleaner: Cleaner) -> Fact:
    key = f"{version}|{episode.id}|{candidate.text}"
    return new_fact(
        scope_of(partition, episode),
        candidate.text,
        cleaner,
        category=candidate.category,
        field=candidate.field,
        confidence=candidate.confidence,
        evergreen=candidate.evergreen,
        source=f"{EXTRACTED}{version}",
        trust=episode.trust,
        idempotency_key=hashlib.blake2b(key.encode(), digest_size=16).hexdigest(),
        valid_from_us=episode.timestamp_us if candidate.valid_from_us is None else candidate.valid_from_us,
        zone_min=episode.zone_min,
        session_id=episode.session_id,
        evidence=(Evidence(episode.id, candidate.quote),),
        said_us=None if episode.timestamp_us == episode.recorded_us else episode.timestamp_us,
        infer_field=False,  # a candidate for each field comes beside the sentence
    )


def scope_of(partition: Partition, episode: Episode) -> Scope:
    """The scope the episode was recorded in."""
    user_id = partition.owner if partition.kind == "user" else None
    agent_id = episode.agent_id if partition.kind == "user" else partition.owner
    return Scope(user_id, agent_id, episode.project_id, partition.tenant)


def is_wary(fact: Fact, rules: Rules) -> bool:
    """Whether a person decides before it replaces anything."""
    return review_topic(fact.text, fact.field, rules.topics) is not None
