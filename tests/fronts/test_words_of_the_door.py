"""Whoever calls wrongly is told so in the words of the door they used, and never in those of Python."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from retentive import Memory, tools
from retentive.cli import main
from retentive.config import Settings
from retentive.mcp.graph import graph_tools
from retentive.mcp.server import Reach, _run
from retentive.mcp.table import memory_tools
from retentive.models.embed_none import NoEmbedder
from retentive.models.schema import Schema
from retentive.server.app import ROUTES, create_app
from retentive.server.routing import JSON, Route
from retentive.types import RIGHTS

#: Names of Python's types and constants, calls, keyword arguments, attributes of its objects, its own errors.
_PYTHON = re.compile(
    r"\b(?:None|True|False|dict|str|int|float|tuple|bool|NoneType|datetime|kwargs?|argument of type|Path|Mapping|"
    r"[tT]raceback|__\w+__|\w+Error|positional)\b|\w+\(\)|\w+\(\.\.\.\)|\b[a-z_]+=(?:\{|\.\.\.|\[)|\b(?:page|memory|mine|text)\.[a-z_]+|"
    r"\.replace\(|\.encode\(|unhashable|not iterable|<class|object at 0x"
)
_WRONG: tuple[Any, ...] = (
    None,
    True,
    7,
    -1,
    2.5,
    "",
    " ",
    "\0",
    "*",
    "\udc00",
    "x" * 300,
    [],
    [None],
    {},
    {"": None},
    "2026",
)


def _is_of_the_door(said: str) -> None:
    assert said.strip(), "a refusal says why"
    found = _PYTHON.search(said)
    assert found is None, f"{found[0] if found else ''!r} in {said!r}"


def _bad(schema: Schema | None) -> Iterator[Any]:
    """What does not fit an object's schema: nothing of it, all of it wrong, each property wrong in each way."""
    yield from ({}, None, [], 7, "text", {"colour": 1})
    properties = (schema or {}).get("properties", {})
    right = {name: _fitting(properties[name]) for name in (schema or {}).get("required", ())}
    yield right | {"colour": 1}
    for name in properties:
        yield from (right | {name: wrong} for wrong in _WRONG)
    if "where" in properties:
        yield from (
            right | {"where": {"user_id": "bob"}},
            right | {"where": {"$or": [1]}},
            right | {"where": {"a": "*"}},
        )


def _fitting(schema: Schema) -> Any:
    kinds = schema.get("type", "string")
    kind = kinds if isinstance(kinds, str) else kinds[0]
    some = {"string": "words", "integer": 1, "number": 0.5, "boolean": True, "array": [{"content": "hi"}], "object": {}}
    return schema["enum"][0] if "enum" in schema else some[kind]


# -- HTTP --------------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def store() -> Iterator[Memory]:
    """A store with something in it."""
    with Memory.open(
        ":memory:", embedder=NoEmbedder(), background=False, settings=Settings(extractor="none")
    ) as memory:
        memory.scope(user_id="alice").remember("Prefers tea")
        yield memory


@pytest.fixture(scope="module")
def http(store: Memory) -> Iterator[TestClient]:
    """A program with every right."""
    key = store.keys.create("test", rights=RIGHTS, rate_minute=1_000_000)
    headers = {"authorization": f"Bearer {key.text}"}
    with TestClient(
        create_app(store), "http://127.0.0.1:8377", headers=headers, raise_server_exceptions=False
    ) as client:
        yield client


def _path(route: Route) -> str:
    return route.path.replace("{id}", "none-such")


@pytest.mark.parametrize("route", [one for one in ROUTES if one.body is not None], ids=lambda one: one.name)
def test_a_body_that_does_not_fit_is_refused_in_words_of_http(http: TestClient, route: Route) -> None:
    whose = {"user_id": "alice"} if route.scoped else {}
    bodies = (
        (json.dumps(bad, allow_nan=True).encode() for bad in _bad(route.body))
        if route.takes == JSON
        else (b"", b"\xff", b"{}", b"null", b'{"kind": 1}\n', b"- x\n", b"# Profile\n", b"\0")
    )
    for body in (*bodies, b"{", b"NaN"):
        answer = http.request(
            route.method, _path(route), params=whose, content=body, headers={"content-type": route.takes}
        )
        assert answer.status_code != 500, (body, answer.text)
        if answer.status_code >= 400:
            _is_of_the_door(answer.json()["detail"])


@pytest.mark.parametrize("route", ROUTES, ids=lambda one: one.name)
def test_a_query_or_path_that_does_not_fit_is_refused_in_words_of_http(http: TestClient, route: Route) -> None:
    whose = {"user_id": "alice"} if route.scoped else {}
    wrong = [{}, whose | {"colour": "1"}, {"user_id": ""}]
    wrong += [
        whose | {name: text} for name in route.parameters for text in ("", "no", "-1", "{}", '{"user_id": "b"}', "2026")
    ]
    for params in wrong:
        for part in ("none-such", "%00", "%20", "*"):
            path = route.path.replace("{id}", part)
            sent: dict[str, Any] = {"json": {}} if route.body is not None and route.takes == JSON else {}
            answer = http.request(route.method, path, params=params, **sent)
            assert answer.status_code != 500, (path, params, answer.text)
            if answer.status_code >= 400:
                _is_of_the_door(answer.json()["detail"])


def test_forgetting_nothing_in_particular_is_told_what_can_be_named(http: TestClient) -> None:
    answer = http.post("/v1/forget", params={"user_id": "alice"}, json={})
    assert answer.status_code == 422
    assert answer.json()["detail"] == (
        "say what to forget: either ids, or conditions: where, session_id, of_project, since, until; "
        "forget_everything takes all there is of a user or agent"
    )


# -- tools, over MCP and as functions ----------------------------------------------------------------------------------
_TOOLS = {**memory_tools(), **graph_tools()}


@pytest.mark.parametrize("name", _TOOLS)
def test_arguments_that_do_not_fit_are_refused_in_words_of_a_tool(store: Memory, name: str) -> None:
    reach = Reach(store.scope(user_id="alice"), RIGHTS, _TOOLS)
    for arguments in _bad(_TOOLS[name].takes):
        if isinstance(arguments, dict):
            answer = _run(_TOOLS[name], reach, arguments)
            if answer.is_error:
                _is_of_the_door(answer.content[0].text)  # type: ignore[union-attr]


@pytest.mark.parametrize("schema", tools.schemas(), ids=lambda one: one["function"]["name"])
def test_what_a_model_calls_wrongly_is_refused_in_words_of_a_function(store: Memory, schema: dict[str, Any]) -> None:
    mine, name = store.scope(user_id="alice"), schema["function"]["name"]
    for arguments in _bad(schema["function"]["parameters"]):
        answer = tools.call(mine, name, arguments)
        if "error" in answer:
            _is_of_the_door(answer["error"])


# -- the command line --------------------------------------------------------------------------------------------------
def _commands(group: click.Group, before: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from _commands(command, (*before, name))
        else:
            yield (*before, name), command


#: These wait for somebody, or serve.
_STAY = {("serve",), ("mcp",), ("work",), ("chat",), ("ingest",), ("relay",), ("demo",), ("edit",), ("sheet",)}


@pytest.mark.parametrize(
    ("path", "command"),
    [(path, command) for path, command in _commands(main) if path not in _STAY and path[0] not in {"bench", "tune"}],
    ids=lambda one: "-".join(one) if isinstance(one, tuple) else "",
)
def test_a_command_that_does_not_fit_is_refused_in_words_of_a_command_line(
    settings: Path, monkeypatch: pytest.MonkeyPatch, path: tuple[str, ...], command: click.Command
) -> None:
    monkeypatch.chdir(settings.parent)  # some of the words are names of files
    needed = ["none-such" for param in command.params if isinstance(param, click.Argument) and param.required]
    options = [param for param in command.params if isinstance(param, click.Option) and not param.is_flag]
    tries = [
        [],
        ["--colour"],
        needed,
        *([*needed, option.opts[0], wrong] for option in options for wrong in ("", "*", "-1", "x=\1")),
    ]
    for arguments in tries:
        result = CliRunner().invoke(main, [*path, *arguments])
        assert result.exit_code in {0, 1, 2}, (arguments, result.output)
        assert result.exception is None or isinstance(result.exception, SystemExit), (arguments, result.exception)
        if result.exit_code:
            _is_of_the_door(result.output)
