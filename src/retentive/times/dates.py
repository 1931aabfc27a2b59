"""Calendar dates in a text: "on 7 May", "2024-04-17", "6月8日", "in November", "2023"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from retentive.times.relative import month_end
from retentive.times.table import any_of
from retentive.times.tables import MONTHS

_AMBIGUOUS = frozenset({"may", "march", "mar", "sept", "mars", "mayo", "mai", "set", "dec", "jan", "out", "ago"})


@dataclass(frozen=True, slots=True)
class Span:
    """Days from `first` to `last`; `yearly` when no year was said, so that any year will do."""

    first: date
    last: date
    yearly: bool = False


@lru_cache(maxsize=2)
def _patterns(*, named: bool) -> tuple[re.Pattern[str], ...]:
    """Those with a month's name take long to find nothing, and are left out unless `named`."""
    day, year = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|\.)?", r"(?P<year>(?:19|20)\d\d)"
    name = rf"(?P<name>{any_of(MONTHS)})\.?"
    link = r"(?:\s+(?:of|de|del|di|do))?\s*"
    return tuple(
        re.compile(pattern, re.IGNORECASE)
        for pattern in (
            r"(?<!\d)(?P<year>(?:19|20)\d\d)[-/.](?P<month>\d{1,2})(?:[-/.](?P<day>\d{1,2}))?(?!\d)",
            r"(?:(?P<year>(?:19|20)\d\d)年)?(?<!\d)(?P<month>\d{1,2})月(?:(?P<day>\d{1,2})[日号號])?",
            r"(?<!\d)(?P<day>\d{1,2})[./](?P<month>\d{1,2})[./](?P<year>(?:19|20)\d\d)(?!\d)",
            rf"(?<!\w){day}{link}{name}(?!\w)(?:(?:\s+del?|,)?\s*{year}(?!\d))?",
            rf"(?<!\w){name}(?!\w)\s*{day}(?!\d)(?:,?\s*{year}(?!\d))?",
            rf"(?<!\w){name}(?!\w)(?:(?:\s+(?:of|del?)|,)?\s*{year}(?!\d))?",
            r"(?<![\d\w.-])(?P<year>(?:19|20)\d\d)(?:年(?!\d))?(?![\d\w-])",
        )
        if named or name not in pattern
    )


def dates(text: str, *, named: bool = True) -> Iterator[Span]:
    """The dates of a text, those of the fullest form first. named: whether it may hold the name of a month.

    >>> next(dates("the offer of 7 May 2024")).first
    datetime.date(2024, 5, 7)
    """
    taken: list[tuple[int, int]] = []
    for pattern in _patterns(named=named):
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(start < taken_end and taken_start < end for taken_start, taken_end in taken):
                continue
            span = _calendar_span(match, text)
            if span is not None:
                taken.append((start, end))
                yield span


def _calendar_span(match: re.Match[str], text: str) -> Span | None:
    part = match.groupdict()
    name, day, year = part.get("name"), part.get("day"), part.get("year")
    if name is not None and day is None and year is None and not _is_month(name, match.start(), text):
        return None
    if name is None and part.get("month") is None:
        return Span(date(int(year or 0), 1, 1), date(int(year or 0), 12, 31))
    month = MONTHS[name.casefold()] if name is not None else int(part["month"] or 0)
    if month > 12 and day is not None and int(day) <= 12:  # month first, as in 12/31/2024
        month, day = int(day), str(month)
    try:
        first = date(int(year or 2000), month, int(day or 1))
    except ValueError:
        return None
    return Span(first, first if day else month_end(first), yearly=year is None)


def _is_month(name: str, start: int, text: str) -> bool:
    """Whether a bare name is a month: 'may' and 'march' are verbs, 'sat' and 'dec' are what not."""
    if name.casefold() not in _AMBIGUOUS:
        return name[0].isupper() or len(name) > 3
    before = text[:start].rstrip()
    return len(name) > 3 - (name == "May") and name[0].isupper() and bool(before) and before[-1] not in ".!?:"
