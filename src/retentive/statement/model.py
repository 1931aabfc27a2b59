"""What a parsed statement is, and the shape of the table that describes one language to the parser.

A language is data: a `Grammar` holds small tables of regular expressions and words; `parse.py` holds the only engine.
Every pattern is bounded and runs on the first few hundred characters, accents removed, case ignored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Tense = Literal["now", "past", "ended"]
Flag = Literal[
    "correction", "additive", "change", "past", "ended", "negative", "hedge", "plan", "directive", "again", ""
]
Shape = Literal[
    "one",
    "many",
    "unsure",
    "noun",
    "is",
    "when",
    "count",
    "move",
    "work",
    "prefer",
    "use",
    "swap",
    "verb",
    "order",
    "boss",
    "fix",
    "language",
]


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing said about one subject. All text is folded (lower case, no accents, no article in front).

    `attribute` is a canonical key shared by all languages ('home', 'favourite player'). A key with a colon
    ('likes:sushi', 'is:tall') carries its object and so holds many values side by side. `exclusive` says that a new
    value replaces the old one; a key with neither is of unknown kind, and two values of it are a dispute.
    `replaces` is the value the speaker named as no longer right ('Tuesday, not Monday' -> 'monday'), or ''. `again`: it
    was so before, and then not ('I eat meat again').
    """

    subject: str
    attribute: str
    value: str
    polarity: int = 1
    exclusive: bool = False
    tense: Tense = "now"
    additive: bool = False
    correction: bool = False
    replaces: str = ""
    again: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """A sentence frame: the words around a subject `s`, a value `v`, an attribute noun `a`, a replaced value `old`."""

    shape: Shape
    attribute: str
    pattern: str
    tense: Tense = "now"
    polarity: int = 1
    change: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Grammar:
    """One language: how to guess it, what to strip first, and the frames to try, in order.

    `rewrites` run first (contractions, word order). `lead_ins` and `markers` are (pattern, flag, replacement): a lead-in
    matches at the start only and repeatedly, a marker anywhere. What remains should be a plain clause for the frames.
    `tails` are time expressions cut from the end of a value, `contexts` are circumstances that limit a statement
    ('at work'), `purpose` the ones that only limit a use or a
    preference ('for CI'), `contrasts` find the replaced value.
    """

    code: str
    words: frozenset[str]
    user: frozenset[str]
    pronouns: frozenset[str]
    determiners: str
    rewrites: tuple[tuple[str, str], ...]
    lead_ins: tuple[tuple[str, Flag], ...]
    markers: tuple[tuple[str, Flag, str], ...]
    reorders: tuple[tuple[str, str], ...]
    contrasts: tuple[str, ...]
    contexts: tuple[str, ...]
    tails: tuple[str, ...]
    breaks: str
    purpose: str
    openers: str
    new: str
    favourite: str
    unplaces: str
    was: frozenset[str]
    became: frozenset[str]
    not_verbs: frozenset[str]
    frames: tuple[Frame, ...]
    endings: str
    past_verbs: str
    fillers: str
    head: Literal["last", "first", "none"] = "last"
    subject: str = r"(?:(?P<s>[^,:;]{1,60}?) )??"
    spaced: bool = True
    capitals: bool = True
