"""Once more, where writers waited for each other and the server made this one give way: nothing of it was written."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from retentive.errors import StoreYielded

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)
_TIMES = 3
#: Longest pause before the next try; two that met would else meet again.
_PAUSE_S = 0.1


def again_when_yielded(call: Callable[P, R]) -> Callable[P, R]:
    """A function that is one transaction, or none, called up to three times; StoreYielded then goes to the caller.

    >>> again_when_yielded(abs)(-1)
    1
    """

    @wraps(call)
    def repeated(*args: P.args, **kwargs: P.kwargs) -> R:
        for _ in range(_TIMES - 1):
            try:
                return call(*args, **kwargs)
            except StoreYielded:
                time.sleep(random.uniform(0, _PAUSE_S))  # noqa: S311  no secret
        return call(*args, **kwargs)

    return repeated


def methods_again_when_yielded(*names: str) -> Callable[[C], C]:
    """A class whose methods of these names are called again likewise."""

    def changed(made: C) -> C:
        for name in names:
            setattr(made, name, again_when_yielded(getattr(made, name)))
        return made

    return changed
