"""Reconciling: a new fact meets its neighbours, and rules decide what becomes of both.

The newest statement wins, narrowly: it replaces an older one only when both speak of the same subject and the same
attribute, and that attribute holds one value (or the speaker says it changed). Everything else stands side by side;
two values of an attribute of unknown kind are marked as disputed. Pure: no store, no model, no clock.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from retentive.statement import Statement, parse_statements
from retentive.statement.fold import fold

Action = Literal["add", "confirm", "supersede", "dispute", "pend", "ignore"]
Verdict = Literal["same", "replaced", "unclear", "apart"]

MIN_CONFIDENCE_TO_REPLACE: Final = 0.5
"""Below this confidence of the extractor a new fact may not retire an old one by itself: it waits for a person."""

_LIVE: Final = frozenset({"active", "disputed"})
_SELF: Final = re.compile(r"^(?:the user|user|i|ich|yo|je|eu|io|我|用户|私は)\b[ :,]*", re.IGNORECASE)
_WORD: Final = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An existing fact near the new one. `similarity` is a cosine or word overlap in 0..1, 0 when unknown."""

    id: str
    text: str
    category: str | None
    field: str | None
    status: str
    statement: Statement | None
    similarity: float


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do with the new fact, about which existing ones, and why in one plain sentence."""

    action: Action
    target_ids: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class _New:
    text: str
    statements: tuple[Statement, ...]
    field: str | None


def reconcile(
    candidate_text: str,
    statement: Statement | None,
    neighbours: Sequence[Neighbour],
    *,
    category: str | None = None,
    field: str | None = None,
    confidence: float | None = None,
    speaker: str | None = None,
) -> Decision:
    """Decide what becomes of a new fact among existing facts of the same scope.

    `neighbours` may hold any facts of the scope; only active and disputed ones are replaced or disputed, pending ones are
    confirmed by a repetition, and a repetition of a rejected one is ignored. `field` is the profile field the new fact
    fills, of which there is always one current value. `confidence` in 0..1, None when it was stated outright.

    >>> old = Neighbour("a", "My favourite player is Ronaldo", None, None, "active", None, 0.9)
    >>> reconcile("My favourite player is Messi", None, [old])
    Decision(action='supersede', target_ids=('a',), reason='A newer statement about the same thing replaces it.')
    """
    if not _WORD.search(candidate_text):
        return Decision("ignore", (), "There is nothing in the text to remember.")
    parsed = parse_statements(candidate_text, speaker=speaker)
    new = _New(candidate_text, parsed if len(parsed) > 1 or statement is None else (statement,), field)
    live = [n for n in neighbours if n.status in _LIVE]
    verdicts = [(n, _judge(new, n, speaker)) for n in live]
    waiting = [(n, _judge(new, n, speaker)) for n in neighbours if n.status not in _LIVE]
    corrected = _corrected(new, live, verdicts)
    if corrected is not None:
        verdicts = corrected
    decision = _decide(new, verdicts, waiting)
    doubtful = confidence is not None and confidence < MIN_CONFIDENCE_TO_REPLACE and decision.action == "supersede"
    if doubtful and field is None:
        return Decision("pend", decision.target_ids, "It would replace an older statement, but the extraction was not sure.")
    return decision


def _decide(new: _New, verdicts: list[tuple[Neighbour, Verdict]], waiting: list[tuple[Neighbour, Verdict]]) -> Decision:
    same, replaced, unclear = (tuple(n.id for n, v in verdicts if v == w) for w in ("same", "replaced", "unclear"))
    if replaced:
        return Decision("supersede", replaced + same, _why_replaced(new))
    if same:
        return Decision("confirm", same[:1], "The same thing was said before.")
    if any(n.status == "rejected" and v == "same" for n, v in waiting):
        return Decision("ignore", (), "A person has already rejected this statement.")
    held = tuple(n.id for n, v in waiting if n.status == "pending" and v == "same")
    if held:
        return Decision("confirm", held[:1], "The same thing is already waiting for review.")
    if unclear and _is_bare_fix(new):
        return Decision("pend", unclear, "It corrects something, but more than one older statement could be meant.")
    if unclear:
        return Decision("dispute", unclear, "Both speak of the same thing with different values, and both could be true.")
    return Decision("add", (), "Nothing known speaks of the same thing.")


def _why_replaced(new: _New) -> str:
    main = new.statements[0] if new.statements else None
    if new.field is not None:
        return f"There is one current value for '{new.field}', and this is the newest."
    if main and main.correction:
        return "The speaker corrected an earlier statement."
    if main and main.tense == "ended":
        return "The speaker said that it is no longer so."
    if main and main.tense == "past":
        return "The speaker now tells it as something of the past."
    if main and main.attribute.startswith("likes:"):
        return "A newer statement says the opposite about the same thing."
    return "A newer statement about the same thing replaces it."


def _judge(new: _New, old: Neighbour, speaker: str | None) -> Verdict:
    if _plain(new.text) == _plain(old.text):
        return "same"
    theirs = parse_statements(old.text, speaker=speaker)
    if len(theirs) < 2 and old.statement is not None:  # noqa: PLR2004 - one statement or none
        theirs = (old.statement,)
    if new.field is not None and new.field == old.field:
        equal = any(a.value == b.value and a.polarity == b.polarity for a in new.statements for b in theirs)
        return "same" if equal else "replaced"
    found = {_compare(a, b) for a in new.statements for b in theirs}
    if "replaced" in found:
        others = len({(b.subject, b.attribute, b.value) for b in theirs}) > 1
        return "unclear" if others and not _covers(new.statements, theirs) else "replaced"
    if "unclear" in found:
        return "unclear"
    return "same" if theirs and "same" in found and _says_all(theirs, new.statements) else "apart"


def _covers(ours: Sequence[Statement], theirs: Sequence[Statement]) -> bool:
    """Whether the new fact speaks to every part of the old one, so that retiring it loses nothing."""
    return all(any(_compare(a, b) in {"replaced", "same"} for a in ours) for b in theirs)


def _says_all(theirs: Sequence[Statement], ours: Sequence[Statement]) -> bool:
    return all(any(_compare(a, b) == "same" for b in theirs) for a in ours)


def _compare(new: Statement, old: Statement) -> Verdict:
    """How one new statement bears on one old one."""
    if new.subject != old.subject:
        return "apart"
    if new.attribute != old.attribute:
        return "replaced" if _named_as_wrong(new, old) else "apart"
    if new.tense == "now" and old.tense == "now" and new.polarity == old.polarity == 1:
        return _both_current(new, old)
    if not _same_value(new, old):
        return "apart"
    if new.tense == old.tense and new.polarity == old.polarity:
        return "same"
    if new.tense == "past":
        return "replaced" if old.tense == "now" and old.polarity == new.polarity else "apart"
    if old.tense == "past":
        return "apart"
    return "same" if new.polarity == old.polarity == -1 else "replaced"


def _both_current(new: Statement, old: Statement) -> Verdict:
    if _same_value(new, old):
        return "same"
    if new.additive or ":" in new.attribute:
        return "apart"
    if new.exclusive or new.correction:
        return "replaced"
    return "unclear"


def _same_value(new: Statement, old: Statement) -> bool:
    """Equal, or the new one is a shorter way to say the old ('Munich' after 'Munich, Germany')."""
    return new.value == old.value or (bool(new.value) and old.value.startswith(new.value + " ")) or not new.value


def _named_as_wrong(new: Statement, old: Statement) -> bool:
    """'Switched from Jenkins to Buildkite': Jenkins is named as no longer right, for the same kind of relation."""
    return bool(new.replaces) and old.polarity == 1 and old.value == new.replaces and _relation(new) == _relation(old)


def _relation(statement: Statement) -> str:
    return re.split(r"[:(\[]", statement.attribute, maxsplit=1)[0].strip()


def _is_bare_fix(new: _New) -> bool:
    return bool(new.statements) and not new.statements[0].attribute


def _corrected(
    new: _New, live: Sequence[Neighbour], verdicts: list[tuple[Neighbour, Verdict]]
) -> list[tuple[Neighbour, Verdict]] | None:
    """A correction that names only the wrong value is about the one neighbour that holds it."""
    if any(v in {"replaced", "same"} for _, v in verdicts) or not new.statements:
        return None
    main = new.statements[0]
    if not main.replaces or not (main.correction or not main.attribute):
        return None
    holders = [n for n in live if _mentions(n.text, main.replaces)]
    verdict: Verdict = "replaced" if len(holders) == 1 else "unclear"
    return [(n, verdict) if n in holders else (n, v) for n, v in verdicts]


def _mentions(text: str, value: str) -> bool:
    folded = fold(text)
    return f" {value} " in f" {folded} " or (not value.isascii() and value in folded)


def _plain(text: str) -> str:
    return _SELF.sub("", fold(text))
