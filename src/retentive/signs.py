"""An approximate index of vectors: the signs of their numbers, one bit each, looked through in full.

Two vectors agree in the sign of a number the likelier the smaller their angle (Charikar, Similarity Estimation
Techniques from Rounding Algorithms, 2002), and one instruction counts 64 signs that differ. Nothing is fitted: a code
is made from its vector alone and never changes. Each look is closer and at fewer: a few of the signs, more, all of
them; then the signs with the query's own numbers as weights, which come close to the cosine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint64]
Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

#: Signs of a word.
_WORD = 64
#: So many words are compared for all memories, and this share of all goes on to the others.
_FIRST_WORDS, _FIRST_SHARE = 4, 1 / 100
#: Never fewer go on than so many; and so many after all words were compared.
_LEAST, _LAST = 5_000, 500
#: Memories compared in one go: fewer would cost more calls, more the processor's own cache.
_BLOCK = 131_072
#: About so many distances are looked at to see which is small.
_SAMPLE = 16_384
_FARTHEST = 255
#: The signs of each byte, (8, 256): 1 where a bit is set, -1 where not; as `packbits` sets them, the first one highest.
_SIGNS_OF_BYTES = 2 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).T.astype(np.float32) - 1


def sign_codes(vectors: Floats) -> Codes:
    """The signs of vectors (n, d) as bits, (words, n); bits past the last number are 0.

    >>> sign_codes(np.array([[1.0, -1.0], [-1.0, 1.0]], np.float32)).shape
    (1, 2)
    """
    bits = np.zeros((len(vectors), -(-vectors.shape[1] // _WORD) * _WORD // 8), np.uint8)
    packed = np.packbits(vectors > 0, axis=1)
    bits[:, : packed.shape[1]] = packed
    return np.ascontiguousarray(bits.view(np.uint64).T)


@dataclass(slots=True)
class Signs:
    """The signs of one part of the vectors: `codes` (words, capacity), and which vectors have that part."""

    part: slice
    codes: Codes
    there: Mask

    @classmethod
    def of(cls, vectors: Floats, part: slice) -> Self:
        """Made block by block: in one go they would take the memory of the vectors again."""
        words = len(sign_codes(vectors[:1, part]))
        signs = cls(part, np.zeros((words, len(vectors)), np.uint64), np.zeros(len(vectors), bool))
        for start in range(0, len(vectors), _BLOCK):
            places = slice(start, start + _BLOCK)
            signs.put(places, vectors[places])
        return signs

    @property
    def nbytes(self) -> int:
        """Bytes held in memory."""
        return self.codes.nbytes + self.there.nbytes

    def put(self, places: slice | Ints, vectors: Floats) -> None:
        """Follow the vectors that stand at these places now."""
        numbers = vectors[:, self.part]
        self.codes[:, places] = sign_codes(numbers)
        self.there[places] = numbers.any(axis=1)

    def grow(self, extra: int) -> None:
        """Make room for more."""
        self.codes = np.concatenate([self.codes, np.zeros((len(self.codes), extra), np.uint64)], axis=1)
        self.there = np.concatenate([self.there, np.zeros(extra, bool)])


class Near:
    """The memories likely nearest to a query (d,), of the first `size`; asked for one view (size,) after another.

    `there` (size,): of which it tells: those with the part of a vector that is asked for, but for `others`.
    """

    def __init__(self, signs: Signs, query: Floats, size: int, others: Mask | None = None) -> None:
        self._codes, self._query = signs.codes[:, :size], query
        self.there: Mask = signs.there[:size] if others is None else signs.there[:size] & ~others
        code = sign_codes(query[None, :])[:, 0]
        padded = np.zeros(len(code) * _WORD, np.float32)
        padded[: len(query)] = query
        weight = np.square(padded).reshape(-1, _WORD).sum(axis=1)
        heaviest = np.argsort(-weight, kind="stable").tolist()  # these words say most of the query
        self._words = [(word, code[word]) for word in heaviest]
        #: What each byte of a code comes to: its eight signs with the query's numbers as weights.
        self._worth: Floats = (padded.reshape(-1, 8) @ _SIGNS_OF_BYTES).ravel()
        self._coarse = self._distances()

    def best(self, mask: Mask, limit: int = _LAST) -> Ints:
        """Places of `limit` memories of `mask` (n,) that have the part of a vector that is asked for."""
        places = _within(self._coarse, mask & self.there, max(_LEAST, int(len(mask) * _FIRST_SHARE)))
        if len(places) > _LAST:
            distances = self._coarse[places].astype(np.uint16)
            for word, code in self._words[_FIRST_WORDS:]:
                distances += np.bitwise_count(self._codes[word].take(places) ^ code)
            places = places[_smallest(distances, _LAST)]
        return places if len(places) <= limit else places[_smallest(-self.cosines(places), limit)]

    def _distances(self) -> NDArray[np.uint8]:
        """How many signs of the first words differ, (n,); all of 256 as none, which a closer look tells apart."""
        found = np.empty(len(self.there), np.uint8)
        differing, counted = np.empty(_BLOCK, np.uint64), np.empty(_BLOCK, np.uint8)
        (first, first_code), *others = self._words[:_FIRST_WORDS]
        for start in range(0, len(found), _BLOCK):
            here = found[start : start + _BLOCK]
            block, size = slice(start, start + len(here)), len(here)
            np.bitwise_xor(self._codes[first, block], first_code, out=differing[:size])
            np.bitwise_count(differing[:size], out=here)
            for word, code in others:
                np.bitwise_xor(self._codes[word, block], code, out=differing[:size])
                here += np.bitwise_count(differing[:size], out=counted[:size])
        return found

    def cosines(self, places: Ints) -> Floats:
        """About the cosine of each, times the length of the query.

        The sum of the query's numbers, each with the memory's sign: sqrt(2 d / pi) times as large for numbers that are
        spread like those of a normal distribution.
        """
        held = np.empty((len(places), len(self._codes)), np.uint64)
        for word, codes in enumerate(self._codes):
            held[:, word] = codes.take(places)
        bytes_of = held.view(np.uint8) + len(_SIGNS_OF_BYTES.T) * np.arange(held.itemsize * held.shape[1])
        total: Floats = self._worth.take(bytes_of).sum(axis=1)
        return total / np.float32(math.sqrt(2 * len(self._query) / math.pi))


def _within(distances: NDArray[np.uint8], mask: Mask, least: int) -> Ints:
    """Places of `mask` up to the distance within which there are about `least`, judged by a sample."""
    every = max(1, len(distances) // _SAMPLE)
    sample = distances[::every][mask[::every]]
    upto = np.cumsum(np.bincount(sample, minlength=_FARTHEST + 1)) * every
    farthest = min(int(np.searchsorted(upto, least)), _FARTHEST)
    return np.flatnonzero((distances <= farthest) & mask)


def _smallest(values: NDArray[np.generic], limit: int) -> Ints:
    smallest: Ints = np.argpartition(values, limit)[:limit]
    return smallest
