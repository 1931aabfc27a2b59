"""The arms of recall: each looks at every memory in view and gives it a score of its own kind, (n,) float32.

text           BM25 of the memory's own words
text_window    BM25 of the memory with the message before and after it in the same session
vector         cosine of query and memory
vector_window  mean cosine of the memory and its two neighbours
session        the best text-and-vector score in the memory's session
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retentive.analyze import QueryTerm
from retentive.corpus import Corpus, Floats, Mask
from retentive.rank import best_of_group, bm25, scaled, windowed


def term_counts(corpus: Corpus, words: Sequence[QueryTerm]) -> Floats:
    """(q, n): how often each word of the query stands in each memory, a part or variant counting by its weight."""
    counts = np.zeros((len(words), corpus.size), np.float32)
    for line, word in zip(counts, words, strict=True):
        for term, weight in word.alternatives:
            places, found = corpus.postings(term)
            line[places] = np.maximum(line[places], weight * found)
    return counts


def text_arms(corpus: Corpus, words: Sequence[QueryTerm], mask: Mask) -> dict[str, Floats]:
    """BM25 over messages and over windows of three; only memories in `mask` are counted or lend words."""
    if not words:
        nothing = np.zeros(corpus.size, np.float32)
        return {"text": nothing, "text_window": nothing}
    counts = term_counts(corpus, words)
    counts[:, ~mask] = 0.0
    lengths = np.where(mask, corpus.column("length"), 0.0).astype(np.float32)
    weights = np.array([word.weight for word in words], np.float32)
    before, after = corpus.neighbours()
    text = bm25(counts, lengths, weights, mask)
    window = bm25(windowed(counts, before, after), windowed(lengths, before, after), weights, mask)
    return {"text": text, "text_window": window}


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
