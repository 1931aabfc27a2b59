"""A large scope on a server: here are its rows, sessions and times; its words and vectors are found there.

One statement (`candidates.sql`) answers for both sides before a recall is scored; what it said serves that recall.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Protocol

import numpy as np

from retentive.backends.postgres.database import PostgresDatabase
from retentive.corpus import Floats, Ints, Mask, unpack_vectors
from retentive.counts import term_code
from retentive.sql import rows
from retentive.sql.large import NEAREST, LargeCorpus
from retentive.types import Partition, Scope

_TUNED = (
    "SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '300', true), "
    "set_config('hnsw.max_scan_tuples', '200000', true)"
)
_HOLDER = np.dtype([("row", ">i8"), ("times", ">i4")])
#: In the place of an entry's terms, where the server finds by them: one that no query has, as often as they are many.
TERMS = (
    "CASE WHEN e.words IS NULL THEN CAST(e.terms AS BLOB) ELSE set_byte(set_byte(set_byte(CAST('\\x0000000000000000' "
    "AS bytea), 4, e.word_count & 255), 5, (e.word_count >> 8) & 255), 6, (e.word_count >> 16) & 255) END"
)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Rows of the nearest, best first, with their packed vectors; and by term the rows that hold it, and how often."""

    near: Mapping[int, bytes]
    words: Mapping[str, tuple[Ints, Floats]]


class Finder(Protocol):
    """Answers for one partition while its corpus is being searched."""

    def candidates(self, query: Floats | None, terms: Sequence[str], scope: Scope | None) -> Candidates:
        """What `candidates.sql` says."""

    def vectors(self, rows: Sequence[int]) -> Mapping[int, bytes]:
        """The packed vectors of rows."""


class ServedCorpus(LargeCorpus):
    """A `LargeCorpus` whose words are on the server too, but for those of rows that came since they were put there."""

    #: Set for as long as the corpus is given out.
    finder: Finder
    _known: Candidates = Candidates({}, {})

    def give_out(self, finder: Finder) -> None:
        """Get it ready for one recall."""
        self.finder, self._known = finder, Candidates({}, {})

    def prepare(self, query: Floats | None, terms: Sequence[str]) -> None:
        self._known = self.finder.candidates(query, terms, self.scope)

    def nearest(self, query: Floats, masks: Sequence[Mask], number: int) -> Iterator[Ints]:  # noqa: ARG002  was asked for
        places = self.places(np.array(list(self._known.near), np.int64))
        places = places[places >= 0]  # what was forgotten since is not
        return (places[mask[places]][:number] for mask in masks)

    def postings_of(self, terms: Sequence[str]) -> list[tuple[Ints, Floats]]:
        unknown = [term for term in terms if term not in self._known.words]
        if unknown:
            more = self.finder.candidates(None, unknown, self.scope).words
            self._known = Candidates(self._known.near, {**self._known.words, **more})
        here = super().postings_of(terms)
        return [self._both(self._known.words[term], late) for term, late in zip(terms, here, strict=True)]

    def _both(self, there: tuple[Ints, Floats], here: tuple[Ints, Floats]) -> tuple[Ints, Floats]:
        """Places that hold a term, in rising order: as the server has them, and as their rows came since."""
        places = self.places(there[0])
        docs = np.concatenate([places[places >= 0], here[0]])
        counts = np.concatenate([there[1][places >= 0], here[1]])
        docs, first = np.unique(docs, return_index=True)
        return docs, counts[first]

    def vectors_of(self, places: Ints) -> Floats:
        wanted = self.column("row")[places].tolist()
        near = self._known.near
        found = {**near, **self.finder.vectors([row for row in wanted if row not in near])}
        here, numbers = unpack_vectors([found.get(row) for row in wanted], self.dimension)
        vectors = np.zeros((len(wanted), self.dimension), np.float32)
        vectors[here] = numbers
        return vectors


@cache
def _candidates_sql() -> str:
    """The statement; read at first use."""
    return (resources.files("retentive.backends.postgres") / "candidates.sql").read_text("utf-8")


def halfvec(vector: Floats) -> str:
    """A vector as pgvector reads it.

    >>> halfvec(np.array([0.5, -1.0], np.float32))
    '[0.5, -1.0]'
    """
    return str(vector.astype(np.float16).tolist())


def scoped_code(no: int, term: str) -> int:
    """A term of one partition as a number."""
    return no << rows.SEQ_BITS | term_code(term)


@dataclass(frozen=True, slots=True)
class Asked:
    """`Finder` on the server."""

    database: PostgresDatabase
    partition: Partition
    no: int
    model: str
    dimension: int

    def candidates(self, query: Floats | None, terms: Sequence[str], scope: Scope | None) -> Candidates:
        codes = {scoped_code(self.no, term): term for term in terms}
        first, last = rows.row_range(self.no)
        asked = {
            "model": self.model,
            "first": first,
            "last": last,
            "agent": None if scope is None else scope.agent_id,
            "project": None if scope is None else scope.project_id,
            "query": halfvec(np.zeros(self.dimension, np.float32) if query is None else query),
            "limit": 0 if query is None else NEAREST,
            "codes": f"{{{','.join(map(str, codes))}}}",
        }
        sql = _candidates_sql().format(dimension=self.dimension)
        _, found = self.database.ask(self.partition.tenant, (_TUNED, ()), (sql, asked))
        nobody = np.zeros(0, np.int64), np.zeros(0, np.float32)
        held = {what: np.frombuffer(value, _HOLDER) for side, what, value in found if side == "word"}
        lists = {code: (one["row"].astype(np.int64), one["times"].astype(np.float32)) for code, one in held.items()}
        near = {what: value for side, what, value in found if side == "near"}
        return Candidates(near, {term: lists.get(code, nobody) for code, term in codes.items()})

    def vectors(self, wanted: Sequence[int]) -> Mapping[int, bytes]:
        sql = "SELECT row, CAST(value AS BLOB) FROM vector WHERE model = ? AND row BETWEEN ? AND ? AND row = ANY(?)"
        asked = (self.model, *rows.row_range(self.no), list(wanted))
        return dict(self.database.ask(self.partition.tenant, (sql, asked))[0]) if wanted else {}
