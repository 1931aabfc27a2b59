"""A sentence of several statements taken apart: "I live in Berlin and work at Siemens" is two facts.

Each must be replaced alone when it changes. A part stands alone: it has a subject, points at nothing that another says,
and is a statement that the grammars know. Where that is not sure the sentence stays whole, as do lists ("tea and
coffee") and stories.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from retentive.statement.folding import LOOK_AT, tidy
from retentive.statement.joints import JOINTS, Joints
from retentive.statement.languages import likely
from retentive.statement.model import Flag, Grammar, Statement
from retentive.statement.parse import clause_flags, parse_clause, said_before

_MOST: Final = 5
_EDGES: Final = " ,;，；、.。!！"
_STOPS: Final = (".", "。", "!", "！")
_QUESTION: Final = ("?", "？")
#: Words in quotation marks are somebody's, and what is in brackets is aside.
_QUOTED: Final = re.compile(r"[\"“”„«»「」『』]")
#: Whose words it all was, told at the end.
_TOLD: Final = re.compile(
    r"[,;] (?:\w+ ){0,2}(?:says?|said|claim(?:s|ed)|thinks|believes|sagt|behauptet|meint|dice|dijo|dit|diz|disse)\b"
    r"|\b(?:is|was) (?:just )?what\b",
    re.IGNORECASE,
)
_ASIDE: Final = re.compile(r"[(（\[][^)）\]]*[)）\]]?")
#: What these say may hold for all of the sentence: no part without a subject of its own is taken out of it.
_BINDING: Final[frozenset[Flag]] = frozenset({"plan", "negative", "past", "ended", "hedge", "directive"})
#: What is held of many things, each till it is taken back.
_HELD: Final = ("likes:", "allergic:", "prefers", "favourite ", "given up:")
#: 'but lately, the user ...': it belongs to what follows.
_HANGING: Final = re.compile(
    r"\b(?:and|but|so) (?:lately|recently|now|then|today|currently|sometimes|still)$", re.IGNORECASE
)
#: After a name or a number, small letters begin no further item of a list.
_NAME_OR_NUMBER: Final = re.compile(r"(?:^|[ '’])(?:[A-Z][\w.'’-]*|\d[\d.,]*)\]?$")
_WITH_OBJECT: Final = re.compile(r"(?:^|[ '’])[^\W\dA-Z]{3,} [^\WA-Z]")
#: Who or what one is, as an apposition begins: a name, one word, a trade; not 'with Bob'.
_CAPITAL: Final = r"[^\Wa-zà-ÿ][\w'’-]*"
_NAME: Final = re.compile(rf"{_CAPITAL}(?: {_CAPITAL}){{0,2}}|\w[\w'’-]*|(?:an?|une?|una|uma?|eine?) .+")
#: Behind 'wife of Bob' a further apposition may be Bob's.
_OF_ANOTHER: Final = re.compile(r" (?:of|to|with|von|mit|avec|con|com) [A-Z]")


@lru_cache(maxsize=4096)
def atoms(text: str) -> tuple[str, ...]:
    """The statements a sentence makes, each as a sentence of its own; the text itself where it makes one.

    >>> atoms("The user lives in Berlin and works at Siemens.")
    ('The user lives in Berlin.', 'The user works at Siemens.')
    >>> atoms("I like tea and coffee.")
    ('I like tea and coffee.',)
    """
    whole = " ".join(unicodedata.normalize("NFC", text).split())
    lead = said_before(whole)
    stop = next((end for end in _STOPS if whole.endswith(end)), "")
    sentence = whole[len(lead) :].removesuffix(stop)
    plain = tidy(sentence)
    if len(plain) != len(sentence) or len(sentence) >= LOOK_AT or sentence.endswith(_QUESTION):
        return (text,)
    if _QUOTED.search(sentence) or _TOLD.search(plain):
        return (text,)
    for grammar in likely(plain):
        joints = JOINTS[grammar.code]
        if _regex(joints.between).search(sentence) is None or _regex(grammar.openers).match(plain):
            continue
        parts = _Sentence(sentence, plain, grammar, joints).parts()
        if len(parts) > 1:
            return tuple(f"{lead}{part[:1].upper()}{part[1:]}{stop}" for part in parts)
    return (text,)


def changes_person(text: str) -> bool:
    """Whether a sentence begins with what the speaker does and may go on with what another does, by its verbs alone.

    Told of the speaker by name, the difference is lost: then it cannot be taken apart any more.

    >>> changes_person("Tengo un hermano, vive en Roma"), changes_person("Vivo en Roma y trabajo en Fiat")
    (True, False)
    """
    whole = " ".join(unicodedata.normalize("NFC", text).split())
    plain = tidy(whole)
    if len(plain) != len(whole) or len(whole) >= LOOK_AT:
        return False
    read = (_Sentence(whole, plain, one, JOINTS[one.code]) for one in likely(plain) if JOINTS[one.code].unsaid)
    return any(one.changes_person() for one in read)


@lru_cache(maxsize=128)
def _regex(source: str) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE)


def _may_change(said: Statement) -> bool:
    """Whether a later statement may take its place, so that it must not be bound to another."""
    return said.exclusive or said.attribute.startswith(_HELD)


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of a sentence as it stands alone. `sure`: it names its subject, so that it is a statement whatever its verb.

    `firm`: it does so in a way that a list may as well, and must be a statement that is known.
    """

    text: str
    sure: bool = False
    firm: bool = False


@dataclass(frozen=True, slots=True)
class _Sentence:
    """One sentence read by one grammar: as written, and without accents at the same offsets."""

    text: str
    plain: str
    grammar: Grammar
    joints: Joints

    def parts(self) -> list[str]:
        """The statements, in order; one or none where it is not to be taken apart."""
        who = _regex(self.joints.subject).match(self.plain)
        if who is None and not self.joints.unsaid:
            return []
        subject = "" if who is None else self._subject(who)
        return self._apposition(subject) or self._clauses(subject)

    def _subject(self, who: re.Match[str]) -> str:
        """Whom the sentence is about, as a part must name them that does not; '' where its verb says it."""
        if who["s"]:
            return self.text[: len(who["s"])]
        if who["i"]:
            return self.joints.first_person
        if self._begins_with_a_verb():
            return ""
        return self.text[: len(who["n"])]

    def _begins_with_a_verb(self) -> bool:
        """'Likes tea and hates noise': the first word has a capital and is no name."""
        told = any(one.subject == "user" for one in self._says(self.text))
        return told and (self.joints.unsaid or not self._speaks_within(self.text))

    # -- clauses -----------------------------------------------------------------------------------------------------
    def _clauses(self, subject: str) -> list[str]:
        """The pieces between joints, those put together that are no statements of their own."""
        cuts = self._cuts()
        ends = [start for start, _ in cuts] + [len(self.plain)]
        done, begin = list[_Part](), 0
        for (end, after), until in zip(cuts, ends[1:], strict=True):
            here = self._part(begin, end, subject)
            then = self._part(after, until, subject)
            if here and then and len(done) < _MOST - 1 and self._are_two(here, then):
                done.append(here)
                begin = after
        last = self._part(begin, len(self.plain), subject)
        return [part.text for part in (*done, last)] if done and last else []

    def _cuts(self, start: int = 0) -> list[tuple[int, int]]:
        """Where a joint begins and ends, but for those in brackets."""
        asides = [hit.span() for hit in _ASIDE.finditer(self.text)]
        found = [hit.span() for hit in _regex(self.joints.between).finditer(self.text, start)]
        return [cut for cut in found if not any(begin < cut[0] < end for begin, end in asides)]

    def _part(self, start: int, end: int, subject: str) -> _Part | None:
        """What lies between two places as a sentence; None where it cannot stand alone."""
        text, plain = self.text[start:end].strip(_EDGES), self.plain[start:end].strip(_EDGES)
        for pattern, put in self.joints.closing if end < len(self.plain) else ():
            text = _regex(pattern).sub(put, text)
        if start == 0 or not text:
            return _Part(text, sure=True) if text else None
        if self._points_away(plain):
            return None
        return self._named(text, plain, subject) or self._unnamed(text, plain, subject)

    def _points_away(self, plain: str) -> bool:
        """Whether a part is only clear beside another, or speaks of the user where the sentence began with a name."""
        if _regex(self.joints.refers).search(plain if self.grammar.spaced else self.plain):
            return True
        who = _regex(self.joints.subject).match(self.plain)
        later = (self.joints.own, self.joints.whose)
        return who is not None and bool(who["n"]) and any(_regex(one).match(plain) for one in later)

    def _named(self, text: str, plain: str, subject: str) -> _Part | None:
        """A part that names its own subject."""
        if _regex(self.joints.own).match(plain) or (subject and plain.startswith(f"{tidy(subject)} ")):
            return _Part(text, sure=True)
        theirs = _regex(self.joints.theirs).match(plain)
        if theirs and self.text.startswith("The user"):
            return _Part(f"The user's {text[theirs.end() :]}", firm=True)
        return _Part(text, firm=True) if _regex(self.joints.whose).match(plain) else None

    def _unnamed(self, text: str, plain: str, subject: str) -> _Part | None:
        """A part that has its subject, or subject and verb, from the part before it."""
        if _regex(self.joints.predicate).match(plain):
            copula = _regex(self.joints.copula).match(self.plain)
            return _Part(f"{self.text[: copula.end()]}{text}", firm=True) if copula else None
        if _regex(self.joints.loose).match(plain) or (self.grammar.spaced and not text[0].islower()):
            return None
        if _regex(self.joints.possessed).match(self.plain) or (self._is_first_person(subject) and self._is_other(text)):
            return None
        return _Part(self._with_subject(subject, text))

    def _is_first_person(self, subject: str) -> bool:
        who = _regex(self.joints.subject).match(self.plain)
        if who and (who["s"] or who["n"]) and (subject or not self.joints.unsaid):
            return False
        return bool(who and who["i"]) or not self._is_other(self.text)

    def changes_person(self) -> bool:
        who = _regex(self.joints.subject).match(self.plain)
        if not self._is_first_person("" if who is None else self._subject(who)):
            return False
        later = (self.text[after:] for _, after in self._cuts())
        loose = _regex(self.joints.loose)
        return any(one[:1].islower() and self._is_other(one) and not loose.match(tidy(one)) for one in later)

    def _is_other(self, text: str) -> bool:
        """Whether a verb is surely not one of the first person."""
        return _regex(self.joints.other).match(text) is not None

    def _with_subject(self, subject: str, text: str) -> str:
        """A part that begins with its verb, behind who does it; English verbs in the form that goes with them."""
        if not subject:
            return text
        if subject == "Je" and tidy(text[0]).casefold() in "aeiouh":
            return f"J'{text}"
        verb, gap, rest = text.partition(" ")
        if verb in self.joints.bases and subject not in {"I", "We"}:
            verb = {"have": "has"}.get(verb) or re.sub(r"(?<=[^aeiou])y$", "ie", verb) + (
                "es" if verb.endswith("ch") else "s"
            )
        return f"{subject}{self.joints.apart}{verb}{gap}{rest}"

    def _are_two(self, left: _Part, right: _Part) -> bool:
        """Whether both are statements, and a newer one could replace at least one of them; what costs least comes first."""
        led = not self._reports(left.text) if right.sure or right.firm else self._is_led(left)
        if _HANGING.search(left.text) or not led:
            return False
        theirs = self._says(right.text)
        if not theirs and not right.sure and (right.firm or not self._goes_on(left.text, right.text)):
            return False
        mine = self._says(left.text)
        if not any(map(_may_change, (*mine, *theirs))):
            return False
        if right.sure or right.firm:
            said = (mine or self._says(left.text, loose=True), theirs or self._says(right.text, loose=True))
            return all(said)
        alike = mine[0].subject == theirs[0].subject if mine and theirs else bool(mine) and mine[0].exclusive
        return alike and not clause_flags(left.text, self.grammar) & _BINDING

    def _is_led(self, left: _Part) -> bool:
        """Whether it is sure who does what a part without a subject says: nobody else is spoken of before it."""
        plain = tidy(left.text)
        others = (self.joints.refers, self.joints.inside)
        return not self._speaks_within(plain) and not any(_regex(one).search(plain) for one in others)

    def _reports(self, left: str) -> bool:
        """Whether what follows may be what somebody says, thinks or hopes: 'My boss thinks I live here and I ...'."""
        return self._speaks_within(left) or _regex(self.joints.reports).search(tidy(left)) is not None

    def _speaks_within(self, text: str) -> bool:
        """Whether the user is a subject in it, but not where it begins."""
        plain = tidy(text)
        own = _regex(rf"(?<!\w)(?:{self.joints.own})" if self.grammar.spaced else self.joints.own)
        begins = own.match(plain)
        return own.search(plain, begins.end() if begins else 1) is not None

    def _goes_on(self, left: str, right: str) -> bool:
        """Whether what follows the name of a place, an employer, a person is surely no more of it but another verb."""
        named = _NAME_OR_NUMBER.search(left) is not None and _WITH_OBJECT.search(right) is not None
        return (named or not self.grammar.spaced) and bool(self._says(right, loose=True))

    def _says(self, text: str, *, loose: bool = False) -> tuple[Statement, ...]:
        return parse_clause(text, self.grammar, loose=loose)

    # -- appositions -------------------------------------------------------------------------------------------------
    def _apposition(self, subject: str) -> list[str]:
        """'I'm Alice, 34, a vet from Graz': who, how old and what else one is, each as a sentence."""
        begin = _regex(self.joints.is_).match(self.plain)
        if begin is None:
            return []
        hits = self._cuts(begin.end())
        places = list(
            zip([begin.end(), *(end for _, end in hits)], [*(start for start, _ in hits), len(self.plain)], strict=True)
        )
        items = [self.text[start:end].strip(_EDGES) for start, end in places]
        ages = [_regex(rf"(\d{{1,3}}){self.joints.years}").fullmatch(tidy(item)) for item in items]
        home = _regex(rf"{self.joints.from_} ").match(items[0])
        named = ages[0] is not None or _NAME.fullmatch(items[0][home.end() if home else 0 :]) is not None
        if len(items) < 2 or not named or not any(ages[:2]) or not all(items) or sum(map(bool, ages)) > 1:
            return []  # of two ages one is another's
        out = list[str]()
        for (start, end), age in zip(places, ages, strict=True):
            clause = None if age else self._part(start, end, subject)
            if out and clause and (clause.sure or clause.firm or self._says(clause.text)):
                out.append(clause.text)
            else:
                out += self._predicates(begin, self.text[start:end].strip(_EDGES), age)
        sure = not any(map(_OF_ANOTHER.search, items[:-1])) and _regex(self.joints.refers).search(self.plain) is None
        fits = len(out) <= _MOST and sure
        return out if fits else []

    def _predicates(self, begin: re.Match[str], item: str, age: re.Match[str] | None) -> list[str]:
        """What one is, as a sentence; a trade and where one is from as two."""
        told = self.joints.age[0 if begin["s"] else 1]
        if age and told:
            return [told.format(s=begin["s"] and self.text[: len(begin["s"])], v=age[1])]
        is_ = self.text[: begin.end()]
        again = _regex(self.joints.copula).match(self.plain)
        bare = is_ if again is None or (item[:1].isupper() and self.joints.unsaid) else self.text[: again.end()]
        home = _regex(rf"(\S.*?) (?={self.joints.from_} (?-i:[A-Z]))").match(item)
        return [bare + home[1], bare + item[home.end() :]] if home else [bare + item]
