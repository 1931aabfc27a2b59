"""How often someone may come: a bucket that fills evenly and empties by one a request."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

_MOST_NAMES = 10_000  # addresses and keys that are remembered; who was longest away is forgotten


class Buckets:
    """One bucket for each name. Safe between threads; kept in this process alone.

    Full it holds as many as a minute gives, so a burst passes and an even flow never waits.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._filled: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str, per_minute: int) -> float:
        """Take one; 0 where there was one, else in how many seconds there will be.

        >>> now = [0.0]
        >>> buckets = Buckets(lambda: now[0])
        >>> [buckets.take("a", 2) for _ in range(3)]
        [0.0, 0.0, 30.0]
        >>> now[0] = 31.0
        >>> buckets.take("a", 2)
        0.0
        """
        with self._lock:
            now_s = self._clock()
            level, at_s = self._filled.pop(name, (float(per_minute), now_s))
            level = min(float(per_minute), level + (now_s - at_s) * per_minute / 60)
            enough = level >= 1
            self._filled[name] = (level - 1 if enough else level, now_s)
            if len(self._filled) > _MOST_NAMES:
                self._filled.popitem(last=False)
        return 0.0 if enough else (1 - level) * 60 / per_minute
