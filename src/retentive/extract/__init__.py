"""Extraction: what episodes say that is worth keeping, each with the words that say it."""

from retentive.extract.guard import MAX_FACT_CHARS, guard, locate
from retentive.extract.rules import RuleExtractor

__all__ = ["MAX_FACT_CHARS", "RuleExtractor", "guard", "locate"]
