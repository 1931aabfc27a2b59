"""A Qdrant as recall asks it: quickly, and not again for a while when it does not answer."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from retentive.backends.qdrant.address import open_client
from retentive.backends.qdrant.follower import QdrantVectors
from retentive.contracts import Backend
from retentive.contracts.beside import Beside, Nearest
from retentive.errors import IndexUnavailable
from retentive.types import Scope

#: A recall waits no longer for it, and after a failure it is not asked for so long.
_ANSWER_S, _REST_S = 2, 30.0
_NOBODY = "Qdrant has not followed this owner's memories yet: run `retentive index`"


class QdrantBeside(Beside):
    """Finds the nearest in the points that `QdrantVectors` keeps up to date. Safe between threads."""

    name = "qdrant"

    def __init__(self, vectors: QdrantVectors, clock: Callable[[], float] = time.monotonic) -> None:
        self._vectors, self._clock = vectors, clock
        self._lock = threading.Lock()
        self._down: tuple[float, str] | None = None
        self._asked = self._failed = self._behind = 0

    def nearest(self, scope: Scope, model: str, query: NDArray[np.float32], limit: int) -> Nearest:
        with self._lock:
            self._asked += 1
        try:
            return self._found(scope, model, query, limit)
        except IndexUnavailable as error:
            with self._lock:
                self._failed += 1
                self._down = self._clock() + _REST_S, str(error).partition(": it catches up")[0]
            raise

    def _found(self, scope: Scope, model: str, query: NDArray[np.float32], limit: int) -> Nearest:
        found = self._vectors.nearest(scope, model, query, limit)
        if not found.revision:
            raise IndexUnavailable(_NOBODY)
        return found

    def was_behind(self, changes: int) -> None:
        with self._lock:
            self._behind = changes

    @property
    def down(self) -> str | None:
        with self._lock:
            if self._down is not None and self._clock() >= self._down[0]:
                self._down = None
            return None if self._down is None else self._down[1]

    def measures(self) -> Mapping[str, float]:
        up = float(self.down is None)
        with self._lock:
            counts = {"asked": self._asked, "failed": self._failed, "behind": self._behind}
        return {"up": up} | {name: float(count) for name, count in counts.items()}

    def close(self) -> None:
        with contextlib.suppress(OSError):  # a connection that is gone already; nothing is kept there alone
            self._vectors.client.close()


def open_beside(url: str, backend: Backend) -> QdrantBeside:
    """The Qdrant at a URL, for a store that it follows. Raises ConfigError."""
    client, collection = open_client(url, answer_s=_ANSWER_S)
    return QdrantBeside(QdrantVectors(client, collection, backend))
