"""What `explain=True` shows: how each hit's score came about, what it cost, and why the next one stands behind it.

Of every hit: `arms` (each arm's `score` from 0 to 1, its `share` of the query's weight, and the `part` that both make
with `decay`), what MMR took away (`mmr_penalty`), what it lost for being `outdated`, its `tokens`, and its `runner_up`:
the memory behind it, by how much, and the arm that put it there. Parts less penalties are the score:

    score = sum of parts - mmr_penalty - outdated        part = score of the arm * share * decay
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retentive.contracts import TokenCounter
from retentive.results import Hit

#: What a hit's parts have beside its arms: `rank.mmr` and messages whose facts were superseded.
_REPEAT, _OUTDATED = "repeat", "outdated"


@dataclass(frozen=True, slots=True)
class How:
    """What went into one hit's score: each arm's own score, and the share of it that age left."""

    scores: Mapping[str, float]
    decay: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """What recall ended with: the hits it returns, and all it ranked, best first, with how by id."""

    hits: Sequence[Hit]
    ranked: Sequence[Hit]
    how: Mapping[str, How]
    shares: Mapping[str, float]


def explained(found: Ranked, counter: TokenCounter) -> dict[str, Any]:
    """The hits of a trace, and which of the ranked were left out and why, as JSON values."""
    shown = {hit.id for hit in found.hits}
    texts = {said(hit): hit.id for hit in reversed(found.hits)}
    behind = dict(zip((hit.id for hit in found.ranked), found.ranked[1:], strict=False))
    return {
        "hits": [_one(hit, behind.get(hit.id), found, counter) for hit in found.hits],
        "left_out": [
            {"id": hit.id, "score": hit.score, "why": _why(hit, texts, found)}
            for hit in found.ranked
            if hit.id not in shown
        ],
    }


def _one(hit: Hit, behind: Hit | None, found: Ranked, counter: TokenCounter) -> dict[str, Any]:
    how = found.how[hit.id]
    return {
        "id": hit.id,
        "score": hit.score,
        "arms": {
            name: {"score": score, "share": found.shares[name], "part": hit.parts[name]}
            for name, score in how.scores.items()
        },
        "decay": how.decay,
        "mmr_penalty": -hit.parts.get(_REPEAT, 0.0),
        "outdated": -hit.parts.get(_OUTDATED, 0.0),
        "tokens": counter.count(hit.text),
        "runner_up": None if behind is None else _behind(hit, behind),
    }


def _behind(hit: Hit, other: Hit) -> dict[str, Any]:
    """By how much the other one is behind, and what put it there: the arm or penalty that differs most."""
    names = dict.fromkeys((*hit.parts, *other.parts))
    differences = {name: hit.parts.get(name, 0.0) - other.parts.get(name, 0.0) for name in names}
    decisive = max(differences, key=lambda name: differences[name], default=None)
    return {
        "id": other.id,
        "score": other.score,
        "behind": hit.score - other.score,
        "arm": decisive,
        "difference": 0.0 if decisive is None else differences[decisive],
    }


def _why(hit: Hit, texts: Mapping[tuple[str, str], str], found: Ranked) -> str:
    """Why a ranked memory is no hit."""
    if said(hit) in texts:
        return f"says the same as {texts[said(hit)]}"
    if found.hits and hit.score > found.hits[-1].score:
        return "does not fit the token budget"
    return "beyond k or the token budget"


def said(hit: Hit) -> tuple[str, str]:
    """What makes two hits the same: tier and words, whatever their case and spacing."""
    return hit.tier, " ".join(hit.text.casefold().split())
