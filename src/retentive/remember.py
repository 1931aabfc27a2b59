"""Remembering: a statement meets what is known of its subject, and one transaction writes what follows.

    check -> read the statement -> neighbours -> reconcile -> add | confirm | supersede | dispute | pend | ignore

Fifty at once of the same fact are one row: the decision is made inside the transaction.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from retentive.again import again_when_yielded
from retentive.analyze import fold, index_terms
from retentive.checking import checked_flag, checked_metadata, checked_text
from retentive.cleaning import Cleaner
from retentive.clock import new_id, now_us
from retentive.contracts import Store, Transaction
from retentive.echo import echo
from retentive.errors import IdempotencyConflict, InvalidInput
from retentive.policy import trust_of
from retentive.reconcile import Decision, Neighbour, reconcile
from retentive.results import ReceiptItem
from retentive.statement import FIELD_OF_ATTRIBUTE, Statement, attribute_of_field, parse_statement, parse_statements
from retentive.statement.giving_up import may_end_anything
from retentive.types import (
    CATEGORIES,
    EXTRACTED,
    SUMMARY,
    AddFact,
    Change,
    ConfirmFact,
    DisputeFact,
    Evidence,
    Fact,
    NewJob,
    RetireFact,
    Scope,
    Status,
    checked_name,
)

#: A longer value is the rest of a sentence, not what a profile field holds.
_LONGEST_VALUE = 40
#: Why what a tool or page said stands beside what it contradicts.
UNTRUSTED = "What an untrusted source says does not replace a person's word."
#: What a call of `remember` says: under one idempotency key it is the same each time.
_ASKED = ("digest", "category", "confidence", "evergreen", "expires_us", "source", "metadata")
#: How many of the latest facts, whatever their attribute, a new one is held against.
_LATEST = 50
#: The same for one that may end a fact of any attribute.
_FAR = 2000


def new_fact(
    scope: Scope,
    text: str,
    cleaner: Cleaner,
    *,
    category: str | None = None,
    field: str | None = None,
    confidence: float | None = None,
    evergreen: bool = False,
    expires_us: int | None = None,
    source: str = "user",
    trust: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    idempotency_key: str | None = None,
    valid_from_us: int | None = None,
    zone_min: int = 0,
    session_id: str | None = None,
    evidence: tuple[Evidence, ...] = (),
    said_us: int | None = None,
    infer_field: bool = True,
) -> Fact:
    """Check what is said of a fact, clean it and read its statement; raises InvalidInput that says what is wrong."""
    recorded_us = now_us()
    fact = Fact(
        id=new_id(),
        text=_something(text),
        valid_from_us=recorded_us if valid_from_us is None else valid_from_us,
        recorded_us=recorded_us,
        zone_min=zone_min,
        category=_category(category, field),
        field=field,
        confidence=_confidence(confidence),
        evergreen=checked_flag(evergreen, "evergreen"),
        source=checked_name("source", source),
        trust=trust or trust_of(source),
        agent_id=scope.agent_id,
        project_id=scope.project_id,
        session_id=session_id,
        expires_us=expires_us,
        idempotency_key=None if idempotency_key is None else checked_name("idempotency_key", idempotency_key),
        evidence=evidence,
        last_verified_us=said_us,
        metadata=checked_metadata(metadata),
    )
    return derived(cleaner.fact(fact), infer_field=infer_field)


def derived(fact: Fact, *, infer_field: bool = False) -> Fact:
    """The fact with what follows from its words: whom and what it speaks of, and what makes it the same as another.

    infer_field: a plain statement of what a profile field holds fills that field.
    """
    statements = parse_statements(fact.text)
    subject, attribute = (statements[0].subject, statements[0].attribute) if statements else (None, None)
    if fact.field is None and infer_field and len(statements) == 1 and _fills_a_field(statements[0]):
        fact = replace(fact, field=FIELD_OF_ATTRIBUTE[statements[0].attribute])
    if fact.field is not None:
        subject, attribute = "user", attribute_of_field(fact.field)
    return replace(fact, subject=subject, attribute=attribute, digest=_digest(fact))


def _fills_a_field(said: Statement) -> bool:
    """Said plainly of the user, now, and short: "I moved to Cusco" is the profile's location, however it was said."""
    plain = said.subject == "user" and said.tense == "now" and said.polarity > 0 and said.exclusive
    return plain and said.attribute in FIELD_OF_ATTRIBUTE and 0 < len(said.value) <= _LONGEST_VALUE


def _something(text: str) -> str:
    text = checked_text(text).strip()
    if not text:
        message = "there is nothing to remember: the text is empty"
        raise InvalidInput(message)
    return text


def _category(category: str | None, field: str | None) -> str:
    if category is not None and category not in CATEGORIES:
        message = f"unknown category {echo(category)}: use one of {', '.join(CATEGORIES)}"
        raise InvalidInput(message)
    return category or ("identity" if field else "other")


def _confidence(confidence: float | None) -> float:
    if confidence is not None and not (isinstance(confidence, int | float) and 0 <= confidence <= 1):
        message = f"confidence is a number from 0 to 1, not {echo(confidence)}"
        raise InvalidInput(message)
    return 1.0 if confidence is None else float(confidence)


def _digest(fact: Fact) -> bytes:
    """What makes two facts the same one: their folded words, their field, and the narrower scope they apply to."""
    value = fact.text.removeprefix(f"{fact.field}: ")  # as a profile writes it; said by either way it is the same fact
    words = " ".join(fold(value).split()).rstrip(".!。！ ")
    key = "\0".join((words, fact.field or "", fact.agent_id or "", fact.project_id or ""))
    return hashlib.blake2b(key.encode(), digest_size=16).digest()


@again_when_yielded
def remember(store: Store, scope: Scope, facts: Sequence[Fact]) -> list[ReceiptItem]:
    """Hold statements against what is known of their subjects, and write what follows, in one transaction."""
    terms = {fact.id: index_terms(fact.text) for fact in facts}
    with store.transaction(scope.partition) as transaction:
        for fact in facts:
            if fact.idempotency_key is not None:
                _check_key(_under_key(transaction, fact), fact)
        return [place(transaction, fact, terms) for fact in facts]


def _under_key(transaction: Transaction, fact: Fact) -> list[Fact]:
    """Every version that was stored for this agent and project under a fact's idempotency key, newest first."""
    used = transaction.facts(idempotency_key=fact.idempotency_key)
    return [old for old in used if _same_narrow_scope(old, fact)]


def _check_key(used: Sequence[Fact], fact: Fact) -> None:
    """A key names one call: the same key with other words or another manner of keeping them is a mistake."""
    if used and not any(all(getattr(old, name) == getattr(fact, name) for name in _ASKED) for old in used):
        raise IdempotencyConflict


def place(
    transaction: Transaction, fact: Fact, terms: Mapping[str, Sequence[str]], *, wary: bool = False
) -> ReceiptItem:
    """Decide and apply inside a transaction, so that fifty at once are one row.

    wary: what would replace something waits for a person instead.
    """
    if fact.idempotency_key is not None:
        done = _under_key(transaction, fact)
        if done:
            return ReceiptItem(done[0].id, "duplicate", "this idempotency_key was used before")
    same = transaction.facts(digest=fact.digest, limit=1)
    if same and _is_over(same[0]):
        retire(transaction, same[0], "it had expired")
    elif same:
        return _again(transaction, same[0], fact)
    if fact.evidence and transaction.was_rejected(fact.digest):  # said to `remember`, it is a new word
        return ReceiptItem(None, "skipped", "a person rejected this")
    if transaction.was_forgotten(fact.evidence):
        return ReceiptItem(None, "skipped", "what these words say was forgotten")
    decision, known = decide(transaction, fact)
    if wary and decision.action == "supersede":
        decision = Decision("pend", decision.target_ids, "it would replace something of weight: a person decides")
    return _carry_out(transaction, fact, decision, known, terms)


def _is_over(fact: Fact) -> bool:
    return fact.expires_us is not None and fact.expires_us <= now_us()


def decide(transaction: Transaction, fact: Fact) -> tuple[Decision, dict[str, Fact]]:
    """What a fact does to those it meets, and those it meets, by id."""
    met = [
        old
        for old in _neighbours(transaction, fact)
        if old.id != fact.id and old.category != SUMMARY and _same_narrow_scope(old, fact) and not _is_over(old)
    ]
    decision = reconcile(
        fact.text,
        parse_statement(fact.text),
        [_as_neighbour(old) for old in met],
        category=fact.category,
        field=fact.field,
        confidence=fact.confidence,
    )
    return decision, {old.id: old for old in met}


def _again(transaction: Transaction, old: Fact, fact: Fact) -> ReceiptItem:
    """The same words again: count it; a new version only where something else about it was said this time.

    An untrusted source adds nothing to what a person said; a person's word makes what the web said theirs.
    """
    plain: dict[str, Any] = {
        "evergreen": False,
        "expires_us": None,
        "category": "other",
        "metadata": {},
        "trust": "untrusted",
    }
    said = {
        name: getattr(fact, name)
        for name, unsaid in plain.items()
        if getattr(fact, name) not in (unsaid, getattr(old, name)) and (name != "trust" or old.trust == "untrusted")
    }
    if not said or (fact.trust == "untrusted" and old.trust != "untrusted"):
        transaction.apply([_confirmed(old, fact)])
        return ReceiptItem(old.id, "duplicate", "known already; counted once more")
    revised = replace(old, **said)
    new_version(transaction, old, revised, fact.recorded_us, "said again with more detail")
    return ReceiptItem(old.id, "stored", "known already; its details were changed")


def _confirmed(old: Fact, fact: Fact) -> ConfirmFact:
    """Said again. What was drawn from a conversation is a person's own statement once one makes it."""
    stated = old.source.startswith(EXTRACTED) and not fact.source.startswith(EXTRACTED) and fact.trust != "untrusted"
    when_us = _said_us(fact) or fact.recorded_us
    return ConfirmFact(old.id, old.version, when_us, fact.evidence, fact.source if stated else None)


def _neighbours(transaction: Transaction, fact: Fact) -> list[Fact]:
    """What may speak for or against it: the same field, the same attributes, the latest about the same subject.

    For a correction that names only the wrong value ("Tuesday, not Monday") also the latest facts that hold it.
    """
    found: dict[str, Fact] = {}
    if fact.field is not None:
        found |= {old.id: old for old in transaction.facts(field=fact.field)}
    statements = parse_statements(fact.text)
    pairs = {(s.subject, s.attribute) for s in statements} | {(fact.subject, fact.attribute)}
    for subject, attribute in sorted((s, a) for s, a in pairs if s and a):
        found |= {old.id: old for old in transaction.facts(subject=subject, attribute=attribute)}
    if fact.subject is not None:
        reach = _FAR if any(map(may_end_anything, statements)) else _LATEST
        found |= {old.id: old for old in transaction.facts(subject=fact.subject, limit=reach)}
    wrong = [s.replaces for s in statements if s.replaces and (s.correction or not s.attribute)]
    if wrong:
        latest = transaction.facts(limit=_LATEST)
        found |= {old.id: old for old in latest if any(value in fold(old.text) for value in wrong)}
    return list(found.values())


def _same_narrow_scope(old: Fact, fact: Fact) -> bool:
    """What is true for one agent or project says nothing against what is true for another."""
    return (old.agent_id, old.project_id) == (fact.agent_id, fact.project_id)


def _as_neighbour(fact: Fact) -> Neighbour:
    return Neighbour(
        id=fact.id,
        text=fact.text,
        category=fact.category,
        field=fact.field,
        status=fact.status.value,
        statement=parse_statement(fact.text),
        similarity=0.0,
    )


def _carry_out(
    transaction: Transaction,
    fact: Fact,
    decision: Decision,
    known: Mapping[str, Fact],
    terms: Mapping[str, Sequence[str]],
) -> ReceiptItem:
    """Apply a decision. What an untrusted source says stands beside a person's word, never in its place."""
    targets = [known[target] for target in decision.target_ids]
    action = decision.action
    if action == "supersede" and outranked(fact, targets):
        action, decision = "dispute", replace(decision, reason=UNTRUSTED)
    if action == "supersede" and targets and all(_said_us(old) > _said_us(fact) > 0 for old in targets):
        return _add_as_past(transaction, fact, targets[0], terms[fact.id])
    if action == "ignore":
        return ReceiptItem(None, "skipped", decision.reason)
    if action == "confirm":
        old = targets[0]
        transaction.apply([_confirmed(old, fact)])
        return ReceiptItem(old.id, "duplicate", decision.reason)
    changes: list[Change] = []
    if action == "supersede":
        fact = replace(fact, supersedes_id=targets[0].id, reason=None)
        changes += [superseded_by(fact, old, decision.reason, fact.recorded_us) for old in targets]
    elif action == "dispute":
        fact = replace(fact, status=Status.DISPUTED, reason=decision.reason)
        changes += [DisputeFact(old.id, old.version, decision.reason) for old in targets]
    elif action == "pend":
        fact = replace(fact, status=Status.PENDING, reason=decision.reason)
    _add(transaction, fact, changes, terms[fact.id])
    if action == "pend":
        return ReceiptItem(fact.id, "pending", decision.reason)
    if action == "supersede":
        return ReceiptItem(fact.id, "superseded", decision.reason, replaced_id=targets[0].id)
    return ReceiptItem(fact.id, "stored", decision.reason if action == "dispute" else None)


def outranked(fact: Fact, targets: Sequence[Fact]) -> bool:
    """Whether an untrusted fact would take the place of one that is not."""
    return fact.trust == "untrusted" and any(old.trust != "untrusted" for old in targets)


def _said_us(fact: Fact) -> int:
    """When it was last said, by its message's own timestamp; 0 where it has none, and the order of arrival counts."""
    return 0 if fact.last_verified_us is None else fact.last_verified_us


def _add_as_past(transaction: Transaction, fact: Fact, newer: Fact, terms: Sequence[str]) -> ReceiptItem:
    """Said earlier, though heard later: it takes its place in the history, and the newer statement stays."""
    reason = "a newer statement about the same thing was known already"
    past = replace(
        fact,
        status=Status.SUPERSEDED,
        reason=reason,
        retired_us=fact.recorded_us,
        valid_to_us=newer.valid_from_us,
        superseded_by_id=newer.id,
    )
    _add(transaction, past, (), terms)
    return ReceiptItem(fact.id, "stored", reason)


def twins(transaction: Transaction, fact: Fact) -> list[Fact]:
    """Other current facts in the same words: changed by hand, two can become one."""
    return [old for old in transaction.facts(digest=fact.digest) if old.id != fact.id]


def superseded_by(fact: Fact, old: Fact, reason: str, at_us: int) -> RetireFact:
    """The change that puts `fact` in the place of an old one."""
    return RetireFact(
        old.id,
        old.version,
        Status.SUPERSEDED,
        reason,
        retired_us=at_us,
        valid_to_us=max(fact.valid_from_us, old.valid_from_us),
        superseded_by_id=fact.id,
    )


def _add(transaction: Transaction, fact: Fact, before: Sequence[Change], terms: Sequence[str]) -> None:
    *_, row = transaction.apply([*before, AddFact(fact)], {fact.id: terms})
    transaction.enqueue(NewJob("embed", {"first_row": row, "last_row": row}))


def stand_beside(transaction: Transaction, fact: Fact, old: Fact, reason: str) -> None:
    """Keep both, disputed: nothing decides between them."""
    beside = replace(fact, status=Status.DISPUTED, reason=reason)
    _add(transaction, beside, [DisputeFact(old.id, old.version, reason)], index_terms(fact.text))


def new_version(transaction: Transaction, old: Fact, revised: Fact, at_us: int, reason: str) -> Fact:
    """Put a new version of a fact in the old one's place, under the same id."""
    fact = replace(revised, version=old.version + 1, recorded_us=at_us, row=0, evidence=())
    retired = RetireFact(old.id, old.version, Status.SUPERSEDED, reason, at_us, None, old.id)
    _add(transaction, fact, [retired], index_terms(fact.text))
    return fact


def retire(transaction: Transaction, fact: Fact, reason: str, status: Status = Status.EXPIRED) -> None:
    """Take a fact out of the present without putting another in its place."""
    at_us = now_us()
    transaction.apply([RetireFact(fact.id, fact.version, status, reason, at_us, max(at_us, fact.valid_from_us), None)])
