"""Time and ids: RFC 3339 with a zone at the edges, whole microseconds UTC inside, UUIDv7 for ids.

Microseconds since 1970 are plain integers, so years 1 to 9999 sort and compare without special cases.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from retentive.errors import InvalidTimestamp
from retentive.wording import kind_of

Timestamp = str | datetime

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_PLAIN = _EPOCH.replace(tzinfo=None)
_MICROSECOND = timedelta(microseconds=1)
#: A date with a zone is its first moment: 2026-08-18Z, 2026-08-18+08:00.
_ZONED_DATE = re.compile(r"^(\d{4}-\d{2}-\d{2})(Z|[+-]\d{2}:\d{2})$")
#: 0001-01-01T00:00:00Z and 9999-12-31T23:59:59.999999Z
MIN_US = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND
MAX_US = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND


def _wall_us() -> int:
    return time.time_ns() // 1000


_clock: Callable[[], int] = _wall_us


def now_us() -> int:
    """The wall clock, in microseconds since 1970 UTC; in a `simulated` block, that one's."""
    return _clock()


@contextmanager
def simulated(clock: Callable[[], int]) -> Iterator[None]:
    """Let every part of this process read another clock, so that a year passes in a minute. Ids keep the wall clock.

    >>> with simulated(lambda: 1787014800000000):
    ...     format_us(now_us())
    '2026-08-18T01:00:00Z'
    """
    global _clock  # noqa: PLW0603  one clock a process: parts that read two would disagree
    before, _clock = _clock, clock
    try:
        yield
    finally:
        _clock = before


def parse_timestamp(value: Timestamp) -> tuple[int, int]:
    """Read a timestamp as (microseconds since 1970 UTC, zone offset in minutes).

    >>> parse_timestamp("2026-08-18T09:00:00+08:00")
    (1787014800000000, 480)

    Raises InvalidTimestamp when the zone is missing, the form is not RFC 3339 or the moment is outside the years
    1 to 9999 in UTC.
    """
    if isinstance(value, str):
        text = _ZONED_DATE.sub(r"\1T00:00:00\2", value.strip())
        try:
            moment = datetime.fromisoformat(text)
        except ValueError as error:
            message = f"not an RFC 3339 timestamp: {value[:25]!r}; write it like 2026-08-18T09:00:00+08:00"
            raise InvalidTimestamp(message) from error
    elif isinstance(value, datetime):
        moment = value
    else:
        message = f"a timestamp is a string such as 2026-08-18T09:00:00+08:00, not {kind_of(value)}"
        raise InvalidTimestamp(message)
    offset = moment.utcoffset()
    if offset is None:
        message = f"{str(value)[:25]!r} has no zone: write it like 2026-08-18T09:00:00+08:00"
        raise InvalidTimestamp(message)
    us = (moment.replace(tzinfo=UTC) - _EPOCH - offset) // _MICROSECOND
    if not MIN_US <= us <= MAX_US:
        message = f"{str(value)[:25]!r} is outside the years 1 to 9999 in UTC"
        raise InvalidTimestamp(message)
    return us, round(offset / timedelta(minutes=1))


def optional_us(value: Timestamp | None) -> int | None:
    """Microseconds of a timestamp, or None where there is none. Raises InvalidTimestamp."""
    return None if value is None else parse_timestamp(value)[0]


@lru_cache(maxsize=1 << 12)  # the same few moments are shown again and again
def format_us(us: int) -> str:
    """Write microseconds as RFC 3339 in UTC; the fraction appears only when there is one.

    >>> format_us(1787014800000000)
    '2026-08-18T01:00:00Z'
    """
    return (_EPOCH_PLAIN + timedelta(microseconds=us)).isoformat() + "Z"


def local_us(us: int, zone_min: int) -> int:
    """What the speaker's clock showed, in microseconds as if it were UTC: 12:45 said in UTC+8 stays 12:45.

    Near year 1 and 9999 a zone can leave what a datetime holds; the UTC reading is used there.
    """
    local = us + zone_min * 60_000_000
    return local if MIN_US <= local <= MAX_US else us


def local_time(us: int, zone_min: int) -> datetime:
    """The moment as it stood on the speaker's clock, as `local_us` has it."""
    return _EPOCH + timedelta(microseconds=local_us(us, zone_min))


_UNITS_US = {"h": 3_600_000_000, "d": 86_400_000_000, "w": 7 * 86_400_000_000, "y": 365 * 86_400_000_000}
_DURATION = re.compile(r"(\d{1,5})([hdwy])")


def duration_us(text: str) -> int:
    """Read a length of time in hours, days, weeks or years of 365 days, in microseconds.

    >>> duration_us("2d") == 48 * duration_us("1h")
    True

    Raises ValueError for anything else.
    """
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        message = f"{text[:25]!r} is no length of time: write 12h, 30d, 6w or 1y"
        raise ValueError(message)
    return int(found[1]) * _UNITS_US[found[2]]


_last_id_ms = 0
_last_id_counter = 0
_id_lock = threading.Lock()


def new_id() -> str:
    """A UUIDv7 string: sorts by creation within a process, even when the clock is set back (RFC 9562, method 1).

    >>> first, second = new_id(), new_id()
    >>> first < second
    True
    """
    global _last_id_ms, _last_id_counter  # noqa: PLW0603  one counter a process is what method 1 asks for
    with _id_lock:
        ms = time.time_ns() // 1_000_000
        if ms > _last_id_ms:
            _last_id_ms, _last_id_counter = ms, int.from_bytes(os.urandom(2)) & 0x1FF
        else:
            _last_id_counter += 1
            if _last_id_counter > 0xFFF:
                _last_id_ms, _last_id_counter = _last_id_ms + 1, 0
        head = _last_id_ms << 80 | 0x7 << 76 | _last_id_counter << 64
    digits = (head | 0b10 << 62 | int.from_bytes(os.urandom(8)) >> 2).to_bytes(16).hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
