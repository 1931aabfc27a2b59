"""Which days a text speaks of, in whatever language: dates, seasons, and what is relative to now."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta
from functools import lru_cache

from retentive.times.dates import Span, dates
from retentive.times.relative import found, is_ahead, month_end
from retentive.times.table import TimeTable
from retentive.times.tables import MONTHS, TABLES

_MAX_SPANS = 8
#: So many days after its beginning a season has mostly been.
_OVER_DAYS = 60
_MAX_CHARS = 2000
_WORD = re.compile(r"[^\W\d_]{3,}")
#: What every date without a month's name has: a year, or a month of Chinese and Japanese.
_NUMBERED = re.compile(r"19\d\d|20\d\d|\d月")
#: "I just passed a shop: what was its name?" asks for no day, and most of what is asked for is of this year.
_TELLS_NOTHING = frozenset({"now", "year:0"})
#: Characters of which a text without blanks has at least one when it speaks of time.
_TELLING = frozenset("年月日号天周週昨今前去先春夏秋冬礼星刚")


def spans(text: str, now: datetime) -> list[Span]:
    """The spans of days a text speaks of, in order, at most eight; empty for most texts.

    A date without a year means that date in every year. What is to come is left out: nothing of it has happened. So are
    this moment and this year, which tell nothing apart.

    >>> spans("What did we decide on 7 May 2024?", datetime(2026, 1, 1))
    [Span(first=datetime.date(2024, 5, 7), last=datetime.date(2024, 5, 7), yearly=False)]
    """
    text = text[:_MAX_CHARS]
    folded = text.casefold()
    words = set(_WORD.findall(folded))
    unspaced = not folded.isascii() and not _TELLING.isdisjoint(folded)
    speaks: list[Span] = []
    named = not words.isdisjoint(MONTHS)
    if named or _NUMBERED.search(text):
        speaks += dates(text, named=named)
    for table in _tables(words, unspaced=unspaced):
        hits = found(text, table, now, lambda _, meaning: not is_ahead(meaning) and meaning not in _TELLS_NOTHING)
        speaks += (Span(hit.period.first, hit.period.last) for hit in hits if hit.period.first <= now.date())
        speaks += _seasons(text, table, now.date())
    return list(dict.fromkeys(speaks))[:_MAX_SPANS]


@lru_cache(maxsize=1)
def _telling() -> Mapping[str, frozenset[str]]:
    """A word -> the languages in which it may tell a time, or part of it."""
    tables = [(table, table.telling()) for table in TABLES.values() if table.spaced]
    words = frozenset().union(*(telling for _, telling in tables))
    return {word: frozenset(table.code for table, telling in tables if word in telling) for word in words}


def _tables(words: Iterable[str], *, unspaced: bool) -> list[TimeTable]:
    """The tables that may have something to say: all other texts are let go at once."""
    spoken = [languages for languages in map(_telling().get, words) if languages]
    if not spoken and not unspaced:
        return []
    told = frozenset[str]().union(*spoken)
    return [table for code, table in TABLES.items() if (code in told if table.spaced else unspaced)]


@lru_cache(maxsize=32)
def _season_patterns(table: TimeTable) -> tuple[re.Pattern[str], ...]:
    edges = (r"(?<!\w)", r"(?!\w)") if table.spaced else ("", "")
    before = f"(?:(?P<last>{table.last_season})|{table.in_season})"
    return tuple(re.compile(f"{edges[0]}{before}(?:{season}){edges[1]}", re.IGNORECASE) for season in table.seasons)


def _seasons(text: str, table: TimeTable, today: date) -> Iterator[Span]:
    """Seasons of the northern half: the last one where that is said, else of any year."""
    for number, pattern in enumerate(_season_patterns(table)):
        season = pattern.search(text)
        if season:
            first = date(today.year, 3 * number + 3, 1)
            if today - first <= timedelta(days=_OVER_DAYS):
                first = first.replace(year=max(today.year - 1, 1))
            last = month_end((first + timedelta(days=_OVER_DAYS + 10)).replace(day=1))
            yield Span(first, last, yearly=season["last"] is None)
