"""Recall's ranking chosen by a user's own labelled queries: gathered once, searched offline, held to what is sure."""

from retentive.tune.choose import Outcome, tune
from retentive.tune.gather import Asked, Example, gather, read_asked

__all__ = ["Asked", "Example", "Outcome", "gather", "read_asked", "tune"]
