"""Verification: facts nobody spoke of for as long as their kind keeps are held against what was said since.

    stale facts, the most valuable first, as many as the budget allows
      -> later messages that share their words -> a verdict, by rules or by a model
      -> confirm | supersede | dispute | pending, of weight: a person decides | lower, since nothing was
         heard; of weight: a person is asked

Each fact that was looked at is fresh for another half-life, so a run that was killed goes on where it was, and the next
week's run looks at others. Lowering writes down what fading has come to; it changes nothing that is shown.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from retentive.analyze import index_terms
from retentive.cleaning import Cleaner
from retentive.contracts import Backend, Listing, Model, Transaction
from retentive.errors import ModelBadReply
from retentive.fading import faded, half_life_us, since_us, worth
from retentive.learn import Rules, scope_of
from retentive.lifecycle.heard import heard_since
from retentive.lifecycle.plan import Plan
from retentive.lifecycle.verdicts import Verdict, by_model, by_rules, model_version
from retentive.policy import review_topic
from retentive.redaction import redact
from retentive.remember import new_fact, new_version, superseded_by, twins
from retentive.results import VerifyReport
from retentive.types import (
    STALE,
    AddFact,
    Change,
    ConfirmFact,
    DisputeFact,
    Episode,
    Fact,
    NewJob,
    Partition,
    Status,
    Tier,
)

_PAGE: Final = 1000
#: Below it there is nothing left to lower.
_LEAST: Final = 0.05
#: A longer value fills no profile field.
_FIELD_CHARS: Final = 200
_HELD: Final = "a newer statement speaks against something of weight: a person decides"


@dataclass(frozen=True, slots=True)
class Bench:
    """One partition whose facts are checked, and with what; without a model, by rules."""

    backend: Backend
    partition: Partition
    plan: Plan
    rules: Rules
    model: Model | None
    now_us: int

    def clean(self, text: str) -> str:
        """A text without what must not be kept."""
        return redact(text, policy=self.rules.policy).text

    def of_weight(self, *facts: Fact) -> bool:
        """Whether any of the facts touches a subject in which nothing is replaced without a person."""
        return any(review_topic(fact.text, fact.field, self.rules.topics) for fact in facts)


def verify(bench: Bench, report: VerifyReport) -> VerifyReport:
    """Check a partition's stale facts within the budget, and add to `report`. A bad reply changes nothing of its batch.

    Raises ModelUnavailable, LimitReached: the model could not be asked; what was done until then stays done.
    """
    stale = sorted(_stale(bench), key=lambda fact: (-worth(fact, bench.now_us), fact.row))
    chosen = stale[: bench.plan.budget]
    report = replace(report, stale=report.stale + len(stale), left=report.left + len(stale) - len(chosen))
    for start in range(0, len(chosen), bench.plan.batch):
        heard = [
            (fact, heard_since(bench.backend, bench.partition, fact))
            for fact in chosen[start : start + bench.plan.batch]
        ]
        try:
            verdicts = _verdicts(bench, heard)
        except ModelBadReply as error:
            report = replace(report, errors=(*report.errors, bench.clean(str(error))))
            continue
        report = _write(bench, verdicts, report)
    return report


def _stale(bench: Bench) -> Iterator[Fact]:
    """Active facts of which nobody spoke for a half-life of their kind."""
    after: int | None = None
    while True:
        query = Listing(Tier.SEMANTIC, limit=_PAGE, after_row=after, oldest_first=True)
        page = bench.backend.store.listing(bench.partition, query)
        if not page:
            return
        for fact in page:
            if isinstance(fact, Fact) and fact.status is Status.ACTIVE and fact.confidence >= _LEAST:
                half_us = half_life_us(fact)
                if half_us is not None and bench.now_us - since_us(fact) >= half_us:
                    yield fact
        after = page[-1].row


def _verdicts(bench: Bench, heard: Sequence[tuple[Fact, list[Episode]]]) -> list[Verdict]:
    """A model is asked only of facts of which anything may have been said."""
    if bench.model is None:
        return [by_rules(fact, episodes) for fact, episodes in heard]
    spoken = [(fact, episodes) for fact, episodes in heard if episodes]
    silent = [Verdict(fact, "unknown") for fact, episodes in heard if not episodes]
    return silent + (by_model(bench.model, spoken, bench.clean) if spoken else [])


# -- writing ---------------------------------------------------------------------------------------------------------
def _write(bench: Bench, verdicts: Sequence[Verdict], report: VerifyReport) -> VerifyReport:
    """One batch, in one transaction; a fact that someone changed meanwhile is left as it is."""
    done: Counter[str] = Counter()
    review: list[str] = []
    with bench.backend.store.transaction(bench.partition, verb="verify") as transaction:
        for verdict in verdicts:
            current = transaction.facts(id=verdict.fact.id, limit=1)
            unchanged = bool(current) and current[0] == verdict.fact
            if unchanged and transaction.has_episodes([e.episode_id for e in verdict.evidence]):
                outcome = _apply(bench, transaction, verdict)
                done[outcome] += 1
                if outcome == "lowered" and bench.of_weight(verdict.fact):
                    review.append(verdict.fact.id)
    return replace(
        report,
        confirmed=report.confirmed + done["confirmed"],
        superseded=report.superseded + done["superseded"],
        disputed=report.disputed + done["disputed"],
        pending=report.pending + done["pending"],
        lowered=report.lowered + done["lowered"],
        review=report.review + tuple(review),
    )


def _apply(bench: Bench, transaction: Transaction, verdict: Verdict) -> str:
    fact = verdict.fact
    if verdict.said is None:
        days = (bench.now_us - since_us(fact)) // 86_400_000_000
        reason = STALE if bench.of_weight(fact) else f"nothing was heard of it for {days} days"
        _lower(bench, transaction, fact, reason)
        return "lowered"
    if verdict.judgement == "confirm":
        verified_us = max(verdict.said.timestamp_us, since_us(fact))
        transaction.apply([ConfirmFact(fact.id, fact.version, verified_us, verdict.evidence)])
        return "confirmed"
    new = _newer(bench, verdict, verdict.said)
    if bench.of_weight(fact, new) or (new.trust == "untrusted" and fact.trust != "untrusted"):
        _add(transaction, replace(new, status=Status.PENDING, reason=_HELD), [])
        _lower(bench, transaction, fact, "a newer statement waits for a person")
        return "pending"
    if verdict.judgement == "dispute":
        reason = "a later message speaks against it"
        _add(
            transaction,
            replace(new, status=Status.DISPUTED, reason=reason),
            [DisputeFact(fact.id, fact.version, reason)],
        )
        return "disputed"
    return _supersede(bench, transaction, fact, new)


def _supersede(bench: Bench, transaction: Transaction, fact: Fact, new: Fact) -> str:
    """By what was said since; where that is known as a fact already, by that one, unless it waits for a person."""
    reason = "a later message says what is so now"
    known = twins(transaction, replace(new, id=fact.id))
    if any(same.status is Status.PENDING for same in known):
        _lower(bench, transaction, fact, "a newer statement waits for a person")
        return "pending"
    if known:
        transaction.apply([superseded_by(known[0], fact, reason, bench.now_us)])
    else:
        new = replace(new, supersedes_id=fact.id)
        _add(transaction, new, [superseded_by(new, fact, reason, bench.now_us)])
    return "superseded"


def _lower(bench: Bench, transaction: Transaction, fact: Fact, reason: str) -> None:
    """A new version, as sure as the fact has faded to: what is shown stays the same, and it is fresh from here."""
    lowered = replace(fact, confidence=faded(fact, bench.now_us), reason=reason)
    new_version(transaction, fact, lowered, bench.now_us, "checked again")


def _add(transaction: Transaction, fact: Fact, before: Sequence[Change]) -> None:
    *_, row = transaction.apply([*before, AddFact(fact)], {fact.id: index_terms(fact.text)})
    transaction.enqueue(NewJob("embed", {"first_row": row, "last_row": row}))


def _newer(bench: Bench, verdict: Verdict, said: Episode) -> Fact:
    """What was said since, as a fact of the old one's kind."""
    version = "rules-1" if bench.model is None else model_version(bench.model)
    key = f"verified|{verdict.fact.id}|{said.id}|{verdict.text}"
    old = verdict.fact
    return new_fact(
        scope_of(bench.partition, said),
        verdict.text,
        Cleaner(bench.rules.policy),
        category=old.category,
        field=old.field if len(verdict.text) <= _FIELD_CHARS else None,
        source=f"verified:{version}",
        trust=said.trust,
        idempotency_key=hashlib.blake2b(key.encode(), digest_size=16).hexdigest(),
        valid_from_us=said.timestamp_us,
        zone_min=said.zone_min,
        session_id=said.session_id,
        evidence=verdict.evidence,
        said_us=said.timestamp_us,
        infer_field=False,
    )
