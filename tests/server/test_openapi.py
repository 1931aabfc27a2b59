"""The OpenAPI document says what the server does: generated requests, good and bad, hold the one to the other."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from jsonschema import Draft202012Validator
from schemathesis import GenerationMode
from starlette.testclient import TestClient

from retentive import Memory
from retentive.server.app import ROUTES, create_app
from retentive.server.options import ServerOptions
from retentive.server.routing import SCOPE, Route
from stubs import StubEmbedder

#: A document, the headers of a key, and what is behind it.
Described = tuple[Any, dict[str, str], Memory]


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
        yield schema, {"Authorization": f"Bearer {key.text}"}, memory


def something(memory: Memory, kind: str) -> str:
    """The id of a memory, a session or a key that was just made."""
    if kind == "keys":
        return memory.keys.create("other", rights=["read"]).key.id
    mine, session_id = memory.scope(user_id="alice"), str(uuid.uuid4())
    mine.record([{"content": f"I live at number {session_id}."}], session_id=session_id)
    if kind == "sessions":
        return session_id
    mine.end_session(session_id)
    memory.process()
    return next(item.id for item in mine.list("semantic") if session_id[:8] in item.text)


def without_nul(body: Any) -> Any:
    """What metadata of any depth has to be."""
    return json.loads(json.dumps(body).replace("\\u0000", "")) if isinstance(body, dict) else body


def made_good(case: Any, route: Route, memory: Memory) -> None:
    """Add what no schema can tell, so that a request which fits the document has to be taken."""
    if route.scoped:  # of user and agent one is required
        case.query = {"user_id": "alice", **(case.query or {})}
    kind = route.path.split("/")[2]
    if "id" in case.path_parameters and kind in {"memories", "sessions", "keys"}:  # of what is there
        case.query = {"user_id": "alice"} if route.scoped else case.query
        case.path_parameters["id"] = something(memory, kind)
        if "If-Match" in case.headers:  # as reading it says
            case.headers["If-Match"] = '"1"'
    if "Idempotency-Key" in case.headers:  # each names one request
        case.headers["Idempotency-Key"] = f"{case.headers['Idempotency-Key'][:200]}-{uuid.uuid4()}"
    case.body = without_nul(case.body)
    if route.name == "apply_document":  # a text that carries the marks of what it was made from
        case.body = memory.scope(**{name: case.query.get(name) for name in SCOPE}).document()
    if route.name == "import":  # lines of an export, taken in where they came from
        case.query = {"user_id": "alice"}
        with TemporaryDirectory() as folder:
            file = Path(folder) / "export.jsonl"
            memory.scope(user_id="alice").export(file)
            case.body = file.read_text(encoding="utf-8")


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["good", "bad"])
@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
def test_requests_and_answers_fit_the_document(described: Described, route: Route, mode: GenerationMode) -> None:
    """With every check there is: no 5xx, nothing undescribed, nothing bad taken or good refused, no key ignored."""
    schema, headers, memory = described
    cases = schema[route.path][route.method].as_strategy(generation_mode=mode)

    @settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=cases)
    def holds(case: Any) -> None:
        if mode is GenerationMode.POSITIVE:
            made_good(case, route, memory)
        case.call_and_validate(headers=headers)

    try:
        holds()
    except Unsatisfiable:
        assert mode is GenerationMode.NEGATIVE


@pytest.mark.parametrize("paths", ["messages|facts|memories|sessions", "keys|operations|review"])
def test_what_an_answer_leads_to_is_as_it_says(described: Described, paths: str) -> None:
    """Calls that follow the document's links: what was made is found, what was forgotten is not, and all fits."""
    schema, headers, memory = described
    routes = {(route.method, route.path): route for route in ROUTES}

    class Followed(schema.include(path_regex=f"^/v1/({paths})").as_state_machine()):  # type: ignore[misc]  made at run time
        def get_call_kwargs(self, _: Any) -> dict[str, Any]:
            return {"headers": headers}

        def before_call(self, case: Any) -> None:
            case.headers.pop("If-Match", None)  # other calls change it meanwhile
            case.headers.pop("Idempotency-Key", None)
            case.body = without_nul(case.body)
            if routes[case.method.upper(), case.path].scoped:
                case.query = {"user_id": "alice"}
            elif case.path_parameters.get("id") == headers["Authorization"].split("_")[1]:  # not our own key
                case.path_parameters["id"] = something(memory, "keys")

    Followed.run(
        settings=settings(
            max_examples=10, stateful_step_count=6, deadline=None, suppress_health_check=list(HealthCheck)
        )
    )


def test_every_schema_is_one(client: TestClient) -> None:
    document = client.get("/v1/openapi.json").json()
    assert document["openapi"] == "3.1.0"
    for part in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(part)
    operations = {one["operationId"] for path in document["paths"].values() for one in path.values()}
    assert operations == {route.name for route in ROUTES}
