"""The protocol's own conformance suite: its generic scenarios, against the server as `retentive serve` has it.

Its other scenarios call tools, resources and prompts of their own, which a server under test would have to have.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from other_clients import Run
from retentive import Memory
from retentive.config import Settings
from served_pages import served
from stubs import StubEmbedder

SCENARIOS = (
    "server-initialize", "server-session-lifecycle", "server-stateless", "ping", "tools-list", "resources-list",
    "prompts-list", "caching", "http-header-validation", "sep-2164-resource-not-found", "dns-rebinding-protection",
    "server-sse-polling", "server-sse-multiple-streams",
)  # fmt: skip
#: These want a tool that asks its client for something or logs, to see that it may. No tool of ours does either.
WITHOUT_OUR_TOOLS = {
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
}
#: These ask for what a stateless server has not, say so themselves, and check nothing.
STATEFUL = {"server-session-lifecycle", "server-sse-polling", "server-sse-multiple-streams"}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_generic_scenario(node: Run, tmp_path: Path, scenario: str) -> None:
    with (
        Memory.open(
            tmp_path / "memory.db", embedder=StubEmbedder(), settings=Settings(user="alice"), background=False
        ) as memory,
        served(memory) as url,
    ):
        done = node("conformance", "server", "--url", f"{url}/mcp", "--scenario", scenario, "-o", str(tmp_path / "out"))
    (written,) = (tmp_path / "out").rglob("checks.json")
    checks = json.loads(written.read_text(encoding="utf-8"))
    of_kind = {kind: {one["id"] for one in checks if one["status"] == kind} for kind in ("SUCCESS", "FAILURE")}
    expected = WITHOUT_OUR_TOOLS if scenario == "server-stateless" else set()
    assert of_kind["FAILURE"] == expected, done.stdout
    assert all("Not testable" in one.get("errorMessage", "") for one in checks if one["id"] in expected)
    assert (of_kind["SUCCESS"] == set()) == (scenario in STATEFUL), done.stdout
