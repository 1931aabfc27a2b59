"""The shape of the table that describes how one language speaks of time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

#: Letters of a word that shows which tables a text may need; shorter ones are in too many texts.
_TELLING_CHARS = 3
#: Words of expressions that stand beside a word that tells more, and in many texts that tell no time.
_TELLS_LITTLE = frozenset({"the", "from", "before", "after", "time", "que"})


@dataclass(frozen=True, slots=True, eq=False)
class TimeTable:
    """One language. Names are lists of folded words between blanks; patterns are searched ignoring case.

    `relative` are (pattern, meaning); `{weekday}`, `{n}` and `{unit}` stand for the words below. Meanings:

        now              this moment                       day:-1           a day, counted from today
        week:-1          a week, from its Monday           weekend:-1       a weekend, from its Saturday
        month:+1 year:-1 a month, a year                   weekday:-1       the last (+1: the next) named weekday
        ago / ahead      `n` units back or ahead           dayweek:-1       that weekday of last week

    `weekdays` from Monday on; `units` by minute, hour, day, week, weekend, month, year; `numbers` from one on; `months`
    from January on; `seasons` from spring on, patterns. `in_season`: what stands before one of any year, `last_season`
    before the last one. `spaced`: words have blanks between them.
    """

    code: str
    relative: tuple[tuple[str, str], ...]
    weekdays: tuple[str, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    numbers: tuple[str, ...] = ()
    months: tuple[str, ...] = ()
    seasons: tuple[str, ...] = ()
    in_season: str = r"(?!)"
    last_season: str = r"(?!)"
    spaced: bool = True

    def telling(self) -> frozenset[str]:
        """Words of which a text has at least one when it speaks of time in this language."""
        literal = (re.sub(r"\{\w+\}", " ", pattern) for pattern, _ in self.relative)
        said = " ".join([*literal, *self.units.values(), *self.seasons]).casefold()
        return frozenset(re.findall(rf"[^\W\d_]{{{_TELLING_CHARS},}}", said)) - _TELLS_LITTLE


def names(lines: Iterable[str]) -> dict[str, int]:
    """Each word of the lines -> the number of its line, from 0.

    >>> names(["mon monday", "tue"])
    {'mon': 0, 'monday': 0, 'tue': 1}
    """
    return {name: number for number, line in enumerate(lines) for name in line.split()}


def any_of(words: Iterable[str]) -> str:
    """A pattern for any of the words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


@lru_cache(maxsize=32)
def unit_of(table: TimeTable) -> dict[str, str]:
    """A word for a unit -> the unit."""
    return {word: unit for unit, words in table.units.items() for word in words.split()}


@lru_cache(maxsize=32)
def number_of(table: TimeTable) -> dict[str, int]:
    """A word for a number -> the number; `_` in a table stands for a blank."""
    return {word.replace("_", " "): number for number, line in enumerate(table.numbers, 1) for word in line.split()}


@lru_cache(maxsize=32)
def compiled(table: TimeTable) -> tuple[tuple[re.Pattern[str], str], ...]:
    """The patterns of a table with what they mean."""
    edge = r"\b" if table.spaced else ""
    tokens = {
        "{weekday}": f"(?P<weekday>{any_of(names(table.weekdays))})",
        "{n}": rf"(?P<n>\d{{1,3}}|{any_of(number_of(table))})",
        "{unit}": f"(?P<unit>{any_of(unit_of(table))})",
    }
    made = []
    for source, meaning in table.relative:
        pattern = source
        for token, regex in tokens.items():
            pattern = pattern.replace(token, regex)
        made.append((re.compile(rf"{edge}(?:{pattern}){edge}", re.IGNORECASE), meaning))
    return tuple(made)
