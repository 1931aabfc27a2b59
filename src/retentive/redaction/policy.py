"""What a finding is, and what to do with one: the types every other file of the redactor shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Final, Literal, NamedTuple

from retentive.errors import ConfigError

Action = Literal["redact", "tag", "allow"]
ACTIONS: Final = frozenset({"redact", "tag", "allow"})

PII_KINDS: Final = frozenset({"email", "phone", "iban", "card", "national_id", "ip", "address", "name"})
OPT_IN_KINDS: Final = frozenset({"address", "name"})
UNSCANNED: Final = "unscanned"


class Span(NamedTuple):
    """A finding: `start` and `end` are character offsets into the text that was given, `end` exclusive."""

    start: int
    end: int
    kind: str


class ValueSpan(NamedTuple):
    """A finding inside a JSON-like value.

    `path` holds the keys and list positions that lead to the string; `in_key` says that the string is the last key of
    the path itself rather than the value under it.
    """

    path: tuple[str | int, ...]
    start: int
    end: int
    kind: str
    in_key: bool = False


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and where they were.

    `spans` are sorted and do not overlap; a kind whose action is `tag` is listed and left in the text.
    """

    text: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class RedactionPolicy:
    """What happens to each kind of finding, and how much work one call may do.

    `actions` maps a kind (`"email"`), or the groups `"secret"` and `"pii"`, to `"redact"` (replace by a placeholder),
    `"tag"` (report, leave the text) or `"allow"` (ignore). A kind wins over its group. Left out: secrets and PII are
    redacted; the kinds `address` and `name` are opt-in, allowed until they are named themselves.

    `max_chars` and `budget_s` (CPU seconds of the calling thread) bound one call. What lies beyond either is replaced
    whole by a placeholder of kind `unscanned`: text that was not looked at is never passed on.

    Raises ConfigError for an action that does not exist or a budget below zero.

    >>> RedactionPolicy(actions={"pii": "allow", "card": "redact"}).action("email")
    'allow'
    """

    actions: Mapping[str, Action] = dataclass_field(default_factory=dict)
    max_chars: int = 10_000_000
    budget_s: float = 60.0

    def __post_init__(self) -> None:
        unknown = sorted(set(self.actions.values()) - ACTIONS)
        if unknown:
            message = f"Unknown redaction action {unknown[0]!r}: use 'redact', 'tag' or 'allow'."
            raise ConfigError(message)
        if self.max_chars < 0 or self.budget_s < 0:
            message = "A redaction budget (max_chars, budget_s) cannot be negative."
            raise ConfigError(message)

    def __hash__(self) -> int:
        return hash((frozenset(self.actions.items()), self.max_chars, self.budget_s))

    def action(self, kind: str) -> Action:
        """What to do with a finding of `kind`."""
        if kind == UNSCANNED:
            return "redact"
        if kind in self.actions:
            return self.actions[kind]
        if kind in OPT_IN_KINDS:
            return "allow"
        return self.actions.get("pii" if kind in PII_KINDS else "secret", "redact")


DEFAULT_POLICY: Final = RedactionPolicy()


def placeholder(kind: str) -> str:
    """The text that stands in for a finding.

    >>> placeholder("email")
    '[REDACTED:email]'
    """
    return f"[REDACTED:{kind}]"
