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
#: How much of what a memory has in common with all others is taken off; less where these are few, by half at twenty.
_COMMON, _COMMON_FEW = 0.8, 20
#: So many memories tell what all have in common.
_SAMPLE = 256


def vector_arms(
    corpus: Corpus,
    query: Floats,
    view: View,
    text: Floats | None = None,
    split: int = 0,
    *,
    apart: float = 0.0,
) -> tuple[Floats, Floats]:
    """Cosine of each memory, and the mean of its window's, (n,) each.

    A memory without a vector, because it waits for it or is in a language the model does not know, is taken to be as
    near as its words make it: its `text` score of the best cosine. With 0 it would stand behind all that have one.

    A message is as near as the nearest fact drawn from it where that is nearer, unless the fact is in view itself: it
    says the same without what is beside the point, and names who is meant.

    apart: how far memories are told apart by what they do not have in common, from 0 to 1; for the second model.
    """
    cosine = _cosine(corpus.vectors, query, split)
    if len(view.lent):
        facts, messages = view.lent.T
        np.maximum.at(cosine, messages, cosine[facts])
    blank = None if cosine.all() else (cosine == 0) & view.mask
    if apart:
        there = np.flatnonzero(view.mask if blank is None else view.mask & ~blank)
        cosine[there] -= np.float32(apart) * _in_common(corpus.vectors[there, split:-1])
    np.maximum(cosine, 0, out=cosine)
    if not view.whole:
        cosine *= view.mask
    if blank is not None and text is not None:
        fill_in(cosine, blank, text)
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


def _in_common(vectors: Floats) -> Floats:
    """What each (n, d) has in common with the mean of all, above the mean of that: 0 on the whole.

    A memory near the middle is near to any query (a hub: Radovanovic, Nanopoulos and Ivanovic 2010); of a language
    that the model knows less well all are.
    """
    sample = vectors[:: max(1, len(vectors) // _SAMPLE)]
    middle = sample.sum(axis=0) / max(len(sample), 1)
    weight = _SECOND * 2 * _COMMON * len(sample) / (len(sample) + _COMMON_FEW)
    common: Floats = np.float32(weight) * (vectors @ middle - middle @ middle)
    return common


def lacks_part(corpus: Corpus, mask: Mask, question: Question) -> bool:
    """Whether some memory in view may have only a part of a vector that the query has not."""
    if not question.split or question.vector is None or question.foreign:
        return False
    return bool((corpus.column("partial") & mask).any())


def likeness(corpus: Corpus, places: Ints, split: int) -> Floats:
    """Cosine of these memories with each other (m, m), of each with itself 0."""
    vectors = corpus.vectors.take(places, axis=0)
    first, second = vectors[:, : split or None], vectors[:, split:-1]
    cosine: Floats = first @ first.T
    if split:
        cosine = 2 * np.where(cosine == 0, second @ second.T, cosine)
    cosine.reshape(-1)[:: len(places) + 1] = 0
    return cosine


def fill_in(scores: Floats, blank: Mask, text: Floats) -> None:
    """Give those that an arm cannot see the share of its best score that they have of the best text score, in place."""
    if blank.any():
        scores[blank] = scores.max(initial=0.0) * text[blank]
