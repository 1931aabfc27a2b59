"""What is worth keeping. Deterministic: the same event always gets the same answer, with its reason."""

from __future__ import annotations

from collections.abc import Mapping

#: How far a text is believed, by the role that said it. What tools and pages say never outranks a person.
TRUST_OF_ROLE: Mapping[str, str] = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "untrusted",
    "function": "untrusted",
}


def skip_reason(text: str) -> str | None:
    """Why an event is not stored, or None when it is.

    >>> skip_reason("  ")
    'empty'
    """
    return None if text.strip() else "empty"


def trust_of(role: str) -> str:
    """How far what this role says is believed; an unknown role is not.

    >>> trust_of("tool")
    'untrusted'
    """
    return TRUST_OF_ROLE.get(role, "untrusted")
