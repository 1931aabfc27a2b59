"""A large scope made small: the memories worth scoring, with those beside them, as a corpus of their own.

All arms together take a second for a million memories. The likely nearest by the signs of their vectors, and the best
by the rarest words of the query, take milliseconds to find; these are then scored by the same arms, from the same
vectors, with words counted in all of the view. What a hit scores is what it would score in a search of the whole, but
for what is relative to the best: a best memory that is not among these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retentive.arms.holders import Words
from retentive.arms.question import Question
from retentive.arms.ranking import Ranking
from retentive.arms.when import nearness
from retentive.arms.words import Counted, content
from retentive.corpus import Corpus, FarCorpus, Floats, Ints, Mask
from retentive.counts import View
from retentive.rank import scaled, top
from retentive.signs import Near

#: From so many memories in view on: a smaller view is scored whole, which takes no longer.
LARGE = 20_000
#: So many go on of the best by all that is known of them so far, and of the best by each thing alone: of all, of the
#: owner's own, and of the days asked for.
_BEST, _BEST_BY_ONE = 120, 50
#: The arms they are judged by; a memory's own vector is one of the three of its window.
_JUDGES, _WINDOW = ("text", "text_window", "vector", "vector_window"), 3
#: From this share of all on places are marked rather than sorted: 1 in so many.
_DENSE = 60
#: Days are what the query speaks of down to this nearness.
_NEAR_DAYS = 0.5


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

    @cached_property
    def _there(self) -> Mask:
        return _marked([self._places], self._of.size)

    def _found(self, docs: Ints, counts: Floats) -> tuple[Ints, Floats]:
        here = np.flatnonzero(self._there[docs])
        return np.searchsorted(self._places, docs[here]), counts[here]


@dataclass(frozen=True, slots=True)
class Narrowed:
    """A small corpus, and what of it may be an answer (m,): the rest only lends to its neighbours."""

    corpus: Corpus
    answers: Mask
    counted: Counted


def narrowed(corpus: Corpus, question: Question, mask: Mask, ranking: Ranking) -> Narrowed | None:
    """The part of a large corpus that is worth scoring; None where nothing tells which. `mask` (n,) is the view."""
    view = corpus.view(mask)
    asked = content(question.words)
    if isinstance(corpus, FarCorpus):
        corpus.prepare(question.vector, [term for word in (*asked, *question.names) for term, _ in word.alternatives])
    masks = list(_masks(corpus, question, view))
    nears = list(_nears(corpus, question))
    with corpus.scratches.lent(corpus.size) as scratch:
        words = Words(corpus, view, asked, scratch)
        nearest = [near.best(one & near.there) for near in nears for one in masks]
        pool = _Pool(_seen([words.best(), *nearest], mask), words.scores, nears)
        shares = ranking.shares(_JUDGES, words.coverage, foreign=question.foreign)
        chosen = list(_chosen(corpus, pool, masks, shares))
        words.clear()
        if isinstance(corpus, FarCorpus) and question.vector is not None:
            chosen += corpus.nearest(question.vector, masks, 2 * _BEST_BY_ONE)
        if not any(map(len, chosen)):
            return None
        places, answers = _with_beside(corpus, chosen, mask)
        return Narrowed(Part(corpus, places), answers, words.counted(places))


def _with_beside(corpus: Corpus, chosen: Sequence[Ints], mask: Mask) -> tuple[Ints, Mask]:
    """What was chosen, what stands beside it, and beside that; and which of these (m,) may be answers: not the last."""
    before, after = corpus.neighbours()
    core = _seen(chosen, mask)
    beside = _seen([core, before[core], after[core]], mask)
    places = _seen([beside, before[beside], after[beside]], mask)
    answers = np.zeros(len(places), bool)
    answers[np.searchsorted(places, beside)] = True
    return places, answers


def _seen(lists: Sequence[Ints], mask: Mask) -> Ints:
    """Places of any list that are in the mask, in rising order; one past the end stands for none."""
    places = np.concatenate(lists)
    if len(places) * _DENSE < len(mask):
        places = np.sort(places)
        places = places[(np.diff(places, prepend=-1) > 0) & (places < len(mask))]
        few: Ints = places[mask[places]]
        return few
    return np.flatnonzero(_marked(lists, len(mask)) & mask)


def _marked(lists: Sequence[Ints], size: int) -> Mask:
    """Which places (size,) are in any list."""
    found = np.zeros(size + 1, bool)
    for places in lists:
        found[places] = True
    return found[:-1]


def _masks(corpus: Corpus, question: Question, view: View) -> Iterator[Mask]:
    """The view, and the parts of it that an arm of its own speaks for."""
    yield view.mask
    if not question.of_both:
        own = view.mask & corpus.column("own")
        if np.count_nonzero(own) < view.number:
            yield own
    if question.spans:
        yield view.mask & (nearness(question.spans, corpus.column("timestamp_us")) >= _NEAR_DAYS)


def _nears(corpus: Corpus, question: Question) -> Iterator[Near]:
    """What tells how near memories are; of two parts of a vector the first where both have it, else the second."""
    if question.vector is None or corpus.far:
        return
    split = question.split
    parts = [slice(0, split), slice(split, corpus.dimension - 1)] if split else [slice(0, corpus.dimension)]
    told: Mask | None = None
    for signs in corpus.signs(parts):
        query = question.vector[signs.part]
        if query.any():
            near = Near(signs, query, corpus.size, told)
            told = near.there
            yield near


@dataclass(frozen=True, slots=True)
class _Pool:
    """Places (m,) that are judged by all that is known of them: words, BM25 (n + 1,) of all places, and vectors."""

    places: Ints
    scores: Floats
    nears: Sequence[Near]

    def cosines(self) -> Floats:
        """About the cosine of each, (m,), 0 of those without."""
        cosines = np.zeros(len(self.places), np.float32)
        for near in self.nears:
            here = np.flatnonzero(near.there[self.places])
            cosines[here] = np.maximum(near.cosines(self.places[here]), 0)
        return cosines


def _chosen(corpus: Corpus, pool: _Pool, masks: Sequence[Mask], shares: Mapping[str, float]) -> Iterator[Ints]:
    """In each of the views the best by vector, by words, by the words of the window, and by all of these together."""
    before, after = corpus.neighbours()
    places, scores, cosines = pool.places, pool.scores, pool.cosines()
    text, window = scaled(scores[places]), scaled(scores[places] + scores[before[places]] + scores[after[places]])
    share = {name: np.float32(shares.get(name, 0)) for name in _JUDGES}
    together = share["text"] * text + share["text_window"] * window
    together += (share["vector"] + share["vector_window"] / _WINDOW) * cosines
    for mask in masks:
        seen = np.flatnonzero(mask[places])
        yield places[seen[top(together[seen], _BEST)]]
        for judged in (cosines, text, window):
            yield places[seen[top(judged[seen], _BEST_BY_ONE)]]
