"""Looking for words in bytes: is anything of what was forgotten left in a file?

What is looked for is taken from the memories before they go: texts, quotes, names, ids of the caller's, metadata. A
text is cut into pieces, since a database breaks a long one over several pages. What another memory still says is no
trace.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from retentive.contracts import Remembered, Store
from retentive.lifecycle.archive import Archive, Line
from retentive.lifecycle.mirror import Mirrors
from retentive.lifecycle.portable import everything
from retentive.results import ErasurePlace
from retentive.types import Episode, Partition
from retentive.whole_file import plain_blocks

_PIECE_CHARS: Final = 32
#: What is shorter stands in any file by chance. Also the width of the numbers a file is searched by.
_KEY_BYTES: Final = 8
#: No piece is longer in any encoding: a character outside the first plane is twelve bytes in escaped JSON.
_OVERLAP_BYTES: Final = 12 * _PIECE_CHARS
_ALL_SESSIONS: Final = 1_000_000
#: A key of metadata like this is the name of a field, as the schema's own are, and tells nothing.
_PLAIN_KEY: Final = re.compile(r"[a-z_]{1,32}")


@dataclass(frozen=True, slots=True)
class Place:
    """A partition, its store and what lies beside it."""

    store: Store
    partition: Partition
    archive: Archive | None
    mirrors: Mirrors | None


def said_by(place: Place) -> frozenset[str]:
    """All that a partition and its archive say, in pieces of 32 characters."""
    lines = () if place.archive is None else place.archive.lines(place.partition)
    texts = [*_said_in(place.store, place.partition), *(text for line in lines for text in _of_line(line))]
    return frozenset(piece for text in texts for piece in _pieces(text))


def traces(place: Place, gone: AbstractSet[str]) -> list[ErasurePlace]:
    """For each file, how many pieces of what is gone do not stand in it and how many do, in any of the usual forms."""
    needles = {form: piece for piece in gone for form in _forms(piece)}
    search = _Search(needles)
    found: dict[str, set[str]] = {}
    for name, blocks in _files(place):
        found.setdefault(name, set()).update(needles[one] for block in blocks for one in search.of(block))
    left = _not_said(place, set().union(*found.values()))
    return [
        ErasurePlace(f"bytes of {name}", len(gone) - len(pieces & left), len(pieces & left))
        for name, pieces in found.items()
    ]


# -- what is said ------------------------------------------------------------------------------------------------------
def _said_in(store: Store, partition: Partition) -> Iterator[str]:
    for memory in everything(store, partition):
        yield from _texts(memory)
    for session in store.sessions(partition, limit=_ALL_SESSIONS):
        yield from (session.id, session.summary or "")
    if partition in store.revisions():
        yield partition.owner


def _texts(memory: Remembered) -> Iterator[str]:
    yield memory.text
    yield memory.session_id or ""
    yield from _leaves(memory.metadata)
    if isinstance(memory, Episode):
        yield from (memory.name or "", memory.source_id or "")
    else:
        yield from (memory.reason or "", memory.idempotency_key or "")
        yield from (quote for _, quote in memory.evidence)


def _of_line(line: Line) -> Iterator[str]:
    names = ("text", "session_id", "name", "source_id", "reason", "idempotency_key")
    yield from (line.get(name) or "" for name in names)
    yield from _leaves(line["metadata"])
    yield from (quote for _, quote in line.get("evidence", ()))


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (key for key in value if not _PLAIN_KEY.fullmatch(key))
        for inner in value.values():
            yield from _leaves(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _leaves(inner)


def _pieces(text: str) -> Iterator[str]:
    """Pieces of a text, the last one as long as the others; none of a text too short to tell.

    >>> list(_pieces("short"))
    []
    >>> list(_pieces("a text of forty characters, or thereabouts"))
    ['a text of forty characters, or t', 'forty characters, or thereabouts']
    """
    for start in range(0, max(1, len(text)), _PIECE_CHARS):
        piece = text[max(0, min(start, len(text) - _PIECE_CHARS)) : start + _PIECE_CHARS]
        if len(piece.encode("utf-8", "surrogatepass")) >= _KEY_BYTES:
            yield piece


def _not_said(place: Place, found: AbstractSet[str]) -> set[str]:
    """Those of the pieces that no memory says which nobody asked to forget, whoever's it is, archived or not."""
    left = {piece: json.dumps(piece)[1:-1] for piece in found}
    for text in _standing(place) if left else ():
        for piece in [piece for piece, escaped in left.items() if piece in text or escaped in text]:
            del left[piece]
    return set(left)


def _standing(place: Place) -> Iterator[str]:
    for owner in place.store.partitions():
        yield from _said_in(place.store, owner)
    for texts in place.archive.files() if place.archive is not None else ():
        yield from texts


# -- where -------------------------------------------------------------------------------------------------------------
def _files(place: Place) -> Iterator[tuple[str, Iterable[bytes]]]:
    yield from place.store.files(_OVERLAP_BYTES)
    yield from ((name, ()) for name, beside in (("archives", place.archive), ("mirrors", place.mirrors)) if beside)
    for texts in place.archive.files() if place.archive is not None else ():
        yield "archives", (text.encode() for text in texts)
    for path in place.mirrors.files() if place.mirrors is not None else ():
        yield "mirrors", plain_blocks(path, _OVERLAP_BYTES)


def _forms(piece: str) -> set[bytes]:
    """How a piece may stand in a file: as it is, and as JSON writes it."""
    forms = {piece, json.dumps(piece)[1:-1], json.dumps(piece, ensure_ascii=False)[1:-1]}
    return {form.encode("utf-8", "surrogatepass") for form in forms}


class _Search:
    """Looks for many needles at once: by their first eight bytes as a number, at each of the eight alignments."""

    def __init__(self, needles: Iterable[bytes]) -> None:
        self._by_key: dict[int, list[bytes]] = {}
        for needle in needles:
            self._by_key.setdefault(int.from_bytes(needle[:_KEY_BYTES], "little"), []).append(needle)
        self._keys: NDArray[np.uint64] = np.array(sorted(self._by_key), np.uint64)

    def of(self, block: bytes) -> Iterator[bytes]:
        """The needles that stand in a block."""
        for shift in range(_KEY_BYTES if len(self._keys) else 0):
            count = max(0, len(block) - shift) // _KEY_BYTES
            numbers = np.frombuffer(block, "<u8", count, shift) if count else np.zeros(0, np.uint64)
            places = np.minimum(np.searchsorted(self._keys, numbers), len(self._keys) - 1)
            for place in np.flatnonzero(self._keys[places] == numbers).tolist():
                start = shift + place * _KEY_BYTES
                yield from (one for one in self._by_key[int(numbers[place])] if block.startswith(one, start))
