"""The shape of the table that describes one language to the rule extractor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from retentive.times import TABLES

Rewriting = Literal["conjugate", "replace"]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Words that show a durable statement of a speaker about themselves.

    `weight` in 0..1 is how much such a statement usually matters, before what else stands in the sentence is counted.
    """

    category: str
    weight: float
    pattern: str
    confidence: float = 0.75


@dataclass(frozen=True, slots=True, eq=False)
class Persons:
    """How the first person becomes the third. All keys are lower case; `{S}` is the speaker, `{L}` who is spoken to.

    `verbs` holds irregular verb forms, `endings` (pattern, replacement) the regular ones, first match wins; a verb that
    neither knows stays. `bases` are verbs that may follow "and" in their base form. `between` are words that may stand between subject and verb. `words` are the other forms of
    the first person: the first value before the speaker was named in the sentence, the second after.
    """

    subjects: str
    plural: str
    contracted: Mapping[str, str]
    verbs: Mapping[str, str]
    endings: tuple[tuple[str, str], ...]
    unchanged: frozenset[str]
    between: frozenset[str]
    words: Mapping[str, tuple[str, str]]
    plural_verbs: Mapping[str, str] = field(default_factory=dict)
    and_others: str = "{S} and others"
    compound: str = ""
    bases: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """One language. Patterns are searched in a sentence whose quotes are straight, ignoring case.

    `lead_ins` are cut from the front, again and again; `about` must be found or the sentence is about no speaker;
    `refused` are (reason, pattern); `bonus` are (pattern, points) that make a statement matter more or less;
    `question_tail` is where a request begins that follows a statement; `said` quotes what is not put in the third
    person. `listener` (pattern, replacement) names who is spoken to, `{L}`, where that is sure; `addressed` is what
    then still speaks to someone. `rewrites` are tried before `persons`, in order, each (pattern, replacement with {S}).
    How it speaks of time stands in the table of `retentive.times` under the same code.
    """

    code: str
    user: str
    said: str
    about: str
    lead_ins: str
    question_tail: str
    refused: tuple[tuple[str, str], ...]
    frames: tuple[Frame, ...]
    bonus: tuple[tuple[str, float], ...]
    hedge: str
    directive: str
    correction: str
    listener: tuple[tuple[str, str], ...] = ()
    addressed: str = r"(?!)"
    rewrites: tuple[tuple[str, str], ...] = ()
    persons: Persons | None = None

    @property
    def spaced(self) -> bool:
        """Whether words have blanks between them."""
        return TABLES[self.code].spaced
