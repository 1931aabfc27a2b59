"""Time expressions: which days a query speaks of, and how near each memory lies to them.

Dates ("on 7 May", "2024-04-17", "6月8日"), months, years, seasons and expressions relative to now ("yesterday", "vor
zwei Wochen", "上个月") in the languages of `when_words`. A date without a year means that date in every year. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache

import numpy as np

from retentive.arms.when_words import AGO, MONTHS, NUMBERS, RELATIVE, SEASONS, UNITS
from retentive.corpus import Floats, Ints

_DAY_US = 86_400_000_000
#: A memory that misses the days named by this share of their length counts half.
_HALF_SHARE, _HALF_DAYS = 0.25, 2.0
_MAX_SPANS = 8
_MAX_CHARS = 2000
#: A letter of these scripts may begin or end an expression without a space around it.
_CJK_HINTS = frozenset("年月日号天周週昨今前去先春夏秋冬")
_AMBIGUOUS = frozenset({"may", "march", "mar", "sept", "mars", "mayo", "mai", "set", "dec", "jan", "out", "ago"})


@dataclass(frozen=True, slots=True)
class Span:
    """Days from `first` to `last`; `yearly` when no year was said, so that any year will do."""

    first: date
    last: date
    yearly: bool = False


def spans(text: str, now: datetime) -> list[Span]:
    """The spans of days a text speaks of, in order, at most eight; empty for most texts.

    >>> spans("What did we decide on 7 May 2024?", datetime(2026, 1, 1))
    [Span(first=datetime.date(2024, 5, 7), last=datetime.date(2024, 5, 7), yearly=False)]
    """
    text = text[:_MAX_CHARS]
    if not _may_speak_of_time(text):
        return []
    found = [*_dates(text), *_relative(text, now.date())]
    return list(dict.fromkeys(found))[:_MAX_SPANS]


@lru_cache(maxsize=1)
def _hint_words() -> frozenset[str]:
    """Words of which a text has at least one when it speaks of time: all other texts are let go at once."""
    said = " ".join([*(pattern for pattern, _, _ in RELATIVE), *(pattern for pattern, _ in SEASONS), *AGO])
    return frozenset(re.findall(r"[^\W\d_]{3,}", said.casefold())) | frozenset(MONTHS)


def _may_speak_of_time(text: str) -> bool:
    folded = text.casefold()
    if any(char.isdecimal() for char in folded) or not _CJK_HINTS.isdisjoint(folded):
        return True
    return not _hint_words().isdisjoint(re.findall(r"[^\W\d_]{3,}", folded))


def nearness(wanted: Iterable[Span], timestamp_us: Ints) -> Floats:
    """How near each moment (n,) lies to the nearest span: 1 inside, then halving.

    It halves with every quarter of the span's length, but at least two days, that lie between.
    """
    days = timestamp_us.astype(np.float64) / _DAY_US
    best = np.zeros(len(days))
    if not len(days):
        return best.astype(np.float32)
    years = _years(timestamp_us)
    for span in wanted:
        half = max(_HALF_DAYS, _HALF_SHARE * ((span.last - span.first).days + 1))
        for first, last in _each_year(span, years) if span.yearly else [(span.first, span.last)]:
            start, end = _day_number(first), _day_number(last) + 1
            gap = np.maximum(np.maximum(start - days, days - end), 0.0)
            np.maximum(best, np.exp2(-gap / half), out=best)
    return best.astype(np.float32)


def _years(timestamp_us: Ints) -> list[int]:
    """The years of these moments, the last 50 of them at most."""
    years = np.unique(timestamp_us.astype("datetime64[us]").astype("datetime64[Y]").astype(np.int64)) + 1970
    return [int(year) for year in years[-50:]]


def _day_number(day: date) -> int:
    return day.toordinal() - date(1970, 1, 1).toordinal()


def _each_year(span: Span, years: Iterable[int]) -> Iterator[tuple[date, date]]:
    length = span.last - span.first
    for year in years:
        first = _date(year, span.first.month, span.first.day)
        if first is not None and first <= date.max - length:
            yield first, first + length


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


# -- calendar dates --------------------------------------------------------------------------------------------------
@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], ...]:
    month = "|".join(sorted((re.escape(name) for name in MONTHS), key=len, reverse=True))
    day, year = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|\.)?", r"(?P<year>(?:19|20)\d\d)"
    name = rf"(?P<name>{month})\.?"
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
    )


def _dates(text: str) -> Iterator[Span]:
    taken: list[tuple[int, int]] = []
    for pattern in _patterns():
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
    first = _date(int(year or 2000), month, int(day or 1))
    if first is None:
        return None
    last = first if day else _month_end(first)
    return Span(first, last, yearly=year is None)


def _is_month(name: str, start: int, text: str) -> bool:
    """Whether a bare name is a month: 'may' and 'march' are verbs, 'sat' and 'dec' are what not."""
    if name.casefold() not in _AMBIGUOUS:
        return name[0].isupper() or len(name) > 3
    before = text[:start].rstrip()
    return len(name) > 3 - (name == "May") and name[0].isupper() and bool(before) and before[-1] not in ".!?:"


def _month_end(first: date) -> date:
    return (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)


# -- relative to now -------------------------------------------------------------------------------------------------
@lru_cache(maxsize=1)
def _relative_patterns() -> tuple[tuple[re.Pattern[str], str, int], ...]:
    return tuple((re.compile(pattern, re.IGNORECASE), unit, back) for pattern, unit, back in RELATIVE)


@lru_cache(maxsize=1)
def _ago_patterns() -> tuple[re.Pattern[str], ...]:
    unit = "|".join(sorted((re.escape(name) for name in UNITS), key=len, reverse=True))
    number = "|".join(sorted((re.escape(name) for name in NUMBERS), key=len, reverse=True))
    return tuple(
        re.compile(form.replace("N", rf"(?P<n>\d{{1,3}}|{number})").replace("U", rf"(?P<u>{unit})"), re.IGNORECASE)
        for form in AGO
    )


def _relative(text: str, today: date) -> Iterator[Span]:
    for pattern, unit, back in _relative_patterns():
        if pattern.search(text):
            yield from _back(today, unit, back)
    for pattern in _ago_patterns():
        for match in pattern.finditer(text):
            said = match["n"].casefold()
            number = int(said) if said.isdecimal() else NUMBERS[said]
            yield from _back(today, UNITS[match["u"].casefold()], number)
    for pattern, months in _season_patterns():
        season = pattern.search(text)
        if season:
            yield from _season(today, months, said=season.group())


def _back(today: date, unit: str, number: int) -> Iterator[Span]:
    """The day, week, month or year that lies `number` of them before today."""
    try:
        if unit == "day":
            day = today - timedelta(days=number)
            yield Span(day, day)
        elif unit == "week":
            monday = today - timedelta(days=today.weekday() + 7 * number)
            yield Span(monday, monday + timedelta(days=6))
        elif unit == "month":
            months = today.year * 12 + today.month - 1 - number
            first = date(months // 12, months % 12 + 1, 1)
            yield Span(first, _month_end(first))
        else:
            yield Span(date(today.year - number, 1, 1), date(today.year - number, 12, 31))
    except (ValueError, OverflowError):  # before the year 1
        return


@lru_cache(maxsize=1)
def _season_patterns() -> tuple[tuple[re.Pattern[str], int], ...]:
    return tuple((re.compile(pattern, re.IGNORECASE), first) for pattern, first in SEASONS)


def _season(today: date, first_month: int, said: str) -> Iterator[Span]:
    """A season of the northern half: of last year or this one when it says 'last', else of any year."""
    last_said = re.match(r"(?:last|letzte|vorige|去年)", said, re.IGNORECASE) is not None
    year = today.year if date(today.year, first_month, 1) + timedelta(days=60) < today else today.year - 1
    first = date(year, first_month, 1)
    end = _month_end(first + timedelta(days=70))
    yield Span(first, end, yearly=not last_said)
