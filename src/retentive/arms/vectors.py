"""Vectors: how near a memory and its neighbours lie to the query in meaning."""

from __future__ import annotations

import numpy as np

from retentive.corpus import Corpus, Floats, Mask
from retentive.rank import windowed


def vector_arms(corpus: Corpus, query: Floats, mask: Mask, text: Floats | None = None) -> tuple[Floats, Floats]:
    """Cosine of each memory, and the mean of its window's, (n,) each.

    A memory without a vector, because it waits for it or is in a language the model does not know, is taken to be as
    near as its words make it: its `text` score of the best cosine. With 0 it would stand behind all that have one.
    """
    cosine: Floats = corpus.vectors @ query
    blank = cosine == 0
    cosine[(cosine < 0) | ~mask] = 0
    if text is not None:
        fill_in(cosine, blank & mask, text)
    before, after = corpus.neighbours()
    window = windowed(cosine, before, after)
    window /= np.maximum(windowed(mask.astype(np.float32), before, after), 1)
    return cosine, window


def fill_in(scores: Floats, blank: Mask, text: Floats) -> None:
    """Give those that an arm cannot see the share of its best score that they have of the best text score, in place."""
    if blank.any():
        scores[blank] = scores.max(initial=0.0) * text[blank]
