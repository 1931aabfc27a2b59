"""Bytes by row that were wanted of late: read once, however many recalls look at the same memories."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence

#: What one entry takes beside its bytes.
_ENTRY_BYTES = 160


class RecentBytes:
    """At most `limit_bytes` of them; those wanted longest ago go first. For one reader at a time.

    >>> recent = RecentBytes(1 << 20)
    >>> recent.of([7, 8], lambda rows: {row: b"seven" for row in rows if row == 7})
    [b'seven', b'']
    >>> recent.of([8, 7], lambda rows: {})
    [b'', b'seven']
    """

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._kept: OrderedDict[int, bytes] = OrderedDict()
        self.byte_size = 0

    def of(self, rows: Sequence[int], read: Callable[[Sequence[int]], Mapping[int, bytes]]) -> list[bytes]:
        """The bytes of these rows in their order, empty where there are none; those not kept are read."""
        kept = self._kept
        new = [row for row in rows if row not in kept]
        found = read(new) if new else {}
        for row in new:
            kept[row] = found.get(row, b"")
            self.byte_size += len(kept[row]) + _ENTRY_BYTES
        for row in rows:
            kept.move_to_end(row)
        wanted = [kept[row] for row in rows]
        while self.byte_size > self._limit_bytes:
            self.drop([next(iter(kept))])
        return wanted

    def drop(self, rows: Iterable[int]) -> None:
        """Forget what these rows held: it changed."""
        for row in rows:
            dropped = self._kept.pop(row, None)
            if dropped is not None:
                self.byte_size -= len(dropped) + _ENTRY_BYTES
