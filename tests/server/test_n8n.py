"""The workflow files for n8n agree with its published nodes, and their requests do what they say on a real server."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.testclient import TestClient

from retentive import Memory
from retentive.mcp.table import memory_tools
from retentive.server.mcp_route import PATH

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "examples" / "n8n").glob("*.json"))
FLOWS: dict[str, Any] = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in FILES}
#: Written by scripts/n8n_nodes.py from n8n's own packages.
FACTS = json.loads((Path(__file__).parent / "n8n_nodes.json").read_text(encoding="utf-8"))

CHAT = "$('When chat message received').item.json."
#: What n8n would put in the place of an expression.
SAMPLES = {
    "$json.chatInput": 'Which "seats" do I like?',
    CHAT + "chatInput": 'Which "seats" do I like?',
    CHAT + "sessionId": "trip 1",
    "$json.output": "By the window.",
    "$fromAI('text', 'The fact, one sentence', 'string')": "Prefers window seats",
    "$json.body.user_id": "alice",
    "encodeURIComponent($json.body.session_id)": "trip%201",
}
Parameters = Mapping[str, Any]


def nodes(flow: str, *kinds: str) -> list[Parameters]:
    return [node for node in FLOWS[flow]["nodes"] if not kinds or node["type"].rsplit(".", 1)[1] in kinds]


def misfits(given: Parameters, known: Parameters, path: str = "") -> Iterator[str]:
    """What stands in a node's parameters and is none of them."""
    for name, value in given.items():
        there, where = known.get(name), f"{path}.{name}"
        if there is None:
            yield where
        elif isinstance(there, dict):
            for one in value if isinstance(value, list) else [value]:
                yield from misfits(one, there, where)
        elif isinstance(there, list) and not str(value).startswith("=") and str(value) not in there:
            yield f"{where} = {value}"


@pytest.mark.parametrize("flow", FLOWS)
def test_each_node_is_one_that_n8n_has(flow: str) -> None:
    for node in nodes(flow):
        known = FACTS["nodes"][f"{node['type']}@{node['typeVersion']:g}"]
        assert list(misfits(node["parameters"], known["parameters"])) == [], node["name"]
        generic = [node["parameters"]["genericAuthType"]] if "genericAuthType" in node["parameters"] else []
        assert set(generic) <= set(FACTS["generic_credentials"])
        assert set(node.get("credentials", {})) <= {*known["credentials"], *generic}


def test_what_no_node_has_is_seen() -> None:
    known = FACTS["nodes"]["n8n-nodes-base.httpRequest@4.2"]["parameters"]
    assert list(misfits({"method": "SEND", "uri": "x", "options": {"slow": 1}}, known)) == [
        ".method = SEND",
        ".uri",
        ".options.slow",
    ]


@pytest.mark.parametrize("flow", FLOWS)
def test_what_is_connected_is_there(flow: str) -> None:
    names = [node["name"] for node in nodes(flow)]
    assert len(set(names)) == len(names)
    assert len({node["id"] for node in nodes(flow)}) == len(names)
    links = {
        (source, link["node"])
        for source, kinds in FLOWS[flow]["connections"].items()
        for outputs in kinds.values()
        for output in outputs
        for link in output
    }
    assert {name for link in links for name in link} == set(names)
    text = json.dumps(FLOWS[flow])
    assert set(re.findall(r"\$\('([^']+)'\)", text)) <= set(names)


def filled(text: str) -> str:
    """A parameter as n8n would work it out."""
    if not text.startswith("="):
        return text
    whole = re.fullmatch(r"=\{\{ JSON\.stringify\((.*)\) \}\}", text)
    if whole is None:
        return re.sub(r"\{\{ (.*?) \}\}", lambda found: SAMPLES[found[1]], text[1:])
    for expression, value in sorted(SAMPLES.items(), key=lambda one: -len(one[0])):
        whole = re.fullmatch("(.*)", (whole[1]).replace(expression, json.dumps(value)))
        assert whole is not None
    return whole[1]


def request(parameters: Parameters) -> dict[str, Any]:
    """The request that an HTTP Request node makes."""

    def pairs(name: str) -> dict[str, str]:
        return {one["name"]: filled(one["value"]) for one in parameters[name]["parameters"]}

    made: dict[str, Any] = {"method": parameters["method"], "url": filled(parameters["url"])}
    made["params"] = pairs("queryParameters")
    if parameters.get("sendBody"):
        as_json = parameters["specifyBody"] == "json"
        made["json"] = json.loads(filled(parameters["jsonBody"])) if as_json else pairs("bodyParameters")
    return made


def test_the_requests_load_save_record_and_end(
    client: TestClient, memory: Memory, key_of: Callable[..., dict[str, str]]
) -> None:
    headers, mine = key_of("read", "write"), memory.scope(user_id="alice")
    mine.update_profile({"name": "Alice"})
    answers = {}
    for flow in ("chat-http", "session-end"):
        for node in nodes(flow, "httpRequest", "httpRequestTool"):
            answers[node["name"]] = client.request(**request(node["parameters"]), headers=headers)
    assert {name: answer.status_code for name, answer in answers.items()} == {
        "Load memory": 200,
        "Save a fact": 201,
        "Record the turn": 201,
        "End the session": 202,
    }
    assert "name: Alice" in answers["Load memory"].json()["text"]
    assert ("Prefers window seats", "assistant") in [(item.text, item.source) for item in mine.list("semantic")]
    said = [(item.role, item.text) for item in mine.session_messages("trip 1")]
    assert said == [("user", 'Which "seats" do I like?'), ("assistant", "By the window.")]
    assert mine.sessions()[0].state != "open"


def test_the_mcp_nodes_name_our_tools_and_what_they_take() -> None:
    tools = memory_tools()
    (load,), (called,) = nodes("chat-mcp", "mcpClient"), nodes("chat-mcp", "mcpClientTool")
    for node in (load, called):
        address = urlsplit(node["parameters"]["endpointUrl"])
        assert (address.path, parse_qs(address.query)) == (PATH, {"user_id": ["alice"]})
    tool = tools[load["parameters"]["tool"]["value"]]
    assert set(load["parameters"]["parameters"]["value"]) <= set(tool.takes["properties"])
    assert set(called["parameters"]["includeTools"]) <= set(tools)
