"""What stands near a place: the stretches of a text in which one change can bring another finding to light.

A placeholder or a decoded escape changes the reading of its neighbourhood only. Reading no more than that again keeps the
cost of a text in step with its length, however its findings lie.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

#: How far a stretch goes on to find white space, so that it does not cut a word: further than a value is long.
_WORD: Final = 2_048
_SPACE: Final = re.compile(r"\s")


def around(text: str, places: Iterable[tuple[int, int]], reach: int) -> list[tuple[int, int]]:
    """Stretches of `text` with the places (sorted by start) and `reach` characters on both sides of them.

    They are sorted, apart, and cut at white space.

    >>> around("a" * 600 + " key: x " + "b" * 600 + " end", [(606, 607)], reach=256)
    [(0, 1208)]
    >>> around("word " * 1000, [(2000, 2004)], reach=256)
    [(1740, 2264)]
    """
    stretches: list[tuple[int, int]] = []
    for start, end in places:
        done = stretches[-1][1] if stretches else 0
        if stretches and end + reach <= done:
            continue
        begin = _word_start(text, max(done, start - reach), max(done, start - reach - _WORD))
        far = max(done, end + reach)
        space = _SPACE.search(text, far, far + _WORD)
        stop = space.start() if space else min(far + _WORD, len(text))
        if stretches and begin <= done:
            stretches[-1] = (stretches[-1][0], stop)
        else:
            stretches.append((begin, stop))
    return stretches


def _word_start(text: str, position: int, floor: int) -> int:
    """Where the word at `position` begins, not before `floor`."""
    space = max(text.rfind(sign, floor, position) for sign in " \n\t")
    return floor if space < 0 else space + 1
