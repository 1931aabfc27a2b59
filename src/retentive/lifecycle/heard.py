"""What was heard of a fact since it was last said: the later messages that share its words, found in the index."""

from __future__ import annotations

from typing import Final

import numpy as np

from retentive.analyze import query_terms
from retentive.contracts import Backend
from retentive.corpus import Corpus
from retentive.fading import since_us
from retentive.policy import extractable
from retentive.types import Episode, Fact, Partition, Tier

#: Messages looked at for one fact: those that share most of its words, the newest first among equals.
_MOST: Final = 3
#: The share of a fact's words that a message must hold to speak of it.
_SHARED: Final = 0.4


def heard_since(backend: Backend, partition: Partition, fact: Fact) -> list[Episode]:
    """Messages of the fact's own scope that may speak of it, oldest first. Only those that state facts at all."""
    with backend.index.snapshot(partition) as corpus:
        rows = _sharing(corpus, fact)
    found = (memory for _, memory in sorted(backend.store.fetch(partition, rows).items()))
    return [one for one in found if isinstance(one, Episode) and extractable(one) and may_speak_of(one, fact)]


def may_speak_of(episode: Episode, fact: Fact) -> bool:
    """Whether a message was said later than the fact, in its own scope."""
    narrow = (episode.agent_id, episode.project_id)
    return narrow == (fact.agent_id, fact.project_id) and episode.timestamp_us > since_us(fact)


def _sharing(corpus: Corpus, fact: Fact) -> list[int]:
    """Rows of the messages that share most words with a fact."""
    words = [term.alternatives[0][0] for term in query_terms(fact.text) if term.weight >= 1]
    later = (
        corpus.column("alive")
        & corpus.column("current")
        & corpus.column("own")
        & (corpus.column("tier") == Tier.EPISODIC)
        & (corpus.column("timestamp_us") > since_us(fact))
    )
    shared = np.zeros(corpus.size, np.int32)
    for word in dict.fromkeys(words):
        places, _ = corpus.postings(word)
        shared[places] += 1
    shared[~later] = 0
    enough = np.flatnonzero(shared >= max(1.0, _SHARED * len(words)))
    best = enough[np.lexsort((-enough, -shared[enough]))][:_MOST]
    rows: list[int] = corpus.column("row")[best].tolist()
    return rows
