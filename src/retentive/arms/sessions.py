"""Sessions: a memory is likelier an answer when another one of its conversation is a good one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from retentive.corpus import Corpus, Floats
from retentive.counts import View
from retentive.rank import best_of_group, scaled


def session_arm(corpus: Corpus, text: Floats, vector: Floats, view: View) -> Floats:
    """The best sum of text and vector in the memory's session, (n,), the best of all being 1; 0 outside sessions."""
    best = best_of_group(text + vector, corpus.column("session"))
    return scaled(best if view.whole else best * view.mask)


#: What the words of a stretch count for beside its meaning, when sessions are compared.
_WORDS_SHARE = 0.25


def stretch_of_session(scores: Mapping[str, Floats], session: NDArray[np.int32]) -> Floats:
    """How well the best stretch of three messages in the session of each candidate (m,) answers; 0 outside sessions.

    By the windows' meaning and words, each as a share of the best: one message says little of a whole conversation.
    """
    windows = np.zeros(len(session), np.float32)
    for arm, share in (("vector_window", 1.0), ("text_window", _WORDS_SHARE)):
        if arm in scores:
            windows += share * scaled(scores[arm])
    return best_of_group(windows, session)
