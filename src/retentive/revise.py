"""Changing what is known by a person's own hand: a new version of a fact, a field emptied, and the line of versions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from retentive.cleaning import Cleaner
from retentive.clock import now_us
from retentive.contracts import Store, Transaction
from retentive.errors import Conflict, NotFound
from retentive.remember import new_fact, new_version, retire
from retentive.types import EMPTIED, UPDATED, Episode, Fact, Partition, Scope


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


def change(store: Store, scope: Scope, fact_id: str, version: int | None, revise: Callable[[Fact], Fact]) -> None:
    """Put what `revise` makes of a fact in its place, if it is still in the version that was read."""
    with store.transaction(scope.partition) as transaction:
        old = current(transaction, fact_id, version)
        new_version(transaction, old, revise(old), now_us(), UPDATED)


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
