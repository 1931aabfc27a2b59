"""The OpenAPI 3.1 document, made from the table of routes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from retentive import __version__
from retentive.models.schema import Schema
from retentive.server import problems
from retentive.server.repeats import FORM
from retentive.server.routing import JSON, Route
from retentive.server.schemas import ID, Components

#: What any call may come to, and why.
_ALWAYS: Mapping[int, str] = {
    400: "It is no request: not UTF-8, not JSON, or nested too deeply.",
    401: "There is no valid API key in it.",
    403: "The key does not allow this.",
    413: "It is too large.",
    415: "It is of another media type.",
    422: "It does not fit: the detail says where.",
    429: "Too many requests, or a limit is used up: Retry-After says when there is room again.",
    503: "The store is busy or something is down: repeat it after Retry-After.",
}
_BODY = "$response.body#"
#: What an answer leads to: where in it the id stands, and who takes it.
_LINKS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "record": (f"{_BODY}/items/0/id", ("get_memory", "history", "why", "forget_memory")),
    "remember": (f"{_BODY}/items/0/id", ("get_memory", "history", "why", "update_memory", "forget_memory")),
    "list_memories": (f"{_BODY}/items/0/id", ("get_memory", "history", "why", "forget_memory")),
    "list_sessions": (f"{_BODY}/0/id", ("session_messages", "session_usage", "end_session")),
    "list_pending": (f"{_BODY}/0/item/id", ("approve", "reject")),
    "create_key": (f"{_BODY}/key/id", ("rotate_key", "revoke_key")),
    "start_operation": (f"{_BODY}/id", ("get_operation",)),
}
_INFO = """Memory for AI agents. A key names the tenant; `user_id` or `agent_id` in the query says whose memory it is.
Timestamps are RFC 3339 with a zone, UTC in answers. Errors are problem details (RFC 9457)."""


def document(routes: Iterable[Route]) -> dict[str, Any]:
    """The whole document."""
    components = Components()
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, components)
    return {
        "openapi": "3.1.0",
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "info": {"title": "Retentive", "version": __version__, "description": _INFO},
        "paths": paths,
        "components": {
            "schemas": {**components.schemas, "Problem": problems.SCHEMA},
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer", "description": "An API key: rtv_..."}},
        },
        "security": [{"key": []}],
    }


def _operation(route: Route, components: Components) -> dict[str, Any]:
    needs = f"Needs the right `{route.right}`." + (" Of the store's own tenant." if route.operator else "")
    operation: dict[str, Any] = {
        "operationId": route.name,
        "summary": route.summary,
        "description": needs,
        "parameters": _parameters(route),
        "responses": _responses(route, components),
    }
    if route.body is not None:
        operation["requestBody"] = {"required": True, "content": {route.takes: {"schema": route.body}}}
    return operation


def _parameters(route: Route) -> list[dict[str, Any]]:
    found = [_parameter("path", name, ID, required=True) for name in _named(route.path)]
    for name, schema in route.parameters.items():
        found.append(_parameter("query", name, schema, required=name in route.needed))
    if route.repeatable:
        words = "The same key again gives the first answer and changes nothing; kept for a day."
        schema = {"type": "string", "pattern": FORM}
        found.append(_parameter("header", "Idempotency-Key", {**schema, "description": words}))
    if route.if_match:
        words = "The ETag that reading gave: 412 where it is no longer the current one."
        schema = {"type": "string", "pattern": '^"[0-9]{1,9}"$', "description": words}
        found.append(_parameter("header", "If-Match", schema))
    return found


def _named(path: str) -> list[str]:
    return [part[1:-1] for part in path.split("/") if part.startswith("{")]


def _parameter(where: str, name: str, schema: Schema, *, required: bool = False) -> dict[str, Any]:
    made: dict[str, Any] = {"name": name, "in": where, "required": required}
    if schema["type"] == "object":  # an object in the query is JSON
        return made | {"content": {JSON: {"schema": schema}}}
    return made | {"schema": schema}


def _responses(route: Route, components: Components) -> dict[str, Any]:
    good: dict[str, Any] = {"description": "Done." if route.status != 202 else "Begun."}
    if route.result is not None:
        good["content"] = {route.gives: {"schema": components.of(route.result)}}
    elif route.gives != JSON:
        good["content"] = {route.gives: {"schema": {"type": "string"}}}
    if route.etag:
        good["headers"] = {"ETag": {"schema": {"type": "string"}, "description": "The memory's version."}}
    if route.name in _LINKS:
        good["links"] = _links(route)
    more = ({404: "There is no such thing here."} if route.found else {}) | _conflicts(route)
    content = {problems.MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    every = sorted({**_ALWAYS, **more}.items())
    refused = {str(status): {"description": why, "content": content} for status, why in every}
    return {str(route.status): good, **refused}


def _links(route: Route) -> dict[str, Any]:
    where, takers = _LINKS[route.name]
    whose = {"user_id": "$request.query.user_id"} if route.scoped else {}
    return {name: {"operationId": name, "parameters": {"id": where, **whose}} for name in takers}


def _conflicts(route: Route) -> dict[int, str]:
    found = {409: "It clashes with what is there, or with a request under way."} if route.method != "GET" else {}
    return found | ({412: "The memory was changed since it was read."} if route.if_match else {})
