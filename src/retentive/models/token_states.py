"""Token states: what the model thinks of each word piece of a text, small enough to keep for every memory.

They are the model's last hidden states without those of the start and end marks, brought to 64 numbers by a projection
fitted on conversations (`scripts/fit_token_states.py`) and to length 1. A query's states are weighed by how much its
pieces say: the inverse document frequency of each piece in the same conversations.

Sources: Khattab and Zaharia 2020, ColBERT (late interaction); Robertson 2004, Understanding Inverse Document Frequency.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from retentive.analyze import fold
from retentive.analyze.language import function_words
from retentive.contracts import Vectors

_FILE = "minilm_token_states.npz"
#: Letters a piece of a word has on average, from which on it may be a word: 97 % of the words people ask with reach it
#: or are one piece ("metformin" has three pieces), 1 % of made-up ones do ("flimwoggle" has four).
_LETTERS_A_PIECE = 2.7


@dataclass(frozen=True, slots=True)
class TokenStates:
    """How hidden states become token states.

    `projection` (dimension, d); `importance` (pieces,) is what a piece weighs in a query, by its id; `pieces` are the
    vocabulary's strings by id.
    """

    projection: Vectors
    importance: Vectors
    pieces: Sequence[str]

    @property
    def dimension(self) -> int:
        """The numbers of one state."""
        return int(self.projection.shape[1])

    def document(self, hidden: Vectors) -> Vectors:
        """The states (t - 2, d) of length 1 of a text's hidden states (t, dimension)."""
        states = hidden[1:-1] @ self.projection
        unit: Vectors = states / np.maximum(np.linalg.norm(states, axis=1, keepdims=True), 1e-9)
        return unit

    def query(self, hidden: Vectors, ids: Sequence[int]) -> Vectors:
        """The same, each as long as its piece weighs, together 1; none where no word of the query looks like one."""
        weights = self.importance[list(ids[1:-1])]
        if not weights.sum() or self.made_up(ids):
            return np.zeros((0, self.dimension), np.float32)
        states: Vectors = self.document(hidden) * (weights / weights.sum())[:, None]
        return states

    def made_up(self, ids: Sequence[int]) -> bool:
        """Whether a text has words besides function words, and none of them looks like a word of the language."""
        common = function_words(("english",))
        words = [word for word in _words([self.pieces[i] for i in ids[1:-1]]) if fold("".join(word)) not in common]
        return bool(words) and not any(_is_likely(word) for word in words)


def _words(pieces: Sequence[str]) -> Iterator[list[str]]:
    """The words of a text, each as the list of its pieces; punctuation is none."""
    word: list[str] = []
    for piece in (*pieces, ""):
        if piece.startswith("##"):
            word.append(piece[2:])
            continue
        if any(map(str.isalnum, "".join(word))):
            yield word
        word = [piece]


def _is_likely(word: Sequence[str]) -> bool:
    letters = sum(map(len, word))
    if any(map(str.isdecimal, "".join(word))):  # a number or a code means nothing but itself
        return False
    return letters > 1 and (len(word) == 1 or letters >= _LETTERS_A_PIECE * len(word))


@lru_cache(maxsize=1)
def load_file() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The projection and the importance of the bundled model's pieces."""
    packed = resources.files("retentive.models").joinpath("data", _FILE).read_bytes()
    with np.load(io.BytesIO(packed), allow_pickle=False) as arrays:
        return arrays["projection"].astype(np.float32), arrays["importance"].astype(np.float32)
