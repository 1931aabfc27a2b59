"""The MCP server over streamable HTTP: stateless, so that any process answers any request."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from retentive.mcp.server import Context, Reach, make_server

_REACH = "retentive.reach"


class HttpTransport:
    """Answers MCP requests; whoever uses it has checked who calls, and says what that reaches.

    Hosts and origins are its user's to check as well: the server has one guard for all of its paths.
    """

    def __init__(self, max_body_bytes: int) -> None:
        self._manager = StreamableHTTPSessionManager(
            make_server(_reach_of),
            json_response=True,
            stateless=True,
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            max_request_body_size=max_body_bytes,
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """It answers inside this; once."""
        async with self._manager.run():
            yield

    async def answer(self, scope: Scope, receive: Receive, send: Send, reach: Reach) -> None:
        """Answer one request that reaches so much."""
        await self._manager.handle_request({**scope, _REACH: reach}, receive, send)


def _reach_of(context: Context) -> Reach:
    request = context.request
    assert isinstance(request, Request)  # noqa: S101  over HTTP there is always one
    reach = request.scope[_REACH]
    assert isinstance(reach, Reach)  # noqa: S101  as `answer` puts it there
    return reach
