"""Sessions: a memory is likelier an answer when another one of its conversation is a good one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from retentive.arms.words import WordArms
from retentive.corpus import Floats, Ints
from retentive.counts import Sessions, View
from retentive.rank import bm25, saturation, scaled


def session_arm(text: Floats, vector: Floats, view: View) -> Floats:
    """The best sum of text and vector in the memory's session, (n,), the best of all being 1; 0 outside sessions."""
    best = scaled(view.sessions.best(text + vector)).take(view.sessions.group)
    return best if view.whole else best * view.mask


#: What the words of a stretch count for beside its meaning, when sessions are compared.
_WORDS_SHARE = 0.25
#: A stretch is a message with its two neighbours; a session of so many messages is little more.
_SHORT = 5
#: What a session read as one document counts for, a stretch being 1. A long text says more by repeating a word than a
#: message does, and less by its length, so BM25's two constants are not those of messages.
_WHOLE_SHARE, _WHOLE_K1, _WHOLE_B = 3.0, 2.5, 0.4


def answers_of_sessions(view: View, words: WordArms | None, scores: Mapping[str, Floats], places: Ints) -> Floats:
    """How well the session of each candidate (m,) answers: by its best stretch and read whole; 0 outside sessions.

    `scores` (m,) are the candidates'. Whole sessions count by how much longer they are than a stretch: not at all where
    they have five messages each, nearly alone where they have thirty.
    """
    sessions = view.sessions
    group = sessions.group[places]
    stretch = _best_stretch(scores, sessions, group)
    longer = max(0.0, 1 - _SHORT / max(sessions.size, 1.0))
    if words is None or not longer:
        return stretch
    whole = scaled(_whole_sessions(sessions, words)[group])
    worth: Floats = np.float32(1 - longer) * stretch + np.float32(longer * _WHOLE_SHARE) * whole
    return worth


def _best_stretch(scores: Mapping[str, Floats], sessions: Sessions, group: Ints) -> Floats:
    """The best stretch of each candidate's session, by its meaning and its words, each as a share of the best."""
    windows = np.zeros(len(group), np.float32)
    for arm, share in (("vector_window", 1.0), ("text_window", _WORDS_SHARE)):
        if arm in scores:
            windows += share * scaled(scores[arm])
    return sessions.best(windows, group)[group]


def _whole_sessions(sessions: Sessions, words: WordArms) -> Floats:
    """BM25 of each session, by its number: all that is in view of it read as one document."""
    number, where = len(sessions.lengths), words.where
    at = where.word * number + sessions.group[where.place]
    told = np.bincount(at, where.counts[0], len(words.says) * number).astype(np.float32).reshape(-1, number)
    found = bm25(told, saturation(sessions.lengths, sessions.length, _WHOLE_K1, _WHOLE_B), words.says)
    found[0] = 0.0
    return found
