"""A large scope made small: the memories worth scoring, with those beside them, as a corpus of their own.

All arms together take a second for a million memories. The likely nearest by the signs of their vectors, and the best
by the rarest words of the query, take milliseconds to find; these are then scored by the same arms, from the same
vectors, with words counted in all of the view. What a hit scores is what it would score in a search of the whole, but
for what is relative to the best: a best memory that is not among these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retentive.analyze import QueryTerm
from retentive.arms.question import Question
from retentive.arms.when import nearness
from retentive.arms.words import Counted, Held, content, held
from retentive.corpus import Corpus, FarCorpus, Floats, Ints, Mask
from retentive.counts import View
from retentive.rank import bm25, inverse_frequency, saturation, top
from retentive.signs import Near

#: From so many memories in view on: a smaller view is scored whole, which takes no longer.
LARGE = 20_000
#: So many go on of the nearest by signs, of the best by words and of the best by their windows' words: of all, of the
#: owner's own, and of the days asked for.
_BEST = 200
#: From this share of all on places are marked rather than sorted: 1 in so many.
_DENSE = 60
#: Days are what the query speaks of down to this nearness.
_NEAR_DAYS = 0.5
#: So many of the best by the rarest words are judged by all words.
_JUDGED = 3_000
#: Postings gone through at most, beginning with the rarest word: the others are looked up for candidates only.
_MOST_POSTINGS = 150_000


class Part(Corpus):
    """Some places of a corpus, in rising order, as a corpus of their own."""

    def __init__(self, of: Corpus, places: Ints) -> None:
        super().__init__(of.dimension, of.model)
        self._of, self._places = of, places
        self.size = len(places)
        self.sessions, self.agents, self.projects = of.sessions, of.agents, of.projects
        self._columns = {}
        self._vectors = of.vectors_of(places)
        before, after = of.neighbours()
        self._neighbours = self._here(before), self._here(after)

    def column(self, name: str) -> NDArray[Any]:
        """One column."""
        if name not in self._columns:
            self._columns[name] = self._of.column(name)[self._places]
        return self._columns[name]

    def _here(self, neighbours: Ints) -> Ints:
        wanted = neighbours[self._places]
        at = np.minimum(np.searchsorted(self._places, wanted), self.size - 1)
        found: Ints = np.where(self._places[at] == wanted, at, self.size)
        return found

    def postings_of(self, terms: Sequence[str]) -> list[tuple[Ints, Floats]]:
        """As far as they are here."""
        return [self._found(*found) for found in self._of.postings_of(terms)]

    def _found(self, docs: Ints, counts: Floats) -> tuple[Ints, Floats]:
        places, at = _common(self._places, docs)
        return np.searchsorted(self._places, places), counts[at]


@dataclass(frozen=True, slots=True)
class Narrowed:
    """A small corpus, and what of it may be an answer (m,): the rest only lends to its neighbours."""

    corpus: Corpus
    answers: Mask
    counted: Counted


def narrowed(corpus: Corpus, question: Question, mask: Mask) -> Narrowed | None:
    """The part of a large corpus that is worth scoring; None where nothing tells which. `mask` (n,) is the view."""
    view = corpus.view(mask)
    asked = content(question.words)
    words = [_Word(corpus, view, *one) for one in zip(asked, held(corpus, asked), strict=True)]
    masks = list(_masks(corpus, question, mask))
    chosen = [*_near(corpus, question, masks), *_by_words(corpus, words, masks, view)]
    if not any(map(len, chosen)):
        return None
    core = _seen(chosen, mask)
    before, after = corpus.neighbours()
    beside = _seen([core, before[core], after[core]], mask)
    places = _seen([beside, before[beside], after[beside]], mask)
    frequency = np.array([word.frequency for word in words], np.float32).reshape(-1, 2)
    counted = Counted(view.number, view.length, view.window_length, frequency[:, 0], frequency[:, 1])
    return Narrowed(Part(corpus, places), np.isin(places, beside, assume_unique=True), counted)


def _seen(lists: Sequence[Ints], mask: Mask) -> Ints:
    """Places of any list that are in the mask, in rising order; one past the end stands for none."""
    places = np.concatenate(lists)
    if len(places) * _DENSE < len(mask):
        places = np.unique(places)
        places = places[places < len(mask)]
        few: Ints = places[mask[places]]
        return few
    found = np.zeros(len(mask) + 1, bool)
    found[places] = True
    return np.flatnonzero(found[:-1] & mask)


def _masks(corpus: Corpus, question: Question, mask: Mask) -> Iterator[Mask]:
    """The view, and the parts of it that an arm of its own speaks for."""
    yield mask
    if not question.of_both:
        yield mask & corpus.column("own")
    if question.spans:
        yield mask & (nearness(question.spans, corpus.column("timestamp_us")) >= _NEAR_DAYS)


def _near(corpus: Corpus, question: Question, masks: Sequence[Mask]) -> Iterator[Ints]:
    """The nearest by vector in each of the views: by the first part of two where both have it, else by the second."""
    if question.vector is None:
        return
    if isinstance(corpus, FarCorpus):
        yield from corpus.nearest(question.vector, masks, _BEST)
        return
    split = question.split
    parts = [slice(0, split), slice(split, corpus.dimension - 1)] if split else [slice(0, corpus.dimension)]
    left: Mask = np.ones(corpus.size, bool)  # what the parts before say nothing of
    for signs in corpus.signs(parts):
        query = question.vector[signs.part]
        if query.any():
            near = Near(signs, query, corpus.size)
            yield from (near.best(mask & left, _BEST) for mask in masks)
            left = ~signs.there[: corpus.size]


class _Word:
    """A word of the query: the lists of those that hold it, and how many memories and windows of the view do."""

    def __init__(self, corpus: Corpus, view: View, word: QueryTerm, lists: Sequence[Held]) -> None:
        self.weight, self.lists = word.weight, lists
        self.size = sum(len(docs) for _, docs, _ in self.lists)
        known = view.frequencies.get(word.alternatives)
        if known is None:
            known = view.frequencies[word.alternatives] = self._frequency(corpus, view.mask)
        self.frequency = known

    def _frequency(self, corpus: Corpus, mask: Mask) -> tuple[int, int]:
        here = _seen([np.zeros(0, np.int64), *(docs for _, docs, _ in self.lists)], mask)
        before, after = corpus.neighbours()
        return len(here), len(_seen([here, before[here], after[here]], mask))


def _by_words(corpus: Corpus, words: Sequence[_Word], masks: Sequence[Mask], view: View) -> Iterator[Ints]:
    """The best in each of the views by BM25, their own and their windows': found by the rarest words, judged by all."""
    scores, holders, spent = np.zeros(corpus.size, np.float32), [np.zeros(0, np.int64)], 0
    rarest_first = sorted(words, key=lambda word: word.size)
    common: list[_Word] = []
    for word in rarest_first:
        if common or (spent and spent + word.size > _MOST_POSTINGS):
            common.append(word)
            continue
        spent += word.size
        for weight, docs, counts in word.lists:
            newest = docs[-_MOST_POSTINGS:]  # of a word that most have
            scores[newest] += _says(corpus, view, word, newest, weight * counts[-_MOST_POSTINGS:])
            holders.append(newest)
    found = _seen(holders, view.mask)
    found = np.sort(found[top(scores[found], _JUDGED)])
    for word in common:
        for weight, docs, counts in word.lists:
            here, at = _common(found, docs)
            scores[here] += _says(corpus, view, word, here, weight * counts[at])
    before, after = corpus.neighbours()
    padded = np.append(scores, np.float32(0))
    for judged in (scores[found], padded[found] + padded[before[found]] + padded[after[found]]):
        for mask in masks:
            seen = np.flatnonzero(mask[found])
            yield found[seen[top(judged[seen], _BEST)]]


def _says(corpus: Corpus, view: View, word: _Word, places: Ints, counts: Floats) -> Floats:
    """What a word adds to the BM25 of memories that hold it so often."""
    says = word.weight * inverse_frequency(np.array([word.frequency[0]], np.float32), view.number)
    saturated = saturation(corpus.column("length")[places], view.length / max(view.number, 1))
    return bm25(counts[None, :], saturated, says)


def _common(places: Ints, docs: Ints) -> tuple[Ints, Ints]:
    """The places that are among `docs`, and where; both rise."""
    if not len(docs):
        return docs, docs
    at = np.minimum(np.searchsorted(docs, places), len(docs) - 1)
    here = docs[at] == places
    return places[here], at[here]
