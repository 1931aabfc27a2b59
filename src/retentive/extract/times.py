"""Relative times, resolved against the message's own time and zone: 'yesterday' means nothing a year later.

What was said stays; the date is put beside it in brackets, as the speaker's calendar and clock had it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from retentive.clock import MAX_US, MIN_US, local_time
from retentive.times import TABLES, Found, Period, found

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


def resolve(text: str, language: str, at_us: int, zone_min: int) -> Resolved:
    """Put dates beside relative times; `language` is a code of `times.TABLES`.

    >>> resolve("I met Ana yesterday.", "en", 1787014800000000, 480).text
    'I met Ana yesterday [2026-08-17].'
    """
    table = TABLES[language]

    def counts(hit: re.Match[str], meaning: str) -> bool:
        return not (language == "en" and meaning == "ahead" and _took_so_long(text[: hit.start()]))

    hits = [_with_clock(text, hit) for hit in found(text, table, local_time(at_us, zone_min), counts)]
    if not hits:
        return Resolved(text)
    out, last = [], 0
    gap = " " if table.spaced else ""
    for hit in hits:
        out.append(f"{text[last : hit.end]}{gap}[{_shown(hit.period, zone_min)}]")
        last = hit.end
    return Resolved("".join(out) + text[last:], _to_us(hits[0].period.start, zone_min))


#: English: what was done, and what is to come.
_DONE = re.compile(
    r"\b(?:\w{2,}ed|ran|did|made|took|read|wrote|swam|rode|won|got|was|were|went|built|best|record|best time)\b",
    re.IGNORECASE,
)
_TO_COME = re.compile(
    r"\b(?:will|going to|gonna|due|scheduled|supposed|planned|need to|have to)\b|'ll\b", re.IGNORECASE
)


def _took_so_long(before: str) -> bool:
    """'Finished it in 3 hours' says how long it took; 'back in 3 hours' says when."""
    return _DONE.search(before) is not None and _TO_COME.search(before) is None


def _with_clock(text: str, hit: Found) -> Found:
    """'tomorrow at 12:45': the clock after a day belongs to it, in the speaker's zone."""
    clock = _CLOCK.match(text, hit.end) if hit.period.kind == "day" else None
    if clock is None or not (clock["m"] or clock["half"] or "at" in clock[0].lower() or "um" in clock[0].lower()):
        return hit
    hour = int(clock["h"]) % 12 + 12 if (clock["half"] or "").lower().startswith("p") else int(clock["h"])
    moment = hit.period.start.replace(hour=hour % 24, minute=int(clock["m"] or 0))
    return hit._replace(end=clock.end(), period=Period("moment", moment))


def _shown(period: Period, zone_min: int) -> str:
    """A period as people write it, as short as it can be told."""
    day = period.first.isoformat()
    match period.kind:
        case "moment":
            sign, rest = ("-" if zone_min < 0 else "+"), abs(zone_min)
            return f"{day} {period.start:%H:%M} {sign}{rest // 60:02}:{rest % 60:02}"
        case "week" | "weekend":
            return f"{period.kind} of {day}"
        case "month":
            return day[:-3]
        case "year":
            return day[:4]
        case _:
            return day


def _to_us(local: datetime, zone_min: int) -> int:
    epoch = local.replace(year=1970, month=1, day=1, hour=0, minute=0, second=0, microsecond=0)
    us = (local - epoch) // timedelta(microseconds=1) - zone_min * _MINUTE_US
    return min(max(us, MIN_US), MAX_US)
