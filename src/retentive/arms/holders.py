"""Words in a large scope: who holds the rarest of them, and how often candidates hold the others.

To go through all who hold a common word takes longer than all else; it only moves those that a rarer word brings.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retentive.analyze import QueryTerm
from retentive.arms.words import Counted, Held, held
from retentive.corpus import Corpus, Floats, Ints, Mask
from retentive.counts import View
from retentive.rank import bm25, inverse_frequency, top
from retentive.scratch import Scratch

#: So many of the best by the rarest words are judged by all words, and so many of the best by all go on.
_JUDGED, _BEST = 4_000, 1_000
#: Memories that hold a word are gone through up to so many, beginning with the rarest word; who holds the others is
#: looked up for candidates only.
_MOST_HOLDERS = 60_000
#: Windows of a word are counted one by one where up to so many memories hold it. Of a commoner one they are counted in
#: each eighth stretch of 4,096 memories.
_COUNTED, _EVERY, _STRETCH = 10_000, 8, 12


class Word:
    """A word of the query: what stands for it and who holds that, and how many memories and windows in view do."""

    def __init__(self, corpus: Corpus, view: View, marks: Mask, word: QueryTerm, lists: Sequence[Held]) -> None:
        self._view, self._lists = view, lists
        self.entries = sum(len(docs) for _, docs, _ in lists)
        known = view.frequencies.get(word.alternatives)
        if known is None:
            known = view.frequencies[word.alternatives] = self._frequency(corpus, marks)
        self.frequency = known
        self.says = word.weight * inverse_frequency(np.array([known[0]], np.float32), view.number)

    def _frequency(self, corpus: Corpus, marks: Mask) -> tuple[int, int]:
        """How many memories hold it, and how many windows; where many do, by the stretches of every so many."""
        for _, docs, _ in self._lists:
            marks[docs] = True
        number, every = self._number(marks), 1
        if number > _COUNTED:
            every = _EVERY
            marks[:] = False
        before, after = corpus.neighbours()
        for _, docs, _ in self._lists:
            some = docs if every == 1 else _of_stretches(docs, corpus.size)
            if not self._view.whole:
                some = some[self._view.mask[some]]
            marks[some] = marks[before.take(some)] = marks[after.take(some)] = True
        windows = every * self._number(marks)
        marks[:] = False
        return number, windows

    def _number(self, marks: Mask) -> int:
        return int(np.count_nonzero(marks[:-1] if self._view.whole else marks[:-1] & self._view.mask))

    def holders(self, blank: Floats) -> tuple[Ints, Floats]:
        """Who in view holds it (m,), in no order, and the most that it comes to; `blank` as `marks` above."""
        docs, counts = _merged(self._lists, blank)
        if self._view.whole:
            return docs, counts
        here = np.flatnonzero(self._view.mask[docs])
        return docs[here], counts[here]

    def at(self, places: Ints, marks: Mask) -> Floats:
        """The most that it comes to in places (m,) in rising order; `marks` has these and no others."""
        counts = np.zeros(len(places), np.float32)
        for weight, docs, found in self._lists:
            here = np.flatnonzero(marks.take(docs))
            at = np.searchsorted(places, docs.take(here))
            counts[at] = np.maximum(counts[at], weight * found.take(here))
        return counts

    def bm25(self, docs: Ints, counts: Floats) -> Floats:
        """What it says of memories that hold it so often."""
        return bm25(counts[None], self._view.saturations[0].take(docs), self.says)


_NOBODY: Ints = np.zeros(0, np.int64)


def _of_stretches(docs: Ints, size: int) -> Ints:
    """Those of docs, in rising order, that are in the stretches looked at."""
    starts = np.arange(0, size, _EVERY << _STRETCH)
    bounds = docs.searchsorted(np.array([starts, starts + (1 << _STRETCH)])).T.tolist()
    return np.concatenate([docs[start:end] for start, end in bounds])


def _merged(lists: Sequence[Held], blank: Floats) -> tuple[Ints, Floats]:
    """Who holds any of what stands for a word, in no order, and the most that it comes to."""
    if len(lists) == 1:
        weight, docs, counts = lists[0]
        return docs, weight * counts
    merged = [_NOBODY]
    for weight, places, counts in lists:
        known = blank.take(places)
        merged.append(places[known == 0] if len(merged) > 1 else places)
        blank[places] = np.maximum(known, weight * counts)
    docs = np.concatenate(merged)
    most = blank.take(docs)
    blank[docs] = 0
    return docs, most


class Words:
    """The words of a query: those who hold the rarest of them are scored by these, and the best of them by all words.

    `scores` (n + 1,): what these came to, 0 for others. `coverage`: about the largest share of the query, by what its
    words say, that one memory holds; once the best were asked for.
    """

    def __init__(self, corpus: Corpus, view: View, asked: Sequence[QueryTerm], scratch: Scratch) -> None:
        self._view, self._scratch, self.scores = view, scratch, scratch.sums
        self.coverage = 0.0
        lists = zip(asked, held(corpus, asked), strict=True)
        self.words = [Word(corpus, view, scratch.marks, *one) for one in lists]
        rising = sorted(self.words, key=lambda word: word.entries)
        upto = np.cumsum([word.entries for word in rising])
        rare = max(int(np.searchsorted(upto, _MOST_HOLDERS, "right")), 1)
        holders = [_NOBODY]
        for word in rising[:rare]:
            docs, counts = word.holders(scratch.counts)
            self.scores[docs] += word.bm25(docs, counts)
            holders.append(docs)
        self._held, self._common = np.concatenate(holders), rising[rare:]

    def best(self) -> Ints:
        """The places of the best by all words, (m,)."""
        judged, marks = self._held, self._scratch.marks
        if self._common:
            judged = np.sort(judged.take(top(self.scores.take(judged), _JUDGED)))
            judged = judged[np.diff(judged, prepend=-1) > 0]
            marks[judged] = True
            for word in self._common:
                self.scores[judged] += word.bm25(judged, word.at(judged, marks))
            marks[judged] = False
        best = judged.take(top(self.scores.take(judged), _BEST))
        said = sum(float(word.says[0]) for word in self.words)
        self.coverage = min(1.0, float(self.scores.take(best).max(initial=0)) / max(said, 1e-9))
        return best

    def clear(self) -> None:
        """Leave zeros."""
        self.scores[self._held] = 0

    def counted(self, places: Ints) -> Counted:
        """What was counted of the view, and how often each word stands in places (m,) of it, in rising order."""
        view, marks = self._view, self._scratch.marks
        marks[places] = True
        counts = np.array([word.at(places, marks) for word in self.words], np.float32)
        marks[places] = False
        frequency = np.array([word.frequency for word in self.words], np.float32).reshape(-1, 2)
        return Counted(
            view.number,
            view.length,
            view.window_length,
            frequency[:, 0],
            frequency[:, 1],
            counts.reshape(-1, len(places)),
        )
