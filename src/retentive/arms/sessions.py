"""Sessions: a memory is likelier an answer when another one of its conversation is a good one."""

from __future__ import annotations

import numpy as np

from retentive.corpus import Corpus, Floats, Mask
from retentive.rank import best_of_group, scaled


def session_arm(corpus: Corpus, text: Floats, vector: Floats, mask: Mask) -> Floats:
    """The best sum of text and vector in the memory's session, (n,), the best of all being 1; 0 outside sessions."""
    best = best_of_group(text + vector, corpus.column("session"))
    return scaled(best * mask, mask).astype(np.float32, copy=False)
