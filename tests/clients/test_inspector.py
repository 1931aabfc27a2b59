"""The MCP Inspector's command line against our server: over stdio and HTTP, in both eras of the protocol."""

from __future__ import annotations

import json
from typing import Any

import pytest

from other_clients import Run, Server

TOOLS = 19  # of the profile `all`


@pytest.fixture(params=["legacy", "modern"])
def era(request: pytest.FixtureRequest) -> str:
    """The handshake of 2025-11-25, or the stateless protocol of 2026-07-28."""
    chosen: str = request.param
    return chosen


@pytest.fixture(params=["stdio", "http"])
def reached(
    request: pytest.FixtureRequest, server: Server, settings: dict[str, str], command: list[str], era: str
) -> list[str]:
    """The arguments that name a server; whatever a method takes stands before them."""
    how = ["--protocol-era", era, "--format", "json"]
    if request.param == "http":
        return [
            *how,
            "--transport",
            "http",
            "--server-url",
            server.mcp,
            "--header",
            f"Authorization: Bearer {server.key}",
        ]
    given = [part for name, value in settings.items() for part in ("-e", f"{name}={value}")]
    return [*how, *given, "--", *command]


@pytest.fixture
def ask(node: Run, reached: list[str]) -> Any:
    """What the Inspector gets."""

    def asking(method: str, *arguments: str) -> Any:
        done = node("mcp-inspector", "--cli", "--method", method, *arguments, *reached)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["result"]

    return asking


def test_every_tool_is_listed_and_its_schemas_are_portable(node: Run, reached: list[str]) -> None:
    done = node("mcp-inspector", "--cli", "--method", "tools/list", "--strict", *reached)
    assert (done.returncode, [line for line in done.stderr.splitlines() if "Issue" in line]) == (0, [])
    assert len(json.loads(done.stdout)["result"]["tools"]) == TOOLS


def test_a_memory_is_saved_found_read_and_erased(ask: Any) -> None:
    def call(tool: str, **arguments: Any) -> Any:
        answer = ask("tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments))
        assert not answer.get("isError")
        return answer["structuredContent"]

    fact = call("save_fact", text="Prefers aisle seats")["items"][0]["id"]
    assert [one["id"] for one in call("search_memories", query="aisle seats")["memories"]] == [fact]
    assert {one["uri"] for one in ask("resources/list")["resources"]} == {"memory://profile", "memory://block"}
    assert [one["uriTemplate"] for one in ask("resources/templates/list")["resourceTemplates"]] == [
        "memory://memories/{id}"
    ]
    (read,) = ask("resources/read", "--uri", f"memory://memories/{fact}")["contents"]
    assert json.loads(read["text"])["text"] == "Prefers aisle seats"
    assert [one["name"] for one in ask("prompts/list")["prompts"]] == ["memory"]
    prompt = ask("prompts/get", "--prompt-name", "memory", "--prompt-args", "query=seats")
    assert "Prefers aisle seats" in prompt["messages"][0]["content"]["text"]
    assert call("delete_memory", id=fact) == {"forgotten": [fact], "complete": True}
    assert call("list_memories")["memories"] == []


def test_without_its_key_nothing_is_told(node: Run, server: Server, era: str) -> None:
    to = ["--protocol-era", era, "--stored-auth-only", "--transport", "http", "--server-url", server.mcp]
    done = node("mcp-inspector", "--cli", "--method", "tools/list", *to)
    assert (done.returncode != 0, "save_fact" in done.stdout) == (True, False)
