"""CASE 26: two MCP servers on one file, and a REST server beside them, lose nothing of each other."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import anyio
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from retentive import Memory
from retentive.models.embed_none import NoEmbedder

WRITES = 200
COMMAND = ["-m", "retentive.cli"]


async def by_mcp(environment: dict[str, str], writer: str, ids: list[str]) -> None:
    server = StdioServerParameters(command=sys.executable, args=[*COMMAND, "mcp"], env=environment)
    async with Client(stdio_client(server)) as client:
        for number in range(WRITES):
            answer = await client.call_tool("save_fact", {"text": f"Ticket {number} of {writer} is done"})
            ids.append(answer.structured_content["items"][0]["id"])


async def by_rest(environment: dict[str, str], ids: list[str]) -> None:
    command = [sys.executable, *COMMAND, "serve", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:  # noqa: ASYNC220
        assert process.stderr is not None
        try:
            line = ""
            while not line.startswith("serving at "):
                line = await anyio.to_thread.run_sync(process.stderr.readline)
                assert line
            async with httpx2.AsyncClient(base_url=line.split()[2], params={"user_id": "alice"}) as client:
                for number in range(WRITES):
                    answer = await client.post("/v1/facts", json={"text": f"Ticket {number} of rest is done"})
                    assert answer.status_code == 201
                    ids.append(answer.json()["items"][0]["id"])
        finally:
            process.terminate()


def test_case_26_six_hundred_writes_by_three_servers_are_all_there(tmp_path: Path) -> None:
    ours = {"EMBEDDER": "none", "URL": str(tmp_path / "memory.db"), "USER": "alice", "DURABLE": "false"}
    environment = {**os.environ, **{f"RETENTIVE_{name}": value for name, value in ours.items()}}
    ids: list[str] = []

    async def run() -> None:
        async with anyio.create_task_group() as writers:
            writers.start_soon(by_mcp, environment, "one", ids)
            writers.start_soon(by_mcp, environment, "two", ids)
            writers.start_soon(by_rest, environment, ids)

    anyio.run(run)
    with Memory.open(tmp_path / "memory.db", embedder=NoEmbedder(), background=False) as memory:
        items = memory.scope(user_id="alice").list(limit=10_000)
        assert {item.id for item in items} == set(ids)
        assert len({item.text for item in items}) == len(items) == 3 * WRITES
