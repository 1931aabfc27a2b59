"""What every candidate must pass, whoever made it: rules, a model, or a model that was told to lie.

A fact without words of an episode behind it is refused, and so is one that restates a system prompt or our own block,
or carries what redaction would take out. Nothing is dropped silently: each refusal is counted under its reason.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from retentive.contracts import Candidate
from retentive.extract.apart import apart
from retentive.policy import unextractable_reason, without_own_block
from retentive.types import BLOCK_NOTE, CATEGORIES, Episode

MAX_FACT_CHARS: Final = 500
"""A fact is a sentence: what is longer is a copy of the conversation."""

_SHINGLE: Final = 4
#: A fact that shares more than this of its word runs with a system prompt restates it.
_RESTATED: Final = 0.5
_WORD: Final = re.compile(r"\w+")
_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")
#: Letters and digits; a sign that is a syllable or a word counts as two.
_LEAST_QUOTED: Final = 4
_IDEOGRAPH: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff]")
_TAG: Final = re.compile(r"</?MEMORY>", re.IGNORECASE)


def guard(
    candidates: Sequence[Candidate],
    episodes: Sequence[Episode],
    *,
    redact: Callable[[str], str] = str,
) -> tuple[tuple[Candidate, ...], Mapping[str, int]]:
    """The candidates that may become facts, and how many were refused for what reason.

    `episodes` is the whole batch, system prompts included. `redact` gives a text back without what must not be kept;
    a candidate that it would change is refused. A kept candidate's quote is exactly what stands in its episode; one
    that states several things is kept as one for each.

    >>> said = Episode("e1", "I moved to Ghent.", 0, 0)
    >>> true, made_up = (
    ...     Candidate("The user moved to Ghent.", "e1", "I moved to Ghent."),
    ...     Candidate("x y", "e1", "I flew"),
    ... )
    >>> kept, refused = guard([true, made_up], [said])
    >>> len(kept), refused
    (1, {'quote not in its episode': 1})
    """
    by_id = {episode.id: episode for episode in episodes}
    system = frozenset().union(
        *(_shingles(episode.text) for episode in episodes if episode.role in {"system", "developer"})
    )
    kept: list[Candidate] = []
    refused: Counter[str] = Counter()
    for candidate in candidates:
        episode = by_id.get(candidate.episode_id)
        reason = _refusal(candidate, episode, system, redact)
        if reason is None and episode is not None:
            start, end = locate(candidate.quote, without_own_block(episode.text)) or (0, 0)
            kept.extend(apart(replace(candidate, quote=episode.text[start:end])))
        else:
            refused[str(reason)] += 1
    return tuple(kept), dict(refused)


def _refusal(
    candidate: Candidate, episode: Episode | None, system: frozenset[str], redact: Callable[[str], str]
) -> str | None:
    """Why a candidate is refused, or None."""
    if episode is None:
        return "unknown episode"
    if not candidate.text.strip() or not candidate.quote.strip():
        return "empty"
    if len(candidate.text) > MAX_FACT_CHARS:
        return "too long"
    if _is_malformed(candidate):
        return "malformed"
    said = (candidate.text, candidate.quote)
    checks: tuple[tuple[str, Callable[[], bool]], ...] = (
        ("from a source that states no facts", lambda: unextractable_reason(episode) is not None),
        ("quote not in its episode", lambda: locate(candidate.quote, episode.text) is None),
        ("quote says nothing", lambda: _says_nothing(candidate.quote, episode.text)),
        ("restates our own block", lambda: _restates_block(candidate, episode)),
        ("restates a system prompt", lambda: any(_restates(text, system) for text in said)),
        ("holds what redaction takes out", lambda: any(redact(text) != text for text in said)),
    )
    return next((reason for reason, holds in checks if holds()), None)


def _is_malformed(candidate: Candidate) -> bool:
    """What no fact can hold: one such must not take the others of its batch along."""
    storable = not _UNSTORABLE.search(candidate.text)
    return not (storable and candidate.category in CATEGORIES and 0 <= candidate.confidence <= 1)


def _says_nothing(quote: str, text: str) -> bool:
    """A quote of a letter or two stands in every message and shows nothing, unless it is all that was said."""
    letters = sum(2 if _IDEOGRAPH.match(char) else 1 for char in "".join(_WORD.findall(quote)))
    return letters < _LEAST_QUOTED and quote.strip() != text.strip()


# -- quotes ----------------------------------------------------------------------------------------------------------
def locate(quote: str, text: str) -> tuple[int, int] | None:
    r"""Where a quote stands in a text, as offsets into it; composed and decomposed accents are the same.

    >>> locate("café", "My cafe\u0301.")
    (3, 8)
    """
    start = text.find(quote)
    if start >= 0:
        return start, start + len(quote)
    composed = unicodedata.normalize("NFC", quote)
    if text.isascii() or not composed:
        return None
    pieces, offsets = _composed(text)
    at = pieces.find(composed)
    if at < 0 or at + len(composed) >= len(offsets):
        return None
    start, end = offsets[at], offsets[at + len(composed)]
    return start, end


@lru_cache(maxsize=8)
def _composed(text: str) -> tuple[str, tuple[int, ...]]:
    """The text in NFC, and for each of its characters (and its end) the offset in the text as given."""
    pieces: list[str] = []
    offsets: list[int] = []
    start = 0
    for i in range(1, len(text) + 1):
        if i < len(text) and (unicodedata.combining(text[i]) or "\u1160" <= text[i] <= "\u11ff"):
            continue
        piece = unicodedata.normalize("NFC", text[start:i])
        pieces.append(piece)
        offsets.extend([start] * len(piece))
        start = i
    offsets.append(len(text))
    return "".join(pieces), tuple(offsets)


# -- restating ---------------------------------------------------------------------------------------------------------
def _restates_block(candidate: Candidate, episode: Episode) -> bool:
    own_words = without_own_block(episode.text)
    repeated = _TAG.search(candidate.text) is not None or BLOCK_NOTE in candidate.text
    return repeated or locate(candidate.quote, own_words) is None


@lru_cache(maxsize=32)
def _shingles(text: str) -> frozenset[str]:
    """Runs of four words, folded; of shorter texts the whole."""
    words = _WORD.findall(text.casefold())
    return frozenset(" ".join(words[i : i + _SHINGLE]) for i in range(max(1, len(words) - _SHINGLE + 1)))


def _restates(text: str, system: frozenset[str]) -> bool:
    if not system:
        return False
    own = _shingles(text)
    return len(own & system) > _RESTATED * len(own)
