"""Extraction without a model: sentence by sentence, by grammar.

    message -> sentences -> about the speaker? -> refused? -> frames + what else it holds = importance
            -> third person -> dates beside relative times -> guard -> the most important of the batch

A frame is a pattern of grammar ('I' + past verb, 'my' + relative), not a topic: the tables know no data set. The same
episodes always give the same candidates.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from retentive.contracts import Candidate, Extraction, Extractor
from retentive.extract.guard import guard
from retentive.extract.patterns import LANGUAGES, Frame, Language
from retentive.extract.rewrite import quoted, third_person
from retentive.extract.sentences import Sentence, sentences
from retentive.extract.times import resolve
from retentive.policy import unextractable_reason, without_own_block
from retentive.statement import FIELD_OF_ATTRIBUTE, parse_statements
from retentive.statement.languages import likely
from retentive.types import Episode

ALWAYS_KEPT: Final = 0.65
"""What a person is, likes and decided is kept from this importance on, as is any profile field, however much it is."""
WORTH_KEEPING: Final = 0.5
"""Statements below this are never kept."""
FACTS_PER_MESSAGE: Final = 0.35
"""How many facts a batch may bring, of all others, most important first."""
_PASSING: Final = frozenset({"event", "open_thread", "other"})

#: The share says nothing of a few messages: so many facts they may bring.
_SMALL_BATCH: Final = 3
_CORRECTED: Final = 0.12
#: A guess is worth less than what lets a fact replace another by itself.
_HEDGED: Final = 0.45
#: What an identity frame must be worth to stand in every prompt.
_SURE: Final = 0.8
_DIRECTIVE: Final = Frame("constraint", 0.9, "", 0.85)
_EACH_MORE: Final = 0.03
_LONGEST_SENTENCE: Final = 360
#: A longer message is read at its ends: the middle is pasted, or a story.
_LONG_MESSAGE: Final = 1_500
_SHORT_MESSAGE: Final = 60
_ENDS: Final = (700, 300)
_STRAIGHT: Final = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"'})
_MENTION: Final = re.compile(r"\"[^\"]*\"")
_LONGEST_FIELD_TEXT: Final = 160


@dataclass(frozen=True, slots=True)
class _Table:
    """A language with its patterns compiled."""

    language: Language
    about: re.Pattern[str]
    lead_ins: re.Pattern[str]
    question_tail: re.Pattern[str]
    refused: tuple[tuple[str, re.Pattern[str]], ...]
    frames: tuple[tuple[Frame, re.Pattern[str]], ...]
    bonus: tuple[tuple[re.Pattern[str], float], ...]
    hedge: re.Pattern[str]
    directive: re.Pattern[str]
    correction: re.Pattern[str]
    addressed: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class _Spoken:
    """A sentence as it is judged, without lead-ins; `whole` still has them, `quote` is what stands in the message."""

    text: str
    quote: str
    whole: str


class RuleExtractor(Extractor):
    """Facts by rules, with no model and no network; some thousand messages a second.

    `redact` gives a text back without what must not be kept; candidates it would change are refused.

    >>> extraction = RuleExtractor().extract([Episode("e1", "I moved to Ghent last week.", 1787014800000000, 0)])
    >>> [(c.text, c.field) for c in extraction.candidates]
    [('The user moved to Ghent last week [week of 2026-08-10].', 'location')]
    """

    version = "rules-1"

    def __init__(self, *, redact: Callable[[str], str] = str) -> None:
        self._redact = redact

    def extract(self, episodes: Sequence[Episode]) -> Extraction:
        """Candidates of a batch in the order they were said; of what passes, about 35 for each 100 messages."""
        solo = _one_person(episodes)
        people = tuple(dict.fromkeys(_speaker(episode, "") for episode in episodes if episode.role == "user"))
        found: list[Candidate] = []
        for episode in episodes:
            if episode.role == "user" and unextractable_reason(episode) is None:
                found.extend(_read(episode, _listener(episode, people), solo=solo))
        kept, refused = guard(_most_important(found, len(episodes)), episodes, redact=self._redact)
        return Extraction(kept, None, refused)


def _one_person(episodes: Sequence[Episode]) -> bool:
    """Whether one person speaks with assistants: only then is 'my name' the name of the user."""
    people = {_speaker(episode, "") for episode in episodes if episode.role == "user"}
    others = any(episode.role == "assistant" for episode in episodes)
    return people == {""} or (len(people) == 1 and others)


def _listener(episode: Episode, people: Sequence[str]) -> str | None:
    """Who a speaker of the batch speaks to, where only one other is there; '' is an assistant, None is unknown."""
    others = [name for name in people if name != _speaker(episode, "")]
    return others[0] if len(others) == 1 else None if others else ""


def _speaker(episode: Episode, user: str) -> str:
    name = (episode.name or "").strip()
    return user if not name or name.casefold() == "user" else name


def _most_important(found: Sequence[Candidate], messages: int) -> list[Candidate]:
    """The strong ones, and of the others as many as are left of the batch's share."""
    strong = [c for c in found if c.field or (c.importance >= ALWAYS_KEPT and c.category not in _PASSING)]
    chosen = {id(c) for c in strong}
    weak = sorted((c for c in found if id(c) not in chosen), key=lambda c: -c.importance)
    left = max(0, max(_SMALL_BATCH, math.ceil(FACTS_PER_MESSAGE * messages)) - len(strong))
    chosen |= {id(c) for c in weak[:left]}
    return [c for c in found if id(c) in chosen]


# -- one message -------------------------------------------------------------------------------------------------------
def _read(episode: Episode, listener: str | None, *, solo: bool) -> Iterator[Candidate]:
    text = without_own_block(episode.text)
    tables = [table for code in _languages(text) if (table := _table(code)) is not None]
    readers = [_Reader(table, episode, listener, solo) for table in tables]
    for sentence in _worth_reading(text):
        found = next((made for reader in readers if (made := reader.read(sentence)) is not None), None)
        if found is not None:
            yield found


def _languages(text: str) -> Sequence[str]:
    """The language of a message; of a short one all that may be meant, as it holds few words to tell by."""
    codes = [grammar.code for grammar in likely(text)]
    return codes[:1] if len(text) >= _SHORT_MESSAGE else list(dict.fromkeys([*codes[:3], "en"]))


def _worth_reading(text: str) -> Iterator[Sentence]:
    """The sentences of a message; of a long one those near its ends."""
    head, tail = (len(text), 0) if len(text) <= _LONG_MESSAGE else _ENDS
    return (s for s in sentences(text) if s.start < head or s.start > len(text) - tail)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the sentences of one message by the table of one language."""

    table: _Table
    episode: Episode
    listener: str | None
    solo: bool

    def read(self, sentence: Sentence) -> Candidate | None:
        """The fact a sentence states, or None."""
        spoken = self._spoken(sentence)
        if spoken is None:
            return None
        directive = self.listener == "" and any(map(self.table.directive.search, (spoken.whole, spoken.text)))
        frame, importance = (_DIRECTIVE, _DIRECTIVE.weight) if directive else self._judged(spoken)
        if frame is None or importance < WORTH_KEEPING:
            return None
        plain = self._restated(spoken, directive=directive)
        if not directive and self.listener != "" and self.table.addressed.search(plain):
            return None  # it speaks to someone who cannot be named: it would not stand alone
        return self._candidate(plain, spoken, frame, importance)

    def _spoken(self, sentence: Sentence) -> _Spoken | None:
        """The sentence without lead-ins and without the request that ends it; None when nothing stays to be judged."""
        text = sentence.text.translate(_STRAIGHT)
        quote = self.episode.text[sentence.start : sentence.start + len(text)]
        if len(text) > _LONGEST_SENTENCE:
            return None
        tail = self.table.question_tail.search(text)
        if tail is not None and tail.start() > 0:
            text, quote = text[: tail.start()], quote[: tail.start()]
        elif text.endswith(("?", "？")):
            return None
        whole = text = text.strip()
        while lead := self.table.lead_ins.match(text):
            text = text[lead.end() :]
        if self.listener:
            text = re.sub(rf"^{re.escape(self.listener)}, |, {re.escape(self.listener)}(?=[.!]*$)", "", text)
        return _Spoken(text, quote.strip(), whole) if text else None

    def _judged(self, spoken: _Spoken) -> tuple[Frame | None, float]:
        """What kind of statement it is, and how much it matters (0..1); (None, 0) for what states nothing."""
        table, own = self.table, _MENTION.sub('""', spoken.text)
        if not table.about.search(own) or any(pattern.search(own) for _, pattern in table.refused):
            return None, 0.0
        frames = [frame for frame, pattern in table.frames if pattern.search(own)]
        if not frames:
            return None, 0.0
        best = max(frames, key=lambda frame: frame.weight)
        points = sum(points for pattern, points in table.bonus if pattern.search(spoken.text))
        points += _CORRECTED if table.correction.search(spoken.whole) else 0.0
        return best, min(1.0, best.weight + points + _EACH_MORE * (len(frames) - 1))

    def _restated(self, spoken: _Spoken, *, directive: bool) -> str:
        language = self.table.language
        who = _speaker(self.episode, language.user)
        if directive:
            return quoted(spoken.whole, language, who)
        return third_person(spoken.text, language, who, self.listener)

    def _candidate(self, plain: str, spoken: _Spoken, frame: Frame, importance: float) -> Candidate:
        language, at_us = self.table.language, self.episode.timestamp_us
        resolved = resolve(plain, language.code, at_us, self.episode.zone_min)
        past = resolved.start_us is not None and resolved.start_us <= at_us
        category = "correction" if self.table.correction.search(spoken.whole) else frame.category
        directive = frame is _DIRECTIVE
        known_for_good = category == "correction" or (category == "identity" and frame.confidence >= _SURE)
        hedged = self.table.hedge.search(spoken.text) is not None
        return Candidate(
            text=resolved.text,
            episode_id=self.episode.id,
            quote=spoken.quote,
            category=category,
            field=_field(plain, _speaker(self.episode, language.user)) if self.solo and not hedged else None,
            confidence=min(frame.confidence, _HEDGED) if hedged else frame.confidence,
            importance=round(importance, 2),
            evergreen=directive or (self.solo and known_for_good),
            valid_from_us=resolved.start_us if past else at_us,
            language=language.code,
        )


def _field(text: str, who: str) -> str | None:
    """The profile field a sentence fills: one clear, current, single-valued statement about the user."""
    if len(text) > _LONGEST_FIELD_TEXT:
        return None
    said = parse_statements(text, speaker=who)
    now = [s for s in said if s.subject == "user" and s.tense == "now" and s.polarity == 1 and s.exclusive]
    return FIELD_OF_ATTRIBUTE.get(now[0].attribute) if len(said) == len(now) == 1 else None


@lru_cache(maxsize=16)
def _table(code: str) -> _Table | None:
    language = LANGUAGES.get(code)
    if language is None:
        return None

    def one(source: str) -> re.Pattern[str]:
        return re.compile(source, re.IGNORECASE)

    return _Table(
        language,
        one(language.about),
        re.compile(rf"(?:{language.lead_ins})", re.IGNORECASE),
        one(language.question_tail),
        tuple((reason, one(pattern)) for reason, pattern in language.refused),
        tuple((frame, one(frame.pattern)) for frame in language.frames),
        tuple((one(pattern), points) for pattern, points in language.bonus),
        one(language.hedge),
        one(language.directive),
        one(language.correction),
        one(language.addressed),
    )
