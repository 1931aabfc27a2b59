"""Recall: arms score what the caller may see, a blend ranks it, decay and MMR thin it, and the best k come back.

The work is arithmetic over one in-memory `Corpus`; the store is asked once, for the memories that won.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from retentive import rank
from retentive.arms import (
    LARGE,
    PRESETS,
    First,
    Question,
    Ranking,
    answers_of_sessions,
    first_arms,
    lacks_part,
    likeness,
    narrowed,
    read_question,
    token_arms,
)
from retentive.arms.ranking import Traits
from retentive.clock import format_us
from retentive.contracts import Backend, Remembered, TokenCounter
from retentive.corpus import Corpus, Floats, Ints, Mask
from retentive.embedders import Embedders
from retentive.errors import IndexUnavailable
from retentive.explain import How, Ranked, explained
from retentive.frozen import maker
from retentive.hits import outdated_last, to_hit, within, without_repeats
from retentive.query import RecallQuery, checked_k, visible
from retentive.reranking import MOST_READ, reranked
from retentive.results import BelowFloor, Hit, Item, Recall, episode_item, fact_item
from retentive.types import Episode, Scope

__all__ = [
    "PRESETS",
    "Found",
    "Ranking",
    "RecallQuery",
    "Search",
    "checked_k",
    "recall",
    "search",
    "to_items",
    "visible",
]

#: Rows to their packed token states, in the same order, empty where there are none.
TokenStates = Callable[[Sequence[int]], Sequence[bytes]]
#: More than asked for is ranked, so that MMR has something to choose from.
OVER_FETCH = 3
#: So many times k are fetched, since some will turn out to say the very same words as a better one.
_SPARE = 2
#: How alike two memories must be before one counts against the other; below it they only share a subject.
_ALIKE_FROM = 0.88
#: The first hits are the best ones whatever their sessions; a longer answer goes on to so many sessions, then by score.
_SPREAD_AFTER, _SESSIONS = 10, 10
#: The best cosine of made-up words: about the first, rising with the logarithm of the memories in view.
_CHANCE_COSINE, _CHANCE_RISE = 0.19, 0.022
#: What the vector of a query of made-up words must reach: 300 such queries came to 0.38 with eight ordinary memories.
_MADE_UP_COSINE = 0.4
#: What a question the second model reads must reach; its made-up words have no vector.
_FOREIGN_COSINE = 0.2
#: As many memories as the costlier arms look at: the right one is among them in 93 % of LoCoMo's questions.
_CANDIDATES = 100


@dataclass(frozen=True, slots=True)
class Found:
    """One candidate that was chosen: where it stands, its score and its parts; with `explain`, how these came about."""

    row: int
    score: float
    parts: Mapping[str, float]
    how: How | None = None


_make = maker(Found)


@dataclass(frozen=True, slots=True)
class Search:
    """What scoring one corpus came to: the `best` k that were chosen, and others, worked out if asked for."""

    best: tuple[Found, ...]
    others: Iterator[Found]
    below_floor: BelowFloor
    in_view: int
    waiting: int
    shares: Mapping[str, float]
    traits: Traits
    asked: Mapping[str, Any] = field(default_factory=dict)  # an index beside the store, and what it said of itself

    spare: list[Found] = field(default_factory=list)  # those that were asked for

    @property
    def chosen(self) -> tuple[Found, ...]:
        """All that were chosen, best first."""
        self.spare.extend(self.others)
        return (*self.best, *self.spare)


# -- ranking ---------------------------------------------------------------------------------------------------------
def search(
    corpus: Corpus,
    mask: Mask,
    question: Question,
    query: RecallQuery,
    token_states: TokenStates | None = None,
    *,
    whole_below: int = LARGE,
) -> Search:
    """Score, floor, decay, over-fetch and thin. Parts of each hit add up to its score.

    `token_states` gives the packed token states of rows, asked for once, for the candidates; None leaves them out.
    A view of `whole_below` memories and more is narrowed first.
    """
    view = corpus.view(mask)
    large = view.number >= (1 if corpus.far else whole_below)
    part = narrowed(corpus, question, mask, query.ranking) if large else None
    if part is None:
        question = replace(question, vector=None) if corpus.far else question
        first, able = first_arms(corpus, question, mask), mask
    else:
        corpus, able, mask = part.corpus, part.answers, np.ones(part.corpus.size, bool)
        first = first_arms(corpus, question, mask, part.counted)
    answers = (able & _is_answer(first, question, view.number, query.ranking)).nonzero()[0]
    among = answers if len(answers) else able.nonzero()[0]
    ranked = _ranked(corpus, first, question, among, query, token_states=token_states)
    best_first = np.argsort(-ranked.total, kind="stable")
    passed = len(best_first) if len(answers) else 0
    if query.min_score:
        passed = int(np.count_nonzero(ranked.total[:passed] >= query.min_score))
    below = BelowFloor(0, 0.0)
    if passed < len(best_first):
        below = BelowFloor((len(answers) or view.number) - passed, float(ranked.total[best_first[passed]]))
    order = best_first[: min(passed, query.k * OVER_FETCH)]
    chosen = _found(corpus, ranked, order, _thinned(corpus, ranked, order, query, question.split), query)
    best = tuple(islice(chosen, query.k))
    return Search(best, chosen, below, view.number, view.waiting, ranked.shares, ranked.traits)


@dataclass(frozen=True, slots=True)
class _Ranked:
    """The candidates: their places (m,), the parts of their scores (arms, m), their sums (m,), and each arm's share.

    `scores` are the arms' own, before share and decay, `kept` what decay leaves of them, `first` what they go by.
    """

    first: First
    places: Ints
    parts: Floats
    total: Floats
    shares: Mapping[str, float]
    scores: Mapping[str, Floats]
    kept: Floats
    traits: Traits

    def how(self, place: int) -> How:
        return How({name: float(self.scores[name][place]) for name in self.shares}, float(self.kept[place]))


def _ranked(
    corpus: Corpus,
    first: First,
    question: Question,
    among: Ints,
    query: RecallQuery,
    *,
    token_states: TokenStates | None,
) -> _Ranked:
    """The best of some places by the arms that look at every memory, then scored by all arms, with decay."""
    ranking = query.ranking
    shares = ranking.shares(first.scores, first.coverage, foreign=question.foreign)
    table = _table([first.scores[name].take(among) for name in shares], among)
    rough = (table * _column(shares)).sum(axis=0)
    candidates = rank.top(rough, max(_CANDIDATES, query.k * OVER_FETCH))
    places = among[candidates]
    scores = dict(zip(shares, table.take(candidates, axis=1), strict=True))
    if ranking.tokens and token_states and question.tokens is not None and len(question.tokens) and len(places):
        packed = token_states(corpus.column("row")[places].tolist())
        if any(packed):
            text = scores.get("text")
            scores["tokens"], scores["tokens_window"] = token_arms(corpus, question.tokens, places, packed, text)
    traits = first.traits(question, scores)
    shares = ranking.shares_for(scores, traits)
    age_s = (query.now_us - corpus.column("timestamp_us")[places]) / 1e6
    kept = rank.decay(age_s, ranking.half_life_s, ranking.decay_floor).astype(np.float32)
    kept[corpus.column("evergreen")[places]] = 1.0
    parts = _table([scores[name] for name in shares], places) * _column(shares)
    parts *= kept
    return _Ranked(first, places, parts, parts.sum(axis=0), shares, scores, kept, traits)


def _table(rows: Sequence[Floats], places: Ints) -> Floats:
    """Scores of arms at places, (arms, m)."""
    return np.array(rows, np.float32).reshape(len(rows), len(places))


def _column(shares: Mapping[str, float]) -> Floats:
    """Shares of arms, (arms, 1)."""
    return np.array(list(shares.values()), np.float32)[:, None]


def _found(
    corpus: Corpus, ranked: _Ranked, order: Ints, picked: Iterable[tuple[int, float]], query: RecallQuery
) -> Iterator[Found]:
    """What is picked of the candidates in `order`, with the parts of its scores."""
    rows, totals = corpus.column("row").take(ranked.places[order]).tolist(), ranked.total[order].tolist()
    scores, places = ranked.parts.take(order, axis=1).T.tolist(), order.tolist()
    for pick, penalty in picked:
        parts = dict(zip(ranked.shares, scores[pick], strict=True))
        if penalty:
            parts["repeat"] = -penalty
        yield _make(rows[pick], totals[pick] - penalty, parts, ranked.how(places[pick]) if query.explain else None)


def _is_answer(first: First, question: Question, in_view: int, ranking: Ranking) -> Mask:
    """A memory answers when it, or its window, shares a word with the query or is near it in meaning.

    Without this a nonsense query would return the k memories that happen to be least unlike it. Where no memory knows
    a word of the query, the best of n chance cosines rises with log n, so more is asked for: in chats of 50 to 5,000
    messages nine of ten queries of made-up words stay under 0.19 + 0.022 ln n, where most paraphrases are above.
    """
    if "vector" not in first.scores:
        return first.shared
    least = ranking.min_cosine
    if question.foreign:
        least = max(least, _FOREIGN_COSINE)
    elif not first.shared.any():
        least = max(least, _CHANCE_COSINE + _CHANCE_RISE * math.log(max(in_view, 1)))
    if question.made_up:
        least = max(least, _MADE_UP_COSINE)
    close: Mask = first.scores["vector"] >= least
    return first.shared | close


def _thinned(
    corpus: Corpus, ranked: _Ranked, order: Ints, query: RecallQuery, split: int
) -> Iterable[tuple[int, float]]:
    """MMR over the candidates in `order`: what says the same as a better one gives way to something new."""
    wanted = query.k * _SPARE
    if len(order) <= 1 or query.ranking.mmr <= 0:
        return ((pick, 0.0) for pick in range(min(wanted, len(order))))
    spread = None
    if query.ranking.spread and wanted > _SPREAD_AFTER:
        told = partial(_spread, corpus.column("session")[ranked.places[order]], ranked, order, query.ranking)
        spread = rank.Spread(told, _SPREAD_AFTER, _SESSIONS)
    cosine = likeness(corpus, ranked.places[order], split)
    return rank.mmr(ranked.total[order].tolist(), cosine, wanted, query.ranking.mmr, spread, alike_from=_ALIKE_FROM)


def _spread(sessions: Ints, ranked: _Ranked, order: Ints, ranking: Ranking) -> tuple[list[int], list[float]]:
    """The sessions of the candidates in `order`, and what one is worth more for how well its session answers."""
    worth = answers_of_sessions(ranked.first.view, ranked.first.words, ranked.scores, ranked.places)[order]
    return sessions.tolist(), (ranking.spread * ranked.total.max() * worth).tolist()


# -- the whole way ---------------------------------------------------------------------------------------------------
def recall(backend: Backend, embedders: Embedders, counter: TokenCounter, scope: Scope, query: RecallQuery) -> Recall:
    """Answer a query within a scope. A part that is down is named in `degraded`; the others answer."""
    reranker = embedders.reranker
    wide = query if reranker is None else replace(query, k=max(query.k, MOST_READ // _SPARE))
    question, found, degraded = _searched(backend, embedders, scope, wide)
    if found.waiting:
        degraded += (f"vectors: {found.waiting} of {found.in_view} memories still wait for theirs",)
    few = found.chosen if reranker is not None or query.explain else found.best
    hits, items = _hits(backend, scope, query, few)
    apart = without_repeats(hits)
    changed = len(apart) < len(few) or any("outdated" in hit.parts for hit in hits)
    if changed and few is found.best and len(found.chosen) > len(few):  # most answers need none
        hits, items = _hits(backend, scope, query, found.chosen)
        apart = without_repeats(hits)
    if reranker is not None:
        hits, late = reranked(reranker, query.text, apart)
        apart = without_repeats(hits)
        degraded += late
    ranked, hits = hits, apart[: query.k]
    if query.budget_tokens is not None:
        hits = within(hits, counter, query.budget_tokens)
    trace = None
    if query.explain:
        how = {items[hit.row].id: hit.how for hit in found.chosen if hit.row in items and hit.how}
        trace = _trace(query, question, found) | explained(Ranked(hits, ranked, how, found.shares), counter)
    return Recall(tuple(hits), degraded, found.below_floor, trace)


def _hits(
    backend: Backend, scope: Scope, query: RecallQuery, chosen: Sequence[Found]
) -> tuple[list[Hit], dict[int, Item]]:
    """What was chosen, read; what is outdated comes last. And the items by row: what went meanwhile is not there."""
    memories, outdated = backend.store.recalled(scope.partition, [hit.row for hit in chosen])
    items = to_items(backend, scope, list(memories.values()))
    hits = [to_hit(hit.score, hit.parts, items[hit.row]) for hit in chosen if hit.row in items]
    if query.as_of_us is None:
        hits = outdated_last(outdated, hits)
    return hits, items


def _searched(
    backend: Backend, embedders: Embedders, scope: Scope, query: RecallQuery
) -> tuple[Question, Search, tuple[str, ...]]:
    """The question, what searching for it came to, and what was down.

    The query's vector is only ever held against vectors of its own model: where the store turns out to be searched with
    another one by now, the query is embedded by that one.
    """
    partition = scope.partition
    allowed = backend.store.matching(partition, query.where) if query.where else None
    while True:
        model = embedders.serving
        vector, tokens, degraded = embedders.query_vector(model, query.text)
        question = read_question(query.text, query.now_us, vector, tokens, embedders.split(model))
        with backend.index.snapshot(partition) as corpus:
            corpus.scope = scope
            if corpus.model == model:
                mask = visible(corpus, scope, query, allowed)
                if lacks_part(corpus, mask, question):
                    question = replace(question, vector=embedders.both_parts(model, query.text, question.vector))
                read = partial(backend.index.token_states, partition, model)
                states = partial(corpus.states.of, read=read)
                try:
                    found = search(corpus, mask, question, query, states)
                except IndexUnavailable:  # the store's own vectors are read at the next turn
                    continue
                if corpus.asked:
                    found = replace(found, asked=corpus.asked)
                return question, found, degraded + corpus.notes
            embedders.serving = corpus.model


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


def _trace(query: RecallQuery, question: Question, found: Search) -> dict[str, Any]:
    """What `explain=True` shows of the query: what was looked for, the arms' shares, and how many were in view."""
    return {
        "words": [{"text": word.text, "weight": round(word.weight, 3)} for word in question.words],
        "names": [name.text for name in question.names],
        "days": [f"{span.first} to {span.last}" for span in question.spans],
        "shares": dict(found.shares),
        "traits": asdict(found.traits),
        "in_view": found.in_view,
        "waiting_for_vector": found.waiting,
        "now": format_us(query.now_us),
    } | ({"beside": dict(found.asked)} if found.asked else {})
