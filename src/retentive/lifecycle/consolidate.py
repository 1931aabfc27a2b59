"""Consolidation: what many sessions leave behind becomes less and clearer, and nothing of it is lost.

    near-duplicate facts      -> one of them, with the evidence of all        (duplicates.py)
    sessions that are over    -> a summary each, which cites what was said    (digests.py)
    across sessions           -> a fact for each pattern, which cites each    (digests.py, recurring.py)

It adds and supersedes, and does nothing else: no episode is touched, a fact leaves the present only for one that cites
all it cited, and a model's reply that cannot be believed changes nothing. Each batch is one transaction; running again
continues, since what was done is recognised by what is stored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from retentive.analyze import index_terms
from retentive.cleaning import Cleaner
from retentive.clock import local_time
from retentive.contracts import Listing, Model, Store, Transaction
from retentive.errors import ModelBadReply
from retentive.learn import Rules, scope_of
from retentive.lifecycle.digests import RULES_VERSION, Digest, Digests, Pattern, Told, by_model, by_rules, model_version
from retentive.lifecycle.duplicates import merge
from retentive.lifecycle.plan import Plan
from retentive.lifecycle.recurring import recurring
from retentive.lifecycle.retention import Retention
from retentive.policy import extractable
from retentive.redaction import redact
from retentive.remember import new_fact, place
from retentive.results import ConsolidateReport
from retentive.types import (
    SUMMARY,
    AddFact,
    ConfirmFact,
    Episode,
    Fact,
    NewJob,
    Partition,
    SessionInfo,
    SessionKey,
    Tier,
)

_SESSIONS: Final = 10_000
_SESSION_MESSAGES: Final = 500
_PAGE: Final = 500
#: The latest messages in which recurring questions are looked for.
_LOOKED_THROUGH: Final = 5_000
#: Of the time a message is kept, the part after which its session is summarised though it is among the last.
_BEFORE_IT_GOES: Final = 2 / 3
#: How often a pattern is cited at the most: more says no more.
_CITED: Final = 12


@dataclass(frozen=True, slots=True)
class Desk:
    """One partition to consolidate, and with what; without a model, by rules."""

    store: Store
    partition: Partition
    plan: Plan
    retention: Retention
    rules: Rules
    model: Model | None
    now_us: int

    @property
    def source(self) -> str:
        """What stands in the provenance of what is made here."""
        return f"consolidated:{RULES_VERSION if self.model is None else model_version(self.model)}"

    def clean(self, text: str) -> str:
        """A text without what must not be kept."""
        return redact(text, policy=self.rules.policy).text


def consolidate(desk: Desk, report: ConsolidateReport) -> ConsolidateReport:
    """Consolidate a partition and add to `report`. A bad reply of the model is named there, and its sessions wait.

    Raises ModelUnavailable, LimitReached: the model could not be asked; what was done until then stays done.
    """
    merged = merge(desk.store, desk.partition, desk.now_us)
    report = replace(report, merged=report.merged + merged)
    waiting = list(_waiting(desk))
    for start in range(0, len(waiting), desk.plan.batch):
        batch = [_told(desk, session) for session in waiting[start : start + desk.plan.batch]]
        report = _summarise(desk, [told for told in batch if told is not None], report)
    added = sum(_add_recurring(desk, key, pattern) for key, pattern in recurring(_latest(desk)))
    return replace(report, patterns=report.patterns + added)


# -- sessions ----------------------------------------------------------------------------------------------------------
def _waiting(desk: Desk) -> Iterator[SessionInfo]:
    """Sessions that are over, without a summary, and older than the last ones or about to lose their messages."""
    done = _summarised(desk)
    episodes, summaries = desk.retention.limits["episodes"].age_us, desk.retention.limits["category:summary"].age_us
    for place_, session in enumerate(desk.store.sessions(desk.partition, limit=_SESSIONS)):
        age_us = desk.now_us - session.touched_us
        older = place_ >= desk.plan.verbatim or (episodes is not None and age_us > episodes * _BEFORE_IT_GOES)
        too_old = summaries is not None and age_us > summaries
        if session.state == "ended" and older and not too_old and session.key not in done:
            yield session


def _summarised(desk: Desk) -> set[SessionKey]:
    done: set[SessionKey] = set()
    after: int | None = None
    while True:
        query = Listing(Tier.SEMANTIC, None, {"category": SUMMARY}, limit=_PAGE, after_row=after)
        page = desk.store.listing(desk.partition, query)
        if not page:
            return done
        done |= {SessionKey(one.session_id, one.agent_id, one.project_id) for one in page}
        after = page[-1].row


def _told(desk: Desk, session: SessionInfo) -> Told | None:
    """The session with its messages; None where nobody's own words are left in it."""
    found = desk.store.session_episodes(desk.partition, session.key, limit=_SESSION_MESSAGES)
    own = tuple(e for e in found if not e.quoted and e.trust != "system")
    return Told(session, own) if any(map(extractable, own)) else None


def _summarise(desk: Desk, told: Sequence[Told], report: ConsolidateReport) -> ConsolidateReport:
    """One batch: asked, then written in one transaction."""
    if not told:
        return report
    try:
        found = _digests(desk, told)
    except ModelBadReply as error:
        return replace(report, errors=(*report.errors, desk.clean(str(error))))
    with desk.store.transaction(desk.partition, verb="consolidate") as transaction:
        digests = [digest for digest in found.digests if _add_summary(desk, transaction, digest, told)]
        patterns = sum(_add_pattern(desk, transaction, pattern, told) for pattern in found.patterns)
    return replace(
        report,
        summarised=report.summarised + len(digests),
        patterns=report.patterns + patterns,
        refused=report.refused + found.refused,
    )


def _digests(desk: Desk, told: Sequence[Told]) -> Digests:
    if desk.model is not None:
        return by_model(desk.model, told, desk.clean)
    ids = [episode.id for one in told for episode in one.episodes]
    return by_rules(told, desk.store.quotes(desk.partition, ids))


def _add_summary(desk: Desk, transaction: Transaction, digest: Digest, told: Sequence[Told]) -> bool:
    """A fact of its own kind. It says what was so then: it speaks of nothing that a newer statement could replace."""
    by_id = {episode.id: episode for one in told for episode in one.episodes}
    said = [by_id[one.episode_id] for one in digest.evidence]
    if not transaction.has_episodes([episode.id for episode in said]):
        return False  # something of it was forgotten meanwhile: it is read again
    text = f"Conversation of {_day(digest.session)}: {digest.text}"
    fact = _fact(desk, said, text, Pattern(text, "event", digest.evidence), f"{SUMMARY}|{digest.session.id}")
    if transaction.facts(idempotency_key=fact.idempotency_key):
        return False
    summary = replace(
        fact,
        category=SUMMARY,
        subject=None,
        attribute=None,
        field=None,
        session_id=digest.session.id,
        valid_from_us=digest.session.started_us,
    )
    (row,) = transaction.apply([AddFact(summary)], {summary.id: index_terms(summary.text)})
    transaction.enqueue(NewJob("embed", {"first_row": row, "last_row": row}))
    return True


def _day(session: SessionInfo) -> str:
    return local_time(session.started_us, session.zone_min).date().isoformat()


# -- patterns ----------------------------------------------------------------------------------------------------------
def _add_pattern(desk: Desk, transaction: Transaction, pattern: Pattern, told: Sequence[Told]) -> bool:
    """A model's pattern meets what is known, as any new fact does; of weight, it waits for a person."""
    by_id = {episode.id: episode for one in told for episode in one.episodes}
    said = [by_id[one.episode_id] for one in pattern.evidence]
    if not transaction.has_episodes([episode.id for episode in said]):
        return False
    fact = _fact(desk, said, pattern.text, pattern, f"pattern|{pattern.text}")
    placed = place(transaction, fact, {fact.id: index_terms(fact.text)}, wary=True)
    return placed.outcome in {"stored", "superseded"}


def _add_recurring(desk: Desk, key: str, pattern: Pattern) -> bool:
    """A new one is added, a known one cites the new times; one that a person rejected or let go stays away."""
    found = desk.store.get(desk.partition, [one.episode_id for one in pattern.evidence])
    said = [episode for episode in found.values() if isinstance(episode, Episode)]
    with desk.store.transaction(desk.partition, verb="consolidate") as transaction:
        if len(said) < len(pattern.evidence) or not transaction.has_episodes([episode.id for episode in said]):
            return False
        fact = _fact(desk, said, pattern.text, pattern, f"recurring|{key}")
        known = transaction.facts(idempotency_key=fact.idempotency_key)
        if known:
            _cite_again(transaction, known[0], fact)
            return False
        (row,) = transaction.apply([AddFact(fact)], {fact.id: index_terms(fact.text)})
        transaction.enqueue(NewJob("embed", {"first_row": row, "last_row": row}))
    return True


def _cite_again(transaction: Transaction, known: Fact, fact: Fact) -> None:
    new = tuple(one for one in fact.evidence if one not in known.evidence)
    if new and known.retired_us is None and len(known.evidence) + len(new) <= _CITED:
        transaction.apply([ConfirmFact(known.id, known.version, fact.recorded_us, new)])


def _fact(desk: Desk, said: Sequence[Episode], text: str, pattern: Pattern, key: str) -> Fact:
    """A fact of this job, clean as every other, believed as the least believed of what it rests on.

    said: messages of one agent and one project.
    """
    latest = max(said, key=lambda episode: episode.timestamp_us)
    scope = scope_of(desk.partition, latest)
    digest = hashlib.blake2b(f"{key}|{scope.agent_id}|{scope.project_id}".encode(), digest_size=16).hexdigest()
    return new_fact(
        scope,
        text,
        Cleaner(desk.rules.policy),
        category=pattern.category,
        source=desk.source,
        trust="untrusted" if any(episode.trust == "untrusted" for episode in said) else "user",
        idempotency_key=digest,
        valid_from_us=latest.timestamp_us,
        zone_min=latest.zone_min,
        evidence=pattern.evidence,
        infer_field=False,
    )


def _latest(desk: Desk) -> list[Episode]:
    """The latest messages, oldest first."""
    found: list[Episode] = []
    after: int | None = None
    while len(found) < _LOOKED_THROUGH:
        page = desk.store.listing(desk.partition, Listing(Tier.EPISODIC, limit=_PAGE, after_row=after))
        found += [memory for memory in page if isinstance(memory, Episode) and not memory.quoted]
        if len(page) < _PAGE:
            break
        after = page[-1].row
    return found[::-1]
