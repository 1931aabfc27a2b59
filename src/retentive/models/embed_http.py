"""Sentence vectors from an endpoint that speaks OpenAI's `/embeddings`: OpenAI, GLM, Ollama, vLLM, llama-server ..."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

import numpy as np

from retentive.contracts import Embedder, Vectors
from retentive.errors import ConfigError, EmbedderMismatch, EmbedderUnavailable

if TYPE_CHECKING:
    import httpx2

_FIRST_WAIT_S = 0.5  # doubled before each further attempt
_LONGEST_WAIT_S = 30.0  # however long the endpoint asks to wait
_LARGEST_REPLY = 64 << 20  # bytes; 64 vectors of 4,096 numbers are about 6 MB
_REASON_SHOWN = 200  # characters of the endpoint's own words in an error
_RETRIED_STATUS = frozenset({408, 429})  # and all from 500 on


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
        self._endpoint = _Endpoint(url, api_key, timeout_s=timeout_s, max_retries=max_retries, transport=transport)

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
        vectors = _vectors(self._endpoint.post(body, deadline), len(texts), self._endpoint.place)
        found = vectors.shape[1]
        if self.dimension and found != self.dimension:
            message = f"{self.name} made vectors of {found} numbers, not {self.dimension}: is it another model?"
            raise EmbedderMismatch(message)
        self.dimension = found
        return vectors


# -- the call --------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class _Failure:
    """Why an attempt gave no answer that can be read, and whether another may."""

    reason: str
    again: bool
    asked_wait_s: float | None = None
    cause: Exception | None = None


class _Endpoint:
    """Posts JSON to one address, again where that may help. `place` is the address without what may be secret in it."""

    def __init__(
        self,
        url: str,
        api_key: str | None,
        *,
        timeout_s: float,
        max_retries: int,
        transport: httpx2.BaseTransport | None,
    ) -> None:
        self._url, self.place = _address(url)
        self._key = _checked_key(api_key)
        self._timeout_s, self._max_retries, self._transport = timeout_s, max_retries, transport
        self._lock = threading.Lock()
        self._opened: httpx2.Client | None = None

    def post(self, body: dict[str, Any], deadline: float | None) -> bytes:
        """The body of the answer. Raises EmbedderUnavailable when there is none after all attempts."""
        content = json.dumps(body).encode()
        attempt = 0
        while isinstance(outcome := self._attempt(content, deadline), _Failure):
            attempt += 1
            wait_s = _wait_s(attempt, outcome.asked_wait_s)
            late = deadline is not None and time.monotonic() + wait_s > deadline
            if not outcome.again or late or attempt > self._max_retries:
                message = f"{self.place} {outcome.reason}" + (f" (attempts: {attempt})" if outcome.again else "")
                raise EmbedderUnavailable(message) from outcome.cause
            time.sleep(wait_s)
        return outcome

    def close(self) -> None:
        with self._lock:
            client, self._opened = self._opened, None
        if client is not None:
            client.close()

    def _attempt(self, content: bytes, deadline: float | None) -> bytes | _Failure:
        import httpx2  # noqa: PLC0415  50 ms, so at first use

        now = time.monotonic()
        until = now + self._timeout_s if deadline is None else min(now + self._timeout_s, deadline)
        if until <= now:
            return _Failure("did not answer in time", again=False)
        try:
            with self._client().stream("POST", self._url, content=content, timeout=until - now) as response:
                reply = _read(response, until)
        except httpx2.TimeoutException as error:
            return _Failure("did not answer in time", again=True, cause=error)
        except (httpx2.NetworkError, httpx2.RemoteProtocolError) as error:
            return _Failure(f"could not be reached: {self._hide_key(str(error))}", again=True, cause=error)
        except httpx2.HTTPError as error:
            return _Failure(f"could not be asked: {self._hide_key(str(error))}", again=False, cause=error)
        if response.is_success or isinstance(reply, _Failure):
            return reply
        again = response.status_code in _RETRIED_STATUS or response.status_code >= 500
        words = self._hide_key(_own_words(reply))[:_REASON_SHOWN]
        return _Failure(f"answered {response.status_code} {words}".rstrip(), again, _asked_wait_s(response))

    def _client(self) -> httpx2.Client:
        import httpx2  # noqa: PLC0415  as above

        with self._lock:
            if self._opened is None:
                headers = {"Content-Type": "application/json", "User-Agent": "retentive"}
                if self._key:
                    headers["Authorization"] = f"Bearer {self._key}"
                self._opened = httpx2.Client(headers=headers, transport=self._transport, trust_env=False)
            return self._opened

    def _hide_key(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text


def _read(response: httpx2.Response, until: float) -> bytes | _Failure:
    """The whole body, unless it is huge or comes too slowly: the client's own time-out starts anew with every byte."""
    reply = bytearray()
    for chunk in response.iter_bytes():
        reply += chunk
        if len(reply) > _LARGEST_REPLY:
            return _Failure(f"answered with more than {_LARGEST_REPLY} bytes", again=False)
        if time.monotonic() > until:
            return _Failure("did not answer in time", again=True)
    return bytes(reply)


def _wait_s(attempt: int, asked_s: float | None) -> float:
    doubled_s = _FIRST_WAIT_S * 2 ** (attempt - 1) * random.uniform(1, 2)  # noqa: S311  spreads clients, guards nothing
    return min(_LONGEST_WAIT_S, doubled_s if asked_s is None else asked_s)


def _asked_wait_s(response: httpx2.Response) -> float | None:
    """The seconds that a Retry-After header asks for, given as seconds or as a date; None without a sensible one."""
    value = response.headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except ValueError:
            return None
    return seconds if seconds >= 0 else None


def _own_words(reply: bytes) -> str:
    """What the endpoint says of its refusal, where it says it as OpenAI does: a page of HTML would be of no use."""
    try:
        return str(json.loads(reply)["error"]["message"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return ""


def _address(url: str) -> tuple[str, str]:
    """The address to post to, and the same without user, password and query, to be shown in an error."""
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
    except ValueError as error:
        message = f"the embedder's url cannot be used: {error}"
        raise ConfigError(message) from error
    if parts.scheme not in {"http", "https"} or not host:
        message = "the embedder's url must be http://... or https://..., such as https://api.openai.com/v1"
        raise ConfigError(message)
    path = parts.path.rstrip("/") + "/embeddings"
    shown = f"{parts.scheme}://{host}{'' if port is None else f':{port}'}{path}"
    return parts._replace(path=path).geturl(), shown


def _checked_key(api_key: str | None) -> str:
    key = (api_key or "").strip()
    if not (key.isascii() and key.isprintable()):
        message = "the embedder's API key has characters that no key has: was it copied whole?"
        raise ConfigError(message)
    return key


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
