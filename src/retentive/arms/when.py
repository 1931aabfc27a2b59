"""When: how near each memory lies to the days that a query speaks of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

import numpy as np

from retentive.corpus import Floats, Ints
from retentive.times import Span

_DAY_US = 86_400_000_000
#: A memory that misses the days named by this share of their length counts half.
_HALF_SHARE, _HALF_DAYS = 0.25, 2.0


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
