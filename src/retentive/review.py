"""The review queue: facts of weight, or of low confidence, that wait for a person before they count.

And facts that count, of weight, of which nothing was heard for long: they go on counting until a person says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from retentive.checking import checked_limit, checked_text
from retentive.cleaning import Cleaner, checked_actor
from retentive.clock import now_us
from retentive.contracts import Store, Transaction
from retentive.contracts.audit import LOCAL
from retentive.errors import NotFound
from retentive.redaction import RedactionPolicy
from retentive.remember import decide, derived, new_version, retire, superseded_by, twins
from retentive.results import Item, ReceiptItem, fact_item
from retentive.types import APPROVED, STALE, Fact, Partition, Status


@dataclass(frozen=True, slots=True)
class Pending:
    """One fact that waits, whose it is, and why it waits."""

    partition: Partition
    item: Item
    reason: str | None


class Review:
    """`memory.review`: for the operator of a store, across its scopes."""

    def __init__(self, store: Store, policy: RedactionPolicy, wake: Callable[[], None]) -> None:
        self._store = store
        self._policy = policy
        self._wake = wake

    def pending(self, limit: int = 100) -> list[Pending]:
        """What waits, oldest first."""
        return [
            Pending(whose, fact_item(fact), fact.reason)
            for whose, fact in self._store.pending(limit=checked_limit(limit, "limit"))
        ]

    def approve(self, id: str, *, text: str | None = None, actor: str = LOCAL) -> ReceiptItem:  # noqa: A002
        """Let a fact count, as it is or with the text a person gives it; it takes the place of what it contradicts.

        One that counts already is as sure as if it had been said today. actor: whose decision it is, for the audit.
        """
        partition = self._whose(id)
        words = None if text is None else Cleaner(self._policy).text(checked_text(text).strip())
        with self._store.acting(checked_actor(actor)).transaction(partition, verb="approve") as transaction:
            waiting = _waiting(transaction, id)
            believed = replace(waiting, status=Status.ACTIVE, reason=None, confidence=1.0)
            fact = derived(replace(believed, text=words)) if words else believed
            decision, known = decide(transaction, fact)
            at_us = now_us()
            targets = decision.target_ids if decision.action == "supersede" else ()
            replaced = [known[target] for target in targets if target != id] or twins(transaction, fact)
            for old in replaced:
                transaction.apply([superseded_by(fact, old, decision.reason, at_us)])
            supersedes_id = replaced[0].id if replaced else waiting.supersedes_id
            new_version(transaction, waiting, replace(fact, supersedes_id=supersedes_id), at_us, APPROVED)
        self._wake()
        return ReceiptItem(id, "superseded" if replaced else "stored", "approved", replaced[0].id if replaced else None)

    def reject(self, id: str, why: str, *, actor: str = LOCAL) -> ReceiptItem:  # noqa: A002
        """Take a fact out, with the reason; an extractor that finds it again is told no."""
        reason = Cleaner(self._policy).text(checked_text(why, "why"))
        with self._store.acting(checked_actor(actor)).transaction(self._whose(id)) as transaction:
            retire(transaction, _waiting(transaction, id), reason, Status.REJECTED)
        return ReceiptItem(id, "skipped", reason)

    def _whose(self, id: str) -> Partition:  # noqa: A002
        partition = self._store.partition_of(id)
        if partition is None:
            raise NotFound
        return partition


def _waiting(transaction: Transaction, fact_id: str) -> Fact:
    found = [fact for fact in transaction.facts(id=fact_id, limit=1) if _waits(fact)]
    if not found:
        message = "no fact with this id waits for review"
        raise NotFound(message)
    return found[0]


def _waits(fact: Fact) -> bool:
    return fact.status is Status.PENDING or (fact.status is Status.ACTIVE and fact.reason == STALE)
