"""The endpoints behind the gateway: asked one after another until one answers; its bytes are passed on as they come."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

from retentive.contracts import Usage
from retentive.models.http import AttemptFailed, HttpEndpoint, repeated
from retentive.models.ladder import CacheHint, cache_hint_of
from retentive.models.openai_compatible import Endpoint
from retentive.models.replies import Unreadable, read_answer, usage_of
from retentive.server.problems import Refused

log = logging.getLogger("retentive")

Got = TypeVar("Got")
#: What a stream ends with.
DONE = b"data: [DONE]\n\n"
_LARGEST_ANSWER = 16 << 20
#: What the caller did wrong: another endpoint would say the same.
_THEIR_OWN = frozenset({400, 413, 415, 422})
#: What an endpoint may answer that says something to the caller; our key there is not the caller's concern.
_TOLD = _THEIR_OWN | {404, 429}


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer: its bytes, the words in it, and what it took where it says so."""

    content: bytes
    text: str
    usage: Usage | None
    model: str


@dataclass(slots=True)
class Pieces:
    """A streamed answer: events to pass on, and what became of it once they have been."""

    model: str
    events: Iterator[bytes]
    text: str = ""
    usage: Usage | None = None


class UpstreamFailed(Refused):
    """No endpoint answered, or one refused for what the caller sent."""


class Upstream:
    """A chain of endpoints. Safe to share between threads."""

    def __init__(self, endpoints: Sequence[Endpoint]) -> None:
        self._lines = [
            (one, HttpEndpoint(one.url, "/chat/completions", one.api_key, whose="model", headers=one.headers))
            for one in endpoints
        ]

    @property
    def cache(self) -> CacheHint | None:
        """How the first endpoint is told which part of a prompt stays."""
        first, http = self._lines[0]
        return first.cache or cache_hint_of(urlsplit(http.origin).hostname or "")

    @property
    def model(self) -> str:
        """The model that is asked where a request names none."""
        return self._lines[0][0].model

    def close(self) -> None:
        """Close the connections."""
        for _, http in self._lines:
            http.close()

    def answer(self, body: Mapping[str, Any]) -> Answer:
        """The first endpoint's answer that comes. Raises UpstreamFailed."""

        def ask(endpoint: Endpoint, http: HttpEndpoint, content: bytes) -> Answer:
            until = time.monotonic() + endpoint.timeout_s
            return _read(http.post(content, until=until, largest=_LARGEST_ANSWER), endpoint.model)

        return self._first(body, ask)

    def stream(self, body: Mapping[str, Any]) -> Pieces:
        """The first endpoint's stream that begins. Raises UpstreamFailed before it does."""
        asked = body.get("stream_options")
        tells = isinstance(asked, Mapping) and bool(asked.get("include_usage"))
        wanted = {**body, "stream_options": {**(asked or {}), "include_usage": True}}

        def ask(endpoint: Endpoint, http: HttpEndpoint, content: bytes) -> Pieces:
            pieces = Pieces(endpoint.model, iter(()))
            events = _events(http, content, endpoint.timeout_s, pieces, tells=tells)
            first = next(events)
            pieces.events = _chained(first, events)
            return pieces

        return self._first(wanted, ask)

    def _first(self, body: Mapping[str, Any], ask: Callable[[Endpoint, HttpEndpoint, bytes], Got]) -> Got:
        failures: list[AttemptFailed] = []
        for number, (endpoint, http) in enumerate(self._lines):
            model = body.get("model") if number == 0 and body.get("model") else endpoint.model
            content = json.dumps({**body, "model": model}).encode()
            try:
                return repeated(lambda: ask(endpoint, http, content), max_retries=1)  # noqa: B023  called at once
            except AttemptFailed as failed:
                log.warning("the model at %s %s", http.origin, failed.reason)
                failures.append(failed)
                if failed.status in _THEIR_OWN:
                    break
        raise _told(failures[-1])


def _told(failed: AttemptFailed) -> UpstreamFailed:
    """A failure as it is told to the caller."""
    status = failed.status if failed.status in _TOLD else 503 if failed.again else 502
    headers = {"retry-after": str(int(failed.asked_wait_s or 1))} if status in {429, 503} else None
    return UpstreamFailed(status or 502, f"the model {failed.reason}", headers)


def _read(content: bytes, model: str) -> Answer:
    try:
        text = read_answer(content).text
        answer = json.loads(content)
    except Unreadable as error:
        raise AttemptFailed(str(error)) from error
    return Answer(content, text, usage_of(answer.get("usage")), answer.get("model") or model)


def _events(http: HttpEndpoint, content: bytes, timeout_s: float, pieces: Pieces, *, tells: bool) -> Iterator[bytes]:
    """The stream's events as they are passed on; the words and the usage in them go to `pieces`.

    tells: the caller asked for the usage itself; otherwise the event that only tells it is ours.
    """
    import httpx2  # noqa: PLC0415  50 ms, so at first use

    with ExitStack() as stack:
        response = stack.enter_context(http.streamed(content, timeout_s=timeout_s, accept="text/event-stream"))
        if not response.headers.get("content-type", "").startswith("text/event-stream"):
            reason = "answered with what is no stream"
            raise AttemptFailed(reason)
        for event in httpx2.EventSource(response):
            if not event.data:
                continue
            if event.data.strip() == "[DONE]":
                break
            if _noted(event.data, pieces) or tells:
                yield f"data: {event.data}\n\n".encode()
        yield DONE


def _noted(data: str, pieces: Pieces) -> bool:
    """Note what an event says; False for one that tells the usage and nothing else."""
    try:
        said = json.loads(data)
        choices = said.get("choices")
        pieces.usage = usage_of(said.get("usage")) or pieces.usage
        pieces.model = said.get("model") or pieces.model
        delta = (choices[0].get("delta") or {}) if choices else {}
        pieces.text += delta.get("content") or ""
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return True  # it is the client's to make sense of
    return bool(choices) or not said.get("usage")


def _chained(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest
