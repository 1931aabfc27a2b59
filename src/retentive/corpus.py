"""A partition's memories as columns: what recall scores, in numpy, without touching the store.

An embedded backend keeps one Corpus for each partition in use and brings it up to date by the rows that changed; a
remote backend builds one of its candidates for each query. Either way the same arithmetic ranks the same texts the
same way. Everything is counted within the partition, so another tenant's words never move a score.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from retentive.clock import MAX_US
from retentive.counts import ASKS, EIGHTHS, TERM_BYTES, Postings, View, holders, lists, term_code
from retentive.recent import RecentBytes
from retentive.scratch import Scratches
from retentive.signs import Signs
from retentive.types import Scope

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

#: Postings that came since the last sort are kept apart; past this many, and this share of all, they are sorted in.
_TAIL_LIMIT, _TAIL_SHARE = 8192, 1 / 256
#: Views kept: a prompt asks for facts and for messages, a second agent for its own.
_VIEWS = 3
#: Bytes of token states kept of one partition: those of some 1,700 messages.
_STATES_BYTES = 4 << 20
#: What a 1 in a token state is stored as.
TOKEN_UNIT = 127
#: How far the squared length of a stored vector may be from 1: rounding to 16 bits moves it by a thousandth.
_LENGTH_SLACK = 0.02
#: A vector shorter than this says nothing: its squares are lost in 32 bits.
_SHORTEST = 1e-12
_ASKS = term_code(ASKS)
#: After the last moment there is, so that 'until then' holds at that moment too.
NEVER = MAX_US + 1


class IndexRow(NamedTuple):
    """What searching needs to know of one memory: what filters look at, its packed terms and its vector."""

    row: int
    tier: int
    timestamp_us: int
    recorded_us: int
    retired_us: int | None
    valid_to_us: int | None
    expires_us: int | None
    current: bool
    evergreen: bool
    session_id: str | None
    agent_id: str | None
    project_id: str | None
    own: bool
    terms: bytes
    vector: bytes | None


def pack_vector(vector: Floats) -> bytes:
    """A vector as it is stored: of length 1, in 16-bit floats, half the bytes for less than 0.001 of cosine.

    >>> len(pack_vector(np.array([3.0, 4.0], np.float32)))
    4
    """
    length = float(np.linalg.norm(vector))
    unit = vector / length if _SHORTEST < length < math.inf else np.zeros_like(vector)
    return unit.astype(np.float16).tobytes()


def pack_tokens(states: Floats) -> bytes:
    """Token states (t, d) of length 1 as 8-bit numbers, 1 being 127: what rounding moves, no ranking notices.

    >>> len(pack_tokens(np.full((3, 4), 0.5, np.float32)))
    12
    """
    return np.clip(np.rint(states * TOKEN_UNIT), -TOKEN_UNIT, TOKEN_UNIT).astype(np.int8).tobytes()


def unpack_tokens(packed: Sequence[bytes], dimension: int) -> tuple[Floats, Ints]:
    """The token states of several memories below each other, (t, d), TOKEN_UNIT being 1, and how many each memory has.

    What is not a whole number of states, as after damage, counts as none.
    """
    sizes = np.array([len(value) // dimension if len(value) % dimension == 0 else 0 for value in packed], np.int64)
    whole = b"".join(value for value, size in zip(packed, sizes, strict=True) if size)
    return np.frombuffer(whole, np.int8).reshape(-1, dimension).astype(np.float32), sizes


def unpack_vectors(packed: Sequence[bytes | None], dimension: int) -> tuple[Ints, Floats]:
    """Which of these hold a vector, and the vectors. What is cut off, or not of length 1 or 0, is damaged: none."""
    here = [place for place, vector in enumerate(packed) if vector is not None and len(vector) == 2 * dimension]
    with np.errstate(invalid="ignore"):
        numbers = np.frombuffer(b"".join(packed[place] or b"" for place in here), np.float16)
        vectors = numbers.reshape(len(here), dimension).astype(np.float32)
        squares = np.einsum("ij,ij->i", vectors, vectors)
    sound = (squares == 0) | (np.abs(squares - 1) < _LENGTH_SLACK)
    return np.array(here, np.int64)[sound], vectors[sound]


class Names:
    """Strings as small numbers, None as -1."""

    def __init__(self) -> None:
        self.number: dict[str | None, int] = {None: -1}

    def code(self, values: Sequence[str | None]) -> list[int]:
        """The number of each, new ones counted on."""
        number = self.number
        return [number.setdefault(value, len(number) - 1) for value in values]

    def name(self, code: int) -> str | None:
        """The string of a number that `code` gave."""
        return next(value for value, number in self.number.items() if number == code)


#: Column name -> numpy type; one array each, grown by doubling.
_COLUMNS: Mapping[str, type] = {
    "row": np.int64,
    "tier": np.int8,
    "timestamp_us": np.int64,
    "recorded_us": np.int64,
    "retired_us": np.int64,
    "valid_to_us": np.int64,
    "expires_us": np.int64,
    "current": np.bool_,
    "evergreen": np.bool_,
    "own": np.bool_,
    "session": np.int32,
    "agent": np.int32,
    "project": np.int32,
    "length": np.float32,
    "asks": np.float32,  # the share of the text that asks, in eighths
    "alive": np.bool_,
    "embedded": np.bool_,
    "partial": np.bool_,  # of two models' vectors side by side: one is missing, and the last number is in its place
}


class Corpus:
    """The columns of one partition. Rows come in rising order; `size` of them are in use.

    `vectors` is (size, dimension) float32, all of one `model`; a memory without has a zero row and `embedded` False.
    """

    #: Whether the vectors lie elsewhere: see `FarCorpus`.
    far = False
    #: What to say of the reading it was given out for, beside its hits; and in a trace.
    notes: tuple[str, ...] = ()
    asked: Mapping[str, Any] = {}
    #: Who asks, for an index elsewhere that can look at what they may see alone.
    scope: Scope | None = None

    def __init__(self, dimension: int, model: str = "") -> None:
        self.dimension = dimension
        self.model = model
        self.size = 0
        self.revision = 0
        self.sessions, self.agents, self.projects = Names(), Names(), Names()
        self._columns: dict[str, NDArray[Any]] = {name: np.zeros(0, kind) for name, kind in _COLUMNS.items()}
        self._vectors: Floats = np.zeros((0, 0 if self.far else dimension), np.float32)
        self._main, self._tail = Postings.none(), Postings.none()
        self._neighbours: tuple[Ints, Ints] | None = None
        self._drawn: Ints = np.zeros((0, 2), np.int64)
        self._views: list[View] = []
        self._current: _Current | None = None
        self._signs: list[Signs] = []
        #: Packed token states of the candidates of late.
        self.states = RecentBytes(_STATES_BYTES)
        self.scratches = Scratches()

    def column(self, name: str) -> NDArray[Any]:
        """One column, `size` long."""
        return self._columns[name][: self.size]

    @property
    def vectors(self) -> Floats:
        """The vectors, (size, dimension)."""
        return self._vectors[: self.size]

    def vectors_of(self, places: Ints) -> Floats:
        """The vectors of some places, (m, dimension)."""
        return self.vectors[places]

    @property
    def byte_size(self) -> int:
        """Bytes held in memory, for the cache's limit."""
        columns = sum(column.nbytes for column in self._columns.values())
        derived = self._main.nbytes + self._tail.nbytes + sum(signs.nbytes for signs in self._signs)
        return columns + derived + self._vectors.nbytes + self.states.byte_size

    # -- bringing it up to date ------------------------------------------------------------------------------------
    def put(self, rows: Sequence[IndexRow]) -> None:
        """Add rows that are new and overwrite those that are known. New rows must be in rising order."""
        if not rows:
            return
        known = self.places(np.fromiter((r.row for r in rows), np.int64, len(rows)))
        fresh = [row for row, place in zip(rows, known, strict=True) if place < 0]
        stale = [(row, int(place)) for row, place in zip(rows, known, strict=True) if place >= 0]
        if stale:
            self._write(np.array([place for _, place in stale]), [row for row, _ in stale])
        if fresh:
            start = self.size
            self._reserve(start + len(fresh))
            self.size += len(fresh)
            self._write(np.arange(start, self.size), fresh)
            self._post(start, fresh)
        self._changed()

    def drop(self, rows: Sequence[int]) -> None:
        """Take rows out of every search; their vectors are overwritten at once."""
        places = self.places(np.array(rows, np.int64))
        places = places[places >= 0]
        self._columns["alive"][places] = False
        self._columns["embedded"][places] = False
        self._vectors[places] = 0
        self._sign(places)
        self._changed()

    def draw(self, pairs: Sequence[tuple[int, int]] | None) -> None:
        """Say of facts what messages they were drawn from: rows of both, all of them here; None: of none any more."""
        if pairs is None and len(self._drawn):
            self._drawn = self._drawn[:0]
            self._changed()
        elif pairs:
            places = self.places(np.array(pairs, np.int64).ravel()).reshape(-1, 2)
            others = self._drawn[~np.isin(self._drawn[:, 0], places[:, 0])]
            self._drawn = np.concatenate([others, places[(places >= 0).all(axis=1)]])
            self._changed()

    def _changed(self) -> None:
        self._neighbours = self._current = None
        self._views = []

    def places(self, rows: Ints) -> Ints:
        """Where rows stand in the columns; -1 for those that are not here."""
        have = self.column("row")
        if not len(have):
            return np.full(len(rows), -1, np.int64)
        places = np.searchsorted(have, rows)
        found = have[np.minimum(places, len(have) - 1)] == rows
        return np.where(found, places, -1)

    def _reserve(self, needed: int) -> None:
        capacity = len(self._vectors)
        if needed <= capacity:
            return
        extra = max(needed, capacity * 3 // 2) - capacity
        for name, column in self._columns.items():
            self._columns[name] = np.concatenate([column, np.zeros(extra, column.dtype)])
        self._vectors = np.concatenate([self._vectors, np.zeros((extra, self._vectors.shape[1]), np.float32)])
        for signs in self._signs:
            signs.grow(extra)

    def _write(self, places: Ints, rows: Sequence[IndexRow]) -> None:
        given: dict[str, Any] = dict(zip(IndexRow._fields, zip(*rows, strict=True), strict=True))
        columns = self._columns
        for name in ("row", "tier", "timestamp_us", "recorded_us", "current", "evergreen", "own"):
            columns[name][places] = given[name]
        for name in ("retired_us", "valid_to_us", "expires_us"):
            columns[name][places] = [NEVER if value is None else value for value in given[name]]
        columns["session"][places] = self.sessions.code(given["session_id"])
        columns["agent"][places] = self.agents.code(given["agent_id"])
        columns["project"][places] = self.projects.code(given["project_id"])
        columns["alive"][places] = True
        self._write_vectors(places, given["vector"])

    def _write_vectors(self, places: Ints, vectors: Sequence[bytes | None]) -> None:
        here, numbers = unpack_vectors(vectors, self.dimension)
        self._vectors[places] = 0
        self._vectors[places[here]] = numbers
        self._columns["embedded"][places] = False
        self._columns["embedded"][places[here]] = True
        self._columns["partial"][places] = self._vectors[places, -1] > 0 if self.dimension else False
        self._sign(places)

    def _sign(self, places: Ints) -> None:
        """Bring the signs up to date with the vectors, where they were asked for."""
        for signs in self._signs:
            signs.put(places, self._vectors[places])

    def _post(self, start: int, rows: Sequence[IndexRow]) -> None:
        packed = [row.terms if len(row.terms) % TERM_BYTES == 0 else b"" for row in rows]  # a damaged one says nothing
        pairs = np.frombuffer(b"".join(packed), np.uint32).reshape(-1, 2)
        sizes = np.fromiter((len(terms) // TERM_BYTES for terms in packed), np.int64, len(rows))
        docs = np.repeat(np.arange(start, start + len(rows)), sizes)
        counts = pairs[:, 1].astype(np.float32)
        asks = np.flatnonzero(pairs[:, 0] == _ASKS)
        if len(asks):
            self._columns["asks"][docs[asks]] = counts[asks] / EIGHTHS
            pairs, docs, counts = np.delete(pairs, asks, axis=0), np.delete(docs, asks), np.delete(counts, asks)
        lengths = np.bincount(docs - start, weights=counts, minlength=len(rows))
        self._columns["length"][start : start + len(rows)] = lengths
        later = self._tail.and_of(pairs[:, 0], docs, counts)
        if len(later[0]) <= max(_TAIL_LIMIT, len(self._main.terms) * _TAIL_SHARE):
            self._tail = Postings.of(*later)
        else:
            self._main, self._tail = Postings.of(*self._main.and_of(*later)), Postings.none()

    # -- reading ---------------------------------------------------------------------------------------------------
    def postings(self, term: str) -> tuple[Ints, Floats]:
        """The places that hold a term, and how often each does."""
        return self.postings_of([term])[0]

    def postings_of(self, terms: Sequence[str]) -> list[tuple[Ints, Floats]]:
        """The same of each of many terms, looked up together."""
        return lists((self._main, self._tail), terms)

    def holders(self, terms: Sequence[str]) -> tuple[Ints, Ints, Floats]:
        """The same of all together, one behind the other: (h,) the number of the term, the place and the count."""
        return holders((self._main, self._tail), terms)

    def signs(self, parts: Sequence[slice]) -> list[Signs]:
        """The signs of these parts of the vectors; kept from the first time on."""
        if [signs.part for signs in self._signs] != list(parts):
            self._signs = [Signs.of(self._vectors, part) for part in parts]
        return self._signs

    def view(self, mask: Mask) -> View:
        """What is counted of these memories (n,); the last few views are kept."""
        for view in self._views:
            if view.mask is mask or np.array_equal(view.mask, mask):
                return view
        length, embedded, session = (self.column(name) for name in ("length", "embedded", "session"))
        view = View(mask, length, embedded, session, self.neighbours(), lent=self._lent(mask))
        self._views = [view, *self._views[: _VIEWS - 1]]
        return view

    def _lent(self, mask: Mask) -> Ints:
        """Facts out of view and messages in view that they were drawn from (p, 2), with the same agent and project."""
        facts, messages = self._drawn.T
        lends = mask[messages] & ~mask[facts] & self.column("alive")[facts] & self.column("current")[facts]
        for name in ("agent", "project"):
            lends &= self.column(name)[facts] == self.column(name)[messages]
        lent: Ints = self._drawn[lends]
        return lent

    def current(self, now_us: int) -> Mask:
        """Which memories are neither erased nor over now, (n,), not to be written to; kept until one more is over."""
        kept = self._current
        if kept is None or not kept.since_us <= now_us < kept.until_us:
            kept = self._current = _current(self, now_us)
        return kept.mask

    def neighbours(self) -> tuple[Ints, Ints]:
        """For each place, the places of the message before and after it in its session; `size` where there is none."""
        if self._neighbours is None:
            self._neighbours = _neighbours(self.column("session"), self.column("alive") & (self.column("tier") == 0))
        return self._neighbours


class _Current(NamedTuple):
    """The memories that are current from one moment to another."""

    mask: Mask
    since_us: int
    until_us: int


def _current(corpus: Corpus, now_us: int) -> _Current:
    there = corpus.column("alive") & corpus.column("current")
    ends_us = np.minimum(corpus.column("expires_us"), corpus.column("valid_to_us"))
    mask: Mask = there & (ends_us > now_us)
    mask.setflags(write=False)
    over_us, left_us = ends_us[there & ~mask], ends_us[mask]
    return _Current(mask, int(over_us.max(initial=-NEVER)), int(left_us.min(initial=NEVER)))


def _neighbours(session: NDArray[np.int32], linked: Mask) -> tuple[Ints, Ints]:
    size = len(session)
    before, after = np.full(size, size), np.full(size, size)
    places = np.flatnonzero(linked & (session >= 0))
    places = places[np.argsort(session[places], kind="stable")]
    same = session[places[1:]] == session[places[:-1]]
    before[places[1:][same]] = places[:-1][same]
    after[places[:-1][same]] = places[1:][same]
    return before, after


class FarCorpus(Corpus, ABC):
    """A corpus whose vectors lie elsewhere: `vectors` has no numbers, `vectors_of` fetches those of some places."""

    far = True

    def prepare(self, query: Floats | None, terms: Sequence[str]) -> None:
        """Told of all that one recall will ask for, so that it can be asked at once."""

    @abstractmethod
    def nearest(self, query: Floats, masks: Sequence[Mask], number: int) -> Iterator[Ints]:
        """In each of the views the places of so many of the nearest."""
