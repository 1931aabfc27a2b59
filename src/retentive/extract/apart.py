"""A candidate that states several things becomes one for each: one of them may change, and the others stay true."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from retentive.contracts import Candidate
from retentive.statement import FIELD_OF_ATTRIBUTE, Statement, atoms, changes_person, parse_statements

#: What the first words of an attribute say of the kind of a fact.
_LIKED: Final = ("likes:", "prefers", "favourite ")
#: Kinds that a sentence is given for its strongest part, whatever else it says.
_BY_STRONGEST: Final = frozenset({"identity", "relationship", "event", "other"})


def apart(candidate: Candidate) -> tuple[Candidate, ...]:
    """The candidate, or one for each statement its text makes, each citing the same words.

    >>> both = Candidate("The user lives in Graz and loves tea.", "e1", "I live in Graz and love tea", "identity")
    >>> [(one.text, one.category, one.field) for one in apart(both)]
    [('The user lives in Graz.', 'identity', 'location'), ('The user loves tea.', 'preference', None)]
    """
    texts = atoms(candidate.text)
    if len(texts) == 1 or changes_person(candidate.quote):
        return (candidate,)
    return tuple(_one(candidate, text) for text in texts)


def _one(whole: Candidate, text: str) -> Candidate:
    said = parse_statements(text)
    liked = bool(said) and all(one.attribute.startswith(_LIKED) for one in said)
    category = "preference" if liked and whole.category in _BY_STRONGEST else whole.category
    return replace(
        whole,
        text=text,
        category=category,
        field=_field(said),
        evergreen=whole.evergreen and category == whole.category,
    )


def _field(said: tuple[Statement, ...]) -> str | None:
    """The profile field of one plain statement about the user."""
    plain = len(said) == 1 and said[0].subject == "user" and said[0].tense == "now" and said[0].polarity > 0
    return FIELD_OF_ATTRIBUTE.get(said[0].attribute) if plain and said[0].exclusive else None
