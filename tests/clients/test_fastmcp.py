"""FastMCP's client against our server: over stdio and HTTP, in both eras of the protocol."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest

from other_clients import Server


@pytest.fixture(params=["stdio", "http"])
def transport(request: pytest.FixtureRequest, server: Server, settings: dict[str, str], command: list[str]) -> Any:
    """How the client reaches a server."""
    from fastmcp.client.transports import StdioTransport, StreamableHttpTransport  # noqa: PLC0415  only here if asked for

    if request.param == "stdio":
        return StdioTransport(command[0], command[1:], env=settings, keep_alive=False)
    return StreamableHttpTransport(server.mcp, auth=server.key)


@pytest.mark.filterwarnings("default")  # of the client's own packages
@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
def test_a_whole_visit(transport: Any, mode: str, version: str) -> None:
    from fastmcp import Client  # noqa: PLC0415  only here if asked for

    async def visit() -> None:
        async with Client(transport, mode=mode) as client:
            assert client.protocol_version == version
            assert {"save_fact", "search", "create_entities"} <= {tool.name for tool in await client.list_tools()}
            saved = (await client.call_tool("save_fact", {"text": "Prefers aisle seats"})).structured_content
            fact = saved["items"][0]["id"]
            found = (await client.call_tool("search_memories", {"query": "aisle seats"})).structured_content
            assert [one["id"] for one in found["memories"]] == [fact]
            listed = {str(one.uri) for one in await client.list_resources()}
            assert listed == {"memory://profile", "memory://block"}
            (read,) = await client.read_resource(f"memory://memories/{fact}")
            assert json.loads(read.text)["text"] == "Prefers aisle seats"
            assert [one.name for one in await client.list_prompts()] == ["memory"]
            prompt = await client.get_prompt("memory", {"query": "seats"})
            assert "aisle seats" in prompt.messages[0].content.text
            gone = (await client.call_tool("delete_memory", {"id": fact})).structured_content
            assert gone == {"forgotten": [fact], "complete": True}

    anyio.run(visit)
