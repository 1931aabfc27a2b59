"""Exceptions that a border between threads, or into a coroutine, would turn into something else.

A future takes no StopIteration, and whoever waits for it waits for ever; a coroutine takes CancelledError for its own
end; SystemExit ends a thread without a word, and KeyboardInterrupt a whole server. A plugin may raise any of them by
mistake: `next()` of an empty iterator is enough. Behind this border they are mistakes like any other.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

R = TypeVar("R")

_ENDS = (StopIteration, StopAsyncIteration, GeneratorExit)


def contained(run: Callable[[], R]) -> R:
    """What a function gives or raises; what says more than that it failed is raised as a RuntimeError.

    In the main thread an exit or an interrupt is somebody's wish, and passes.

    >>> contained(lambda: 6 * 7)
    42
    >>> contained(lambda: next(iter(())))
    Traceback (most recent call last):
    RuntimeError: StopIteration was raised where an answer was expected
    """
    try:
        return run()
    except _ENDS as error:
        raise _mistake(error) from error
    except Exception:
        raise
    except BaseException as error:
        if threading.current_thread() is threading.main_thread():
            raise
        raise _mistake(error) from error


def _mistake(error: BaseException) -> RuntimeError:
    return RuntimeError(f"{type(error).__name__} was raised where an answer was expected")
