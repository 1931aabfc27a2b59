"""How endpoints are asked over HTTP, by embedders and models alike: one transport, one back-off, nothing secret shown.

A provider's refusals are described by RFC 9110 (status, Retry-After) and OpenAI's error object; both are read here.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from retentive.errors import ConfigError

if TYPE_CHECKING:
    import httpx2

#: An endpoint that asks for a longer wait is not waited for.
LONGEST_WAIT_S = 30.0
_FIRST_WAIT_S = 0.5  # doubled before each further attempt
_REASON_SHOWN = 200  # characters of the endpoint's own words in an error
_REFUSAL_READ = 1 << 20  # bytes of a refusal's body: enough for its reason
_RETRIED_STATUS = frozenset({408, 429})  # and all from 500 on
_SHORTEST_SECRET = 6  # a header's value of fewer characters is a switch, not a secret

T = TypeVar("T")


@dataclass(eq=False)
class AttemptFailed(Exception):
    """An attempt gave no answer. `again`: another may. `said`: the body of a refusal, `status` its status."""

    reason: str
    again: bool = False
    asked_wait_s: float | None = None
    status: int | None = None
    said: bytes = dataclass_field(default=b"", repr=False)
    attempts: int = 1

    def __str__(self) -> str:
        return self.reason


def repeated(attempt: Callable[[], T], *, max_retries: int, deadline: float | None = None) -> T:
    """What `attempt` returns; after an AttemptFailed that allows it, another one, `max_retries` times at the most.

    Waits 0.5 to 1 s first, by chance, then twice as long each time, or what the endpoint asked for. The failure is
    raised where no wait ends before `deadline` (on the monotonic clock) or the endpoint asks for more than 30 s.
    """
    made = 0
    while True:
        made += 1
        try:
            return attempt()
        except AttemptFailed as failed:
            failed.attempts = made
            wait_s = _back_off_s(made) if failed.asked_wait_s is None else failed.asked_wait_s
            late = deadline is not None and time.monotonic() + wait_s > deadline
            if not failed.again or late or made > max_retries or wait_s > LONGEST_WAIT_S:
                raise
        time.sleep(wait_s)


class HttpEndpoint:
    """Posts JSON to one address. Safe to share between threads; httpx2 is loaded by the first call.

    No proxy and no netrc of the environment is used, and no redirect followed. What may be secret (key, headers, user
    and query of the url) is in no repr, no error and no log of the transport.

    Args:
        url: the endpoint without `path`; used as it is, so it ends in `/v1` where the endpoint's does.
        path: what follows, such as `/embeddings`.
        api_key: sent as a bearer token.
        whose: who is asked, for errors: `embedder`, `model`.
        headers: more headers, for gateways.
        transport: an httpx2 transport to send with, for a proxy or a private certificate authority.

    Raises:
        ConfigError: the url, the key or a header cannot be used in a request.

    >>> HttpEndpoint("https://user:hidden@example.com/v1?key=hidden", "/embeddings", None, whose="embedder").place
    'https://example.com/v1/embeddings'
    """

    def __init__(
        self,
        url: str,
        path: str,
        api_key: str | None,
        *,
        whose: str,
        headers: Mapping[str, str] | None = None,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        parts, self.origin = _checked_url(url, whose)
        self.place = self.origin + parts.path.rstrip("/") + path
        #: The query goes beside the url, which the transport logs.
        self._target = f"{parts.path.rstrip('/')}{path}?{parts.query}".encode() if parts.query else None
        key = _checked_value(api_key or "", f"the {whose}'s API key").strip()
        more = {name: _checked_value(value, f"the {whose}'s header {name}") for name, value in (headers or {}).items()}
        self._headers = {"Content-Type": "application/json", "User-Agent": "retentive"} | more
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self._login = (unquote(parts.username), unquote(parts.password or "")) if parts.username and not key else None
        queried = [value for _, value in parse_qsl(parts.query)]
        self._secrets = [key, *queried, unquote(parts.password or ""), *more.values()]
        self._transport = transport
        self._lock = threading.Lock()
        self._opened: httpx2.Client | None = None

    def __repr__(self) -> str:
        return f"HttpEndpoint({self.place!r})"

    def post(self, content: bytes, *, until: float, largest: int) -> bytes:
        """The whole body of the answer, in one attempt that ends at `until` on the monotonic clock.

        Raises AttemptFailed for anything but a 2xx with at most `largest` bytes; TooLarge for more of them.
        """
        left_s = until - time.monotonic()
        if left_s <= 0:
            reason = "did not answer in time"
            raise AttemptFailed(reason)
        with self.streamed(content, timeout_s=left_s) as response:
            return _read(response, until, largest)

    @contextmanager
    def streamed(self, content: bytes, *, timeout_s: float, accept: str = "application/json") -> Iterator[Any]:
        """The answer as an httpx2 Response whose body is still to be read; `timeout_s` bounds each silence.

        Raises AttemptFailed for anything but a 2xx, and for what goes wrong with the connection meanwhile.
        """
        import httpx2  # noqa: PLC0415  50 ms, so at first use

        extensions = {"target": self._target} if self._target else {}
        try:
            with self._client().stream(
                "POST",
                self.place,
                content=content,
                headers={"Accept": accept},
                timeout=timeout_s,
                extensions=extensions,
            ) as response:
                if not response.is_success:
                    raise self._refused(response, time.monotonic() + timeout_s)
                yield response
        except httpx2.TimeoutException as error:
            reason = "did not answer in time"
            raise AttemptFailed(reason, again=True) from error
        except (httpx2.NetworkError, httpx2.RemoteProtocolError) as error:
            reason = f"could not be reached ({self.hide(str(error))})"
            raise AttemptFailed(reason, again=True) from error
        except httpx2.HTTPError as error:
            reason = f"could not be asked ({self.hide(str(error))})"
            raise AttemptFailed(reason) from error

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        with self._lock:
            client, self._opened = self._opened, None
        if client is not None:
            client.close()

    def hide(self, text: str) -> str:
        """The text without what may be secret in it."""
        for secret in self._secrets:
            if len(secret) >= _SHORTEST_SECRET:
                text = text.replace(secret, "***")
        return text

    def _client(self) -> httpx2.Client:
        import httpx2  # noqa: PLC0415  as above

        with self._lock:
            if self._opened is None:
                self._opened = httpx2.Client(
                    headers=self._headers, auth=self._login, transport=self._transport, trust_env=False
                )
            return self._opened

    def refusal(self, status: int, said: bytes, asked_wait_s: float | None = None) -> AttemptFailed:
        """What an answer with this status and body means."""
        reason = f"answered {status} {self.hide(own_words(said))[:_REASON_SHOWN]}".rstrip()
        again = status in _RETRIED_STATUS or status >= 500
        return AttemptFailed(reason, again, asked_wait_s, status, said)

    def _refused(self, response: httpx2.Response, until: float) -> AttemptFailed:
        try:
            said = _read(response, until, _REFUSAL_READ)
        except TooLarge:
            said = b""
        return self.refusal(response.status_code, said, _asked_wait_s(response.headers.get("retry-after", "")))


class TooLarge(AttemptFailed):
    """The answer is longer than any that was asked for."""


def own_words(said: bytes) -> str:
    """What an endpoint says of its refusal, if it says it as OpenAI does; a page of HTML is of no use in an error.

    >>> own_words(b'{"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}')
    'Rate limit reached'
    """
    try:
        error = json.loads(said)["error"]
        return str(error["message"] if isinstance(error, Mapping) else error)
    except (ValueError, TypeError, KeyError, RecursionError):
        return ""


def _read(response: httpx2.Response, until: float, largest: int) -> bytes:
    """The whole body, unless it is huge or comes too slowly: the client's own time-out starts anew with every byte."""
    body = bytearray()
    for chunk in response.iter_bytes():
        body += chunk
        if len(body) > largest:
            reason = f"answered with more than {largest} bytes"
            raise TooLarge(reason)
        if time.monotonic() > until:
            reason = "did not answer in time"
            raise AttemptFailed(reason, again=True)
    return bytes(body)


def _back_off_s(attempt: int) -> float:
    return float(_FIRST_WAIT_S * 2 ** (attempt - 1) * random.uniform(1, 2))  # noqa: S311  spreads clients out


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


def _checked_url(url: str, whose: str) -> tuple[SplitResult, str]:
    """The parts of a url, and its scheme, host and port: what of it may be shown."""
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
    except ValueError as error:
        message = f"the {whose}'s url cannot be used: {error}"
        raise ConfigError(message) from error
    if parts.scheme not in {"http", "https"} or not host:
        message = f"the {whose}'s url must be http://... or https://..., such as https://api.openai.com/v1"
        raise ConfigError(message)
    shown = f"[{host}]" if ":" in host else host
    return parts, f"{parts.scheme}://{shown}{'' if port is None else f':{port}'}"


def _checked_value(value: str, what: str) -> str:
    if not (value.strip().isascii() and value.strip().isprintable()):
        message = f"{what} has characters that cannot be sent: was it copied whole?"
        raise ConfigError(message)
    return value.strip()
