"""A language model behind any endpoint that speaks OpenAI's `/chat/completions`, streamed piece by piece."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from retentive.errors import ModelError, ModelUnavailable
from retentive.models.http import AttemptFailed, HttpEndpoint, own_words, repeated

if TYPE_CHECKING:
    import httpx2

_REASON_SHOWN = 200  # characters of the endpoint's own words in an error


class ChatModel:
    """Asks an OpenAI-compatible endpoint to go on with a conversation. Not to be shared between threads.

    Sends to the given url + `/chat/completions`: the url is used as it is, so it ends in `/v1` where the endpoint's
    does. An attempt that ends in 408, 429, 5xx, a time-out or a lost connection before the first word is made again,
    after a wait that doubles or that Retry-After asks for. After the first word nothing is repeated. No proxy and no
    netrc of the environment is used.

    Args:
        url: the endpoint without `/chat/completions`, such as `https://api.openai.com/v1`.
        model: the model's name there.
        api_key: sent as a bearer token; shown in no repr and no error.
        timeout_s: for connecting, and for each silence while waiting.
        max_retries: attempts after the first.
        transport: an httpx2 transport to send with, for a proxy or a private certificate authority.

    Raises:
        ConfigError: the url or the key cannot be used in a request.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        api_key: str | None = None,
        timeout_s: float = 60.0,
        max_retries: int = 3,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self.model = model
        self._timeout_s, self._max_retries = timeout_s, max_retries
        self._endpoint = HttpEndpoint(url, "/chat/completions", api_key, whose="model", transport=transport)

    def __repr__(self) -> str:
        return f"ChatModel({self._endpoint.origin!r}, {self.model!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def stream(self, messages: Sequence[Mapping[str, str]]) -> Iterator[str]:
        """The answer to the messages (role and content of each), in pieces as they come.

        Raises ModelUnavailable when there is no answer after all attempts, ModelError when the endpoint refuses, or
        answers with what cannot be read, or breaks off; what came until then has been yielded.
        """
        body = json.dumps({"model": self.model, "messages": [*map(dict, messages)], "stream": True}).encode()
        place = self._endpoint.origin
        try:
            pieces = repeated(lambda: self._begun(body), max_retries=self._max_retries)
        except AttemptFailed as failed:
            if failed.status is not None and not failed.again:
                message = f"the model at {place} {failed.reason}"
                raise ModelError(message) from failed
            message = f"the model at {place} {failed.reason}: try again later"
            raise ModelUnavailable(message) from failed
        try:
            yield from pieces
        except AttemptFailed as failed:
            message = f"the model at {place} broke off in the middle: try again"
            raise ModelUnavailable(message) from failed

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        self._endpoint.close()

    def _begun(self, body: bytes) -> Iterator[str]:
        """One request, with its first piece already there: until then, and no longer, another attempt may be made."""
        pieces = self._attempt(body)
        first = next(pieces, None)
        return iter(()) if first is None else chain([first], pieces)

    def _attempt(self, body: bytes) -> Iterator[str]:
        """The pieces of one answer. Raises AttemptFailed, and ModelError for what is no stream of words."""
        import httpx2  # noqa: PLC0415  50 ms, so at first use

        with self._endpoint.streamed(body, timeout_s=self._timeout_s, accept="text/event-stream") as response:
            try:
                yield from _pieces(response)
            except (_Unreadable, httpx2.SSEError, httpx2.DecodingError) as error:
                words = self._endpoint.hide(str(error))
                message = f"the model at {self._endpoint.origin} answered with what is no stream of words: {words}"
                raise ModelError(message) from error


class _Unreadable(Exception):
    """The endpoint answered with something else than a chat completion."""


# -- the answer ------------------------------------------------------------------------------------------------------
def _pieces(response: httpx2.Response) -> Iterator[str]:
    """The words of a streamed answer; of an answer that came whole although a stream was asked for, all at once."""
    import httpx2  # noqa: PLC0415  as above

    if response.headers.get("content-type", "").startswith("application/json"):
        yield _words(_parsed(response.read().decode("utf-8", "replace")), "message")
        return
    finished = False
    for event in httpx2.EventSource(response):
        if event.data.strip() == "[DONE]":
            return
        if not event.data:
            continue
        said = _parsed(event.data)
        finished = finished or _is_last(said)
        if piece := _words(said, "delta"):
            yield piece
    if not finished:
        message = "it ended in the middle"
        raise _Unreadable(message)


def _parsed(text: str) -> Mapping[str, Any]:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _Unreadable(_shortened(text)) from error
    if not isinstance(said, Mapping):
        raise _Unreadable(_shortened(text))
    if said.get("error"):
        raise _Unreadable(own_words(text.encode())[:_REASON_SHOWN] or _shortened(text))
    return said


def _words(said: Mapping[str, Any], where: str) -> str:
    """The text of the first choice, empty where this part of the stream has none (usage, roles)."""
    try:
        choices = said.get("choices") or [{}]
        content = (choices[0].get(where) or {}).get("content") or ""
    except (AttributeError, KeyError, TypeError) as error:
        raise _Unreadable(_shortened(json.dumps(said))) from error
    return content if isinstance(content, str) else ""


def _is_last(said: Mapping[str, Any]) -> bool:
    choices = said.get("choices")
    return isinstance(choices, list) and any(isinstance(c, Mapping) and c.get("finish_reason") for c in choices)


def _shortened(text: str) -> str:
    return f"{text[:80]!r}"
