"""Times relative to a moment: what they mean on the speaker's calendar."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import NamedTuple

from retentive.times.table import TimeTable, compiled, names, number_of, unit_of


@dataclass(frozen=True, slots=True)
class Period:
    """A moment, day, week, weekend, month or year: its kind, and its first moment on the speaker's clock."""

    kind: str
    start: datetime

    @property
    def first(self) -> date:
        """Its first day."""
        return self.start.date()

    @property
    def last(self) -> date:
        """Its last day; the last there is where it would end after the year 9999."""
        if self.kind == "month":
            return month_end(self.first)
        if self.kind == "year":
            return date(self.start.year, 12, 31)
        days = {"week": 6, "weekend": 1}.get(self.kind, 0)
        return self.first + min(timedelta(days=days), date.max - self.first)


class Found(NamedTuple):
    """Where an expression stands, the meaning it has in the table, and what it comes to."""

    start: int
    end: int
    meaning: str
    period: Period


def found(
    text: str, table: TimeTable, now: datetime, wanted: Callable[[re.Match[str], str], bool] = lambda *_: True
) -> list[Found]:
    """The expressions of a text in order; where two overlap, the one that stands first in the table.

    wanted: told a match and its meaning, says whether it counts.

    >>> from retentive.times.tables import TABLES
    >>> [hit.period.first.isoformat() for hit in found("I met Ana yesterday", TABLES["en"], datetime(2026, 8, 18))]
    ['2026-08-17']
    """
    hits: list[Found] = []
    for pattern, meaning in compiled(table):
        for hit in pattern.finditer(text):
            if any(other.start < hit.end() and hit.start() < other.end for other in hits) or not wanted(hit, meaning):
                continue
            period = _period(hit, meaning, table, now)
            if period is not None:
                hits.append(Found(hit.start(), hit.end(), meaning, period))
    return sorted(hits)


def is_ahead(meaning: str) -> bool:
    """Whether it lies in the time to come.

    >>> is_ahead("week:1"), is_ahead("ahead"), is_ahead("day:0")
    (True, True, False)
    """
    return meaning == "ahead" or int(meaning.partition(":")[2] or 0) > 0


def _period(hit: re.Match[str], meaning: str, table: TimeTable, now: datetime) -> Period | None:
    """What a match means; None outside the years 1 to 9999, where no date can be named."""
    kind, _, count = meaning.partition(":")
    step = int(count or 0)
    try:
        if kind == "now":
            return Period("moment", now)
        if kind in {"ago", "ahead"}:
            return _counted(hit, -1 if kind == "ago" else 1, table, now)
        if kind in {"weekday", "dayweek"}:
            day = names(table.weekdays)[hit["weekday"].casefold()]
            moved = _weekday(now, day, step) if kind == "weekday" else now + timedelta(day - now.weekday(), weeks=step)
            return Period("day", _midnight(moved))
        return _calendar(kind, step, now)
    except (OverflowError, ValueError):
        return None


def _counted(hit: re.Match[str], sign: int, table: TimeTable, now: datetime) -> Period:
    written = " ".join(hit["n"].casefold().split())
    steps = sign * (int(written) if written.isdecimal() else number_of(table)[written])
    unit = unit_of(table)[hit["unit"].casefold()]
    if unit in {"minute", "hour"}:
        return Period("moment", now + (timedelta(minutes=steps) if unit == "minute" else timedelta(hours=steps)))
    return _calendar(unit, steps, now)


def _calendar(kind: str, step: int, now: datetime) -> Period:
    monday = _midnight(now) - timedelta(days=now.weekday())
    match kind:
        case "week":
            start = monday + timedelta(weeks=step)
        case "weekend":
            start = monday + timedelta(days=5, weeks=step)
        case "month":
            months = now.year * 12 + now.month - 1 + step
            start = _midnight(now).replace(year=months // 12, month=months % 12 + 1, day=1)
        case "year":
            start = _midnight(now).replace(year=now.year + step, month=1, day=1)
        case _:
            start = _midnight(now) + timedelta(days=step)
    return Period(kind, start)


def _midnight(local: datetime) -> datetime:
    return local.replace(hour=0, minute=0, second=0, microsecond=0)


def _weekday(now: datetime, day: int, step: int) -> datetime:
    """The last such day before today, or the next after it."""
    ahead = (day - now.weekday() - 1) % 7 + 1
    return now + timedelta(days=ahead) if step > 0 else now + timedelta(days=ahead - 7 if ahead < 7 else -7)


def month_end(first: date) -> date:
    """The last day of the month that begins on this day.

    >>> month_end(date(2024, 2, 1)).day
    29
    """
    return first.replace(day=monthrange(first.year, first.month)[1])
