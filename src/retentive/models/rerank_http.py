"""Reranking by an endpoint that speaks Cohere's and Jina's `/rerank`, or text-embeddings-inference's."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from retentive.contracts import Reranker
from retentive.errors import RerankerUnavailable
from retentive.models.http import AttemptFailed, HttpEndpoint

if TYPE_CHECKING:
    import httpx2

_LARGEST_REPLY = 4 << 20  # bytes


class HttpReranker(Reranker):
    """Asks an endpoint how well texts answer a query, once: a recall waits for it. Safe to share between threads.

    Sends `{"model", "query", "documents", "top_n"}` to the url + `/rerank` and reads `results` of `index` and
    `relevance_score`. With `texts=True` it sends `{"query", "texts"}`, and reads a list of `index` and `score`.

    Args:
        url: the endpoint without `/rerank`, such as `https://api.jina.ai/v1` or `https://api.cohere.com/v2`.
        model: the model's name there; not sent with `texts`.
        api_key: sent as a bearer token; shown in no repr and no error.
        texts: speak as text-embeddings-inference does.
        transport: an httpx2 transport to send with.

    Raises ConfigError for a url or a key that cannot be used in a request.

    >>> HttpReranker("https://api.jina.ai/v1", "jina-reranker-v2-base-multilingual").name
    'jina-reranker-v2-base-multilingual'
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        api_key: str | None = None,
        texts: bool = False,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self.name = model
        self._texts = texts
        self._endpoint = HttpEndpoint(url, "/rerank", api_key, whose="reranker", transport=transport)

    def rerank(self, query: str, texts: Sequence[str], *, timeout_s: float) -> Sequence[float]:
        """Return one score a text. Raises RerankerUnavailable."""
        body: dict[str, Any] = {"query": query, "texts": list(texts)}
        if not self._texts:
            body = {"model": self.name, "query": query, "documents": list(texts), "top_n": len(texts)}
        until = time.monotonic() + timeout_s
        try:
            reply = self._endpoint.post(json.dumps(body).encode(), until=until, largest=_LARGEST_REPLY)
        except AttemptFailed as failed:
            message = f"{self._endpoint.place} {failed.reason}"
            raise RerankerUnavailable(message) from failed
        return _scores(reply, len(texts), self._endpoint.place)

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        self._endpoint.close()


def _scores(reply: bytes, count: int, place: str) -> list[float]:
    """The scores of an answer in the order of the texts. A text it does not speak of, and a negative score, are 0."""
    scores = [0.0] * count
    try:
        said = json.loads(reply)
        found = said["results"] if isinstance(said, dict) else said
        for item in found:
            score = float(item["relevance_score"] if "relevance_score" in item else item["score"])
            if not math.isfinite(score) or not 0 <= item["index"] < count:
                raise ValueError  # noqa: TRY301  said in one place, below
            scores[item["index"]] = min(max(score, 0.0), 1.0)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        message = f"{place} answered with what is no list of scores"
        raise RerankerUnavailable(message) from error
    if not found:
        message = f"{place} answered with no score"
        raise RerankerUnavailable(message)
    return scores
