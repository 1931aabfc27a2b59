"""A language model behind any endpoint that speaks OpenAI's `/chat/completions`, streamed piece by piece."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from retentive.errors import ConfigError, ModelError, ModelUnavailable

if TYPE_CHECKING:
    import httpx2

_FIRST_WAIT_S = 0.5  # doubled before each further attempt
_LONGEST_WAIT_S = 30.0  # an endpoint that asks for more is given up on
_REASON_SHOWN = 200  # characters of the endpoint's own words in an error
_REFUSAL_READ = 1 << 20  # bytes of a refusal's body: enough for its reason
_RETRIED_STATUS = frozenset({408, 429})  # and all from 500 on


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
        self._url, self._place = _address(url)
        self._key = _checked_key(api_key)
        self._timeout_s, self._max_retries, self._transport = timeout_s, max_retries, transport
        self._client: httpx2.Client | None = None

    def __repr__(self) -> str:
        return f"ChatModel({self._place!r}, {self.model!r})"

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
        attempt = 0
        while True:
            try:
                yield from self._attempt(body)
            except _AttemptFailed as failed:
                wait_s = _wait_s(attempt) if failed.asked_wait_s is None else failed.asked_wait_s
                if attempt >= self._max_retries or wait_s > _LONGEST_WAIT_S:
                    message = f"the model at {self._place} {failed.reason}: try again later"
                    raise ModelUnavailable(message) from failed
                time.sleep(wait_s)
                attempt += 1
            else:
                return

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _attempt(self, body: bytes) -> Iterator[str]:
        """One request. _AttemptFailed where another may help: never once a piece was yielded."""
        import httpx2  # noqa: PLC0415  50 ms, so at first use

        begun = False
        try:
            with self._opened().stream("POST", self._url, content=body) as response:
                if not response.is_success:
                    self._refused(response)
                for piece in _pieces(response):
                    begun = True
                    yield piece
        except (_Unreadable, httpx2.SSEError, httpx2.DecodingError) as error:
            message = f"the model at {self._place} answered with what is no stream of words: {self._hide(str(error))}"
            raise ModelError(message) from error
        except httpx2.HTTPError as error:
            late = isinstance(error, httpx2.TimeoutException)
            reason = "did not answer in time" if late else f"could not be reached ({self._hide(str(error))})"
            if not begun and isinstance(
                error, httpx2.TimeoutException | httpx2.NetworkError | httpx2.RemoteProtocolError
            ):
                raise _AttemptFailed(reason) from error
            message = f"the model at {self._place} {'broke off in the middle' if begun else reason}: try again"
            raise ModelUnavailable(message) from error

    def _refused(self, response: httpx2.Response) -> None:
        reply = bytearray()
        for chunk in response.iter_bytes():
            reply += chunk
            if len(reply) > _REFUSAL_READ:
                break
        reason = f"answered {response.status_code}{self._hide(_own_words(bytes(reply)))}"
        if response.status_code in _RETRIED_STATUS or response.status_code >= 500:
            raise _AttemptFailed(reason, _asked_wait_s(response.headers.get("retry-after", "")))
        message = f"the model at {self._place} {reason}"
        raise ModelError(message)

    def _opened(self) -> httpx2.Client:
        import httpx2  # noqa: PLC0415  as above

        if self._client is None:
            headers = {"Content-Type": "application/json", "Accept": "text/event-stream", "User-Agent": "retentive"}
            if self._key:
                headers["Authorization"] = f"Bearer {self._key}"
            self._client = httpx2.Client(
                headers=headers, transport=self._transport, timeout=self._timeout_s, trust_env=False
            )
        return self._client

    def _hide(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text


@dataclass(eq=False)
class _AttemptFailed(Exception):
    """One attempt gave no answer, and another may."""

    reason: str
    asked_wait_s: float | None = None


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
        raise _Unreadable(_own_words(text.encode()).removeprefix(": ") or _shortened(text))
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


def _own_words(reply: bytes) -> str:
    """What the endpoint says of its refusal, if it says it as OpenAI does; a page of HTML is of no use in an error."""
    try:
        said = json.loads(reply)["error"]
        said = said["message"] if isinstance(said, Mapping) else said
    except (ValueError, TypeError, KeyError, RecursionError):
        return ""
    return f": {str(said)[:_REASON_SHOWN]}"


# -- the call --------------------------------------------------------------------------------------------------------
def _wait_s(attempt: int) -> float:
    return float(_FIRST_WAIT_S * 2**attempt * random.uniform(1, 2))  # noqa: S311  spreads clients, guards nothing


def _asked_wait_s(value: str) -> float | None:
    """The seconds that a Retry-After header asks for, given as seconds or as a date; None without a sensible one."""
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except ValueError:
            return None
    return seconds if seconds >= 0 else None


def _address(url: str) -> tuple[str, str]:
    """The address to post to, and the same without user, password and query, to be shown in an error."""
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
    except ValueError as error:
        message = f"the model's url cannot be used: {error}"
        raise ConfigError(message) from error
    if parts.scheme not in {"http", "https"} or not host:
        message = "the model's url must be http://... or https://..., such as https://api.openai.com/v1"
        raise ConfigError(message)
    path = parts.path.rstrip("/") + "/chat/completions"
    shown = f"{parts.scheme}://{host}{'' if port is None else f':{port}'}"
    return parts._replace(path=path).geturl(), shown


def _checked_key(api_key: str | None) -> str:
    key = (api_key or "").strip()
    if not (key.isascii() and key.isprintable()):
        message = "the model's API key has characters that no key has: was it copied whole?"
        raise ConfigError(message)
    return key
