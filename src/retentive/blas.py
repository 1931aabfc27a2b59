"""Small matrix products on one thread: on a busy machine several threads wait for each other longer than they compute.

The limit holds for the products inside the `with`, and leaves the application's own setting as it was.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    """Finding the loaded libraries takes milliseconds, so it is done once."""
    return ThreadpoolController()


def one_thread() -> AbstractContextManager[Any]:
    """Matrix products inside run on the calling thread alone."""
    limit: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limit
