"""From a matched frame to a statement: who, which attribute, which value, and how firm.

One small function per frame shape. None of them looks at the words of a language; those are in the tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from retentive.statement import attributes
from retentive.statement.fold import fold, stem
from retentive.statement.kinds import ALTERNATIVES, DAY_OR_DATE, PLACES, TOOLS, is_moment, kind
from retentive.statement.languages import language_named
from retentive.statement.model import Flag, Frame, Grammar, Shape, Statement, Tense

_LIST = re.compile(r"\s*(?:,|、|和|\band\b|\bor\b|\bund\b|\by\b|\bet\b|\be\b)\s*")
_MOST_ITEMS = 6
_LONGEST_ITEM_WORDS = 3
_ENDS_IN_MOMENT = re.compile(rf"(?<= ){DAY_OR_DATE}$")
_PREPOSITION = re.compile(r"^(?:on|at|in|by|am|um|el|le|il|a las|a) (?:the )?")
_TO_VERB = re.compile(r"^(?:to )?([a-z]{2,20})\b")


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


@lru_cache(maxsize=32)
def _regex(source: str) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE)


def clean(raw: str, grammar: Grammar) -> str:
    """A value without the time expressions after it and the article before it, case kept."""
    text = raw
    for _ in range(2):
        for tail in grammar.tails:
            text = _regex(tail).sub("", text, count=1) or text
    text = text.strip(" .,;:!。，；！'\"")
    return _regex(rf"^(?:{grammar.determiners})\s+(?=\S)").sub("", text, count=1)


def subject_of(raw: str, clause: Clause) -> str:
    """The folded subject; 'user' for the speaker, and without a determiner otherwise."""
    text = fold(raw)
    if not text:
        return clause.default
    bare = fold(_regex(rf"^(?:{clause.grammar.determiners})\s+(?=\S)").sub("", text, count=1))
    known = text in clause.grammar.user or bare in clause.grammar.user or (clause.speaker and text == clause.speaker)
    return "user" if known else bare


def make(clause: Clause, subject: str, attribute: str, value: str, *, exclusive: bool) -> Statement:
    """A statement with what the flags say: tense, polarity, addition, correction, circumstance."""
    flags, frame = clause.flags, clause.frame
    ended = "ended" in flags or frame.tense == "ended"
    tense: Tense = "ended" if ended else "past" if "past" in flags or frame.tense == "past" or _was(clause) else "now"
    negative = "negative" in flags or "ended" in flags
    unsure = "hedge" in flags or subject in clause.grammar.pronouns
    keyed = ":" in attribute
    became = any(word in clause.grammar.became for word in _aux(clause))
    changed = bool(flags & {"change", "correction"}) or frame.change or became or bool(_regex(clause.grammar.new).search(fold(clause.group("a"))))
    return Statement(
        subject=subject,
        attribute=f"{attribute} [{clause.context}]" if clause.context else attribute,
        value=value,
        polarity=-frame.polarity if negative and frame.tense != "ended" else frame.polarity,
        exclusive=not unsure and not keyed and (exclusive or changed),
        tense=tense,
        additive="additive" in flags,
        correction="correction" in flags and not unsure,
        replaces=fold(clean(clause.group("old"), clause.grammar)) or clause.replaces,
    )


def _aux(clause: Clause) -> list[str]:
    return clause.group("x").lower().split()


def _was(clause: Clause) -> bool:
    return any(word in clause.grammar.was for word in _aux(clause))


def _one(clause: Clause) -> list[Statement]:
    value = fold(clean(clause.group("v"), clause.grammar))
    subject = subject_of(clause.group("s"), clause)
    return [make(clause, subject, clause.frame.attribute, value, exclusive=clause.frame.shape != "unsure")] if value else []


def _many(clause: Clause) -> list[Statement]:
    subject = subject_of(clause.group("s"), clause)
    raw = clean(clause.group("v"), clause.grammar)
    return [
        make(clause, subject, f"{clause.frame.attribute}:{item}", item, exclusive=False)
        for item in map(_object, _items(raw, clause.grammar))
        if item
    ]


def _items(raw: str, grammar: Grammar) -> list[str]:
    """The members of a short list ('tea, coffee and milk'), or the whole value."""
    parts = [clean(part, grammar) for part in _LIST.split(raw, maxsplit=_MOST_ITEMS) if part.strip()]
    short = all(len(part.split()) <= _LONGEST_ITEM_WORDS and len(part) <= 30 for part in parts)
    return parts if len(parts) > 1 and short else [raw]


def _object(raw: str) -> str:
    """A liked thing as a key: 'to run' and 'running' are one."""
    text = fold(raw)
    first = _TO_VERB.match(text)
    if first and (text.startswith("to ") or first[1].endswith("ing")):
        return stem(first[1]) + text[first.end() :]
    return text


def _noun(clause: Clause) -> list[Statement]:
    """'My X is V', 'Tom's X is V': the noun decides whether X holds one value."""
    noun = fold(clause.group("a"))
    bare = fold(_regex(clause.grammar.new).sub("", noun))
    if bare in clause.grammar.user:
        return []
    if "'s " in bare:
        owner, _, bare = bare.rpartition("'s ")
        return _belonging(clause, owner, bare)
    if favourite := _regex(clause.grammar.favourite).fullmatch(bare):
        key = next(g for g in favourite.groups() if g)
        return _slot(clause, attributes.favourite(key), exclusive=True)
    if attributes.is_person(bare):
        return _person(clause, bare)
    attribute, single = attributes.canonical(bare)
    if single:
        return _slot(clause, attribute, exclusive=True)
    return _property(clause, bare) if clause.group("s") or clause.group("my") else []


def _belonging(clause: Clause, owner: str, noun: str) -> list[Statement]:
    """'My brother's name is V': the owner is a relation, of which there may be several people."""
    attribute, single = attributes.canonical(noun)
    value = fold(clean(clause.group("v"), clause.grammar))
    several = attribute == "name" and owner in attributes.RELATIONS
    key = attributes.NOUNS.get(owner, owner) if attributes.is_person(owner) else owner
    return [make(clause, key, attribute, value, exclusive=single and not several)] if value else []


def _slot(clause: Clause, attribute: str, *, exclusive: bool) -> list[Statement]:
    value = fold(clean(clause.group("v"), clause.grammar))
    if attribute == "language":
        value = language_named(value) or value
    subject = subject_of(clause.group("s"), clause)
    return [make(clause, subject, attribute, value, exclusive=exclusive)] if value else []


def _owner(clause: Clause, noun: str) -> str:
    owner = subject_of(clause.group("s"), clause)
    return noun if owner == "user" else f"{owner}'s {noun}"


def _person(clause: Clause, noun: str) -> list[Statement]:
    """'My wife is Anna' is her name; 'my wife is tall' is a property of her."""
    raw = clean(clause.group("v"), clause.grammar)
    key = attributes.NOUNS.get(noun)
    if kind(raw, names=clause.grammar.capitals) == "name" or not clause.grammar.spaced:
        single = key is not None
        return [make(clause, _owner(clause, key or noun), "name", fold(raw), exclusive=single)]
    return []


def _property(clause: Clause, noun: str) -> list[Statement]:
    raw = clean(clause.group("v"), clause.grammar)
    label = kind(raw, names=clause.grammar.capitals)
    subject, value = _owner(clause, noun), fold(raw)
    if not label and _ENDS_IN_MOMENT.search(value):
        return []
    if is_moment(label):
        value = _PREPOSITION.sub("", value)
        return [make(clause, subject, f"when ({label})", value, exclusive=True)]
    if label:
        return [make(clause, subject, f"is ({label})", value, exclusive=False)]
    return [make(clause, subject, f"is:{value}", value, exclusive=False)] if value else []


def _is(clause: Clause) -> list[Statement]:
    raw = clean(clause.group("v"), clause.grammar)
    subject, value = subject_of(clause.group("s"), clause), fold(raw)
    return [make(clause, subject, f"is:{value}", value, exclusive=False)] if value else []


def _when(clause: Clause) -> list[Statement]:
    """A time of something: one for a definite thing ('the meeting'), unclear for a habit ('yoga')."""
    raw = clean(clause.group("v"), clause.grammar)
    verb = stem(fold(clause.group("verb"))) or "when"
    subject = subject_of(clause.group("s"), clause)
    definite = fold(clause.group("s")) != subject
    label = kind(raw) or "day"
    return [make(clause, subject, f"{verb} ({label})", _PREPOSITION.sub("", fold(raw)), exclusive=definite)]


def _count(clause: Clause) -> list[Statement]:
    noun = fold(clean(clause.group("a"), clause.grammar))
    subject = subject_of(clause.group("s"), clause)
    return [make(clause, subject, f"number of {noun}", fold(clause.group("n")), exclusive=True)]


def _work(clause: Clause) -> list[Statement]:
    """Where one preposition serves for employers and towns, a known place is not an employer."""
    value = fold(clean(clause.group("v"), clause.grammar))
    if value in PLACES or _regex(clause.grammar.unplaces).search(value):
        subject = subject_of(clause.group("s"), clause)
        return [make(clause, subject, f"works in:{value}", value, exclusive=False)]
    return _one(clause)


def _move(clause: Clause) -> list[Statement]:
    """'Moved to V' is a home only when V can be a place; a day or a tool is left to other frames."""
    raw = clean(clause.group("v"), clause.grammar)
    label = kind(raw, names=clause.grammar.capitals)
    place = label in {"", "name"} and (label == "name" or not clause.grammar.capitals or not raw[:1].islower())
    return _one(clause) if place and fold(raw) not in TOOLS and not _regex(clause.grammar.unplaces).search(fold(raw)) else []


def _scoped(clause: Clause) -> tuple[str, str]:
    """A value apart from the purpose after it: ('Buildkite', 'for CI')."""
    raw = clean(clause.group("v"), clause.grammar)
    hit = _regex(clause.grammar.purpose).search(raw)
    if hit and hit.start() > 0:
        return clean(raw[: hit.start()], clause.grammar), f" [{fold(hit['c'])}]"
    return raw, ""


def _prefer(clause: Clause) -> list[Statement]:
    """The key is the head noun when a modifier picks one of its kinds: 'dark mode' -> 'prefers (mode)'."""
    raw, scope = _scoped(clause)
    subject, value = subject_of(clause.group("s"), clause), fold(raw)
    old = fold(clean(clause.group("old"), clause.grammar)) or clause.replaces
    if not value:
        return []
    if old:
        pair = "|".join(sorted((value, old)))
        return [make(clause, subject, f"prefers ({pair}){scope}", value, exclusive=True)]
    words = value.split()
    if clause.grammar.head == "none" or not 2 <= len(words) <= 3:
        return [make(clause, subject, f"prefers:{value}{scope}", value, exclusive=False)]
    head, modifiers = (words[-1], words[:-1]) if clause.grammar.head == "last" else (words[0], words[1:])
    row = next((ALTERNATIVES[w] for w in modifiers if w in ALTERNATIVES), None)
    among = f"{head}, {row}" if row is not None else head
    return [make(clause, subject, f"prefers ({among}){scope}", value, exclusive=row is not None)]


def _use(clause: Clause) -> list[Statement]:
    raw, scope = _scoped(clause)
    subject, value = subject_of(clause.group("s"), clause), fold(raw)
    if not value:
        return []
    label = TOOLS.get(value)
    attribute = f"use ({label}){scope}" if label and subject != "user" else f"use:{value}{scope}"
    return [make(clause, subject, attribute, value, exclusive=False)]


def _verb(clause: Clause) -> list[Statement]:
    verb, raw = fold(clause.group("verb")), clean(clause.group("v"), clause.grammar)
    if verb in clause.grammar.not_verbs:
        return []
    subject = subject_of(clause.group("s"), clause)
    base = _regex(clause.grammar.endings).sub("", verb) if clause.grammar.endings else stem(verb)
    past = bool(_regex(clause.grammar.past_verbs).search(verb)) and not clause.group("x")
    marked = replace(clause, flags=clause.flags | {"past"}) if past else clause
    value = fold(raw)
    return [make(marked, subject, f"{clause.frame.attribute or base}:{value}", value, exclusive=False)]


def _fix(clause: Clause) -> list[Statement]:
    """'It is Tuesday, not Monday': about whatever was said to be Monday."""
    value = fold(clean(clause.group("v"), clause.grammar))
    corrects = "correction" in clause.flags
    if not (clause.replaces and (corrects or clause.group("it")) or corrects and kind(value)):
        return []
    return [make(clause, "it", "", value, exclusive=True)]


def _language(clause: Clause) -> list[Statement]:
    value = fold(clean(clause.group("v"), clause.grammar))
    if name := language_named(value):
        return [make(clause, "user", "language", name, exclusive=True)]
    return [make(clause, "user", f"{clause.frame.attribute}:{value}", value, exclusive=False)]


_SHAPES: dict[Shape, Callable[[Clause], list[Statement]]] = {
    "one": _one,
    "unsure": _one,
    "many": _many,
    "noun": _noun,
    "is": _is,
    "when": _when,
    "count": _count,
    "move": _move,
    "work": _work,
    "prefer": _prefer,
    "use": _use,
    "verb": _verb,
    "fix": _fix,
    "language": _language,
}


def build(clause: Clause) -> list[Statement]:
    """The statements of a matched clause; empty when the frame does not hold after all."""
    return _SHAPES[clause.frame.shape](clause)
