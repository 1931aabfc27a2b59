"""A request's query and body, read within limits and held to their schemas before any verb sees them."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from typing import Any

from starlette.requests import ClientDisconnect, Request

from retentive.models.schema import Schema, first_problem
from retentive.server.options import ServerOptions
from retentive.server.problems import Refused
from retentive.server.routing import JSON, Route

_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
#: A string, whole so that brackets in it do not count (one that does not end goes to the end), or a bracket.
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+\\?(?:"|\Z)|[\[{\]}]', re.DOTALL)
_DEEPER, _SHALLOWER = frozenset("[{"), frozenset("]}")


async def read_body(request: Request, options: ServerOptions) -> bytes:
    """All of the body. Raises Refused: 408 when it comes too slowly, 413 when it is too large."""
    most = options.max_body_bytes
    told = request.headers.get("content-length", "0")
    if told.isdecimal() and int(told) > most:
        raise Refused(413, f"a request may have at most {most} bytes")
    body = bytearray()
    try:
        async with asyncio.timeout(options.body_timeout_s):
            async for chunk in request.stream():
                body += chunk
                if len(body) > most:
                    raise Refused(413, f"a request may have at most {most} bytes")
    except TimeoutError as error:
        raise Refused(408, f"the request did not arrive within {options.body_timeout_s:g} seconds") from error
    except ClientDisconnect as error:
        raise Refused(400, "the request broke off") from error
    return bytes(body)


def checked_body(route: Route, content_type: str | None, body: bytes, max_depth: int) -> Any:
    """The body as the route's handler takes it. Raises Refused: 400, 415, 422."""
    if route.body is None:
        if body.strip():
            raise Refused(422, "this call takes no body")
        return None
    kind = (content_type or "").partition(";")[0].strip().lower()
    if kind != route.takes:
        raise Refused(415, f"send {route.takes}")
    if route.takes != JSON:
        return decoded(body)
    value = parsed(body, max_depth)
    refuse_misfit(value, route.body)
    return value


def decoded(body: bytes) -> str:
    """The text of a body. Raises Refused (400)."""
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(400, "the body is not UTF-8") from error


def parsed(body: bytes, max_depth: int) -> Any:
    """A body's JSON. Raises Refused (400) for what is none, or is nested too deeply."""
    text = decoded(body)
    if _depth(text, max_depth) > max_depth:
        raise Refused(400, f"the JSON is nested more than {max_depth} deep")
    try:
        return json.loads(text, parse_constant=_no_constant, parse_float=_number, object_pairs_hook=_object)
    except ValueError as error:
        raise Refused(400, "the body is not JSON") from error


def refuse_misfit(value: Any, schema: Schema) -> None:
    """Raise Refused (422) that says where a value does not fit."""
    wrong = first_problem(value, schema)
    if wrong is not None:
        raise Refused(422, f"the body does not fit: {wrong}")


def checked_query(route: Route, given: list[tuple[str, str]]) -> dict[str, Any]:
    """The query's values by the types of their schemas. Raises Refused (422)."""
    known, values = route.parameters, dict[str, Any]()
    for name, text in given:
        if name not in known:
            raise Refused(422, f"the query has a parameter that is none of {', '.join(known) or 'any'}")
        if name in values:
            raise Refused(422, f"{name} is given twice")
        values[name] = _value(name, text, known[name])
    for name in route.needed:
        if name not in values:
            raise Refused(422, f"the query needs {name}")
    return values


def _value(name: str, text: str, schema: Schema) -> Any:
    value: Any = text
    if schema["type"] == "integer" and _NUMBER.fullmatch(text):
        value = int(text)
    elif schema["type"] == "boolean" and text in {"true", "false"}:
        value = text == "true"
    elif schema["type"] == "object":
        value = parsed(text.encode("utf-8", "surrogatepass"), 4)
    wrong = first_problem(value, schema)
    if wrong is not None:
        raise Refused(422, f"{name}: {wrong.removeprefix('$').strip()}")
    return value


def _depth(text: str, enough: int) -> int:
    """How deeply brackets nest outside strings, counted no further than `enough` + 1."""
    depth = deepest = 0
    for found in _BRACKET.finditer(text):
        depth += 1 if found[0] in _DEEPER else -1 if found[0] in _SHALLOWER else 0
        deepest = max(deepest, depth)
        if deepest > enough:
            break
    return deepest


def _number(text: str) -> int | float:
    """A number with a point: 3.0 is a whole one, as JSON Schema has it."""
    value = float(text)
    return int(value) if value.is_integer() and abs(value) < 1 << 53 else value


def _no_constant(name: str) -> Any:
    raise ValueError(name)  # NaN and Infinity are no JSON


def _object(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        message = "a name stands twice in one object"
        raise ValueError(message)
    return value
