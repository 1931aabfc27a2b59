"""Changing what is known by a person's own hand: a new version of a fact, a field emptied, and the line of versions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from retentive.again import again_when_yielded
from retentive.cleaning import Cleaner
from retentive.clock import now_us
from retentive.contracts import Store, Transaction
from retentive.errors import Conflict, NotFound
from retentive.remember import UNTRUSTED, decide, new_fact, new_version, outranked, retire, superseded_by, twins
from retentive.results import ReceiptItem
from retentive.types import EMPTIED, UPDATED, DisputeFact, Episode, Fact, Partition, Scope, Status


def current(transaction: Transaction, fact_id: str, version: int | None) -> Fact:
    """The current version of a fact to change; raises NotFound, Conflict, or InvalidInput for an episode."""
    found = transaction.facts(id=fact_id, limit=1) if isinstance(fact_id, str) else []
    if not found:
        message = "no current fact has this id here; the log of episodes itself is never changed: forget or remember"
        raise NotFound(message)
    if version is not None and found[0].version != version:
        raise Conflict
    return found[0]


def revised(scope: Scope, old: Fact, text: str | None, changes: Mapping[str, Any], cleaner: Cleaner) -> Fact:
    """The fact with its changes, checked as a new one would be."""
    known: dict[str, Any] = {
        "category": old.category,
        "confidence": old.confidence,
        "evergreen": old.evergreen,
        "expires_us": old.expires_us,
        "metadata": old.metadata,
    }
    narrow = replace(scope, agent_id=old.agent_id or _owner(scope), project_id=old.project_id)
    words = old.text if text is None else text
    fresh = new_fact(narrow, words, cleaner, field=old.field, source=old.source, **{**known, **changes})
    same = {name: getattr(old, name) for name in ("id", "zone_min", "agent_id", "trust", "session_id", "seen_count")}
    return replace(fresh, **same, idempotency_key=old.idempotency_key, supersedes_id=old.supersedes_id)


def _owner(scope: Scope) -> str | None:
    """An agent's own partition needs its name; a user's does not."""
    return None if scope.user_id is not None else scope.agent_id


@again_when_yielded
def change(
    store: Store, scope: Scope, fact_id: str, version: int | None, revise: Callable[[Fact], Fact]
) -> ReceiptItem:
    """Put what `revise` makes of a fact in its place, if it is still in the version that was read.

    New words meet what is known as any statement does; what waits for a person goes on waiting.
    """
    with store.transaction(scope.partition) as transaction:
        old = current(transaction, fact_id, version)
        fact, at_us = revise(old), now_us()
        if old.status is Status.PENDING or fact.digest == old.digest:
            reason = None if old.status is Status.ACTIVE else old.reason
            new_version(transaction, old, replace(fact, status=old.status, reason=reason), at_us, UPDATED)
            return ReceiptItem(old.id, "pending" if old.status is Status.PENDING else "stored")
        return _settled(transaction, old, fact, at_us)


def _settled(transaction: Transaction, old: Fact, fact: Fact, at_us: int) -> ReceiptItem:
    """Write a fact's new words: in the place of what they contradict, or disputed beside it."""
    decision, known = decide(transaction, fact)
    met = [known[target] for target in decision.target_ids]
    beside = outranked(fact, met)
    same = [twin for twin in twins(transaction, fact) if not outranked(fact, [twin])]
    replaced = met if decision.action == "supersede" and not beside else same
    for other in replaced:
        transaction.apply([superseded_by(fact, other, decision.reason, at_us)])
    if decision.action in {"dispute", "pend"} or (decision.action == "supersede" and beside):
        reason = UNTRUSTED if beside else decision.reason
        transaction.apply([DisputeFact(other.id, other.version, reason) for other in met])
        new_version(transaction, old, replace(fact, status=Status.DISPUTED, reason=reason), at_us, UPDATED)
        return ReceiptItem(old.id, "stored", reason)
    if not replaced:
        new_version(transaction, old, fact, at_us, UPDATED)
        return ReceiptItem(old.id, "stored")
    new_version(transaction, old, replace(fact, supersedes_id=replaced[0].id), at_us, UPDATED)
    return ReceiptItem(old.id, "superseded", decision.reason, replaced[0].id)


@again_when_yielded
def empty_field(store: Store, scope: Scope, field: str, in_scope: Callable[[Fact], bool]) -> None:
    """Retire what a profile field holds."""
    with store.transaction(scope.partition) as transaction:
        for old in filter(in_scope, transaction.facts(field=field)):
            retire(transaction, old, EMPTIED)


def line_of_descent(store: Store, partition: Partition, memory: Episode | Fact) -> list[Episode | Fact]:
    """All versions of a fact, of those it replaced and of those that replaced it, oldest first."""
    if isinstance(memory, Episode):
        return [memory]
    found: dict[tuple[str, int], Fact] = {}
    waiting, seen = [memory.id], {memory.id}
    while waiting:
        for version in store.versions(partition, waiting.pop()):
            found[version.id, version.version] = version
            for other in (version.supersedes_id, version.superseded_by_id):
                if other is not None and other not in seen:
                    seen.add(other)
                    waiting.append(other)
    return sorted(found.values(), key=lambda fact: fact.row)
