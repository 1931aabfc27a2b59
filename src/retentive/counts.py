"""What recall counts words by: lists of the memories that hold a term, and what is counted of those in view."""

from __future__ import annotations

import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from retentive.rank import best_of_group, saturation, windowed
from retentive.signs import Floats, Ints, Mask

Codes = NDArray[np.uint32]


@lru_cache(maxsize=1 << 14)
def term_code(term: str) -> int:
    """A term as 32 bits. Two terms of one partition share a code about once in 100,000 distinct words.

    >>> term_code("invoice") == term_code("invoice")
    True
    """
    return zlib.crc32(term.encode("utf-8", "surrogatepass"))


#: Stands in the terms of a memory once for each eighth of its text that asks rather than says; it counts as no word.
ASKS, EIGHTHS = "?", 8
#: What a term takes in the index: its code and its count.
TERM_BYTES = 8


def pack_terms(terms: Iterable[str]) -> bytes:
    """Terms with their counts as pairs of 32-bit numbers: no text of a memory stands in the index.

    >>> len(pack_terms(["red", "wine", "red"]))
    16
    """
    terms = list(terms)
    counts = dict.fromkeys(terms, 1)
    if len(counts) < len(terms):
        counts = Counter(terms)
    numbers = [0] * (2 * len(counts))
    numbers[::2], numbers[1::2] = map(term_code, counts), counts.values()
    return array("I", numbers).tobytes()


@dataclass(slots=True)
class Postings:
    """Term code -> the documents that hold it and how often, sorted by term."""

    terms: Codes
    docs: Ints
    counts: Floats

    @classmethod
    def of(cls, terms: Codes, docs: Ints, counts: Floats) -> Self:
        """Those of documents in rising order; under each term they keep it."""
        order = np.argsort(terms, kind="stable")
        return cls(terms[order], docs[order], counts[order])

    @classmethod
    def none(cls) -> Self:
        """Of no document."""
        return cls(np.zeros(0, np.uint32), np.zeros(0, np.int64), np.zeros(0, np.float32))

    @property
    def nbytes(self) -> int:
        """Bytes held in memory."""
        return self.terms.nbytes + self.docs.nbytes + self.counts.nbytes

    def and_of(self, terms: Codes, docs: Ints, counts: Floats) -> tuple[Codes, Ints, Floats]:
        """These, and those of later documents behind them; not sorted."""
        return (
            np.concatenate([self.terms, terms]),
            np.concatenate([self.docs, docs]),
            np.concatenate([self.counts, counts]),
        )

    def bounds(self, codes: Codes) -> tuple[Sequence[int], Sequence[int]]:
        """Where the documents of each term begin and end."""
        return self.terms.searchsorted(codes).tolist(), self.terms.searchsorted(codes, "right").tolist()

    def holders(self, codes: Codes) -> tuple[Ints, Ints, Floats]:
        """Who holds each of the terms, one behind the other: (h,) its number, the document and the count."""
        starts = self.terms.searchsorted(codes)
        sizes = self.terms.searchsorted(codes, "right") - starts
        number = np.repeat(np.arange(len(codes)), sizes)
        at = np.arange(len(number)) + (starts + sizes - sizes.cumsum()).take(number)
        return number, self.docs.take(at), self.counts.take(at)


#: The list of a term that no memory holds.
_NOWHERE: tuple[Ints, Floats] = (np.zeros(0, np.int64), np.zeros(0, np.float32))


def lists(parts: Iterable[Postings], terms: Sequence[str]) -> list[tuple[Ints, Floats]]:
    """Of each term who holds it and how often, looked up together; documents of a later part come behind."""
    codes = np.fromiter(map(term_code, terms), np.uint32, len(terms))
    found = [_NOWHERE] * len(terms)
    for part in parts:
        for number, (start, end) in enumerate(zip(*part.bounds(codes), strict=True)):
            if start < end:  # most that may stand for a word is nowhere
                found[number] = _behind(found[number], (part.docs[start:end], part.counts[start:end]))
    return found


def _behind(early: tuple[Ints, Floats], late: tuple[Ints, Floats]) -> tuple[Ints, Floats]:
    """One list behind the other."""
    return late if early is _NOWHERE else (np.concatenate([early[0], late[0]]), np.concatenate([early[1], late[1]]))


def holders(parts: Iterable[Postings], terms: Sequence[str]) -> tuple[Ints, Ints, Floats]:
    """The same in one: (h,) the number of the term, the document and the count."""
    codes = np.fromiter(map(term_code, terms), np.uint32, len(terms))
    found = [part.holders(codes) for part in parts if len(part.terms)]
    if len(found) == 1:
        return found[0]
    numbers, docs, counts = zip((_NOWHERE[0], *_NOWHERE), *found, strict=True)
    return np.concatenate(numbers), np.concatenate(docs), np.concatenate(counts)


@dataclass(frozen=True, slots=True)
class Sessions:
    """The sessions of a view: `group` (n,) is the number of each memory's, from 1 on, 0 outside sessions.

    By that number: the sum of the lengths of a session's memories in view. Of the sessions that have any: how many
    memories they have and how long they are, on average.
    """

    group: Ints
    lengths: Floats
    size: float
    length: float

    @classmethod
    def of(cls, session: NDArray[np.int32], mask: Mask, lengths: Floats) -> Self:
        """Numbered anew: a part of a large scope has few of its sessions."""
        group = np.unique(np.append(session, np.int32(-1)), return_inverse=True)[1]
        number, group = int(group.max()) + 1, group[:-1]
        sizes = np.bincount(group, weights=mask, minlength=number)[1:]
        total = np.bincount(group, weights=lengths, minlength=number).astype(np.float32)
        some = max(np.count_nonzero(sizes), 1)
        return cls(group, total, sizes.sum() / some, total[1:].sum() / max(np.count_nonzero(total[1:]), 1))

    def best(self, scores: Floats, group: Ints | None = None) -> Floats:
        """The best score of each session, by its number, of the memories (n,) or of some of these `group` (m,)."""
        return best_of_group(scores, self.group if group is None else group, len(self.lengths))


class View:
    """The memories that a caller may see, a mask (n,), and what is counted of them; kept for the next question.

    `lent` (p, 2): places of facts out of view, and of the messages in view that they were drawn from.
    `frequencies`: how many memories and windows hold a word, as words are asked for. A window is a memory with its
    neighbours.
    """

    def __init__(
        self,
        mask: Mask,
        lengths: Floats,
        embedded: Mask,
        session: NDArray[np.int32],
        neighbours: tuple[Ints, Ints],
        *,
        lent: Ints,
    ) -> None:
        self.mask, self.lent = mask, lent
        self.number = int(np.count_nonzero(mask))
        self.whole = self.number == len(mask)
        self.lengths: Floats = np.where(mask, lengths, np.float32(0))
        self.frequencies: dict[Any, tuple[int, int]] = {}
        self._embedded, self._session, self._neighbours = embedded, session, neighbours

    @cached_property
    def waiting(self) -> int:
        """How many have no vector yet."""
        return int(np.count_nonzero(self.mask & ~self._embedded))

    @cached_property
    def length(self) -> float:
        """The sum of all lengths."""
        return float(self.lengths.sum())

    @cached_property
    def window_lengths(self) -> Floats:
        """The length of each window, (n,)."""
        return windowed(self.lengths, *self._neighbours)

    @cached_property
    def window_length(self) -> float:
        """The sum of these."""
        return float(self.window_lengths.sum())

    @cached_property
    def window_sizes(self) -> Floats:
        """How many memories in view each window has, (n,), at least 1."""
        sizes: Floats = np.maximum(windowed(self.mask.astype(np.float32), *self._neighbours), 1)
        return sizes

    @cached_property
    def sessions(self) -> Sessions:
        """Its sessions, each read as one document."""
        return Sessions.of(self._session, self.mask, self.lengths)

    @cached_property
    def saturations(self) -> Floats:
        """What `rank.bm25` takes of the memories and of their windows, (2, n), by the averages of this view."""
        return self.saturations_by(self.length, self.window_length, self.number)

    def saturations_by(self, length: float, window_length: float, number: int) -> Floats:
        """The same by the averages of so many memories, of which this view is a part."""
        number = max(number, 1)
        return np.array(
            [saturation(self.lengths, length / number), saturation(self.window_lengths, window_length / number)]
        )
