"""Questions that come back: what a user asks in session after session, found by rules, as a fact that cites each time.

Narrow on purpose, for a pattern that is none is junk: the same question, in nearly the same words, with three words of
content at least, in three sessions at least.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from retentive.analyze import query_terms
from retentive.lifecycle.digests import Pattern
from retentive.lifecycle.duplicates import content_key
from retentive.policy import extractable
from retentive.summary import sentences_of
from retentive.types import Episode, Evidence, SessionKey

SESSIONS: Final = 3
_CONTENT_WORDS: Final = 3
#: What is cited of a question that comes back and back: the times heard last.
_CITED: Final = 8
_MARKS: Final = ("?", "？")


def recurring(episodes: Iterable[Episode]) -> list[tuple[str, Pattern]]:
    """Questions that come back to one agent, in one project, each under a key that the same question has."""
    asked: dict[tuple[tuple[str | None, ...], tuple[str, ...]], dict[SessionKey, Evidence]] = {}
    for episode, sentence in _questions(episodes):
        key = ((episode.agent_id, episode.project_id), content_key(sentence))
        asked.setdefault(key, {})[episode.session_key] = Evidence(episode.id, sentence)
    return [
        ("\0".join(words), Pattern(f"Recurring question: “{times[-1].quote}”", "event", tuple(times[-_CITED:])))
        for (_, words), by_session in asked.items()
        if len(times := list(by_session.values())) >= SESSIONS
    ]


def _questions(episodes: Iterable[Episode]) -> Iterator[tuple[Episode, str]]:
    for episode in episodes:
        if episode.role == "user" and episode.session_id is not None and not episode.quoted and extractable(episode):
            for sentence in sentences_of(episode):
                if sentence.endswith(_MARKS) and _content(sentence) >= _CONTENT_WORDS:
                    yield episode, sentence


def _content(sentence: str) -> int:
    return sum(term.weight >= 1 for term in query_terms(sentence))
