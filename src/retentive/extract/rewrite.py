"""First person to third: 'I moved here with my dog' becomes a sentence that stands alone, in the speaker's own words.

Only pronouns and the verb form that goes with them are changed. Where a language's table does not say how, the sentence
is quoted ('The user said: ...'): a clumsy fact is better than an invented one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from retentive.extract.patterns.model import Language, Persons

_QUOTED: Final = re.compile(r"\"[^\"]{1,200}\"|“[^”]{1,200}”|«[^»]{1,200}»|「[^」]{1,200}」")
_TOKEN: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|[\W\d_]", re.UNICODE)
_CLITIC: Final = re.compile(r"'(?:m|ve|d|ll|re)$", re.IGNORECASE)
_PAST: Final = re.compile(r"(?<!e)ed$|(?:agr|fr|decr|guarant)eed$")
_WORDS: Final = re.compile(r"[a-z']+")


def third_person(text: str, language: Language, speaker: str, listener: str | None = None) -> str:
    """The sentence about `speaker` ('The user', or a name), standing alone; `listener` is who they speak to, if known.

    >>> from retentive.extract.patterns import LANGUAGES
    >>> third_person("I've moved to Ghent and I love my flat", LANGUAGES["en"], "Ana")
    'Ana has moved to Ghent and Ana loves their flat.'
    """
    bare = text.strip()
    if listener:
        for pattern, replacement in language.listener:
            bare = _regex(pattern).sub(replacement.replace("{L}", listener), bare)
    changed = _replaced(bare, language, speaker)
    if language.persons is not None:
        changed = _Rewriter(language.persons, speaker).run(changed or bare)
    if changed is None:
        return quoted(bare, language, speaker)
    if speaker == language.user and language.spaced:
        changed = re.sub(rf"(?<=[\w,;)'-] ){re.escape(speaker)}", speaker[:1].lower() + speaker[1:], changed)
    return _finished(changed, language)


def _replaced(text: str, language: Language, speaker: str) -> str | None:
    """The sentence by the language's replacements, or None where a first person is left over: half a rewriting lies."""
    hits = 0
    if text[1:2].islower():
        text = text[:1].lower() + text[1:]  # it may not stay the first word
    for pattern, replacement in language.rewrites:
        text, made = _regex(pattern).subn(replacement.replace("{S}", speaker), text)
        hits += made
    if language.persons is not None:
        return text
    return text if hits and not _regex(language.about).search(text.replace(speaker, "")) else None


def quoted(text: str, language: Language, speaker: str) -> str:
    """What was said, as said, with who said it."""
    return _finished(language.said.replace("{S}", speaker).replace("{text}", text), language)


def _finished(text: str, language: Language) -> str:
    """One sentence with a capital in front and a stop at the end."""
    text = " ".join(text.split()).rstrip(" ,;:-–—")
    text = text[:1].upper() + text[1:]
    stop = "." if language.spaced else "。"
    return text if text.endswith((".", "!", "?", "。", "！", '"', "…")) else text + stop


@lru_cache(maxsize=512)
def _regex(source: str) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE)


@dataclass(slots=True)
class _Rewriter:
    """Walks a sentence once; what is inside quotation marks belongs to someone else and stays."""

    persons: Persons
    speaker: str
    named: bool = False
    plural_named: bool = False
    waiting: str = ""  # which subject waits for its verb: 'one', 'many' or none
    present: bool = False

    def run(self, text: str) -> str | None:
        """The sentence in the third person, or None where it names no first person."""
        out: list[str] = []
        last = 0
        for found in _QUOTED.finditer(text):
            out += [self._part(text, last, found.start()), found[0]]
            last = found.end()
        out.append(self._part(text, last, len(text)))
        return "".join(out) if self.named or self.plural_named else None

    def _part(self, text: str, start: int, end: int) -> str:
        return "".join(self._token(found, text) for found in _TOKEN.finditer(text, start, end))

    def _token(self, found: re.Match[str], text: str) -> str:
        token = found[0]
        low = token.lower().replace("’", "'")
        if self._is(self.persons.subjects, token):
            return self._subject(low, found, text)
        if self.persons.plural and self._is(self.persons.plural, low):
            return self._plural(low)
        if low in self.persons.words:
            return self._other(low)
        if self.waiting and token[0].isalpha():
            return self._verb(low, token)
        if self.present and low in self.persons.bases and self._follows_and(text[: found.start()]):
            self.waiting = "one"
            return self._verb(low, token)
        if token in {".", ";", ":"} or low == "to":  # after "to" verbs are infinitives
            self.waiting, self.present = "", False
        return token

    def _is(self, pattern: str, token: str) -> bool:
        return _regex(f"(?:{pattern})").fullmatch(token.replace("’", "'")) is not None

    def _subject(self, low: str, found: re.Match[str], text: str) -> str:
        before = text[: found.start()]
        compound = bool(self.persons.compound) and _regex(self.persons.compound).match(before) is not None
        self.waiting = "many" if compound else "one"
        name = self._name()
        clitic = _CLITIC.search(low)
        if clitic is None:
            return name
        self.waiting = ""
        verb = self.persons.contracted[clitic[0]]
        if compound:
            verb = {"is": "are", "has": "have"}.get(verb, verb)
        if clitic[0] == "'d":
            verb = _had_or_would(text[found.end() :])
        return f"{name} {verb}"

    def _plural(self, low: str) -> str:
        clitic = _CLITIC.search(low)
        self.waiting = ""
        known = self.plural_named or self.named
        name = "they" if known else self.persons.and_others.replace("{S}", self._name())
        self.plural_named = True
        if clitic is None:
            self.waiting = "many"
            return name
        verb = self.persons.contracted.get(f"{clitic[0]}_plural", self.persons.contracted[clitic[0]])
        return f"{name} {verb}"

    def _other(self, low: str) -> str:
        first, later = self.persons.words[low]
        known = self.named or self.plural_named
        return later if known else first.replace("{S}", self._name())

    def _verb(self, low: str, token: str) -> str:
        persons = self.persons
        if low in persons.between or (low.endswith("ly") and len(low) > 4):
            return token
        many, self.waiting = self.waiting == "many", ""
        if many:
            return persons.plural_verbs.get(low, token)
        if low in persons.verbs:
            self.present = True
            return persons.verbs[low]
        if low in persons.unchanged or _PAST.search(low) or "'" in low:
            return token
        self.present = True
        for pattern, replacement in persons.endings:
            changed, hits = _regex(pattern).subn(replacement, token, count=1)
            if hits:
                return changed
        return token

    def _follows_and(self, before: str) -> bool:
        return before.rstrip().lower().endswith(" and")

    def _name(self) -> str:
        self.named = True
        return self.speaker


def _had_or_would(after: str) -> str:
    """'I'd been' is had, 'I'd like' is would."""
    words = _WORDS.findall(after.lower())
    verb = next((word for word in words if not word.endswith("ly") and word not in {"never", "always", "just"}), "")
    return "had" if verb in {"been", "gone", "done", "had", "seen", "better"} or verb.endswith("ed") else "would"
