"""The OpenAPI document says what the server does: generated requests, good and bad, hold the one to the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from jsonschema import Draft202012Validator
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance
from starlette.testclient import TestClient

from retentive import Memory
from retentive.server.app import ROUTES, create_app
from retentive.server.options import ServerOptions
from retentive.server.routing import Route
from stubs import StubEmbedder

#: What these take has rules that no schema tells (a text of its own form, names of settings, filters that may not name
#: a scope, metadata without NUL, rights that exclude each other): 422 says what is wrong with it.
IN_WORDS = {
    "record",
    "remember",
    "update_memory",
    "update_profile",
    "apply_document",
    "import",
    "recall",
    "list_memories",
    "forget",
    "create_key",
}
#: A document, and the headers of a key.
Described = tuple[Any, dict[str, str]]


@schemathesis.serializer("application/x-ndjson")
def as_lines(_: Any, value: Any) -> bytes:
    """JSON lines are text to the document."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


@pytest.fixture(scope="module")
def described() -> Iterator[Described]:
    """The document, with an application behind it that knows alice and takes one key."""
    with Memory.open(":memory:", embedder=StubEmbedder(), background=False) as memory:
        key = memory.keys.create("test", rights=["read", "write", "forget", "export", "review", "admin"])
        memory.scope(user_id="alice").remember("Prefers aisle seats")
        options = ServerOptions(allow_hosts=("testserver", "localhost"), failures_minute=1_000_000)
        schema = schemathesis.openapi.from_asgi("/v1/openapi.json", create_app(memory, options))
        schema.config.generation.update(with_security_parameters=False)  # the key is given, not made up
        yield schema, {"Authorization": f"Bearer {key.text}"}


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["good", "bad"])
@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
def test_requests_and_answers_fit_the_document(described: Described, route: Route, mode: GenerationMode) -> None:
    """With every check there is: no 5xx, no undescribed answer, no bad request taken, no key ignored."""
    schema, headers = described
    cases = schema[route.path][route.method].as_strategy(generation_mode=mode)

    @settings(max_examples=8, suppress_health_check=list(HealthCheck))
    @given(case=cases)
    def holds(case: Any) -> None:
        if mode is GenerationMode.POSITIVE and route.scoped:  # a document cannot say: a user or an agent
            case.query = {"user_id": "alice", **(case.query or {})}
        excluded = [positive_data_acceptance] if route.name in IN_WORDS or "Idempotency-Key" in case.headers else []
        case.call_and_validate(headers=headers, excluded_checks=excluded)

    try:
        holds()
    except Unsatisfiable:
        assert mode is GenerationMode.NEGATIVE


def test_every_schema_is_one(client: TestClient) -> None:
    document = client.get("/v1/openapi.json").json()
    assert document["openapi"] == "3.1.0"
    for part in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(part)
    operations = {one["operationId"] for path in document["paths"].values() for one in path.values()}
    assert operations == {route.name for route in ROUTES}
