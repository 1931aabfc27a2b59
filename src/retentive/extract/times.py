"""Relative times, resolved against the message's own time and zone: 'yesterday' means nothing a year later.

What was said stays; the date is put beside it in brackets, as the speaker's calendar and clock had it. A language's
table maps patterns to meanings:

    now              this moment, with clock and zone      day:-1           a day, counted from today
    week:-1          a week, by its Monday                 weekend:-1       a weekend, by its Saturday
    month:+1 year:-1 a month, a year                       weekday:-1       the last (+1: the next) named weekday
    ago / ahead      `n` units (`unit`) back or ahead  dayweek:-1       that weekday of last week
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

from retentive.clock import MAX_US, MIN_US, local_time
from retentive.extract.patterns.model import Language

_CLOCK: Final = re.compile(
    r",? ?(?:at|um|a las|a la|alle|às|à|@)? ?(?P<h>[01]?\d|2[0-3])(?:[:.hH点時](?P<m>[0-5]\d)?)?"
    r" ?(?P<half>[ap]\.?m\b)?(?: ?(?:uhr|h)\b)?",
    re.IGNORECASE,
)
_MINUTE_US: Final = 60_000_000


@dataclass(frozen=True, slots=True)
class Resolved:
    """A sentence with its dates beside its relative times. `start_us` is when the first of them begins, or None."""

    text: str
    start_us: int | None = None


@dataclass(frozen=True, slots=True)
class _Point:
    """A resolved time: as it is shown, and its first moment on the speaker's clock."""

    shown: str
    local: datetime


def resolve(text: str, language: Language, at_us: int, zone_min: int) -> Resolved:
    """Put dates beside relative times.

    >>> from retentive.extract.patterns import LANGUAGES
    >>> resolve("I met Ana yesterday.", LANGUAGES["en"], 1787014800000000, 480).text
    'I met Ana yesterday [2026-08-17].'
    """
    now = local_time(at_us, zone_min)
    found = _found(text, language, now, zone_min)
    if not found:
        return Resolved(text)
    out, last = [], 0
    gap = " " if language.spaced else ""
    for end, point in found:
        out.append(f"{text[last:end]}{gap}[{point.shown}]")
        last = end
    start_us = _to_us(found[0][1].local, zone_min)
    return Resolved("".join(out) + text[last:], start_us)


@lru_cache(maxsize=16)
def _compiled(language: Language) -> tuple[tuple[re.Pattern[str], str], ...]:
    edge = r"\b" if language.spaced else ""
    tokens = (
        ("{weekday}", f"(?P<weekday>{'|'.join(language.weekdays)})"),
        ("{n}", f"(?P<n>\\d{{1,3}}|{'|'.join(language.numbers)})"),
        ("{unit}", f"(?P<unit>{'|'.join(language.units)})"),
    )
    made = []
    for source, meaning in language.times:
        pattern = source
        for token, regex in tokens:
            pattern = pattern.replace(token, regex)
        made.append((re.compile(rf"{edge}(?:{pattern}){edge}", re.IGNORECASE), meaning))
    return tuple(made)


def _found(text: str, language: Language, now: datetime, zone_min: int) -> list[tuple[int, _Point]]:
    """Ends of relative times in the text with what they mean; the longer expression wins where two overlap."""
    hits: list[tuple[int, int, _Point]] = []
    for pattern, meaning in _compiled(language):
        for hit in pattern.finditer(text):
            if any(start < hit.end() and hit.start() < end for start, end, _ in hits):
                continue
            if meaning == "ahead" and _took_so_long(text, hit, language):
                continue
            made = _point(hit, meaning, language, now, zone_min)
            if made is not None:
                end, point = _with_clock(text, hit.end(), meaning, made, zone_min)
                hits.append((hit.start(), end, point))
    return [(end, point) for _, end, point in sorted(hits, key=lambda h: h[0])]


#: English: what was done, and what is to come.
_DONE = re.compile(
    r"\b(?:\w{2,}ed|ran|did|made|took|read|wrote|swam|rode|won|got|was|were|went|built|best|record|best time)\b",
    re.IGNORECASE,
)
_TO_COME = re.compile(
    r"\b(?:will|going to|gonna|due|scheduled|supposed|planned|need to|have to)\b|'ll\b", re.IGNORECASE
)


def _took_so_long(text: str, hit: re.Match[str], language: Language) -> bool:
    """'Finished it in 3 hours' says how long it took; 'back in 3 hours' says when."""
    before = text[: hit.start()]
    return language.code == "en" and _DONE.search(before) is not None and _TO_COME.search(before) is None


def _point(hit: re.Match[str], meaning: str, language: Language, now: datetime, zone_min: int) -> _Point | None:
    """What a match means; None outside the years 1 to 9999, where no date can be named."""
    kind, _, count = meaning.partition(":")
    step = int(count or 0)
    try:
        match kind:
            case "now":
                point = _moment(now, zone_min)
            case "ago" | "ahead":
                point = _counted(hit, -1 if kind == "ago" else 1, language, now, zone_min)
            case "weekday":
                point = _date(_weekday(now, _index(hit["weekday"], language.weekdays), step))
            case "dayweek":
                day = _index(hit["weekday"], language.weekdays)
                point = _date(now + timedelta(days=day - now.weekday(), weeks=step))
            case _:
                point = _calendar(kind, step, now)
    except (OverflowError, ValueError):
        return None
    return point


def _calendar(kind: str, step: int, now: datetime) -> _Point:
    monday = now - timedelta(days=now.weekday())
    if kind == "week":
        start = monday + timedelta(weeks=step)
        return _Point(f"week of {start.date().isoformat()}", _midnight(start))
    if kind == "weekend":
        saturday = monday + timedelta(days=5, weeks=step)
        return _Point(f"weekend of {saturday.date().isoformat()}", _midnight(saturday))
    if kind == "month":
        return _month(now, step)
    if kind == "year":
        return _year(now, step)
    return _date(now + timedelta(days=step))


def _counted(hit: re.Match[str], sign: int, language: Language, now: datetime, zone_min: int) -> _Point:
    written = hit["n"].casefold()
    n = sign * (int(written) if written.isdecimal() else language.numbers[written])
    unit = next(unit for pattern, unit in language.units.items() if re.fullmatch(pattern, hit["unit"], re.IGNORECASE))
    if unit in {"minute", "hour"}:
        return _moment(now + (timedelta(minutes=n) if unit == "minute" else timedelta(hours=n)), zone_min)
    if unit == "day":
        return _date(now + timedelta(days=n))
    return _calendar(unit, n, now)


def _with_clock(text: str, end: int, meaning: str, point: _Point, zone_min: int) -> tuple[int, _Point]:
    """'tomorrow at 12:45': the clock after a day belongs to it, in the speaker's zone."""
    if not meaning.startswith(("day", "weekday")):
        return end, point
    clock = _CLOCK.match(text, end)
    if clock is None or not (clock["m"] or clock["half"] or "at" in clock[0].lower() or "um" in clock[0].lower()):
        return end, point
    hour = int(clock["h"]) % 12 + 12 if (clock["half"] or "").lower().startswith("p") else int(clock["h"])
    moment = point.local.replace(hour=hour % 24, minute=int(clock["m"] or 0))
    return clock.end(), _moment(moment, zone_min)


# -- how a time is shown -----------------------------------------------------------------------------------------------
def _moment(local: datetime, zone_min: int) -> _Point:
    sign, rest = ("-" if zone_min < 0 else "+"), abs(zone_min)
    zone = f"{sign}{rest // 60:02}:{rest % 60:02}"
    return _Point(f"{local.date().isoformat()} {local:%H:%M} {zone}", local)


def _date(local: datetime) -> _Point:
    return _Point(local.date().isoformat(), _midnight(local))


def _month(now: datetime, step: int) -> _Point:
    months = now.year * 12 + now.month - 1 + step
    start = _midnight(now).replace(year=months // 12, month=months % 12 + 1, day=1)
    return _Point(f"{start.year:04}-{start.month:02}", start)


def _year(now: datetime, step: int) -> _Point:
    start = _midnight(now).replace(year=now.year + step, month=1, day=1)
    return _Point(f"{start.year:04}", start)


def _midnight(local: datetime) -> datetime:
    return local.replace(hour=0, minute=0, second=0, microsecond=0)


def _weekday(now: datetime, day: int, step: int) -> datetime:
    """The last such day before today, or the next after it."""
    ahead = (day - now.weekday() - 1) % 7 + 1
    return now + timedelta(days=ahead) if step > 0 else now + timedelta(days=ahead - 7 if ahead < 7 else -7)


def _index(name: str, weekdays: tuple[str, ...]) -> int:
    return next(i for i, pattern in enumerate(weekdays) if re.fullmatch(pattern, name, re.IGNORECASE))


def _to_us(local: datetime, zone_min: int) -> int:
    epoch = local.replace(year=1970, month=1, day=1, hour=0, minute=0, second=0, microsecond=0)
    us = (local - epoch) // timedelta(microseconds=1) - zone_min * _MINUTE_US
    return min(max(us, MIN_US), MAX_US)
