"""Small matrix products on one thread: on a busy machine several threads wait for each other longer than they compute.

The limit holds for the products inside the `with`, and leaves the application's own setting as it was: the number is
the process's, so of several threads inside at once the first sets it and the last sets it back.
"""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from functools import lru_cache
from types import TracebackType
from typing import Any

from threadpoolctl import ThreadpoolController


@lru_cache(maxsize=1)
def _libraries() -> list[Any]:
    """Finding the loaded libraries takes milliseconds, so it is done once."""
    found: list[Any] = ThreadpoolController().select(user_api="blas").lib_controllers
    return found


class _OneThread(AbstractContextManager[None]):
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._before: list[int] = []

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._before = [library.get_num_threads() for library in _libraries()]
                for library in _libraries():
                    library.set_num_threads(1)
            self._inside += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                for library, threads in zip(_libraries(), self._before, strict=True):
                    library.set_num_threads(threads)


_ONE_THREAD = _OneThread()


def one_thread() -> AbstractContextManager[None]:
    """Matrix products inside run on the calling thread alone."""
    return _ONE_THREAD
