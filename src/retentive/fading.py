"""How sure a fact still is: confidence fades by the half-life of its kind from when it was last said or confirmed.

A job changes city more often than mother tongues: each category has its own half-life, what happened has none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from retentive.clock import duration_us
from retentive.types import Fact

#: Category -> after how long without a word about it a fact is half as sure; None: it does not fade.
HALF_LIFE_US: Final[Mapping[str, int | None]] = {
    "identity": duration_us("2y"),
    "preference": duration_us("1y"),
    "constraint": duration_us("2y"),
    "decision": duration_us("180d"),
    "open_thread": duration_us("30d"),
    "correction": duration_us("1y"),
    "relationship": duration_us("2y"),
    "event": None,
    "other": duration_us("180d"),
    "summary": None,
}


def since_us(fact: Fact) -> int:
    """When it was last said, confirmed or looked at: what its confidence fades from."""
    return max(fact.recorded_us, fact.last_verified_us or 0)


def half_life_us(fact: Fact) -> int | None:
    """The half-life of a fact's kind; None for what does not fade, as what a person wants in every prompt."""
    return None if fact.evergreen else HALF_LIFE_US[fact.category]


def faded(fact: Fact, now_us: int) -> float:
    """Its confidence now, 0 to 1: half of what it was after each half-life (exponential decay).

    >>> fact = Fact("1", "Prefers tea", 0, 0, category="preference", confidence=0.8)
    >>> faded(fact, duration_us("1y"))
    0.4
    """
    half_us = half_life_us(fact)
    if half_us is None:
        return fact.confidence
    half_lives = max(0, now_us - since_us(fact)) / half_us
    return round(fact.confidence * math.pow(0.5, half_lives), 3)


def worth(fact: Fact, now_us: int) -> float:
    """What it is worth keeping, for the order in which facts are looked at or go: sure, and often said.

    Faded confidence times log2(1 + seen_count); profile fields and evergreen facts above all others.
    """
    always = 100.0 if fact.evergreen or fact.field is not None else 0.0
    return always + faded(fact, now_us) * math.log2(1 + fact.seen_count)
