"""What importers share: a conversation as they hand it on, the count of what became of it, and mending of values."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from retentive.clock import MAX_US, MIN_US, format_us, parse_timestamp
from retentive.errors import InvalidTimestamp

Message = dict[str, Any]
#: Reasons named one by one; a file with more kinds of trouble than that is looked at by other means.
_REASONS = 12
#: Above this a number of a timestamp counts milliseconds: as seconds it would be the year 5138.
_MILLISECONDS_FROM = 1e11


class Broken(Exception):
    """A piece that cannot be read, with the reason: counted and passed over."""


class Skipped(Exception):
    """A piece that is nothing to remember, with the reason: counted and passed over."""


class Conversation(NamedTuple):
    """One conversation ready to be recorded. `user_id` is set where the file names whose it is."""

    session_id: str
    messages: list[Message]
    user_id: str | None = None


@dataclass(slots=True)
class ImportReport:
    """Counts of messages: imported, known already, skipped and broken, these by reason. Filled while importing."""

    format: str
    conversations: int = 0
    imported: int = 0
    duplicates: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)

    @property
    def taken(self) -> int:
        """How many messages are in the store now."""
        return self.imported + self.duplicates

    def lines(self) -> Iterator[str]:
        """The report for people."""
        source = f" from {self.conversations} conversations" if self.conversations else ""
        yield f"{self.imported} imported{source} ({self.format})"
        if self.duplicates:
            yield f"{self.duplicates} known already"
        for word, counts in (("skipped", self.skipped), ("broken", self.broken)):
            if counts:
                yield f"{counts.total()} {word}"
            yield from (f"  {count} {reason}" for reason, count in counts.most_common(_REASONS))
            if len(counts) > _REASONS:
                yield f"  and {len(counts) - _REASONS} more reasons"


def clean(text: str) -> str:
    r"""The text as it can be stored: without NUL, halves of surrogate pairs joined or replaced.

    >>> clean("a\0\ud83d\ude00")
    'a😀'
    """
    text = text.replace("\0", "")
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def moment(value: object) -> str | None:
    """A time of a file as RFC 3339: a text with a zone, or seconds (or milliseconds) since 1970; None for none.

    Raises Broken that says what is wrong with it.

    >>> moment(1787014800.0)
    '2026-08-18T01:00:00Z'
    """
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return _zoned(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        reason = "with a time that is none"
        raise Broken(reason)
    us = round(value * (1e3 if abs(value) >= _MILLISECONDS_FROM else 1e6))
    if not MIN_US <= us <= MAX_US:
        reason = "with a time outside the years 1 to 9999"
        raise Broken(reason)
    return format_us(us)


def _zoned(text: str) -> str:
    try:
        parse_timestamp(text)
    except InvalidTimestamp as error:
        reason = "with a time without a zone, or not RFC 3339"
        raise Broken(reason) from error
    return text


def derived_id(*parts: object) -> str:
    """An id that the same parts always give, for what has none of its own."""
    return hashlib.blake2b("\0".join(map(str, parts)).encode("utf-8", "replace"), digest_size=12).hexdigest()


def name_of(value: object) -> str | None:
    """A file's id or name as one of ours: itself where it can be one, else a digest of it; None for none."""
    if value is None or isinstance(value, bool) or not isinstance(value, str | int):
        return None
    name = clean(str(value)).strip()
    if not name:
        return None
    return name if len(name) <= 200 and name.isprintable() and name != "*" else derived_id(name)


def text_parts(content: object) -> tuple[str, list[str]]:
    """The text of a message's content, and the kinds of its parts that are none (images, audio, files)."""
    if isinstance(content, str):
        return clean(content), []
    texts, others = [], []
    for part in content if isinstance(content, list) else []:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping):
            text = next((part[key] for key in ("text", "refusal") if isinstance(part.get(key), str)), None)
            if text is None:
                others.append(str(part.get("type") or part.get("content_type") or "part"))
            else:
                texts.append(text)
    return clean("\n".join(text for text in texts if text.strip())), others
