"""What is done with ranked hits: what is outdated yields, what says the same takes one place, and a budget is kept.

Pure: no store, no scores of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from retentive.contracts import TokenCounter
from retentive.explain import said
from retentive.frozen import maker
from retentive.results import Hit, Item

#: The share of its score by which a message yields whose facts were all superseded since.
_YIELDS = 0.25
_make_hit = maker(Hit)


def outdated_last(outdated: set[str], hits: list[Hit]) -> list[Hit]:
    """A message whose facts were all superseded is still what was said, but no longer so: it yields, and is marked."""
    marked = [
        replace(
            hit,
            score=hit.score * (1 - _YIELDS),
            parts={**hit.parts, "outdated": -_YIELDS * hit.score},
            item=replace(hit.item, status="superseded"),
        )
        if hit.id in outdated and hit.tier == "episodic"
        else hit
        for hit in hits
    ]
    return sorted(marked, key=lambda hit: -hit.score)


def without_repeats(hits: Sequence[Hit]) -> list[Hit]:
    """The same words of the same tier take one place: the best."""
    first: dict[object, Hit] = {}
    for hit in hits:
        first.setdefault(said(hit), hit)
    return list(first.values())


def to_hit(score: float, parts: Mapping[str, float], item: Item) -> Hit:
    """A memory with its score and the parts of it."""
    return _make_hit(
        id=item.id,
        tier=item.tier,
        text=item.text,
        score=score,
        parts=parts,
        timestamp=item.timestamp,
        session_id=item.session_id,
        episode_ids=item.episode_ids,
        source_ids=item.source_ids,
        trust=item.trust,
        category=item.category,
        item=item,
    )


def within(hits: list[Hit], counter: TokenCounter, budget_tokens: int) -> list[Hit]:
    """The best hits that fit the budget; a long one that does not fit lets shorter ones behind it in."""
    kept, left = [], budget_tokens
    for hit in hits:
        tokens = counter.count(hit.text)
        if tokens <= left:
            kept.append(hit)
            left -= tokens
    return kept
