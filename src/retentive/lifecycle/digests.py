"""What a finished session comes to: a summary with the words it rests on, by rules or by a language model.

Rules quote: the sentences that carry most of the session's words, first of all those that no fact cites yet, for what
a fact cites is kept by it and may be replaced some day. A model writes; each of its summaries must quote its session
word for word, or the whole reply is refused and nothing is changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from retentive.clock import local_time
from retentive.contracts import Candidate, Model
from retentive.errors import ModelBadReply
from retentive.extract.guard import guard
from retentive.policy import without_own_block
from retentive.prompts import load_prompt
from retentive.summary import joined, telling
from retentive.types import CATEGORIES, Episode, Evidence, SessionInfo

RULES_VERSION: Final = "rules-1"
_SUMMARY_CHARS: Final = 240
_QUOTE_CHARS: Final = 300
_QUOTES: Final = 8
_PATTERNS: Final = 10
#: What a model sees of a session: its last messages, and the beginning of each.
_MESSAGES: Final = 40
_READ_CHARS: Final = 600
_LINE_ENDS: Final = {code: f"\\u{code:04x}" for code in (0x85, 0x2028, 0x2029)}


@dataclass(frozen=True, slots=True)
class Told:
    """A finished session with its messages, those that are still whole, oldest first."""

    session: SessionInfo
    episodes: tuple[Episode, ...]


@dataclass(frozen=True, slots=True)
class Digest:
    """What a session was about, and the words that show it."""

    session: SessionInfo
    text: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Pattern:
    """What shows across sessions; `evidence` is of two of them at least."""

    text: str
    category: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Digests:
    """What a batch of sessions came to. `refused` counts patterns that cite nothing, too little, or too much."""

    digests: tuple[Digest, ...]
    patterns: tuple[Pattern, ...] = ()
    refused: int = 0


def by_rules(told: Sequence[Told], quotes: Mapping[str, Sequence[str]]) -> Digests:
    """A digest of each session in which someone said something. `quotes`: what facts cite, by episode."""

    def is_new(episode: Episode, sentence: str) -> bool:
        return not any(quote in sentence or sentence in quote for quote in quotes.get(episode.id, ()))

    found = []
    for one in told:
        chosen = telling(one.episodes, is_new) or telling(one.episodes)
        text = joined([sentence for _, sentence in chosen])
        if text:
            found.append(Digest(one.session, text, tuple(Evidence(e.id, sentence) for e, sentence in chosen)))
    return Digests(tuple(found))


# -- by a model --------------------------------------------------------------------------------------------------------
def model_version(model: Model) -> str:
    """The prompt and the model: what stands in the provenance of what they made."""
    return f"model-{load_prompt('summarise').version}-{model.name}"


def by_model(model: Model, told: Sequence[Told], redact: Callable[[str], str]) -> Digests:
    """Digests of all the sessions and patterns across them, in one call.

    Raises ModelError: the model could not be asked, or answered with something that cites what was not said.
    """
    numbered = [episode for one in told for episode in one.episodes[-_MESSAGES:]]
    number = {episode.id: str(n) for n, episode in enumerate(numbered, 1)}
    lines = [
        _line(str(place), number[episode.id], episode)
        for place, one in enumerate(told, 1)
        for episode in one.episodes[-_MESSAGES:]
    ]
    rules = load_prompt("summarise").filled(categories=", ".join(CATEGORIES))
    messages = [{"role": "system", "content": rules}, {"role": "user", "content": "\n".join(lines)}]
    data = model.complete(messages, schema=reply_schema(len(told)), max_tokens=400 * len(told) + 400).data
    by_number = dict(zip(number.values(), numbered, strict=True))
    answers = {str(answer["session"]).strip(): answer for answer in data["sessions"]}
    digests = tuple(_digest(one, answers.get(str(place)), by_number, redact) for place, one in enumerate(told, 1))
    patterns = [found for given in data["patterns"] if (found := _pattern(given, by_number, redact)) is not None]
    return Digests(digests, tuple(patterns), len(data["patterns"]) - len(patterns))


def reply_schema(sessions: int) -> dict[str, Any]:
    """The JSON schema of an answer: closed and all of it required, as strict decoding wants it.

    >>> list(reply_schema(5)["properties"])
    ['sessions', 'patterns']
    """

    def closed(**properties: Any) -> dict[str, Any]:
        names = list(properties)
        return {"type": "object", "properties": properties, "required": names, "additionalProperties": False}

    def text(most: int) -> dict[str, Any]:
        return {"type": "string", "maxLength": most}

    quotes = {"type": "array", "items": closed(episode=text(8), quote=text(_QUOTE_CHARS)), "maxItems": _QUOTES}
    summary = closed(session=text(8), summary=text(_SUMMARY_CHARS), quotes=quotes)
    category = {"type": "string", "enum": list(CATEGORIES)}
    pattern = closed(text=text(_SUMMARY_CHARS), category=category, quotes=quotes)
    return closed(
        sessions={"type": "array", "items": summary, "maxItems": sessions},
        patterns={"type": "array", "items": pattern, "maxItems": _PATTERNS},
    )


def _line(session: str, number: str, episode: Episode) -> str:
    """A message as the model sees it: JSON, so that no text can look like another line."""
    shown = {
        "session": session,
        "episode": number,
        "time": local_time(episode.timestamp_us, episode.zone_min).strftime("%a %Y-%m-%d %H:%M"),
        "speaker": f"{episode.name} ({episode.role})" if episode.name else episode.role,
        "text": without_own_block(episode.text)[:_READ_CHARS].strip(),
    }
    return json.dumps(shown, ensure_ascii=False).translate(_LINE_ENDS)


def _digest(
    one: Told, answer: Mapping[str, Any] | None, by_number: Mapping[str, Episode], redact: Callable[[str], str]
) -> Digest:
    text = redact(" ".join(answer["summary"].split())[:_SUMMARY_CHARS]) if answer else ""
    evidence = _cited(text, answer["quotes"] if answer else (), by_number, one.episodes, redact)
    if not evidence:
        message = "the summary of a session is missing, or cites nothing that was said in it: nothing was changed"
        raise ModelBadReply(message)
    return Digest(one.session, text, evidence)


def _pattern(
    given: Mapping[str, Any], by_number: Mapping[str, Episode], redact: Callable[[str], str]
) -> Pattern | None:
    """A pattern as the model gave it, or None where it does not cite two sessions, all of one agent and project."""
    text, episodes = redact(" ".join(given["text"].split())), list(by_number.values())
    evidence = _cited(text, given["quotes"], by_number, episodes, redact)
    by_id = {episode.id: episode for episode in episodes}
    cited = [by_id[one.episode_id] for one in evidence]
    if len({one.session_key for one in cited}) < 2 or len({(one.agent_id, one.project_id) for one in cited}) > 1:
        return None
    return Pattern(text, given["category"], evidence)


def _cited(
    text: str,
    quotes: Sequence[Mapping[str, str]],
    by_number: Mapping[str, Episode],
    episodes: Sequence[Episode],
    redact: Callable[[str], str],
) -> tuple[Evidence, ...]:
    """What is cited that people really said in these messages: what every candidate must pass, whoever made it."""
    named = [(by_number.get(one["episode"].strip()), one["quote"].strip()) for one in quotes]
    candidates = [Candidate(text, episode.id, quote) for episode, quote in named if episode is not None]
    kept, _ = guard(candidates, episodes, redact=redact)
    return tuple(dict.fromkeys(Evidence(candidate.episode_id, candidate.quote) for candidate in kept))
