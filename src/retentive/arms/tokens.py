"""Tokens: late interaction, the likeliest word of a memory for each word of the query. For candidates only.

Khattab and Zaharia 2020, ColBERT: the score is the sum over the query's tokens of the largest inner product with one of
the memory's; here weighed by how much each token says, so that it is at most 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retentive.arms.vectors import fill_in
from retentive.corpus import TOKEN_UNIT, Corpus, Floats, Ints, unpack_tokens

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
    matches = _best_matches(query * np.float32(1 / TOKEN_UNIT), states, sizes)  # one row more: zeros for 'no neighbour'
    before, after = _candidates_beside(corpus, candidates)
    beside = np.maximum(matches.take(before, axis=0), matches.take(after, axis=0))
    ones = np.ones(len(query), np.float32)
    together = np.maximum(beside, matches[:-1], out=beside) @ ones
    own = matches @ ones
    np.minimum(np.maximum(own, 0.0, out=own), 1.0, out=own)
    if text is not None:
        fill_in(own[:-1], sizes == 0, text)
    window = np.maximum(own.take(before), own.take(after))
    scores = own[:-1]
    together -= scores
    scores += np.float32(_BESIDE) * np.maximum(together, 0.0, out=together)
    return np.minimum(scores, 1.0, out=scores), window


def _candidates_beside(corpus: Corpus, candidates: Ints) -> tuple[Ints, Ints]:
    """Which candidate is the one before and after each in its session; as many as there are for 'none of them'."""
    at = np.full(corpus.size + 1, len(candidates))
    at[candidates] = np.arange(len(candidates))
    before, after = corpus.neighbours()
    return at[before[candidates]], at[after[candidates]]


def _best_matches(query: Floats, states: Floats, sizes: Ints) -> Floats:
    """For each memory the largest inner product of each of the query's tokens with its own; zeros; (m + 1, t)."""
    scores = np.zeros((len(sizes) + 1, len(query)), np.float32)
    some = np.flatnonzero(sizes)
    if len(some):
        starts = np.concatenate([[0], np.cumsum(sizes[some])[:-1]])
        scores[some] = np.maximum.reduceat(states @ query.T, starts, axis=0)
    return scores
