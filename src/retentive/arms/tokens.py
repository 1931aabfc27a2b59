"""Tokens: late interaction, the likeliest word of a memory for each word of the query. For candidates only.

Khattab and Zaharia 2020, ColBERT: the score is the sum over the query's tokens of the largest inner product with one of
the memory's; here weighed by how much each token says, so that it is at most 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retentive.arms.vectors import fill_in
from retentive.corpus import Corpus, Floats, Ints, unpack_tokens


def token_arms(
    corpus: Corpus, query: Floats, candidates: Ints, packed: Sequence[bytes], text: Floats | None = None
) -> tuple[Floats, Floats]:
    """The score of each candidate (m,), and the best score of its two neighbours that are candidates too.

    `query` (t, d); `packed` are the candidates' token states in their order, empty where there are none; such a
    candidate is scored by its share of the best `text` score (m,), as one without a vector is.
    """
    states, sizes = unpack_tokens(packed, query.shape[1])
    own = _best_matches(query, states, sizes)
    if text is not None:
        fill_in(own, sizes == 0, text)
    everywhere = np.zeros(corpus.size + 1, np.float32)  # the last is for 'no neighbour'
    everywhere[candidates] = own
    before, after = corpus.neighbours()
    return own, np.maximum(everywhere[before[candidates]], everywhere[after[candidates]])


def _best_matches(query: Floats, states: Floats, sizes: Ints) -> Floats:
    scores = np.zeros(len(sizes), np.float32)
    some = sizes > 0
    if some.any():
        starts = np.concatenate([[0], np.cumsum(sizes[some])[:-1]])
        scores[some] = np.maximum.reduceat(states @ query.T, starts, axis=0).sum(axis=1)
    return np.clip(scores, 0.0, 1.0)
