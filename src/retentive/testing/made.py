"""Memories made for checks, and the way they are put into a store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from retentive.analyze import index_terms
from retentive.clock import new_id
from retentive.contracts import Remembered, Store
from retentive.corpus import Floats
from retentive.remember import derived
from retentive.testing.words import StubEmbedder
from retentive.types import AddEpisode, AddFact, Episode, Evidence, Fact, NewJob, Partition, indexed_text

#: 2026-01-01T00:00:00Z
START_US = 1_767_225_600_000_000
HOUR_US = 3_600_000_000
ALICE = Partition("default", "user", "alice")
BOB = Partition("default", "user", "bob")
#: Neighbours of Alice by one word of her name each.
STRANGERS = (BOB, Partition("default", "agent", "alice"), Partition("acme", "user", "alice"))
EMBEDDER = StubEmbedder()


def said(text: str, **more: Any) -> Episode:
    """A message, said an hour into 2026."""
    at_us = START_US + HOUR_US
    return replace(Episode(new_id(), text, at_us, at_us, name="Alice", session_id="s1"), **more)


def known(text: str, *, of: Episode | None = None, **more: Any) -> Fact:
    """A fact, known two hours into 2026, resting on all of a message's words."""
    at_us = START_US + 2 * HOUR_US
    evidence = () if of is None else (Evidence(of.id, of.text),)
    return derived(replace(Fact(new_id(), text, at_us, at_us, evidence=evidence), **more))


def put(store: Store, partition: Partition, memories: Sequence[Remembered], jobs: Sequence[NewJob] = ()) -> list[int]:
    """Store memories, and jobs with them, in one transaction; returns their rows."""
    changes = [AddEpisode(one) if isinstance(one, Episode) else AddFact(one) for one in memories]
    terms = {one.id: index_terms(indexed_text(one)) for one in memories}
    with store.transaction(partition) as transaction:
        rows = transaction.apply(changes, terms)
        for job in jobs:
            transaction.enqueue(job)
    return rows


def vectors_of(texts: Sequence[str]) -> Floats:
    """Vectors of texts by the embedder of these checks."""
    return EMBEDDER.embed(texts)
