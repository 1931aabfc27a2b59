"""`/mcp`: the MCP server behind the same guard, keys and limits as every other path."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.requests import Request
from starlette.routing import Route as Path
from starlette.types import Message, Receive, Scope, Send

from retentive.errors import RetentiveError
from retentive.mcp.graph import profile_tools
from retentive.mcp.http import HttpTransport
from retentive.mcp.server import Reach
from retentive.mcp.table import memory_tools
from retentive.server.access import default_user
from retentive.server.problems import Refused, from_error, problem
from retentive.server.reading import checked_query
from retentive.server.routing import Route
from retentive.server.schemas import ID
from retentive.server.service import Service, told
from retentive.tracing import span

PATH = "/mcp"
#: What its key needs is said by each tool; its query names the scope, and which tools there are.
_ROUTE = Route("POST", PATH, "mcp", "MCP over streamable HTTP.", None, lambda _: None, None, query={"profile": ID})


class McpEndpoint:
    """The ASGI application of the path."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._tools = memory_tools()
        self._transport: HttpTransport | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """It answers inside this, each time with a transport of its own."""
        transport = HttpTransport(self._service.options.max_body_bytes)
        async with transport.running():
            self._transport = transport
            yield
        self._transport = None

    def route(self) -> Path:
        """Its route."""
        return Path(PATH, self, methods=["GET", "POST", "DELETE"])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Say who calls, then let the protocol answer."""
        began_s, status = time.perf_counter(), [500]

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                status[0] = message["status"]
            await send(message)

        request = Request(scope, receive)
        with span(f"{request.method} {PATH}", told(request.method, PATH), request.headers) as tell:
            await self._answer(request, noted)
            tell({"http.response.status_code": status[0]})
        self._service.metrics.count(request.method, PATH, status[0], time.perf_counter() - began_s)

    async def _answer(self, request: Request, send: Send) -> None:
        """The protocol's answer, or the problem in its place."""
        scope, receive = request.scope, request.receive
        try:
            reach = await self._reach(request)
            transport = self._transport
            if transport is None:
                raise Refused(503, "the server is starting or ending", {"retry-after": "1"})  # noqa: TRY301  told below
        except Refused as refused:
            await problem(refused.status, refused.detail, refused.headers)(scope, receive, send)
        except RetentiveError as error:
            await from_error(error)(scope, receive, send)
        else:
            await transport.answer(scope, receive, send, reach)

    async def _reach(self, request: Request) -> Reach:
        caller = await self._service.caller(request, _ROUTE)
        query = checked_query(_ROUTE, request.query_params.multi_items())
        tools = profile_tools(query.pop("profile", "memory"), self._tools)
        user_id = query.get("user_id") or default_user(caller, self._service.memory.settings)
        mine = caller.scope(self._service.memory, user_id, query.get("agent_id"), query.get("project_id"))
        return Reach(mine, caller.rights, tools)
