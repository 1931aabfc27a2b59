"""Sentence vectors from an endpoint that speaks OpenAI's `/embeddings`: OpenAI, GLM, Ollama, vLLM, llama-server ..."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from retentive.contracts import Embedder, Vectors
from retentive.errors import EmbedderMismatch, EmbedderUnavailable
from retentive.models.http import LONGEST_WAIT_S, AttemptFailed, HttpEndpoint, repeated

if TYPE_CHECKING:
    import httpx2

_LARGEST_REPLY = 64 << 20  # bytes; 64 vectors of 4,096 numbers are about 6 MB


class HttpEmbedder(Embedder):
    """Asks an OpenAI-compatible endpoint for vectors. Safe to share between threads.

    Sends `{"model", "input", "dimensions"}` to the given url + `/embeddings`: the url is used as it is, so it ends in
    `/v1` where the endpoint's does. A text of nothing but white space is not sent and gets a row of zeros.

    An attempt that ends in 408, 429, 5xx, a time-out or a lost connection is made again, after a wait that doubles (0.5
    to 1 s first, by chance) or that the endpoint asks for (30 s at most). Any other refusal, and an answer that cannot
    be used, fails at once. No proxy and no netrc of the environment is used; a `transport` may have one.

    Args:
        url: the endpoint without `/embeddings`, such as `https://api.openai.com/v1` or
            `https://open.bigmodel.cn/api/paas/v4`.
        model: the model's name there. The embedder's `name` is this, and `@dimensions` where they are given.
        api_key: sent as a bearer token; shown in no repr and no error.
        dimensions: how long the vectors shall be; default as the model makes them, then `dimension` is 0 until the
            first answer.
        batch_size: texts in one call; 64 is the most that GLM takes.
        timeout_s: for one attempt.
        max_retries: attempts after the first, for each call of the endpoint.
        transport: an httpx2 transport to send with, for a proxy or a private certificate authority.

    Raises:
        ConfigError: the url or the key cannot be used in a request.
        EmbedderUnavailable: the endpoint refused, did not answer in time, or answered with what is no list of vectors.
        EmbedderMismatch: it answered with vectors of another dimension than asked for, or than before.

    >>> HttpEmbedder("https://open.bigmodel.cn/api/paas/v4", "embedding-3", dimensions=512).name
    'embedding-3@512'
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        api_key: str | None = None,
        dimensions: int | None = None,
        batch_size: int = 64,
        timeout_s: float = 10.0,
        max_retries: int = 3,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self.name = model if dimensions is None else f"{model}@{dimensions}"
        self.dimension = dimensions or 0
        self._model, self._dimensions, self._batch_size = model, dimensions, batch_size
        self._timeout_s, self._max_retries = timeout_s, max_retries
        self._endpoint = HttpEndpoint(url, "/embeddings", api_key, whose="embedder", transport=transport)

    def embed(
        self,
        texts: Sequence[str],
        *,
        purpose: Literal["document", "query"] = "document",  # noqa: ARG002  the protocol knows no difference
        timeout_s: float | None = None,
    ) -> Vectors:
        """Return (n, dimension) float32. ``timeout_s`` bounds the whole call, its waits and retries included."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        rows = [row for row, text in enumerate(texts) if text.strip()]
        parts: list[Vectors] = []
        for start in range(0, len(rows), self._batch_size):
            batch = [texts[row] for row in rows[start : start + self._batch_size]]
            parts.append(self._batch(batch, deadline))
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        if parts:
            vectors[rows] = np.concatenate(parts)
        return vectors

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        self._endpoint.close()

    def _batch(self, texts: list[str], deadline: float | None) -> Vectors:
        body: dict[str, Any] = {"model": self._model, "input": texts}
        if self._dimensions is not None:
            body["dimensions"] = self._dimensions
        vectors = _vectors(self._post(body, deadline), len(texts), self._endpoint.place)
        found = vectors.shape[1]
        if self.dimension and found != self.dimension:
            message = f"{self.name} made vectors of {found} numbers, not {self.dimension}: is it another model?"
            raise EmbedderMismatch(message)
        self.dimension = found
        return vectors

    def _post(self, body: dict[str, Any], deadline: float | None) -> bytes:
        """The body of the answer. Raises EmbedderUnavailable when there is none after all attempts."""
        content = json.dumps(body).encode()

        def attempt() -> bytes:
            until = time.monotonic() + self._timeout_s
            try:
                return self._endpoint.post(
                    content, until=until if deadline is None else min(until, deadline), largest=_LARGEST_REPLY
                )
            except AttemptFailed as failed:
                if failed.asked_wait_s is not None:  # however long is asked for: vectors can wait no longer
                    failed.asked_wait_s = min(failed.asked_wait_s, LONGEST_WAIT_S)
                raise

        try:
            return repeated(attempt, max_retries=self._max_retries, deadline=deadline)
        except AttemptFailed as failed:
            attempts = f" (attempts: {failed.attempts})" if failed.again else ""
            message = f"{self._endpoint.place} {failed.reason}{attempts}"
            raise EmbedderUnavailable(message) from failed


# -- the answer ------------------------------------------------------------------------------------------------------
def _vectors(reply: bytes, count: int, place: str) -> Vectors:
    """The vectors of an answer, in the order of the texts, each of length 1 or all zeros."""
    try:
        raw = np.array([item["embedding"] for item in _in_order(json.loads(reply)["data"])], np.float64)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        message = f"{place} answered with what is no list of vectors"
        raise EmbedderUnavailable(message) from error
    if raw.ndim != 2 or raw.shape[0] != count or not raw.shape[1]:
        message = f"{place} answered with an array of shape {raw.shape} for {count} texts"
        raise EmbedderUnavailable(message)
    with np.errstate(over="ignore"):
        norms = np.linalg.norm(raw, axis=1, keepdims=True)
    if not np.isfinite(norms).all():
        message = f"{place} answered with numbers that are not finite"
        raise EmbedderUnavailable(message)
    unit: Vectors = (raw / np.where(norms == 0, 1, norms)).astype(np.float32)
    return unit


def _in_order(data: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The items by their `index`; as they stand where they have none."""
    if not any("index" in item for item in data):
        return data
    by_index = {item["index"]: item for item in data}
    return [by_index[place] for place in range(len(data))]
