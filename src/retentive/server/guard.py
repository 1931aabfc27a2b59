"""The first look at a request: is it meant for this server, and does no web page of elsewhere send it?

A page in a browser can make requests to a server on the user's own machine. What it cannot do is choose the Host and
Origin headers, so both are held to a list: the one stops DNS rebinding, the other pages of other origins.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, unquote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from retentive.server.options import ServerOptions
from retentive.server.problems import problem

#: On every answer: nothing of it is kept by caches, guessed at, framed or told to other sites.
_ALWAYS: Mapping[str, str] = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
}


class Guard:
    """ASGI middleware that refuses foreign hosts (421) and origins (403)."""

    def __init__(self, app: ASGIApp, options: ServerOptions) -> None:
        self._app = app
        self._hosts, self._origins = options.hosts, frozenset(o.lower() for o in options.allow_origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what may pass."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if len(headers.getlist("host")) != 1 or _name(headers["host"]) not in self._hosts:
            refusal = problem(421, "this server does not answer to that Host: name it with --allow-host")
            await refusal(scope, receive, send)
        elif not self._is_own(scope["method"], headers):
            await problem(403, "web pages of that origin may not call this server")(scope, receive, send)
        else:
            await self._app(_by_segments(scope), receive, _adding(send))

    def _is_own(self, method: str, headers: Headers) -> bool:
        """No page sends it, or one of this server's own or of an origin that is allowed; a link may lead here."""
        origins = [origin.lower() for origin in headers.getlist("origin")]
        if not origins:
            follows_a_link = method == "GET" and headers.get("sec-fetch-mode") == "navigate"
            return follows_a_link or headers.get("sec-fetch-site", "none") in {"none", "same-origin"}
        own = {f"{scheme}://{headers['host'].lower()}" for scheme in ("http", "https")}
        return len(origins) == 1 and origins[0] in own | self._origins


def _name(host: str) -> str | None:
    """The name in a Host header without its port, in lower case; None for what is no host.

    >>> _name("Localhost:8377"), _name("[::1]:8377"), _name("evil.example@localhost")
    ('localhost', '[::1]', None)
    """
    try:
        parts = urlsplit(f"//{host.lower()}")
        name = parts.hostname
        _ = parts.port
    except ValueError:
        return None
    if name is None or parts.netloc != host.lower() or "@" in host or parts.path or parts.query:
        return None
    return f"[{name}]" if ":" in name else name


def _by_segments(scope: Scope) -> Scope:
    """The path of a verb with each segment encoded, so that an id may hold what else would part two: see `segment`."""
    raw: bytes = scope.get("raw_path") or quote(scope["path"]).encode()
    if b"%" not in raw or "/v1/" not in unquote(raw.decode("ascii")):
        return scope
    segments = raw.decode("ascii").split("/")
    return {**scope, "path": "/".join(quote(unquote(segment), safe="") for segment in segments)}


def segment(encoded: str) -> str:
    """What a segment of a verb's path says.

    >>> segment(_by_segments({"path": "", "raw_path": b"/v1/sessions/a%2Fb"})["path"].split("/")[-1])
    'a/b'
    """
    return unquote(encoded)


def _adding(send: Send) -> Send:
    async def send_with(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _ALWAYS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with
