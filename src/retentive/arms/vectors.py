"""Vectors: how near a memory and its neighbours lie to the query in meaning."""

from __future__ import annotations

import numpy as np

from retentive.corpus import Corpus, Floats, Mask
from retentive.rank import windowed


def vector_arms(corpus: Corpus, query: Floats, mask: Mask) -> tuple[Floats, Floats]:
    """Cosine of each memory, and the mean of its window's, (n,) each; a memory without a vector has 0."""
    cosine: Floats = corpus.vectors @ query
    cosine[(cosine < 0) | ~mask] = 0
    before, after = corpus.neighbours()
    window = windowed(cosine, before, after)
    window /= np.maximum(windowed(mask.astype(np.float32), before, after), 1)
    return cosine, window
