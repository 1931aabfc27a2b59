"""A large scope made small: the memories worth scoring, with those beside them, as a corpus of their own.

All arms together take a second for a million memories. The likely nearest by the signs of their vectors, and the best
by the rarest words of the query, take milliseconds to find; these are then scored by the same arms, from the same
vectors, with words counted in all of the view. What a hit scores is what it would score in a search of the whole, but
for what is relative to the best: a best memory that is not among these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from retentive.analyze import QueryTerm
from retentive.arms.question import Question
from retentive.arms.ranking import Ranking
from retentive.arms.when import nearness
from retentive.arms.words import Counted, Held, content, held
from retentive.corpus import Corpus, FarCorpus, Floats, Ints, Mask
from retentive.counts import View
from retentive.rank import bm25, inverse_frequency, scaled, top
from retentive.signs import Near

#: From so many memories in view on: a smaller view is scored whole, which takes no longer.
LARGE = 20_000
#: So many go on of the best by all that is known of them so far, and of the best by each thing alone: of all, of the
#: owner's own, and of the days asked for.
_BEST, _BEST_BY_ONE = 200, 80
#: From this share of all on places are marked rather than sorted: 1 in so many.
_DENSE = 60
#: Days are what the query speaks of down to this nearness.
_NEAR_DAYS = 0.5
#: So many of the best by the rarest words are judged by all words.
_JUDGED = 2_000
#: Memories that hold a word are gone through up to so many, beginning with the rarest word; who holds the others is
#: looked up for candidates only.
_MOST_HOLDERS = 60_000
#: Windows of a word are counted one by one where up to so many memories hold it. Of a commoner one they are counted in
#: each eighth stretch of 4,096 memories.
_COUNTED, _EVERY, _STRETCH = 10_000, 8, 12
_Result = TypeVar("_Result")


class Part(Corpus):
    """Some places of a corpus, in rising order, as a corpus of their own."""

    def __init__(self, of: Corpus, places: Ints) -> None:
        super().__init__(of.dimension, of.model)
        self._of, self._places = of, places
        self.size = len(places)
        self.sessions, self.agents, self.projects = of.sessions, of.agents, of.projects
        self._columns = {}
        self._vectors = of.vectors_of(places)
        self._there = np.zeros(of.size, bool)
        self._there[places] = True
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
    scores = np.zeros(corpus.size + 1, np.float32)  # the last is for 'no neighbour'
    masks = list(_masks(corpus, question, view))
    with ThreadPoolExecutor(1) as helper:  # numpy lets go of the interpreter: with a core to spare both go on at once
        by_vector = _begun(helper, partial(_by_vector, corpus, question, masks))
        words = [_Word(corpus, view, scores, *one) for one in zip(asked, held(corpus, asked), strict=True)]
        pools = [_by_words(words, scores)]
    nears, nearest = by_vector()
    chosen = list(_chosen(corpus, _Pool(_seen([*pools, *nearest], mask), scores, nears), masks, ranking))
    if isinstance(corpus, FarCorpus) and question.vector is not None:
        chosen += corpus.nearest(question.vector, masks, 2 * _BEST_BY_ONE)
    if not any(map(len, chosen)):
        return None
    core = _seen(chosen, mask)
    before, after = corpus.neighbours()
    beside = _seen([core, before[core], after[core]], mask)
    places = _seen([beside, before[beside], after[beside]], mask)
    answers = np.zeros(len(places), bool)
    answers[np.searchsorted(places, beside)] = True
    return Narrowed(Part(corpus, places), answers, _counted(view, words, places))


def _begun(helper: Executor, run: Callable[[], _Result]) -> Callable[[], _Result]:
    """What waits for the result; what gives it, where the program is about to end and no thread may begin."""
    try:
        return helper.submit(run).result
    except RuntimeError:
        return run


def _counted(view: View, words: Sequence[_Word], places: Ints) -> Counted:
    """What was counted of the view, and how often each word stands in each of the places."""
    counts = np.zeros((len(words), len(places)), np.float32)
    marked = _marked([places], len(view.mask))
    for line, word in zip(counts, words, strict=True):
        here = np.flatnonzero(marked[word.docs])
        line[np.searchsorted(places, word.docs[here])] = word.counts[here]
    frequency = np.array([word.frequency for word in words], np.float32).reshape(-1, 2)
    return Counted(view.number, view.length, view.window_length, frequency[:, 0], frequency[:, 1], counts)


def _seen(lists: Sequence[Ints], mask: Mask) -> Ints:
    """Places of any list that are in the mask, in rising order; one past the end stands for none."""
    places = np.concatenate(lists)
    if len(places) * _DENSE < len(mask):
        places = np.sort(places)
        places = places[(np.diff(places, prepend=-1) > 0) & (places < len(mask))]
        few: Ints = places[mask[places]]
        return few
    return np.flatnonzero(_marked(lists, len(mask)) & mask)


def _marked(lists: Iterable[Ints], size: int) -> Mask:
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


#: What tells how near memories are, and of which it does.
Nears = Sequence[tuple[Near, Mask]]


def _by_vector(corpus: Corpus, question: Question, masks: Sequence[Mask]) -> tuple[Nears, list[Ints]]:
    """The nearest in each of the views, and what tells: the first part of two where both have it, else the second."""
    nears: list[tuple[Near, Mask]] = []
    if question.vector is None or corpus.far:
        return nears, []
    split = question.split
    parts = [slice(0, split), slice(split, corpus.dimension - 1)] if split else [slice(0, corpus.dimension)]
    left: Mask = np.ones(corpus.size, bool)  # what the parts before say nothing of
    for signs in corpus.signs(parts):
        query = question.vector[signs.part]
        if query.any():
            nears.append((Near(signs, query, corpus.size), left))
            left = ~nears[-1][0].there
    return nears, [near.best(mask & left) for near, left in nears for mask in masks]


@dataclass(frozen=True, slots=True)
class _Pool:
    """Places (m,) that are judged by all that is known of them: words, BM25 (n + 1,) of all places, and vectors."""

    places: Ints
    scores: Floats
    nears: Nears

    def cosines(self) -> Floats:
        """About the cosine of each, (m,), 0 of those without."""
        cosines = np.zeros(len(self.places), np.float32)
        for near, left in self.nears:
            here = np.flatnonzero(left[self.places] & near.there[self.places])
            cosines[here] = np.maximum(near.cosines(self.places[here]), 0)
        return cosines


def _chosen(corpus: Corpus, pool: _Pool, masks: Sequence[Mask], ranking: Ranking) -> Iterator[Ints]:
    """In each of the views the best by vector, by words, by the words of the window, and by all of these together."""
    before, after = corpus.neighbours()
    places, scores, cosines = pool.places, pool.scores, pool.cosines()
    text, window = scaled(scores[places]), scaled(scores[places] + scores[before[places]] + scores[after[places]])
    together = ranking.text * text + ranking.text_window * window + (ranking.vector + ranking.vector_window) * cosines
    for mask in masks:
        seen = np.flatnonzero(mask[places])
        yield places[seen[top(together[seen], _BEST)]]
        for judged in (cosines, text, window):
            yield places[seen[top(judged[seen], _BEST_BY_ONE)]]


class _Word:
    """A word of the query: who in view holds it (m,), how often (m,), and how many memories and windows do."""

    def __init__(self, corpus: Corpus, view: View, blank: Floats, word: QueryTerm, lists: Sequence[Held]) -> None:
        self.docs, self.counts = _merged(lists, blank)
        if not view.whole:
            here = np.flatnonzero(view.mask[self.docs])
            self.docs, self.counts = self.docs[here], self.counts[here]
        known = view.frequencies.get(word.alternatives)
        if known is None:
            known = view.frequencies[word.alternatives] = (len(self.docs), self._windows(corpus, view))
        self.frequency = known
        self._saturated = view.saturations[0]
        self._says = word.weight * inverse_frequency(np.array([known[0]], np.float32), view.number)

    def add(self, scores: Floats, here: Ints | slice = slice(None)) -> None:
        """Add what the word says to the scores (n + 1,) of those who hold it, or of some of these."""
        docs = self.docs[here]
        scores[docs] += bm25(self.counts[None, here], self._saturated[docs], self._says)

    def _windows(self, corpus: Corpus, view: View) -> int:
        """How many windows hold it; where many do, by the stretches of every so many."""
        docs, every = self.docs, 1
        if len(docs) > _COUNTED:
            docs, every = docs[np.flatnonzero((docs >> _STRETCH) % _EVERY == 0)], _EVERY
        before, after = corpus.neighbours()
        marked = _marked([docs, before[docs], after[docs]], corpus.size)
        return every * int(np.count_nonzero(marked if view.whole else marked & view.mask))


def _merged(lists: Sequence[Held], blank: Floats) -> tuple[Ints, Floats]:
    """Who holds any of what stands for a word, in no order, and the most that it comes to.

    blank: zeros for all memories, and zeros again afterwards.
    """
    docs = [np.zeros(0, np.int64)]
    for weight, places, counts in lists:
        known = blank[places]
        docs.append(places[known == 0])
        blank[places] = np.maximum(known, weight * counts)
    merged = np.concatenate(docs)
    most = blank[merged]
    blank[merged] = 0
    return merged, most


def _by_words(words: Sequence[_Word], scores: Floats) -> Ints:
    """The best of those who hold the rarest words, judged by all words: their BM25 is in `scores`, zeros before."""
    spent = 0
    holders: list[Ints] = []
    common: list[_Word] = []
    for word in sorted(words, key=lambda word: len(word.docs)):
        if common or (spent and spent + len(word.docs) > _MOST_HOLDERS):
            common.append(word)
            continue
        spent += len(word.docs)
        word.add(scores)
        holders.append(word.docs)
    found = np.concatenate(holders) if holders else np.zeros(0, np.int64)
    found = found[top(scores[found], _JUDGED)]
    marked = _marked([found], len(scores) - 1)
    for word in common:
        word.add(scores, np.flatnonzero(marked[word.docs]))
    return found
