"""An approximate index of vectors: the signs of their numbers, one bit each, looked through in full.

Two vectors agree in the sign of a number the likelier the smaller their angle (Charikar, Similarity Estimation
Techniques from Rounding Algorithms, 2002), and one instruction counts 64 signs that differ. Nothing is fitted: a code
is made from its vector alone and never changes. Three looks, each closer and at fewer: some of the signs, all signs,
the signs with the query's own numbers as weights.
"""

from __future__ import annotations

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
#: So many words are compared for all memories.
_FIRST_WORDS = 3
#: The share of all memories, but never less than so many, that all words are compared for.
_SECOND_SHARE, _SECOND_LEAST = 1 / 40, 8_000
#: As many are weighed by the query's numbers.
_THIRD = 1_000
#: Memories compared in one go: what the processor's own cache holds.
_BLOCK = 16_384
#: Every so many distances are looked at to see which is small.
_SAMPLED = 16
_FARTHEST = 255


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
    """The memories likely nearest to a query (d,), of the first `size`; asked for one view (size,) after another."""

    def __init__(self, signs: Signs, query: Floats, size: int) -> None:
        self._codes, self._there, self._query = signs.codes[:, :size], signs.there[:size], query
        self._code = sign_codes(query[None, :])[:, 0]
        self._coarse = _distances(self._codes, self._code[:_FIRST_WORDS])

    def best(self, mask: Mask, limit: int) -> Ints:
        """Places of `limit` memories of `mask` (n,) that have the part of a vector that is asked for."""
        places = _within(self._coarse, mask & self._there, max(_SECOND_LEAST, int(len(mask) * _SECOND_SHARE)))
        if len(places) > _THIRD and len(self._code) > _FIRST_WORDS:
            distances = self._coarse[places].astype(np.int32)
            for word in range(_FIRST_WORDS, len(self._code)):
                distances += np.bitwise_count(self._codes[word].take(places) ^ self._code[word])
            places = _smallest(places, distances, _THIRD)
        return _smallest(places, -_weighed(self._codes, self._query, places), limit)


def _distances(codes: Codes, code: Codes) -> NDArray[np.uint8]:
    """How many of the first signs differ, (n,)."""
    size = codes.shape[1]
    found = np.zeros(size, np.uint8)
    differing, count = np.empty(_BLOCK, np.uint64), np.empty(_BLOCK, np.uint8)
    for start in range(0, size, _BLOCK):
        end = min(size, start + _BLOCK)
        here, counted = differing[: end - start], count[: end - start]
        for column, word in zip(codes, code, strict=False):
            np.bitwise_xor(column[start:end], word, out=here)
            np.bitwise_count(here, out=counted)
            found[start:end] += counted
    return found


def _within(distances: NDArray[np.uint8], mask: Mask, least: int) -> Ints:
    """Places of `mask` up to the distance within which there are about `least`, judged by a sample."""
    sample = distances[::_SAMPLED][mask[::_SAMPLED]]
    upto = np.cumsum(np.bincount(sample, minlength=_FARTHEST + 1)) * _SAMPLED
    farthest = min(int(np.searchsorted(upto, least)), _FARTHEST)
    return np.flatnonzero((distances <= farthest) & mask)


def _smallest(places: Ints, values: NDArray[np.generic], limit: int) -> Ints:
    return places if len(places) <= limit else places[np.argpartition(values, limit)[:limit]]


def _weighed(codes: Codes, query: Floats, places: Ints) -> Floats:
    """The sum of the query's numbers, each with the memory's sign: (m,)."""
    held = np.ascontiguousarray(codes[:, places].T).view(np.uint8)
    numbers = np.zeros(held.shape[1] * 8, np.float32)
    numbers[: len(query)] = query
    table = numbers.reshape(-1, 8) @ _SIGNS  # what each value of a byte comes to at each place of the code
    total: Floats = table[np.arange(held.shape[1]), held].sum(axis=1)
    return total


#: The eight signs of each byte, first number in the highest bit, (8, 256).
_SIGNS: Floats = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).T.astype(np.float32) * 2 - 1
