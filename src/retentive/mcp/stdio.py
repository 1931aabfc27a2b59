"""The MCP server over standard input and output, for clients that start it themselves."""

from __future__ import annotations

import anyio
from mcp.server.stdio import stdio_server

from retentive.mcp.server import Reach, make_server


def run_stdio(reach: Reach) -> None:
    """Serve one client until its input ends."""
    server = make_server(lambda _: reach)

    async def serve() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(serve)
