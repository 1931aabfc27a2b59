"""A matched clause, and what all frame shapes need from it: the subject, a clean value, the finished statement."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from retentive.statement import attributes
from retentive.statement.folding import fold
from retentive.statement.model import Flag, Frame, Grammar, Statement, Tense

_LONGEST_VALUE = 100


@dataclass(frozen=True, slots=True)
class Clause:
    """A matched clause and what was stripped from around it."""

    grammar: Grammar
    frame: Frame
    hit: re.Match[str]
    flags: frozenset[Flag]
    context: str
    replaces: str
    speaker: str
    default: str

    def group(self, name: str) -> str:
        """The text of a named group, or '' when the frame has none."""
        return self.hit.groupdict().get(name) or ""


@lru_cache(maxsize=1024)
def regex(source: str) -> re.Pattern[str]:
    """A table pattern, compiled once."""
    return re.compile(source, re.IGNORECASE)


def clean(raw: str, grammar: Grammar) -> str:
    """A value without the time expressions after it and the article before it, case kept."""
    text = raw
    for _ in range(2):
        for tail in grammar.tails:
            text = regex(tail).sub("", text, count=1) or text
    text = text.strip(" .,;:!。，；！'\"")
    return regex(rf"^(?:{grammar.determiners})\s+(?=\S)").sub("", text, count=1)


def subject_of(raw: str, clause: Clause) -> str:
    """The folded subject; 'user' for the speaker, and without a determiner otherwise."""
    text = fold(raw)
    if not text:
        return clause.default
    bare = fold(regex(rf"^(?:{clause.grammar.determiners})\s+(?=\S)").sub("", text, count=1))
    bare = fold(regex(clause.grammar.new).sub("", bare)) if bare != text else bare
    known = text in clause.grammar.user or bare in clause.grammar.user or (clause.speaker and text == clause.speaker)
    return "user" if known else attributes.person(bare)


def make(clause: Clause, subject: str, attribute: str, value: str, *, exclusive: bool) -> Statement:
    """A statement with what the flags say: tense, polarity, addition, correction, circumstance."""
    flags, frame = clause.flags, clause.frame
    ended = "ended" in flags or frame.tense == "ended"
    tense: Tense = (
        "ended"
        if ended
        else "past"
        if "past" in flags or frame.tense == "past" or (_was(clause) and not _became(clause))
        else "now"
    )
    negative = "negative" in flags or "ended" in flags
    unsure = "hedge" in flags or subject in clause.grammar.pronouns
    keyed = ":" in attribute
    changed = bool(flags & {"change", "correction"}) or frame.change or _became(clause)
    return Statement(
        subject=subject,
        attribute=f"{attribute} [{clause.context}]" if clause.context else attribute,
        value=value,
        polarity=-frame.polarity if negative and frame.tense != "ended" else frame.polarity,
        exclusive=not unsure and not keyed and (exclusive or changed) and len(value) <= _LONGEST_VALUE,
        tense=tense,
        additive="additive" in flags,
        correction="correction" in flags and not unsure,
        again="again" in flags,
        replaces=fold(clean(clause.group("old"), clause.grammar)) or clause.replaces,
    )


def _aux(clause: Clause) -> list[str]:
    return clause.group("x").lower().split()


def _became(clause: Clause) -> bool:
    """Whether the words themselves tell of a change: 'became', 'moved to', 'my new ...'."""
    renewed = regex(clause.grammar.new).search(fold(clause.group("a")))
    return bool(renewed or clause.group("moved")) or any(word in clause.grammar.became for word in _aux(clause))


def _was(clause: Clause) -> bool:
    return any(word in clause.grammar.was for word in _aux(clause))
