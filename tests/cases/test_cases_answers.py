"""CASE 42: no tool of MCP gives more than its cap, however much there is; what it left out comes page by page."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from retentive import Memory
from served_pages import served

LONGEST = 25_000  # characters of an answer: 20,000 of memories, and what stands around them
NAMES = [f"Machine {number}" for number in range(60)]
OBSERVED = [f"Was looked after in week {number} by somebody who wrote a long report on it" for number in range(300)]


@pytest.fixture
def full(memory: Memory) -> Iterator[str]:
    """Where a memory with too much of everything is served."""
    mine = memory.scope(user_id="alice")
    mine.record([{"content": f"{number} " + "word " * 3000} for number in range(60)], session_id="s1")
    mine.remember("word " * 100_000)
    for number in range(60):
        mine.remember(f"Word {number}: " + f"word{number} " * 300, evergreen=True)
    memory.process()
    with served(memory) as url:
        yield f"{url}/mcp?user_id=alice&profile=all"


@contextlib.asynccontextmanager
async def connected(url: str) -> AsyncIterator[Client]:
    async with Client(streamable_http_client(url)) as client:
        yield client


async def pages(client: Client, tool: str, **arguments: Any) -> list[dict[str, Any]]:
    """Every page of a tool, none of them too long."""
    found: list[dict[str, Any]] = []
    while not found or found[-1].get("cursor"):
        more = {"cursor": found[-1]["cursor"]} if found else {}
        answer = await client.call_tool(tool, {**arguments, **more})
        assert not answer.is_error, answer.content
        assert len(answer.content[0].text) < LONGEST, tool
        found.append(answer.structured_content)
    return found


def test_case_42_every_tool_that_reads_obeys_its_cap_and_lists_go_on(full: str) -> None:
    async def run() -> None:
        async with connected(full) as client:
            reading = {one.name for one in (await client.list_tools()).tools if one.annotations.read_only_hint}
            listed = await pages(client, "list_memories", limit=50)
            ids = [one["id"] for page in listed for one in page["memories"]]
            assert (len(ids), len(set(ids))) == (121, 121)
            asked: dict[str, dict[str, Any]] = {"get_memory": {"id": ids[60]}, "fetch": {"id": ids[60]}}
            asked |= {name: {"query": "word"} for name in ("search_memories", "search", "get_memory_block")}
            asked["search_memories"]["k"] = 50
            for tool, arguments in asked.items():
                assert len(await pages(client, tool, **arguments)) == 1
            assert reading - asked.keys() - {"list_memories"} == {"read_graph", "search_nodes", "open_nodes"}

    anyio.run(run)


def test_case_42_so_does_a_graph(memory: Memory) -> None:
    made = [{"name": name, "entityType": "machine", "observations": ["Is green"]} for name in NAMES]
    made[7] = {**made[7], "observations": OBSERVED}
    links = [{"from": name, "to": NAMES[0], "relationType": "stands beside"} for name in NAMES[1:]]

    async def run(url: str) -> None:
        async with connected(f"{url}/mcp?user_id=alice&profile=knowledge-graph") as client:
            await client.call_tool("create_entities", {"entities": made})
            await client.call_tool("create_relations", {"relations": links})
            for tool, arguments in (
                ("read_graph", {}),
                ("open_nodes", {"names": NAMES}),
                ("search_nodes", {"query": "i"}),
            ):
                found = await pages(client, tool, **arguments)
                assert len(found) > 1
                seen: dict[str, list[str]] = {}
                for entity in (one for page in found for one in page["entities"]):
                    seen.setdefault(entity["name"], []).extend(entity["observations"])
                assert seen == {one["name"]: one["observations"] for one in made}
                assert [one for page in found for one in page["relations"]] == links
                assert found[0]["leftOut"] > 0
                assert found[-1]["leftOut"] == 0
            wrong = await client.call_tool("read_graph", {"cursor": "last"})
            assert wrong.is_error

    with served(memory) as url:
        anyio.run(run, url)
