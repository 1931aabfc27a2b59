"""`/v1/changes`: what happens to one user's or agent's memory, as server-sent events.

Each event is an entry of the audit: which verb, which memories, when; never a text. Its id is the entry's number, so a
client that was cut off asks for what it missed with `Last-Event-ID`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial

import anyio
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route as Path

from retentive.contracts.audit import AuditEntry
from retentive.server.access import Caller
from retentive.server.problems import Refused
from retentive.server.reading import checked_query
from retentive.server.routing import SCOPE, Route
from retentive.server.service import Service, dumped
from retentive.types import Scope

_ROUTE = Route("GET", "/v1/changes", "changes", "What happens, as events.", "read", lambda _: None, None)
_POLL_S = 0.5
_PAGE = 200
_QUIET_POLLS = 30  # so many without an event, and a comment keeps the connection


def changes_route(service: Service) -> Path:
    """The route."""

    async def changes(request: Request) -> Response:
        return await service.counted(_ROUTE.path, request, lambda: _begun(service, request))

    return Path(_ROUTE.path, changes, methods=["GET"])


async def _begun(service: Service, request: Request) -> Response:
    caller = await service.caller(request, _ROUTE)
    query = checked_query(_ROUTE, request.query_params.multi_items())
    scope = caller.scope(service.memory, *[query.get(name) for name in SCOPE]).scope
    since = await service.in_thread(lambda: _first(service, scope, request.headers.get("last-event-id")))
    return StreamingResponse(_events(service, caller, scope, since), media_type="text/event-stream")


def _first(service: Service, scope: Scope, last_event_id: str | None) -> int:
    """After which entry the events begin: the one the client had last, or the last there is. Raises Refused (422)."""
    if last_event_id is not None:
        if not last_event_id.isdecimal() or len(last_event_id) > 18:
            raise Refused(422, "Last-Event-ID is the id of an event of this stream")
        return int(last_event_id)
    return max((entry.no for entry in service.memory.audit(scope=scope, limit=1)), default=0)


async def _events(service: Service, caller: Caller, scope: Scope, since: int) -> AsyncIterator[bytes]:
    """Events until the client goes away or its key is no longer valid."""
    quiet = 0
    while await service.in_thread(lambda: service.access.stands(caller)):
        for entry in await service.in_thread(partial(_entries, service, scope, since)):
            since, quiet = entry.no, 0
            yield _event(entry)
        if quiet % _QUIET_POLLS == 0:
            yield b": still here\n\n"
        quiet += 1
        await anyio.sleep(_POLL_S)


def _entries(service: Service, scope: Scope, after: int) -> list[AuditEntry]:
    """The entries behind a number, oldest first."""
    found, cursor = list[AuditEntry](), None
    while True:
        page = service.memory.audit(scope=scope, limit=_PAGE, cursor=cursor)
        found += [entry for entry in page if entry.no > after]
        cursor = page.cursor
        if cursor is None or any(entry.no <= after for entry in page):
            return found[::-1]


def _event(entry: AuditEntry) -> bytes:
    told = {"at": entry.at, "verb": entry.verb, "count": entry.count, "ids": entry.ids}
    return f"id: {entry.no}\nevent: {entry.verb}\ndata: ".encode() + dumped(told) + b"\n\n"
