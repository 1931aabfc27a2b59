"""The arms of recall: each looks at every memory in view and gives it a score of its own kind, (n,) float32.

text           BM25 of the memory's own words
text_window    BM25 of the memory with the message before and after it in the same session
vector         cosine of query and memory
vector_window  mean cosine of the memory and its two neighbours
shared         1 where the memory or its window holds a word of the query, 0 elsewhere; it has no share in the score
session        the best text-and-vector score in the memory's session
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retentive.analyze import QueryTerm
from retentive.corpus import Corpus, Floats, Mask
from retentive.rank import best_of_group, bm25, scaled, windowed

#: From this weight on a query term is content; below are function words and n-grams of grammar.
_CONTENT_WEIGHT = 0.3
#: From this count on a memory surely holds a word; a lighter one is a guess, such as a short half of a compound.
_SURE_COUNT = 0.3


def term_counts(corpus: Corpus, words: Sequence[QueryTerm]) -> Floats:
    """(q, n): how often each word of the query stands in each memory, a part or variant counting by its weight."""
    counts = np.zeros((len(words), corpus.size), np.float32)
    for line, word in zip(counts, words, strict=True):
        for term, weight in word.alternatives:
            places, found = corpus.postings(term)
            line[places] = np.maximum(line[places], weight * found)
    return counts


def content(words: Sequence[QueryTerm]) -> list[QueryTerm]:
    """The words that say what is looked for; function words only where there is nothing else.

    Measured: leaving function words out changes recall@10 by less than 0.5 points and halves the work.
    """
    return [word for word in words if word.weight >= _CONTENT_WEIGHT] or list(words)


def text_arms(corpus: Corpus, words: Sequence[QueryTerm], mask: Mask) -> dict[str, Floats]:
    """BM25 over messages and over windows of three; only memories in `mask` are counted or lend words."""
    words = content(words)
    if not words:
        nothing = np.zeros(corpus.size, np.float32)
        return {"text": nothing, "text_window": nothing, "shared": nothing}
    counts = term_counts(corpus, words)
    counts[:, ~mask] = 0.0
    lengths = np.where(mask, corpus.column("length"), 0.0).astype(np.float32)
    weights = np.array([word.weight for word in words], np.float32)
    before, after = corpus.neighbours()
    text = bm25(counts, lengths, weights, mask)
    around = windowed(counts, before, after)
    window = bm25(around, windowed(lengths, before, after), weights, mask)
    shared = (around >= _SURE_COUNT).any(axis=0) & mask
    return {"text": text, "text_window": window, "shared": shared.astype(np.float32)}


def vector_arms(corpus: Corpus, query: Floats | None, mask: Mask) -> dict[str, Floats]:
    """Cosines; a memory without a vector has 0, as has every memory when the query has none."""
    if query is None or not corpus.size:
        nothing = np.zeros(corpus.size, np.float32)
        return {"vector": nothing, "vector_window": nothing}
    cosine = np.where(mask, corpus.vectors @ query, 0.0).astype(np.float32)
    before, after = corpus.neighbours()
    there = windowed(mask.astype(np.float32), before, after)
    return {"vector": cosine, "vector_window": windowed(cosine, before, after) / np.maximum(there, 1.0)}


def all_arms(corpus: Corpus, words: Sequence[QueryTerm], query: Floats | None, mask: Mask) -> dict[str, Floats]:
    """Every arm's raw score of every memory."""
    arms = text_arms(corpus, words, mask) | vector_arms(corpus, query, mask)
    blend = scaled(arms["text"], mask) + np.maximum(arms["vector"], 0.0)
    arms["session"] = np.where(mask, best_of_group(np.where(mask, blend, 0.0), corpus.column("session")), 0.0)
    return arms
