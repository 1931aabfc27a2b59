"""Recall: arms score what the caller may see, a blend ranks it, decay and MMR thin it, and the best k come back.

The work is arithmetic over one in-memory `Corpus`; the store is asked once, for the memories that won.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from retentive import arms, rank
from retentive.analyze import QueryTerm, query_terms
from retentive.clock import format_us
from retentive.contracts import Backend, Embedder, Remembered, TokenCounter, Where
from retentive.corpus import Corpus, Floats, Ints, Mask
from retentive.errors import EmbedderUnavailable, InvalidInput
from retentive.results import BelowFloor, Hit, Item, Recall, episode_item, fact_item
from retentive.types import Episode, Scope, Tier, TierName

#: More than asked for is ranked, so that MMR has something to choose from.
OVER_FETCH = 3
#: How alike two memories must be before one counts against the other; below it they only share a subject.
_ALIKE_FROM = 0.75
#: The best cosine of a query of made-up words: about the first, rising with the logarithm of the memories in view.
_CHANCE_COSINE, _CHANCE_RISE = 0.19, 0.022


@dataclass(frozen=True, slots=True)
class Ranking:
    """How arms are blended and thinned. Shares are relative; they are brought to a sum of 1.

    `half_life_s` and `decay_floor`: a memory keeps `floor + (1 - floor) * 0.5 ** (age / half_life)` of its score.
    `min_cosine`: below it a memory that shares no word with the query is not an answer to it.
    """

    text: float
    vector: float
    text_window: float = 0.0
    vector_window: float = 0.0
    session: float = 0.0
    half_life_s: float = 90 * 86_400.0
    decay_floor: float = 0.97
    mmr: float = 0.3
    min_cosine: float = 0.2

    def shares(self) -> dict[str, float]:
        """Share of each arm, summing to 1."""
        names = ("text", "text_window", "vector", "vector_window", "session")
        total = sum(getattr(self, name) for name in names)
        return {name: getattr(self, name) / total for name in names if getattr(self, name)}


#: `context` is the measured default; `classic` the well-known 0.7 vector / 0.3 text with full decay.
PRESETS: Mapping[str, Ranking] = {
    "context": Ranking(text=0.15, text_window=0.18, vector=0.52, vector_window=0.11, session=0.04),
    "classic": Ranking(text=0.3, vector=0.7, half_life_s=30 * 86_400.0, decay_floor=0.0),
}


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """One question to memory, checked. Times are microseconds since 1970 UTC."""

    text: str
    now_us: int
    k: int = 5
    tiers: Sequence[TierName] = ("semantic", "episodic")
    since_us: int | None = None
    until_us: int | None = None
    as_of_us: int | None = None
    where: Where | None = None
    session_id: str | None = None
    min_score: float | None = None
    budget_tokens: int | None = None
    explain: bool = False
    ranking: Ranking = field(default_factory=lambda: PRESETS["context"])


@dataclass(frozen=True, slots=True)
class Found:
    """One candidate that was chosen: where it stands, its score and how it came about."""

    row: int
    score: float
    parts: Mapping[str, float]
    penalty: float


@dataclass(frozen=True, slots=True)
class Search:
    """What scoring one corpus came to."""

    chosen: tuple[Found, ...]
    below_floor: BelowFloor
    in_view: int
    waiting: int


# -- who may be seen -------------------------------------------------------------------------------------------------
def visible(corpus: Corpus, scope: Scope, query: RecallQuery, allowed: set[int] | None) -> Mask:
    """Which memories the caller may see and asked for."""
    mask: Mask = corpus.column("alive").copy()
    for name, names, value in (
        ("agent", corpus.agents, scope.agent_id),
        ("project", corpus.projects, scope.project_id),
    ):
        if value is not None:
            column = corpus.column(name)
            mask &= (column == -1) | (column == names.number.get(value, -2))
    if query.session_id is not None:
        mask &= corpus.column("session") == corpus.sessions.number.get(query.session_id, -2)
    if len(set(query.tiers)) == 1:
        mask &= corpus.column("tier") == (Tier.SEMANTIC if "semantic" in query.tiers else Tier.EPISODIC)
    if query.since_us is not None:
        mask &= corpus.column("timestamp_us") >= query.since_us
    if query.until_us is not None:
        mask &= corpus.column("timestamp_us") <= query.until_us
    if allowed is not None:
        mask &= np.isin(corpus.column("row"), np.fromiter(allowed, np.int64, len(allowed)))
    return mask & _in_time(corpus, query)


def _in_time(corpus: Corpus, query: RecallQuery) -> Mask:
    """Current and not expired; or, for `as_of`, true then and believed then."""
    moment = query.now_us if query.as_of_us is None else query.as_of_us
    mask: Mask = corpus.column("expires_us") > moment
    if query.as_of_us is None:
        return mask & corpus.column("current") & (corpus.column("valid_to_us") > moment)
    true_then = (corpus.column("timestamp_us") <= moment) & (corpus.column("valid_to_us") > moment)
    believed = (corpus.column("recorded_us") <= moment) & (corpus.column("retired_us") > moment)
    return mask & true_then & (believed | (corpus.column("tier") == Tier.EPISODIC))


# -- ranking ---------------------------------------------------------------------------------------------------------
def search(
    corpus: Corpus, mask: Mask, words: Sequence[QueryTerm], vector: Floats | None, query: RecallQuery
) -> Search:
    """Score, floor, decay, over-fetch and thin. Parts of each hit add up to its score."""
    ranking = query.ranking
    raw = arms.all_arms(corpus, words, vector, mask)
    answers = mask & _is_answer(raw, mask, ranking)
    parts = {name: share * _calibrated(name, raw[name], mask) for name, share in ranking.shares().items()}
    age_s = (query.now_us - corpus.column("timestamp_us")) / 1e6
    kept = np.where(corpus.column("evergreen"), 1.0, rank.decay(age_s, ranking.half_life_s, ranking.decay_floor))
    total: Floats = (np.sum(list(parts.values()), axis=0) * kept).astype(np.float32)
    floor = 0.0 if query.min_score is None else query.min_score
    passed = answers & (total >= floor) & (total > 0)
    near = answers if answers.any() else mask & (total > 0)
    failed = near & ~passed
    below = BelowFloor(int(np.count_nonzero(failed)), float(total[failed].max(initial=0.0)))
    candidates = rank.top(np.where(passed, total, -1.0), min(query.k * OVER_FETCH, int(np.count_nonzero(passed))))
    chosen = _thinned(corpus, candidates, total, query)
    found = tuple(
        Found(
            int(corpus.column("row")[place]),
            float(total[place]),
            {name: float(part[place] * kept[place]) for name, part in parts.items()},
            penalty,
        )
        for place, penalty in chosen
    )
    waiting = int(np.count_nonzero(mask & ~corpus.column("embedded")))
    return Search(found, below, int(np.count_nonzero(mask)), waiting)


def _calibrated(name: str, scores: Floats, mask: Mask) -> Floats:
    """An arm on the scale 0 to 1: cosines are there already, the others are divided by their best."""
    return np.maximum(scores, 0.0) if name.startswith("vector") else rank.scaled(scores, mask)


def _is_answer(raw: Mapping[str, Floats], mask: Mask, ranking: Ranking) -> Mask:
    """A memory answers when it, or its window, shares a word with the query or is near it in meaning.

    Without this a nonsense query would return the k memories that happen to be least unlike it. Where no memory knows
    a word of the query, the best of n chance cosines rises with log n, so more is asked for: in chats of 50 to 5,000
    messages nine of ten queries of made-up words stay under 0.19 + 0.022 ln n, where most paraphrases are above.
    """
    shared = raw["shared"] > 0
    least = ranking.min_cosine
    if not shared[mask].any():
        least = max(least, _CHANCE_COSINE + _CHANCE_RISE * float(np.log(max(np.count_nonzero(mask), 1))))
    close: Mask = raw["vector"] >= least
    return shared | close


def _thinned(corpus: Corpus, candidates: Ints, total: Floats, query: RecallQuery) -> list[tuple[int, float]]:
    """MMR over the candidates: what says the same as a better one gives way to something new."""
    if len(candidates) <= 1 or query.ranking.mmr <= 0:
        return [(int(place), 0.0) for place in candidates[: query.k]]
    vectors = corpus.vectors[candidates]
    likeness = np.clip((vectors @ vectors.T - _ALIKE_FROM) / (1 - _ALIKE_FROM), 0.0, 1.0)
    picked = rank.mmr(total[candidates].tolist(), likeness, query.k, query.ranking.mmr)
    return [(int(candidates[place]), penalty) for place, penalty in picked]


# -- the whole way ---------------------------------------------------------------------------------------------------
def recall(backend: Backend, embedder: Embedder, counter: TokenCounter, scope: Scope, query: RecallQuery) -> Recall:
    """Answer a query within a scope. A part that is down is named in `degraded`; the others answer."""
    partition = scope.partition
    words = query_terms(query.text)
    vector, degraded = query_vector(embedder, query.text)
    allowed = backend.store.matching(partition, query.where) if query.where else None
    with backend.index.snapshot(partition) as corpus:
        mask = visible(corpus, scope, query, allowed)
        found = search(corpus, mask, words, vector, query)
    if found.waiting:
        degraded += (f"vectors: {found.waiting} of {found.in_view} memories still wait for theirs",)
    memories = backend.store.fetch(partition, [hit.row for hit in found.chosen])
    items = to_items(backend, scope, list(memories.values()))
    hits = [_hit(hit, items[hit.row]) for hit in found.chosen if hit.row in items]
    if query.budget_tokens is not None:
        hits = _within(hits, counter, query.budget_tokens)
    trace = _trace(query, words, found) if query.explain else None
    return Recall(tuple(hits), degraded, found.below_floor, trace)


def query_vector(embedder: Embedder, text: str) -> tuple[Floats | None, tuple[str, ...]]:
    """The query's vector, or None with the name of what was down."""
    try:
        vector = embedder.embed([text], purpose="query")[0]
    except EmbedderUnavailable as error:
        return None, (f"embedder: {error}",)
    return (vector if vector.any() else None), ()


def to_items(backend: Backend, scope: Scope, memories: Sequence[Remembered]) -> dict[int, Item]:
    """Memories as callers see them, by row; facts name the callers' own ids of what they rest on."""
    evidence = [e.episode_id for memory in memories if not isinstance(memory, Episode) for e in memory.evidence]
    sources = backend.store.sources(scope.partition, evidence) if evidence else {}
    return {
        memory.row: episode_item(memory)
        if isinstance(memory, Episode)
        else fact_item(memory, tuple(sources[e.episode_id] for e in memory.evidence if e.episode_id in sources))
        for memory in memories
    }


def _hit(found: Found, item: Item) -> Hit:
    return Hit(
        id=item.id,
        tier=item.tier,
        text=item.text,
        score=found.score,
        parts=found.parts,
        timestamp=item.timestamp,
        session_id=item.session_id,
        episode_ids=item.episode_ids,
        source_ids=item.source_ids,
        trust=item.trust,
        category=item.category,
        item=item,
    )


def _within(hits: list[Hit], counter: TokenCounter, budget_tokens: int) -> list[Hit]:
    """The best hits that fit the budget; a long one that does not fit lets shorter ones behind it in."""
    kept, left = [], budget_tokens
    for hit in hits:
        tokens = counter.count(hit.text)
        if tokens <= left:
            kept.append(hit)
            left -= tokens
    return kept


def _trace(query: RecallQuery, words: Sequence[QueryTerm], found: Search) -> dict[str, Any]:
    """What `explain=True` shows: the words looked for, the shares, and what happened to each hit."""
    return {
        "words": [{"text": word.text, "weight": round(word.weight, 3)} for word in words],
        "shares": query.ranking.shares(),
        "in_view": found.in_view,
        "waiting_for_vector": found.waiting,
        "now": format_us(query.now_us),
        "hits": [
            {"row": hit.row, "score": hit.score, "parts": dict(hit.parts), "mmr_penalty": hit.penalty}
            for hit in found.chosen
        ],
    }


def checked_k(k: int) -> int:
    """k as a positive number of at most 1,000; raises InvalidInput otherwise."""
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= 1000:
        message = f"k must be a whole number from 1 to 1000, not {k!r}"
        raise InvalidInput(message)
    return k
