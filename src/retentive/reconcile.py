"""Reconciling: a new fact meets its neighbours, and rules decide what becomes of both.

The newest statement wins, narrowly: it replaces an older one only when both speak of the same subject and the same
attribute, and that attribute holds one value (or the speaker says it changed). Everything else stands side by side;
two values of an attribute of unknown kind are marked as disputed. Pure: no store, no model, no clock.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from retentive.statement import Statement, attribute_of_field, fold, parse_statements
from retentive.statement.giving_up import gives_up, takes_up_again

Action = Literal["add", "confirm", "supersede", "dispute", "pend", "ignore"]
Verdict = Literal["same", "replaced", "unclear", "apart"]

MIN_CONFIDENCE_TO_REPLACE: Final = 0.5
"""Below this confidence of the extractor a new fact may not retire an old one by itself: it waits for a person."""

_LIVE: Final = frozenset({"active", "disputed"})
_CLEARLY_NEARER: Final = 0.1
_SELF: Final = re.compile(r"^(?:the user|user|i|der nutzer|ich|el usuario|yo|je|eu|io|我|用户)\b[ :,]*")
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
class _Said:
    """A fact as it is compared: its words, what was recognised in them, the profile field it fills."""

    text: str
    statements: tuple[Statement, ...]
    field: str | None


_Judged = tuple[Neighbour, Verdict]


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

    `neighbours` may hold any facts of the scope. Only active and disputed ones are replaced or disputed; a repetition
    confirms a pending one and is ignored if a person rejected it. `field` is the profile field the new fact fills, of
    which there is always one current value. Of the categories, 'correction' makes the new fact a correction and
    'open_thread' (something undecided) never touches another. `confidence` in 0..1, None when it was stated outright.

    >>> old = Neighbour("a", "My favourite player is Ronaldo", None, None, "active", None, 0.9)
    >>> reconcile("My favourite player is Messi", None, [old])
    Decision(action='supersede', target_ids=('a',), reason='A newer statement about the same thing replaces it.')
    """
    if not _WORD.search(candidate_text):
        return Decision("ignore", (), "There is nothing in the text to remember.")
    new = _said(candidate_text, statement, field, speaker)
    if category == "correction":
        new = replace(new, statements=tuple(replace(s, correction=True) for s in new.statements))
    judged = [(n, _judge(new, _said(n.text, n.statement, n.field, speaker))) for n in neighbours]
    live = _resolve_fix(new, [(n, v) for n, v in judged if n.status in _LIVE])
    if category == "open_thread":
        live = [(n, v if v == "same" else "apart") for n, v in live]
    decision = _decide(new, live) or _decide_held([(n, v) for n, v in judged if n.status not in _LIVE])
    doubtful = confidence is not None and confidence < MIN_CONFIDENCE_TO_REPLACE
    if doubtful and field is None and decision.action == "supersede":
        return Decision("pend", decision.target_ids, "It would replace an older one, but was not clearly said.")
    return decision


def _said(text: str, statement: Statement | None, field: str | None, speaker: str | None) -> _Said:
    parsed = parse_statements(text, speaker=speaker)
    if len(parsed) < 2 and statement is not None:
        parsed = (statement,)
    if not parsed and field is not None:
        parsed = (Statement("user", attribute_of_field(field), fold(text), exclusive=True),)
    return _Said(text, parsed, field)


def _decide(new: _Said, live: Sequence[_Judged]) -> Decision | None:
    """The decision from current facts; None when none of them speaks of the same thing."""
    same = tuple(n.id for n, v in live if v == "same")
    replaced = tuple(n.id for n, v in live if v == "replaced")
    unclear = tuple(n.id for n, v in live if v == "unclear")
    if replaced:
        return Decision("supersede", replaced + same, _why_replaced(new))
    if same:
        return Decision("confirm", same[:1], "The same thing was said before.")
    if unclear and _is_bare_fix(new):
        return Decision("pend", unclear, "It corrects something, but more than one older statement could be meant.")
    if unclear:
        return Decision("dispute", unclear, "The same thing has another value elsewhere, and both could be true.")
    return None


def _decide_held(held: Sequence[_Judged]) -> Decision:
    """The decision from facts that are not current: a person rejected them, or has yet to look at them."""
    same = {n.status: n.id for n, v in held if v == "same"}
    if "rejected" in same:
        return Decision("ignore", (), "A person has already rejected this statement.")
    if "pending" in same:
        return Decision("confirm", (same["pending"],), "The same thing is already waiting for review.")
    return Decision("add", (), "Nothing known speaks of the same thing.")


def _why_replaced(new: _Said) -> str:
    main = new.statements[0] if new.statements else None
    if new.field is not None:
        return f"There is one current value for '{new.field}', and this is the newest."
    if main is None:
        return "A newer statement about the same thing replaces it."
    reasons = (
        (main.correction, "The speaker corrected an earlier statement."),
        (main.tense == "ended", "The speaker said that it is no longer so."),
        (main.tense == "past", "The speaker now tells it as something of the past."),
        (main.attribute.startswith("likes:"), "A newer statement says the opposite about the same thing."),
    )
    return next((why for holds, why in reasons if holds), "A newer statement about the same thing replaces it.")


def _judge(new: _Said, old: _Said) -> Verdict:
    """How the new fact bears on one old one, all their parts taken together."""
    if _plain(new.text) == _plain(old.text):
        return "same"
    if new.field is not None and new.field == old.field:
        equal = any(a.value == b.value and a.polarity == b.polarity for a in new.statements for b in old.statements)
        return "same" if equal else "replaced"
    found = {_compare(a, b) for a in new.statements for b in old.statements}
    if "replaced" in found:
        return "replaced" if _covers(new, old) else "unclear"
    if "unclear" in found:
        return "unclear"
    return "same" if "same" in found and _says_all(old, new) else "apart"


def _covers(new: _Said, old: _Said) -> bool:
    """Whether the new fact speaks to every part of the old one, so that retiring it loses nothing."""
    return all(any(_compare(a, b) in {"replaced", "same"} for a in new.statements) for b in old.statements)


def _says_all(old: _Said, new: _Said) -> bool:
    return all(any(_compare(a, b) == "same" for b in old.statements) for a in new.statements)


def _compare(new: Statement, old: Statement) -> Verdict:
    """How one new statement bears on one old one."""
    if new.subject != old.subject:
        return "apart"
    if takes_up_again(new, old) or gives_up(new, old):
        return "replaced"
    if new.attribute != old.attribute:
        return "replaced" if _names_as_wrong(new, old) else "apart"
    if new.tense == old.tense == "now" and new.polarity == old.polarity == 1:
        return _compare_current(new, old)
    if not _same_value(new, old):
        return "apart"
    return _compare_changed(new, old)


def _compare_current(new: Statement, old: Statement) -> Verdict:
    if _same_value(new, old):
        return "same"
    if new.additive or ":" in new.attribute:
        return "apart"
    firm = new.exclusive or new.correction or _names_as_wrong(new, old)
    return "replaced" if firm else "unclear"


def _compare_changed(new: Statement, old: Statement) -> Verdict:
    """The same value with another tense or polarity: what is over ends what was; history touches nothing."""
    if new.polarity == old.polarity and (new.tense == old.tense or new.polarity == -1):
        return "same"
    if new.tense == "past":
        return "replaced" if old.tense == "now" and old.polarity == new.polarity else "apart"
    return "apart" if old.tense == "past" else "replaced"


def _same_value(new: Statement, old: Statement) -> bool:
    """Equal, or the new one is a shorter way to say the old ('Munich' after 'Munich, Germany')."""
    return new.value == old.value or (bool(new.value) and old.value.startswith(new.value + " "))


def _names_as_wrong(new: Statement, old: Statement) -> bool:
    """'Switched from Jenkins to Buildkite': Jenkins is named as no longer right, for the same kind of relation."""
    named = bool(new.replaces) and f" {old.value}".endswith(f" {new.replaces}")
    return named and old.polarity == 1 and _relation(new) == _relation(old)


def _relation(statement: Statement) -> str:
    return re.split(r"[:(\[]", statement.attribute, maxsplit=1)[0].strip()


def _is_bare_fix(new: _Said) -> bool:
    return bool(new.statements) and not new.statements[0].attribute


def _resolve_fix(new: _Said, live: list[_Judged]) -> list[_Judged]:
    """'It is Tuesday, not Monday' is about the one neighbour that says Monday; with several it stays unclear."""
    main = new.statements[0] if new.statements else None
    settled = any(v in {"replaced", "same"} for _, v in live)
    if main is None or settled or not main.replaces or not (main.correction or not main.attribute):
        return live
    holders = _nearest([n for n, _ in live if _mentions(n.text, main.replaces)])
    verdict: Verdict = "replaced" if len(holders) == 1 else "unclear"
    return [(n, verdict) if n in holders else (n, v) for n, v in live]


def _nearest(holders: list[Neighbour]) -> list[Neighbour]:
    """The one clearly nearest by similarity, else all of them."""
    ranked = sorted(holders, key=lambda n: -n.similarity)
    clear = len(ranked) > 1 and ranked[0].similarity - ranked[1].similarity >= _CLEARLY_NEARER
    return ranked[:1] if clear else ranked


def _mentions(text: str, value: str) -> bool:
    folded = fold(text)
    return f" {value} " in f" {folded} " or (not value.isascii() and value in folded)


def _plain(text: str) -> str:
    return _SELF.sub("", fold(text))
