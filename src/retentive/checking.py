"""Checks of what callers give: text, metadata, filters, limits. A wrong value gets an error that says what to do.

A filter can only ever narrow: scope words in it are refused.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast, get_args

from retentive.contracts import Where
from retentive.contracts.ledger import USAGE_KEYS, UsageKey
from retentive.echo import echo
from retentive.errors import InvalidFilter, InvalidInput, TextTooLong
from retentive.types import MAX_TEXT_CHARS, Status, TierName, checked_name
from retentive.wording import kind_of

_MOST_SCORE = 1e30
_MOST_NAME_BYTES = 255
_MAX_METADATA_CHARS = 16_384
_TIERS: tuple[TierName, ...] = get_args(TierName)
_SURROGATE = re.compile("[\ud800-\udfff]")
#: What no filter may name: whose memory it is, is said once.
SCOPE_WORDS = frozenset({"tenant", "user_id", "agent_id", "project_id", "partition", "user", "agent", "project"})


def checked_text(text: object, what: str = "text") -> str:
    """The text, if it can be kept; raises InvalidInput or TextTooLong that says what to do."""
    if not isinstance(text, str):
        message = f"{what} must be a string, not {kind_of(text)}"
        raise InvalidInput(message)
    if len(text) > MAX_TEXT_CHARS:
        message = f"{what} has {len(text):,} characters; at most {MAX_TEXT_CHARS:,} are kept as one memory: split it"
        raise TextTooLong(message)
    if "\0" in text:
        message = f"{what} holds a NUL character at {text.index(chr(0))}: take it out"
        raise InvalidInput(message)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        message = f"{what} holds half a surrogate pair at {error.start}: a sign was cut in two, or decoded wrongly"
        raise InvalidInput(message) from error
    return text


def searchable(query: object) -> str:
    r"""The query without what no stored text can hold: a NUL and half a surrogate pair find nothing and hide nothing.

    >>> searchable("pass\0port")
    'pass port'
    """
    if isinstance(query, str):
        query = query.replace("\0", " ").encode("utf-8", "replace").decode()
    return checked_text(query, "query")


def checked_metadata(metadata: object) -> Mapping[str, Any]:
    """Metadata as a JSON object of moderate size; raises InvalidInput."""
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping) or not all(isinstance(key, str) for key in metadata):
        message = 'metadata is an object whose names are strings, such as {"ticket": 7}'
        raise InvalidInput(message)
    try:
        text = json.dumps(metadata, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        message = f"metadata must be plain JSON: {error}"
        raise InvalidInput(message) from error
    checked_text(text.replace("\\u0000", "\0"), "metadata")
    if len(text) > _MAX_METADATA_CHARS:
        message = f"metadata has {len(text):,} characters as JSON; at most {_MAX_METADATA_CHARS:,} are kept"
        raise InvalidInput(message)
    plain: Mapping[str, Any] = json.loads(text)
    return plain


def message_text(content: object) -> str:
    """The text of a message's content: a string, None, or a list of parts of which the text ones count."""
    if content is None:
        return ""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping) and "text" in part]
        return checked_text("\n".join(part for part in parts if isinstance(part, str)), "content")
    return checked_text(content, "content")


def checked_where(where: Mapping[str, Any] | None) -> Where | None:
    """A filter of plain values; raises InvalidFilter for operators, lists, wildcards and scope words.

    >>> checked_where({"category": "preference"})
    {'category': 'preference'}
    """
    if where is None:
        return None
    if not isinstance(where, Mapping) or not where:
        message = 'where is an object of field and value, such as {"category": "preference"}; leave it out to match all'
        raise InvalidFilter(message)
    for name, value in where.items():
        if not isinstance(name, str) or not name or name.startswith("$"):
            message = f"a filter's field is a name, not {echo(name)}"
            raise InvalidFilter(message)
        if any(isinstance(text, str) and _SURROGATE.search(text) for text in (name, value)):
            message = f"the filter {echo(name)} holds half a surrogate pair: no stored text does"
            raise InvalidFilter(message)
        if name in SCOPE_WORDS:
            message = f"{echo(name)} is no filter: whose memory it is, is said once, by the scope"
            raise InvalidFilter(message)
        if not isinstance(value, str | int | float | bool) or value in {"", "*"} or not _fits(value):
            message = f"the filter {echo(name)} takes one plain value (text, number, true or false), not {echo(value)}"
            raise InvalidFilter(message)
    return dict(where)


def _fits(value: str | float) -> bool:
    """Whether a number is one that a database knows: finite, and whole ones of at most 64 bits."""
    return isinstance(value, str) or (math.isfinite(value) if isinstance(value, float) else abs(value) < 1 << 63)


def checked_score(score: float | None) -> float | None:
    """A floor for scores, or None; no score is as far from 0 as the bounds that it is held to."""
    if score is None:
        return None
    if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
        message = f"min_score is a number such as 0.3, not {echo(score)}"
        raise InvalidInput(message)
    return max(-_MOST_SCORE, min(_MOST_SCORE, float(score)))


def checked_usage_keys(by: Sequence[str]) -> tuple[UsageKey, ...]:
    """What usage can be told apart by, each once."""
    given = list(by) if isinstance(by, Iterable) and not isinstance(by, str) else [by]
    if not all(isinstance(key, str) and key in USAGE_KEYS for key in given):
        message = f"by is a list of {', '.join(USAGE_KEYS)}, not {echo(by)}"
        raise InvalidInput(message)
    return cast("tuple[UsageKey, ...]", tuple(dict.fromkeys(given)))


def checked_flag(flag: object, what: str) -> bool:
    """True or False, and nothing that only counts as one: "no" would count as True."""
    if not isinstance(flag, bool):
        message = f"{what} is true or false, not {echo(flag)}"
        raise InvalidInput(message)
    return flag


def checked_url(url: object) -> str:
    """What can name a store; raises InvalidInput."""
    if not isinstance(url, str | Path) or not str(url) or "\0" in str(url) or _SURROGATE.search(str(url)):
        message = f"the URL of a store is text or a path, without NUL and half surrogate pairs, not {echo(url)}"
        raise InvalidInput(message)
    return str(url)


def checked_path(path: object, what: str = "the path") -> Path:
    """A path that can name a file; raises InvalidInput."""
    if not isinstance(path, str | Path):
        message = f"{what} is text or a path, not {kind_of(path)}"
        raise InvalidInput(message)
    if not str(path) or "\0" in str(path) or _SURROGATE.search(str(path)):
        message = f"{what} is empty, or holds NUL or half a surrogate pair: no file is called so"
        raise InvalidInput(message)
    if any(len(os.fsencode(part)) > _MOST_NAME_BYTES for part in Path(path).parts):
        message = f"{what} holds a name of more than {_MOST_NAME_BYTES} bytes: no file is called so"
        raise InvalidInput(message)
    return Path(path)


def checked_tiers(tiers: Sequence[str]) -> tuple[TierName, ...]:
    """Known tiers, at least one."""
    wanted = list(tiers) if isinstance(tiers, Iterable) and not isinstance(tiers, str) else []
    given = tuple([name for name in _TIERS if name in wanted])
    if not given or not all(map(_TIERS.__contains__, wanted)):
        message = f"tiers is a list of {' and '.join(repr(name) for name in _TIERS)}, not {echo(tiers)}"
        raise InvalidInput(message)
    return given


def checked_status(status: str | None) -> str | None:
    """A known status or None."""
    if status is not None and status not in tuple(Status):
        message = f"unknown status {echo(status)}: use one of {', '.join(Status)}, or nothing for any"
        raise InvalidInput(message)
    return status


def checked_limit(limit: int, what: str) -> int:
    """A whole number from 1 to 1,000,000."""
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= 1_000_000:
        message = f"{what} must be a whole number from 1 to 1,000,000, not {echo(limit)}"
        raise InvalidInput(message)
    return limit


def checked_ids(ids: str | Sequence[str]) -> list[str]:
    """One id or several, without repeats."""
    if not isinstance(ids, Iterable):
        message = f"ids is an id or a list of them, not {echo(ids)}"
        raise InvalidInput(message)
    given = [ids] if isinstance(ids, str) else list(ids)
    return list(dict.fromkeys(checked_name("id", one) for one in given))


def checked_session_id(session_id: str) -> str:
    """Return what can name a session; raise InvalidInput for what cannot.

    Two names mean a folder wherever a path is read: no client could ask for such a session over HTTP.

    >>> checked_session_id("trip.2")
    'trip.2'
    """
    if session_id in (".", ".."):
        message = "session_id must not be '.' or '..': they mean a folder in a path, and could not be asked for"
        raise InvalidInput(message)
    return checked_name("session_id", session_id)


_CURSOR = re.compile(r"[0-9a-f]{1,16}")


def checked_cursor(cursor: str) -> int:
    """The row a page's cursor stands for; raises InvalidInput for what no page gave."""
    if not isinstance(cursor, str) or not _CURSOR.fullmatch(cursor) or int(cursor, 16) >= 1 << 63:
        message = "a cursor is what the last page gave"
        raise InvalidInput(message)
    return int(cursor, 16)
