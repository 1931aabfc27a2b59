"""The optional last look: a reranker reads the first hits with the query; where it is late their order stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from retentive.contracts import Reranker
from retentive.errors import RerankerUnavailable
from retentive.results import Hit

#: So many hits are read at the most, whatever was asked for.
MOST_READ = 50
#: How long a recall waits for it.
DEADLINE_S = 1.0
_LONGEST_CHARS = 2000


def reranked(reranker: Reranker, query: str, hits: Sequence[Hit]) -> tuple[list[Hit], tuple[str, ...]]:
    """The hits by the reranker's scores, and what was down. Those it did not read follow in their order.

    A hit's score becomes the reranker's, and its part `reranker` is what that changed, so that parts still add up.
    """
    read, rest = list(hits[:MOST_READ]), list(hits[MOST_READ:])
    if len(read) < 2:
        return [*read, *rest], ()
    try:
        scores = reranker.rerank(query, [hit.text[:_LONGEST_CHARS] for hit in read], timeout_s=DEADLINE_S)
    except RerankerUnavailable as error:
        return [*read, *rest], (f"reranker: {error}",)
    scored = [
        replace(hit, score=score, parts={**hit.parts, "reranker": score - hit.score})
        for hit, score in zip(read, scores, strict=True)
    ]
    lowest = min(scores)
    behind = [replace(h, score=lowest, parts={**h.parts, "reranker": lowest - h.score}) for h in rest]
    return [*sorted(scored, key=lambda hit: -hit.score), *behind], ()
