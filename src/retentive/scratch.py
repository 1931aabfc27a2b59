"""Blank arrays as long as a corpus, lent to one recall after another.

A fresh megabyte costs a page fault for every 4 KB of it, and clearing it costs as much again: more than a recall does
with it, which touches a few thousand places.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

#: So many recalls of a corpus at a time find theirs ready.
_KEPT = 2


class Scratch:
    """Zeros for n places and, behind them, for none: two of float32 and one of bool, (n + 1,) each."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.sums, self.counts = np.zeros(size + 1, np.float32), np.zeros(size + 1, np.float32)
        self.marks = np.zeros(size + 1, bool)


class Scratches:
    """Those of one corpus; several threads may ask."""

    def __init__(self) -> None:
        self._free: list[Scratch] = []

    @contextmanager
    def lent(self, size: int) -> Iterator[Scratch]:
        """Zeros for `size` places; who writes to them leaves zeros. What an error interrupts is not lent again."""
        try:
            scratch = self._free.pop()
        except IndexError:
            scratch = Scratch(size)
        if scratch.size != size:
            scratch = Scratch(size)
        yield scratch
        if len(self._free) < _KEPT:
            self._free.append(scratch)
