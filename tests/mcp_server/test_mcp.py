"""The MCP server with the SDK's own client: over stdio, over HTTP and in memory; both eras of the protocol."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
import uvicorn
from jsonschema import Draft202012Validator
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from retentive import Memory, ScopedMemory
from retentive.config import Settings
from retentive.errors import ImportFailed
from retentive.mcp.graph import graph_tools, import_lines, profile_tools, read
from retentive.mcp.server import Reach, make_server
from retentive.mcp.table import Tool, memory_tools
from retentive.server.app import create_app
from retentive.server.options import ServerOptions
from retentive.types import RIGHTS
from stubs import StubEmbedder

NAMES = {
    "save_fact", "update_profile", "search_memories", "list_memories", "get_memory", "update_memory", "delete_memory",
    "get_memory_block", "search", "fetch",
}  # fmt: skip


def asked(
    mine: ScopedMemory, calls: Callable[[Client], Any], rights: Any = RIGHTS, tools: Mapping[str, Tool] | None = None
) -> Any:
    """What a client makes of a server over this scope, in memory."""

    async def run() -> Any:
        server = make_server(lambda _: Reach(mine, rights, tools or memory_tools()))
        async with Client(server) as client:
            return await calls(client)

    return anyio.run(run)


async def given(client: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """What a tool gives; its structure and its text say the same."""
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    structure: dict[str, Any] = answer.structured_content
    assert json.loads(answer.content[0].text) == structure
    return structure


# -- tools -------------------------------------------------------------------------------------------------------------
def test_the_tools_are_named_described_and_annotated(mine: ScopedMemory) -> None:
    found = asked(mine, lambda client: client.list_tools()).tools
    assert {tool.name for tool in found} == NAMES
    for tool in found:
        Draft202012Validator.check_schema(tool.input_schema)
        Draft202012Validator.check_schema(tool.output_schema)
        assert tool.annotations.open_world_hint is False
    reading = {tool.name for tool in found if tool.annotations.read_only_hint}
    assert NAMES - reading == {"save_fact", "update_profile", "update_memory", "delete_memory"}
    assert {tool.name for tool in found if tool.annotations.destructive_hint} == {"delete_memory"}


def test_a_client_saves_finds_corrects_and_erases(mine: ScopedMemory) -> None:
    async def life(client: Client) -> None:
        saved = await given(client, "save_fact", text="Prefers aisle seats", category="preference")
        fact = saved["items"][0]["id"]
        found = await given(client, "search_memories", query="aisle seats")
        assert [memory["id"] for memory in found["memories"]] == [fact]
        results = (await given(client, "search", query="aisle seats"))["results"]
        assert results == [{"id": fact, "title": "Prefers aisle seats", "url": f"memory://memories/{fact}"}]
        assert (await given(client, "fetch", id=fact))["text"] == "Prefers aisle seats"
        await given(client, "update_memory", id=fact, text="Prefers window seats")
        assert (await given(client, "get_memory", id=fact))["version"] == 2
        await given(client, "update_profile", values={"name": "Alice"})
        assert "Alice" in (await given(client, "get_memory_block"))["text"]
        assert (await given(client, "list_memories", tier="semantic"))["cursor"] is None
        assert await given(client, "delete_memory", id=fact) == {"forgotten": [fact], "complete": True}

    asked(mine, life)


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("save_fact", {}, "$.text is missing"),
        ("save_fact", {"text": "x", "user_id": "bob"}, "not asked for"),
        ("search_memories", {"query": "x", "k": 10_000}, "not within"),
        ("get_memory", {"id": "none"}, "No memory"),
        ("update_profile", {"values": {"shoe_size": "44"}}, "unknown profile field"),
    ],
)
def test_a_mistake_comes_back_as_words(mine: ScopedMemory, tool: str, arguments: dict[str, Any], words: str) -> None:
    async def call(client: Client) -> Any:
        return await client.call_tool(tool, arguments)

    answer = asked(mine, call)
    assert answer.is_error
    assert words in answer.content[0].text


def test_what_is_not_there_is_an_error_of_the_protocol(mine: ScopedMemory) -> None:
    async def call(client: Client) -> None:
        with pytest.raises(MCPError, match="no tool of this name"):
            await client.call_tool("drop_table", {})
        for uri in ("memory://memories/none", "memory://nothing", "file:///etc/passwd"):
            with pytest.raises(MCPError, match="no such resource"):
                await client.read_resource(uri)
        with pytest.raises(MCPError, match="one prompt"):
            await client.get_prompt("other")

    asked(mine, call)


def test_rights_hide_tools_and_refuse_them(mine: ScopedMemory) -> None:
    async def call(client: Client) -> set[str]:
        refused = await client.call_tool("save_fact", {"text": "Prefers aisle seats"})
        assert refused.is_error
        with pytest.raises(MCPError, match="right read"):
            await client.read_resource("memory://block")
        return {tool.name for tool in (await client.list_tools()).tools}

    assert asked(mine, call, ("forget",)) == {"delete_memory"}
    assert len(mine.list()) == 0


def test_resources_and_the_prompt(mine: ScopedMemory) -> None:
    mine.update_profile({"name": "Alice"})
    fact = mine.remember("Prefers aisle seats", evergreen=True).ids[0]

    async def call(client: Client) -> None:
        listed = {str(one.uri) for one in (await client.list_resources()).resources}
        assert listed == {"memory://profile", "memory://block"}
        profile = (await client.read_resource("memory://profile")).contents[0]
        assert json.loads(profile.text) == {"name": "Alice"}
        assert "aisle seats" in (await client.read_resource("memory://block")).contents[0].text
        one = (await client.read_resource(f"memory://memories/{fact}")).contents[0]
        assert json.loads(one.text)["text"] == "Prefers aisle seats"
        templates = (await client.list_resource_templates()).resource_templates
        assert templates[0].uri_template == "memory://memories/{id}"
        prompt = await client.get_prompt("memory", {"query": "seats"})
        assert "aisle seats" in prompt.messages[0].content.text

    asked(mine, call)


def test_no_answer_is_larger_than_its_cap(mine: ScopedMemory) -> None:
    """One tool of another server once returned 80,000 tokens."""
    mine.record([{"content": f"{number} " + "word " * 3000} for number in range(60)])

    async def call(client: Client) -> int:
        largest = 0
        for tool, arguments in (
            ("list_memories", {"limit": 50}),
            ("search_memories", {"query": "word", "k": 50}),
            ("search", {"query": "word"}),
            ("get_memory_block", {"query": "word"}),
        ):
            answer = await client.call_tool(tool, arguments)
            largest = max(largest, len(answer.content[0].text))
        return largest

    assert asked(mine, call) < 25_000


# -- the knowledge graph -----------------------------------------------------------------------------------------------
ENTITIES = [
    {"name": "Alice_Smith", "entityType": "person", "observations": ["Lives in Porto", "Prefers tea"]},
    {"name": "Bob", "entityType": "person", "observations": ["Prefers tea"]},
    {"name": "Acme", "entityType": "company", "observations": []},
]
RELATIONS = [
    {"from": "Alice_Smith", "to": "Acme", "relationType": "works_at"},
    {"from": "Bob", "to": "Acme", "relationType": "works_at"},
]


def test_the_nine_tools_of_the_reference_server(mine: ScopedMemory) -> None:
    async def life(client: Client) -> None:
        assert (await given(client, "create_entities", entities=ENTITIES))["entities"] == ENTITIES
        assert (await given(client, "create_entities", entities=ENTITIES))["entities"] == []
        assert (await given(client, "create_relations", relations=RELATIONS))["relations"] == RELATIONS
        assert (await given(client, "create_relations", relations=RELATIONS))["relations"] == []
        new = [{"entityName": "Bob", "contents": ["Prefers tea", "Lives in Rome"]}]
        added = await given(client, "add_observations", observations=new)
        assert added["results"] == [{"entityName": "Bob", "addedObservations": ["Lives in Rome"]}]
        graph = await given(client, "read_graph")
        assert {one["name"]: one["observations"] for one in graph["entities"]} == {
            "Alice_Smith": ["Lives in Porto", "Prefers tea"],
            "Bob": ["Prefers tea", "Lives in Rome"],
            "Acme": [],
        }
        assert graph["relations"] == RELATIONS
        found = await given(client, "search_nodes", query="porto")
        assert found["entities"][0]["name"] == "Alice_Smith"
        opened = await given(client, "open_nodes", names=["Bob", "nobody"])
        assert ([one["name"] for one in opened["entities"]], opened["relations"]) == (["Bob"], [RELATIONS[1]])
        gone = [{"entityName": "Bob", "observations": ["Lives in Rome"]}]
        assert (await given(client, "delete_observations", deletions=gone))["success"]
        assert (await given(client, "delete_relations", relations=RELATIONS[1:]))["success"]
        assert (await given(client, "delete_entities", entityNames=["Alice_Smith"]))["success"]
        graph = await given(client, "read_graph")
        assert [(one["name"], one["observations"]) for one in graph["entities"]] == [
            ("Bob", ["Prefers tea"]),
            ("Acme", []),
        ]
        assert graph["relations"] == []
        nobody = await client.call_tool(
            "add_observations", {"observations": [{"entityName": "Eve", "contents": ["x"]}]}
        )
        assert nobody.is_error

    asked(mine, life, tools=graph_tools())
    assert not [item for item in mine.list(status=None, limit=1000) if "Porto" in item.text]


def test_the_reference_server_s_file_is_taken_in_once(mine: ScopedMemory) -> None:
    lines = [json.dumps({"type": "entity", **one}) for one in ENTITIES]
    lines += ["", *(json.dumps({"type": "relation", **one}) for one in RELATIONS)]
    assert import_lines(mine, lines) == (3, 2)
    assert import_lines(mine, lines) == (0, 0)
    graph = read(mine)
    assert list(graph.entities["Alice_Smith"].observations) == ["Lives in Porto", "Prefers tea"]
    before = len(mine.list(limit=1000))
    for wrong in ("not json", "[]", '{"type": "node"}', '{"type": "entity", "name": "Eve"}'):
        with pytest.raises(ImportFailed, match="line 7"):
            import_lines(mine, [*lines, wrong][-7:])
    assert len(mine.list(limit=1000)) == before


def test_profiles_have_their_tools() -> None:
    names = {profile: set(profile_tools(profile, memory_tools())) for profile in ("memory", "knowledge-graph", "all")}
    assert names["memory"] == NAMES
    assert len(names["knowledge-graph"]) == 9
    assert names["all"] == names["memory"] | names["knowledge-graph"]


# -- over stdio --------------------------------------------------------------------------------------------------------
@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    ours = {"EMBEDDER": "none", "URL": str(tmp_path / "memory.db"), "USER": "alice", "DURABLE": "false"}
    return {**os.environ, **{f"RETENTIVE_{name}": value for name, value in ours.items()}}


#: How a client begins, and which era of the protocol that comes to: a handshake, or none.
ERAS = [("legacy", "2025-11-25"), ("auto", "2026-07-28")]


async def visit(client: Client) -> None:
    """All that a client may ask for: tools listed and called, resources, the prompt."""
    assert {tool.name for tool in (await client.list_tools()).tools} == NAMES
    fact = (await given(client, "save_fact", text="Prefers aisle seats"))["items"][0]["id"]
    found = await given(client, "search_memories", query="aisle seats")
    assert [one["id"] for one in found["memories"]] == [fact]
    listed = {str(one.uri) for one in (await client.list_resources()).resources}
    assert listed == {"memory://profile", "memory://block"}
    read = (await client.read_resource(f"memory://memories/{fact}")).contents[0]
    assert json.loads(read.text)["text"] == "Prefers aisle seats"
    assert [one.name for one in (await client.list_prompts()).prompts] == ["memory"]
    prompt = await client.get_prompt("memory", {"query": "seats"})
    assert "aisle seats" in prompt.messages[0].content.text
    assert await given(client, "delete_memory", id=fact) == {"forgotten": [fact], "complete": True}


@pytest.mark.parametrize(("mode", "version"), ERAS)
def test_over_stdio(environment: dict[str, str], mode: Any, version: str) -> None:
    server = StdioServerParameters(command=sys.executable, args=["-m", "retentive.cli", "mcp"], env=environment)

    async def run() -> None:
        async with Client(stdio_client(server), mode=mode) as client:
            assert client.protocol_version == version
            await visit(client)

    anyio.run(run)


# -- over HTTP ---------------------------------------------------------------------------------------------------------
@contextlib.contextmanager
def served(memory: Memory) -> Iterator[str]:
    """The application on a port of its own."""
    config = uvicorn.Config(create_app(memory, ServerOptions(port=0)), port=0, log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


@contextlib.asynccontextmanager
async def connected(url: str, headers: dict[str, str], mode: Any = "auto") -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield client


@pytest.mark.parametrize(("mode", "version"), ERAS)
def test_over_http(memory: Memory, mode: Any, version: str) -> None:
    headers = {"authorization": f"Bearer {memory.keys.create('client', rights=RIGHTS).text}"}

    async def run(url: str) -> None:
        async with connected(f"{url}/mcp?user_id=alice", headers, mode) as client:
            assert client.protocol_version == version
            await visit(client)

    with served(memory) as url:
        anyio.run(run, url)


def test_over_http_each_key_reaches_its_own(memory: Memory) -> None:
    def headers(**more: Any) -> dict[str, str]:
        return {"authorization": f"Bearer {memory.keys.create('client', **more).text}"}

    acme, own, one = headers(tenant="acme"), headers(), headers(users=["ann"], rights=["read"])

    async def run(url: str) -> None:
        for mode in ("auto", "legacy"):
            async with connected(f"{url}/mcp?user_id=alice", own, mode) as client:
                await given(client, "save_fact", text="Prefers aisle seats")
        async with connected(f"{url}/mcp?user_id=alice", acme) as client:
            assert (await given(client, "list_memories"))["memories"] == []
        async with connected(f"{url}/mcp", one) as client:  # a key for one user names them
            assert (await given(client, "list_memories"))["memories"] == []
            assert "save_fact" not in {tool.name for tool in (await client.list_tools()).tools}
        async with connected(f"{url}/mcp?user_id=alice&profile=knowledge-graph", own) as client:
            assert len((await client.list_tools()).tools) == 6  # without those that need the right forget

    with served(memory) as url:
        anyio.run(run, url)
    assert len(memory.scope(user_id="alice").list()) == 1


def test_without_keys_the_machine_s_own_user_is_meant(tmp_path: Path, stub_embedder: StubEmbedder) -> None:
    async def run(url: str) -> None:
        async with connected(f"{url}/mcp", {}) as client:
            await given(client, "save_fact", text="Prefers aisle seats")

    settings = Settings(user="alice")
    with Memory.open(tmp_path / "m.db", embedder=stub_embedder, settings=settings, background=False) as memory:
        with served(memory) as url:
            anyio.run(run, url)
        assert len(memory.scope(user_id="alice").list()) == 1


METHODS = (
    "initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read",
    "resources/subscribe", "prompts/list", "prompts/get", "completion/complete", "logging/setLevel", "server/discover",
    "notifications/initialized",
)  # fmt: skip


def test_every_method_asks_for_a_key(memory: Memory) -> None:
    from starlette.testclient import TestClient  # noqa: PLC0415  beside the real ones

    memory.keys.create("other")
    accept = {"accept": "application/json, text/event-stream"}
    with TestClient(create_app(memory), "http://127.0.0.1:8377") as client:
        for method in METHODS:
            body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}
            answer = client.post("/mcp?user_id=alice", json=body, headers=accept)
            assert (method, answer.status_code) == (method, 401)
        assert client.get("/mcp").status_code == client.delete("/mcp").status_code == 401
        for headers, status in (({"host": "evil.example"}, 421), ({"origin": "https://evil.example"}, 403)):
            assert client.post("/mcp", json={}, headers=headers).status_code == status
