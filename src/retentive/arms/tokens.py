"""Tokens: late interaction, the likeliest word of a memory for each word of the query. For candidates only.

Khattab and Zaharia 2020, ColBERT: the score is the sum over the query's tokens of the largest inner product with one of
the memory's; here weighed by how much each token says, so that it is at most 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retentive.arms.vectors import fill_in
from retentive.corpus import Corpus, Floats, Ints, unpack_tokens

#: What a word of the query that only a neighbour has counts for, of one that the memory itself has.
_BESIDE = 0.3


def token_arms(
    corpus: Corpus, query: Floats, candidates: Ints, packed: Sequence[bytes], text: Floats | None = None
) -> tuple[Floats, Floats]:
    """The score of each candidate (m,), and the best score of its two neighbours that are candidates too.

    `query` (t, d); `packed` are the candidates' token states in their order, empty where there are none; such a
    candidate is scored by its share of the best `text` score (m,), as one without a vector is. An answer has words that
    stand in the question before it: where a neighbour has a likelier one, 0.3 of what it is likelier by counts.
    """
    states, sizes = unpack_tokens(packed, query.shape[1])
    matches = _best_matches(query, states, sizes)
    own = np.clip(matches.sum(axis=1), 0.0, 1.0)
    if text is not None:
        fill_in(own, sizes == 0, text)
    before, after = _candidates_beside(corpus, candidates)
    none = np.zeros((1, len(query)), np.float32)
    padded, alone = np.concatenate([matches, none]), np.append(own, np.float32(0))
    together = np.maximum(np.maximum(padded[before], padded[after]), matches).sum(axis=1)
    scores = own + np.float32(_BESIDE) * np.maximum(np.clip(together, 0.0, 1.0) - own, 0.0)
    return scores, np.maximum(alone[before], alone[after])


def _candidates_beside(corpus: Corpus, candidates: Ints) -> tuple[Ints, Ints]:
    """Which candidate is the one before and after each in its session; as many as there are for 'none of them'."""
    at = np.full(corpus.size + 1, len(candidates))
    at[candidates] = np.arange(len(candidates))
    before, after = corpus.neighbours()
    return at[before[candidates]], at[after[candidates]]


def _best_matches(query: Floats, states: Floats, sizes: Ints) -> Floats:
    """For each memory (m,) the largest inner product of each of the query's tokens with one of its own, (m, t)."""
    scores = np.zeros((len(sizes), len(query)), np.float32)
    some = sizes > 0
    if some.any():
        starts = np.concatenate([[0], np.cumsum(sizes[some])[:-1]])
        scores[some] = np.maximum.reduceat(states @ query.T, starts, axis=0)
    return scores
