"""From a matched frame to statements: which attribute, which value, and how firm.

One small function per frame shape. None of them looks at the words of a language; those are in the tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from retentive.statement import attributes
from retentive.statement.clause import Clause, clean, make, regex, subject_of
from retentive.statement.folding import fold, stem
from retentive.statement.kinds import ALTERNATIVES, DAY_OR_DATE, PLACES, TOOLS, is_moment, kind
from retentive.statement.languages import language_named
from retentive.statement.model import Grammar, Shape, Statement
from retentive.statement.professions import is_profession

_LIST = re.compile(r"\s*(?:,|、|和|\band\b|\bor\b|\bund\b|\by\b|\bet\b|\be\b)\s*")
_MOST_ITEMS = 6
_LONGEST_ITEM_WORDS = 3
_ENDS_IN_MOMENT = re.compile(rf"(?<= ){DAY_OR_DATE}$")
_IN_A_PLACE = re.compile(r"in (?=[A-Z])")
_FIRST_PERSON = frozenset({"i", "we", "ich", "wir", "je", "j", "nous", "yo", "nosotros", "eu", "io"})
#: A verb stands behind the user: that is a clause, and no subject.
_USER_DOES = re.compile(
    r"(?:\S{1,3} )?(?:user|nutzer|nutzerin|usuario|usuaria|utilisateur|utilisatrice|utente) (?!and )\S"
)
_MEASURE = re.compile(
    r"(?:^|(?<= ))(?P<m>\d{1,2}[:.]\d{2}(?: ?[ap]m)?|\d{1,2} ?(?:am|pm|uhr|h)|v?\d{1,4}(?:\.\d{1,4}){1,3}|\d[\d.,]{0,12}(?: ?(?:kg|km|lbs?|cm|%|hours?|minutes?))?)$"
)
_PREPOSITION = re.compile(r"^(?:on|at|in|by|am|um|el|le|il|a las|a) (?:the )?")
_TO_VERB = re.compile(r"^(?:to )?([a-z]{2,20})\b")


def _one(clause: Clause) -> list[Statement]:
    value = fold(clean(clause.group("v"), clause.grammar))
    subject = subject_of(clause.group("s"), clause)
    several = clause.frame.attribute == "name" and subject in attributes.RELATIONS
    single = (clause.frame.shape != "unsure" or attributes.only_one(subject)) and not several
    attribute = clause.frame.attribute
    if (
        attribute == "home"
        and fold(clause.group("s")) != subject
        and subject != "user"
        and not attributes.is_person(subject)
    ):
        attribute = "location"
    return [make(clause, subject, attribute, value, exclusive=single)] if value else []


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
    compound = _compound(clause)
    bare = compound or fold(regex(clause.grammar.new).sub("", fold(clause.group("a"))))
    if bare in clause.grammar.user:
        return []
    if "'s " in bare:
        owner, _, bare = bare.rpartition("'s ")
        return _belonging(clause, owner, bare)
    if favourite := regex(clause.grammar.favourite).fullmatch(bare):
        key = next(g for g in favourite.groups() if g)
        return _slot(clause, attributes.favourite(key), exclusive=True)
    if attributes.is_person(bare):
        return _person(clause, bare)
    attribute, single = attributes.canonical(bare)
    if single:
        return _slot(clause, attribute, exclusive=True, owner="user" if compound else None)
    held = clause.group("s") or clause.group("my")
    return _property(clause, bare) if held and clause.frame.attribute != "reverse" else []


def _compound(clause: Clause) -> str:
    """A known noun that itself holds 'of' ('mot de passe', 'date of birth'); '' when it is an owner that follows."""
    if not clause.group("s") or clause.hit.start("s") < clause.hit.start("a"):
        return ""
    whole = fold(clause.hit.string[clause.hit.start("a") : clause.hit.end("s")])
    bare = fold(regex(clause.grammar.new).sub("", whole))
    return bare if bare in attributes.NOUNS else ""


def _belonging(clause: Clause, owner: str, noun: str) -> list[Statement]:
    """'My brother's name is V': the owner is a relation, of which there may be several people."""
    attribute, single = attributes.canonical(noun)
    value = fold(clean(clause.group("v"), clause.grammar))
    several = attribute == "name" and owner in attributes.RELATIONS
    return [make(clause, attributes.person(owner), attribute, value, exclusive=single and not several)] if value else []


def _slot(clause: Clause, attribute: str, *, exclusive: bool, owner: str | None = None) -> list[Statement]:
    value = _PREPOSITION.sub("", fold(clean(clause.group("v"), clause.grammar)))
    if attribute == "language":
        value = language_named(value) or value
    subject = owner or subject_of(clause.group("s"), clause)
    several = attribute == "name" and subject in attributes.RELATIONS
    return [make(clause, subject, attribute, value, exclusive=exclusive and not several)] if value else []


def _owner(clause: Clause, noun: str) -> str:
    owner = subject_of(clause.group("s"), clause)
    return noun if owner == "user" else f"{owner}'s {noun}"


def _person(clause: Clause, noun: str) -> list[Statement]:
    """'My wife is Anna' is her name; 'my wife is tall' is a property of her."""
    raw = clean(clause.group("v"), clause.grammar)
    if is_profession(fold(raw)):
        return _trade(clause, _owner(clause, attributes.person(noun)), fold(raw))
    named = kind(raw) == "name" and (clause.grammar.capitals or " " in raw)
    if named or not clause.grammar.spaced:
        subject = _owner(clause, attributes.person(noun))
        return [make(clause, subject, "name", fold(raw), exclusive=noun not in attributes.RELATIONS)]
    return []


def _trade(clause: Clause, subject: str, value: str) -> list[Statement]:
    """What someone is by trade: of one's wife there is one, of a brother, or of oneself, there may be two."""
    return [make(clause, subject, "job", value, exclusive=attributes.only_one(subject))]


def _property(clause: Clause, noun: str) -> list[Statement]:
    raw = clean(clause.group("v"), clause.grammar)
    label = kind(raw, names=clause.grammar.capitals)
    subject, value = _owner(clause, noun), fold(raw)
    if not label and (_ENDS_IN_MOMENT.search(value) or _IN_A_PLACE.match(raw)):
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
    if is_profession(value):
        return _trade(clause, subject, value)
    return [make(clause, subject, f"is:{value}", value, exclusive=False)] if value else []


def _when(clause: Clause) -> list[Statement]:
    """A time of something: one for a definite thing ('the meeting'), unclear for a habit ('yoga')."""
    raw = clean(clause.group("v"), clause.grammar)
    verb = stem(fold(clause.group("verb"))) or "when"
    subject, value = subject_of(clause.group("s"), clause), _PREPOSITION.sub("", fold(raw))
    if subject in clause.grammar.pronouns or not clause.group("s"):
        return _fix(clause)
    owner, _, noun = subject.rpartition("'s ")
    attribute, single = attributes.canonical(noun)
    if single:
        return [make(clause, owner or "user", attribute, value, exclusive=True)]
    definite = fold(clause.group("s")) != subject
    return [make(clause, subject, f"{verb} ({kind(raw) or 'day'})", value, exclusive=definite)]


def _count(clause: Clause) -> list[Statement]:
    noun = fold(clean(clause.group("a"), clause.grammar)).removesuffix("s")
    subject = subject_of(clause.group("s"), clause)
    return [make(clause, subject, f"number of {noun}", fold(clause.group("n")), exclusive=True)]


def _work(clause: Clause) -> list[Statement]:
    """Where one preposition serves for employers and towns, a known place is not an employer."""
    value = fold(clean(clause.group("v"), clause.grammar))
    if value in PLACES or regex(clause.grammar.unplaces).search(value):
        subject = subject_of(clause.group("s"), clause)
        return [make(clause, subject, f"works in:{value}", value, exclusive=False)]
    return _one(clause)


def _move(clause: Clause) -> list[Statement]:
    """'Moved to V' is a home only when V can be a place; a day or a tool is left to other frames."""
    raw = clean(clause.group("v"), clause.grammar)
    label = kind(raw, names=clause.grammar.capitals)
    place = label in {"", "name"} and (label == "name" or not clause.grammar.capitals or not raw[:1].islower())
    return (
        _one(clause)
        if place and fold(raw) not in TOOLS and not regex(clause.grammar.unplaces).search(fold(raw))
        else []
    )


def _scoped(clause: Clause) -> tuple[str, str]:
    """A value apart from the purpose after it: ('Buildkite', 'for CI')."""
    raw = clean(clause.group("v"), clause.grammar)
    hit = regex(clause.grammar.purpose).search(raw)
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
        return [make(clause, subject, f"{clause.frame.attribute} ({pair}){scope}", value, exclusive=True)]
    key, firm = _headed(clause, value)
    return [make(clause, subject, key + scope, value, exclusive=firm)]


def _headed(clause: Clause, value: str) -> tuple[str, bool]:
    """The key of a wish by its head noun, and whether it surely is a choice among alternatives."""
    relation = clause.frame.attribute
    words = value.split()
    if unspaced := _unspaced_head(value):
        return f"{relation} ({unspaced})", True
    if clause.grammar.head == "none" or not 2 <= len(words) <= 3:
        return f"{relation}:{value}", False
    head, modifiers = (words[-1], words[:-1]) if clause.grammar.head == "last" else (words[0], words[1:])
    row = next((ALTERNATIVES[w] for w in modifiers if w in ALTERNATIVES), None)
    if row is not None:
        return f"{relation} ({head}, {row})", True
    return (f"{relation} ({head})", False) if relation == "prefers" else (f"{relation}:{value}", False)


def _unspaced_head(value: str) -> str:
    """'深色模式' -> '模式, 0': a known modifier in front of a noun written without a space."""
    word = next((w for w in ALTERNATIVES if not w.isascii() and value.startswith(w) and len(value) > len(w)), "")
    return f"{value[len(word) :]}, {ALTERNATIVES[word]}" if word else ""


def _use(clause: Clause) -> list[Statement]:
    raw, scope = _scoped(clause)
    subject, value = subject_of(clause.group("s"), clause), fold(raw)
    if not value or is_moment(kind(raw)):
        return []
    label = TOOLS.get(value)
    key, firm = _headed(clause, value)
    if not firm:
        key = f"use ({label})" if label and subject != "user" else _measured("use", value)
    return [make(clause, subject, key + scope, value, exclusive=firm)]


def _swap(clause: Clause) -> list[Statement]:
    """'Switched Falcon from Postgres to MySQL' is about Falcon: what it uses, when it is, or the attribute it names."""
    value = fold(clean(clause.group("v"), clause.grammar))
    subject = subject_of(clause.group("s"), clause)
    if subject == "user":
        return []
    attribute, single = attributes.canonical(subject)
    label = kind(value)
    if single:
        return [make(clause, "user", attribute, value, exclusive=True)]
    if is_moment(label):
        return [make(clause, subject, f"when ({label})", _PREPOSITION.sub("", value), exclusive=True)]
    return _use(clause)


def _measured(verb: str, value: str) -> str:
    """A key for verb and object; a measure at the end is the value: 'weigh 80 kg' -> 'weigh (number)'."""
    if hit := _MEASURE.search(value):
        what = f"{verb} {value[: hit.start()]}".strip()
        return f"{what} ({kind(hit['m'])})"
    return f"{verb}:{value}"


def _verb(clause: Clause) -> list[Statement]:
    verb, raw = fold(clause.group("verb")), clean(clause.group("v"), clause.grammar)
    if verb in clause.grammar.not_verbs:
        return []
    subject = subject_of(clause.group("s"), clause)
    base = regex(clause.grammar.endings).sub("", verb) if clause.grammar.endings else stem(verb)
    past = bool(regex(clause.grammar.past_verbs).search(verb)) and not clause.group("x")
    marked = replace(clause, flags=clause.flags | {"past"}) if past else clause
    value = fold(raw)
    what, _, last = value.rpartition(" ")
    if language_named(last) and what.rpartition(" ")[2] in {"in", "auf", "en", "em"}:
        return [make(marked, subject, f"{base} {what} (language)", last, exclusive=clause.frame.attribute == "order")]
    return [make(marked, subject, _measured(base, value), value, exclusive=False)]


def _boss(clause: Clause) -> list[Statement]:
    """'Alice reports to Bob' names the boss of Alice, as 'Alice's boss is Bob' does."""
    value = fold(clean(clause.group("v"), clause.grammar))
    return [make(clause, _owner(clause, "boss"), "name", value, exclusive=True)] if value else []


def _order(clause: Clause) -> list[Statement]:
    """An instruction is one only with 'please', 'always' or 'don't' in front; else any two words would be."""
    return _verb(clause) if clause.flags & {"negative", "directive"} else []


def _fix(clause: Clause) -> list[Statement]:
    """'It is Tuesday, not Monday': about whatever was said to be Monday."""
    value = fold(clean(clause.group("v"), clause.grammar))
    corrects = "correction" in clause.flags
    told = bool(clause.replaces) and (corrects or bool(clause.group("it")))
    if not told and not (corrects and kind(value)):
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
    "swap": _swap,
    "verb": _verb,
    "order": _order,
    "boss": _boss,
    "fix": _fix,
    "language": _language,
}


def build(clause: Clause) -> list[Statement]:
    """The statements of a matched clause; empty when the frame does not hold after all."""
    subject = fold(clause.group("s"))
    words = subject.split()
    if len(words) > 1 and (_FIRST_PERSON.intersection(words) or _USER_DOES.match(subject)):
        return []  # a clause within a clause: 'I said I ...'
    return _SHAPES[clause.frame.shape](clause)
