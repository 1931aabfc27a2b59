"""Sessions: a memory is likelier an answer when another one of its conversation is a good one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from retentive.arms.words import WordArms
from retentive.corpus import Corpus, Floats, Ints
from retentive.counts import Sessions, View
from retentive.rank import best_of_group, bm25, saturation, scaled

Groups = NDArray[np.int32]


def session_arm(corpus: Corpus, text: Floats, vector: Floats, view: View) -> Floats:
    """The best sum of text and vector in the memory's session, (n,), the best of all being 1; 0 outside sessions."""
    best = best_of_group(text + vector, corpus.column("session"))
    return scaled(best if view.whole else best * view.mask)


#: What the words of a stretch count for beside its meaning, when sessions are compared.
_WORDS_SHARE = 0.25
#: A stretch is a message with its two neighbours; a session of so many messages is little more.
_SHORT = 5
#: What a session read as one document counts for, a stretch being 1. A long text says more by repeating a word than a
#: message does, and less by its length, so BM25's two constants are not those of messages.
_WHOLE_SHARE, _WHOLE_K1, _WHOLE_B = 3.0, 2.5, 0.4


def answers_of_sessions(corpus: Corpus, words: WordArms | None, scores: Mapping[str, Floats], places: Ints) -> Floats:
    """How well the session of each candidate (m,) answers: by its best stretch and read whole; 0 outside sessions.

    `scores` (m,) are the candidates'. Whole sessions count by how much longer they are than a stretch: not at all where
    they have five messages each, nearly alone where they have thirty.
    """
    stretch = _best_stretch(scores, corpus.column("session")[places])
    if words is None:
        return stretch
    sessions = words.view.sessions
    sizes = sessions.sizes[1:]
    longer = max(0.0, 1 - _SHORT * np.count_nonzero(sizes) / max(float(sizes.sum()), 1.0))
    whole = np.zeros_like(stretch)
    if longer:
        whole = scaled(_whole_sessions(sessions, words)[sessions.group[places]])
    worth: Floats = np.float32(1 - longer) * stretch + np.float32(longer * _WHOLE_SHARE) * whole
    return worth


def _best_stretch(scores: Mapping[str, Floats], session: Groups) -> Floats:
    """The best stretch of each candidate's session, by its meaning and its words, each as a share of the best."""
    windows = np.zeros(len(session), np.float32)
    for arm, share in (("vector_window", 1.0), ("text_window", _WORDS_SHARE)):
        if arm in scores:
            windows += share * scaled(scores[arm])
    return best_of_group(windows, session)


def _whole_sessions(sessions: Sessions, words: WordArms) -> Floats:
    """BM25 of each session, by its number: all that is in view of it read as one document."""
    lengths, number = sessions.lengths, len(sessions.lengths)
    holders = np.flatnonzero(words.text)
    group = sessions.group[holders]
    told = [np.bincount(group, weights=line[holders], minlength=number) for line in words.counts]
    average = float(lengths[1:].sum()) / max(int(np.count_nonzero(lengths[1:])), 1)
    found = bm25(np.array(told, np.float32), saturation(lengths, average, _WHOLE_K1, _WHOLE_B), words.says)
    found[0] = 0.0
    return found
