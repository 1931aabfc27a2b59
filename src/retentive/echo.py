"""What a caller gave, said back in an error: short, and without what must not stand in a log."""

from __future__ import annotations

from typing import Any

from retentive.redaction import redact
from retentive.wording import shown

_CHARS = 64
_READ = 400


def echo(value: Any) -> str:
    """The value as an error message quotes it.

    >>> echo("colour"), echo(3)
    ("'colour'", '3')
    >>> echo("my password is QuietHarbor5527")
    "'my password is [REDACTED:password]'"
    """
    clean = redact(shown(value)[:_READ]).text
    short = clean if len(clean) <= _CHARS else clean[: _CHARS - 1] + "…"
    return repr(short) if isinstance(value, str) else short
