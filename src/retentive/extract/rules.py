"""Extraction without a model: sentence by sentence, by grammar.

    message -> sentences -> about the speaker? -> refused? -> frames + what else it holds = importance
            -> third person -> dates beside relative times -> guard -> the most important of the batch

A frame is a pattern of grammar ('I' + past verb, 'my' + relative), not a topic: the tables know no data set. The same
episodes always give the same candidates.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from retentive.contracts import Candidate, Extraction, Extractor
from retentive.extract.guard import MAX_FACT_CHARS, guard
from retentive.extract.patterns import LANGUAGES, Frame, Language
from retentive.extract.rewrite import quoted, third_person
from retentive.extract.sentences import Sentence, sentences
from retentive.extract.times import resolve
from retentive.policy import unextractable_reason, without_own_block
from retentive.statement import parse_statements
from retentive.statement.languages import likely
from retentive.statement.model import Grammar
from retentive.types import Episode

ALWAYS_KEPT: Final = 0.8
"""Statements of at least this importance are kept, however many there are."""
WORTH_KEEPING: Final = 0.55
"""Statements below this are never kept."""
FACTS_PER_MESSAGE: Final = 0.35
"""How many facts a batch may bring, of those in between, most important first."""

_LONGEST_SENTENCE: Final = 360
#: A longer message is read at its ends: the middle is pasted, or a story.
_LONG_MESSAGE: Final = 1_500
_SHORT_MESSAGE: Final = 60
_ENDS: Final = (700, 300)
_STRAIGHT: Final = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"'})
_MENTION: Final = re.compile(r"\"[^\"]*\"")
#: Attributes of a statement about the user that are fields of the profile.
FIELD_OF_ATTRIBUTE: Final = {
    "name": "name",
    "name to use": "name",
    "pronouns": "pronouns",
    "job": "role",
    "employer": "company",
    "home": "location",
    "timezone": "timezone",
    "diet": "diet",
    "birthday": "birthday",
    "language": "language",
}
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
    """A sentence as it is judged: straight quotes, no lead-ins; `quote` is what stands in the message, `whole` has the lead-ins."""

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
        """Candidates of a batch, in the order they were said; at most about 35 for each 100 messages, but for strong ones."""
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
    strong = [c for c in found if c.importance >= ALWAYS_KEPT]
    weak = [c for c in found if WORTH_KEEPING <= c.importance < ALWAYS_KEPT]
    left = max(0, math.ceil(FACTS_PER_MESSAGE * messages) - len(strong))
    chosen = {id(c) for c in [*strong, *sorted(weak, key=lambda c: -c.importance)[:left]]}
    return [c for c in found if id(c) in chosen]


# -- one message -------------------------------------------------------------------------------------------------------
def _read(episode: Episode, listener: str | None, *, solo: bool) -> Iterator[Candidate]:
    text = without_own_block(episode.text)
    tables = [table for grammar in _languages(text) if (table := _table(grammar.code)) is not None]
    for sentence in _read_sentences(text):
        for table in tables:
            spoken = _spoken(sentence, table, episode.text)
            candidate = None if spoken is None else _judge(spoken, table, episode, listener, solo=solo)
            if candidate is not None:
                yield candidate
                break


def _languages(text: str) -> Sequence[Grammar]:
    """The language of a message; of a short one the two that are likely, as it holds few words to tell by."""
    return likely(text)[: 2 if len(text) < _SHORT_MESSAGE else 1]


def _read_sentences(text: str) -> Iterator[Sentence]:
    if len(text) <= _LONG_MESSAGE:
        yield from sentences(text)
        return
    head, tail = _ENDS
    for sentence in sentences(text):
        if sentence.start < head or sentence.start > len(text) - tail:
            yield sentence


def _spoken(sentence: Sentence, table: _Table, message: str) -> _Spoken | None:
    """The sentence without lead-ins and without the question that ends it; None when nothing stays to be judged."""
    text = sentence.text.translate(_STRAIGHT)
    quote = message[sentence.start : sentence.start + len(text)]
    if len(text) > _LONGEST_SENTENCE:
        return None
    tail = table.question_tail.search(text)
    if tail is not None and tail.start() > 0:
        text, quote = text[: tail.start()], quote[: tail.start()]
    elif text.endswith(("?", "？")):
        return None
    whole = text
    while lead := table.lead_ins.match(text):
        text = text[lead.end() :]
    return _Spoken(text.strip(), quote.strip(), whole) if text.strip() else None


def _judge(
    spoken: _Spoken, table: _Table, episode: Episode, listener: str | None, *, solo: bool
) -> Candidate | None:
    own = _MENTION.sub('""', spoken.text)
    directive = listener == "" and table.directive.search(spoken.whole) is not None
    if not directive and (not table.about.search(own) or any(pattern.search(own) for _, pattern in table.refused)):
        return None
    frames = [frame for frame, pattern in table.frames if pattern.search(own)]
    if not frames and not directive:
        return None
    best = max(frames, key=lambda frame: frame.weight, default=Frame("constraint", 0.9, "", 0.85))
    points = sum(points for pattern, points in table.bonus if pattern.search(spoken.text))
    importance = min(1.0, max(0.0, best.weight + points + 0.03 * (len(frames) - 1)))
    if directive:
        best, importance = Frame("constraint", 0.9, "", 0.85), 0.9
    if importance < WORTH_KEEPING:
        return None
    language = table.language
    who = _speaker(episode, language.user)
    plain = quoted(spoken.whole, language, who) if directive else third_person(spoken.text, language, who, listener)
    if listener != "" and not directive and table.addressed.search(plain):
        return None  # it speaks to someone who cannot be named: it would not stand alone
    return _candidate(plain, spoken, table, episode, best, importance, solo=solo)


def _candidate(  # noqa: PLR0913  what was found out about one sentence
    plain: str,
    spoken: _Spoken,
    table: _Table,
    episode: Episode,
    frame: Frame,
    importance: float,
    *,
    solo: bool,
) -> Candidate:
    language = table.language
    who = _speaker(episode, language.user)
    resolved = resolve(plain, language, episode.timestamp_us, episode.zone_min)
    past = resolved.start_us is not None and resolved.start_us <= episode.timestamp_us
    category = "correction" if table.correction.search(spoken.whole) else frame.category
    hedged = table.hedge.search(spoken.text) is not None
    return Candidate(
        text=resolved.text,
        episode_id=episode.id,
        quote=spoken.quote,
        category=category,
        field=_field(plain, who) if solo and not hedged else None,
        confidence=round(min(frame.confidence, 0.45) if hedged else frame.confidence, 2),
        importance=round(importance, 2),
        evergreen=category in {"constraint", "correction", "identity"},
        valid_from_us=resolved.start_us if past else episode.timestamp_us,
        language=language.code,
    )


def _field(text: str, who: str) -> str | None:
    """The profile field a sentence fills: one clear, current, single-valued statement about the user."""
    if len(text) > _LONGEST_FIELD_TEXT:
        return None
    said = parse_statements(text, speaker=who)
    fields = {
        FIELD_OF_ATTRIBUTE[s.attribute]
        for s in said
        if s.subject == "user" and s.tense == "now" and s.polarity == 1 and s.exclusive and s.attribute in FIELD_OF_ATTRIBUTE
    }
    return fields.pop() if len(fields) == 1 and len(said) == 1 else None


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
