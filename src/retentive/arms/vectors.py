"""Vectors: how near a memory and its neighbours lie to the query in meaning.

Vectors of two models side by side (`contracts.Embedder.split`) are compared part by part, each with its like.
"""

from __future__ import annotations

import math

import numpy as np

from retentive.arms.question import Question
from retentive.corpus import Corpus, Floats, Ints, Mask
from retentive.counts import View
from retentive.rank import windowed

#: Each of two parts of a memory's vector is so many times shorter than the whole.
_PART = math.sqrt(2.0)
#: A right answer has a cosine of 0.3 by the second model where it has 0.42 by the first: to one scale.
_SECOND = 1.4


def vector_arms(
    corpus: Corpus, query: Floats, view: View, text: Floats | None = None, split: int = 0
) -> tuple[Floats, Floats]:
    """Cosine of each memory, and the mean of its window's, (n,) each.

    A memory without a vector, because it waits for it or is in a language the model does not know, is taken to be as
    near as its words make it: its `text` score of the best cosine. With 0 it would stand behind all that have one.
    """
    cosine = _cosine(corpus.vectors, query, split)
    blank = cosine == 0
    np.maximum(cosine, 0, out=cosine)
    if not view.whole:
        cosine *= view.mask
    if text is not None:
        fill_in(cosine, blank & view.mask, text)
    window = windowed(cosine, *corpus.neighbours())
    window /= view.window_sizes
    return cosine, window


def _cosine(vectors: Floats, query: Floats, split: int) -> Floats:
    """Cosine of each vector (n, d) and the query: by the first part where both have it, else by the second."""
    if not split:
        whole: Floats = vectors @ query
        return whole
    cosine: Floats = _PART * (vectors[:, :split] @ query[:split])
    if query[split:-1].any():
        blank = np.flatnonzero(cosine == 0)
        cosine[blank] = np.minimum(_SECOND * _PART * (vectors[blank, split:-1] @ query[split:-1]), 1.0)
    return cosine


def lacks_part(corpus: Corpus, mask: Mask, question: Question) -> bool:
    """Whether some memory in view may have only a part of a vector that the query has not."""
    if not question.split or question.vector is None or question.foreign:
        return False
    return bool((corpus.column("partial") & mask).any())


def likeness(corpus: Corpus, places: Ints, split: int) -> Floats:
    """Cosine of these memories with each other (m, m)."""
    vectors = corpus.vectors[places]
    if not split:
        whole: Floats = vectors @ vectors.T
        return whole
    first, second = vectors[:, :split], vectors[:, split:-1]
    cosine = first @ first.T
    alike: Floats = 2 * np.where(cosine == 0, second @ second.T, cosine)
    return alike


def fill_in(scores: Floats, blank: Mask, text: Floats) -> None:
    """Give those that an arm cannot see the share of its best score that they have of the best text score, in place."""
    if blank.any():
        scores[blank] = scores.max(initial=0.0) * text[blank]
