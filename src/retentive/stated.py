"""What a caller states, as facts: one for each statement in the text, so that each can change alone."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

from retentive.cleaning import Cleaner
from retentive.remember import new_fact
from retentive.statement import atoms
from retentive.types import Fact, Scope


def new_facts(scope: Scope, text: str, cleaner: Cleaner, *, field: str | None, **about: Any) -> list[Fact]:
    """A fact, or one for each statement the text makes: each can change alone. What is put in a field is one.

    Of several, each has a key of its own under the one that names the call.
    """
    texts = (text,) if field is not None or not isinstance(text, str) else atoms(text)
    facts = [new_fact(scope, one, cleaner, field=field, **about) for one in texts]
    return [facts[0], *(replace(fact, idempotency_key=_part_key(fact, n)) for n, fact in enumerate(facts[1:], 2))]


def _part_key(fact: Fact, number: int) -> str | None:
    """The key of a further fact of one call: no caller's own is like it by chance."""
    if fact.idempotency_key is None:
        return None
    return hashlib.blake2b(f"{fact.idempotency_key}\0{number}".encode(), digest_size=16).hexdigest()
