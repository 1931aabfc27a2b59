"""A client that is generated from our OpenAPI document makes a real round trip."""

from __future__ import annotations

import importlib
import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from other_clients import Server

#: Lines and Markdown are bytes to the generator, which knows neither media type.
CONFIG = """
content_type_overrides:
  application/x-ndjson: application/octet-stream
  text/markdown: application/octet-stream
post_hooks: []
"""


@pytest.fixture
def made(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The package that the generator writes; it has nothing to warn of."""
    document, config = tmp_path / "openapi.json", tmp_path / "config.yml"
    headers = {"authorization": f"Bearer {server.key}"}
    document.write_text(httpx2.get(f"{server.url}/v1/openapi.json", headers=headers).text, encoding="utf-8")
    config.write_text(CONFIG, encoding="utf-8")
    name = f"made_{tmp_path.name.replace('-', '_')}"
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--path", document, "--config", config,
               "--meta", "none", "--output-path", tmp_path / name, "--fail-on-warning"]  # fmt: skip
    ran = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    monkeypatch.syspath_prepend(tmp_path)
    return name


@pytest.fixture
def client(server: Server, made: str) -> Iterator[Any]:
    """The generated client, with its key."""
    with importlib.import_module(made).AuthenticatedClient(server.url, token=server.key) as opened:
        yield opened


@pytest.mark.filterwarnings("default")  # of what was generated
def test_a_round_trip(client: Any, made: str) -> None:
    """Record, remember, recall, correct with an ETag, export, import, upkeep in the background, forget."""

    def call(verb: str, *path: str, **more: Any) -> Any:
        """The parsed answer and its headers, of alice unless it is of the whole store."""
        of = {} if verb.endswith("operation") else {"user_id": "alice"}
        module = importlib.import_module(f"{made}.api.default.{verb}")
        return module.sync_detailed(*path, client=client, **of, **more)

    def body(name: str, values: dict[str, Any]) -> Any:
        return getattr(models, name).from_dict(values)

    models = importlib.import_module(f"{made}.models")
    said = {"messages": [{"role": "user", "content": "I moved to Porto.", "id": "m1"}], "session_id": "s1"}
    assert call("record", body=body("RecordBody", said)).status_code == 201
    kept = call("remember", body=body("RememberBody", {"text": "Prefers aisle seats"}), idempotency_key="k-1").parsed
    again = call("remember", body=body("RememberBody", {"text": "Prefers aisle seats"}), idempotency_key="k-1")
    fact = kept.items[0].id
    assert (again.parsed.items[0].id, again.headers["idempotent-replayed"]) == (fact, "true")

    begun = call("start_operation", body=body("StartOperationBody", {"kind": "process"}))
    assert begun.status_code == 202
    while (operation := call("get_operation", begun.parsed.id).parsed).state == "running":
        pass
    assert (operation.state, operation.error) == ("done", None)
    hits = call("recall", body=body("RecallBody", {"query": "aisle seats"})).parsed.hits
    assert hits[0].id == fact

    etag = call("get_memory", fact).headers["etag"]
    change = body("UpdateMemoryBody", {"text": "Prefers window seats"})
    assert call("update_memory", fact, body=change, if_match=etag).status_code == 200
    late = call("update_memory", fact, body=change, if_match=etag)
    assert (late.status_code, late.parsed.status) == (412, 412)

    lines = call("export").content
    assert "Prefers window seats" in {json.loads(line).get("text") for line in lines.splitlines()}
    assert call("forget", body=body("ForgetBody", {"ids": [fact]})).parsed.ids == [fact]
    assert call("get_memory", fact).parsed.type_ == "urn:retentive:not-found"
    call("forget_everything")
    file = importlib.import_module(f"{made}.types").File(io.BytesIO(lines))
    assert call("import_", body=file).status_code == 201
    assert {item.text for item in call("list_memories").parsed.items} >= {"Prefers window seats", "I moved to Porto."}
