"""What a route is: one verb, who may call it, what it takes and gives.

The table of routes is the server's whole interface: their checks and the OpenAPI document are made of it as well, so
that none of them can say what another does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from starlette.responses import Response

from retentive.memory import Memory
from retentive.models.schema import Schema
from retentive.scoped import ScopedMemory
from retentive.server.access import Caller
from retentive.server.operations import Operations
from retentive.server.schemas import ID
from retentive.types import Right

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
JSON, LINES, MARKDOWN = "application/json", "application/x-ndjson", "text/markdown"

#: Whose memory it is, said in one way in every call.
SCOPE: Mapping[str, Schema] = {
    "user_id": {**ID, "description": "Whose memory it is; a user or an agent is required."},
    "agent_id": {**ID, "description": "Only what applies to this agent."},
    "project_id": {**ID, "description": "Only what applies to this project."},
}


@dataclass(frozen=True, slots=True)
class Call:
    """One request as its handler gets it: checked, and of a caller who may make it."""

    memory: Memory
    caller: Caller
    operations: Operations
    path: Mapping[str, str]
    query: Mapping[str, Any]
    body: Any
    headers: Mapping[str, str]

    @property
    def mine(self) -> ScopedMemory:
        """The memory that the request's scope names."""
        named = [self.query.get(name) for name in SCOPE]
        return self.caller.scope(self.memory, *named)

    @property
    def asked(self) -> dict[str, Any]:
        """The query without the scope's names: what a verb is given."""
        return {name: value for name, value in self.query.items() if name not in SCOPE}


@dataclass(frozen=True, slots=True)
class Route:
    """One verb over HTTP.

    right: what a key must be allowed; None for what anybody may ask. operator: it touches the whole store. scoped: it
    takes a scope. result: the type it gives; status: that of its success. query, body: JSON schemas of what it takes;
    needed: names of the query that must be there. takes, gives: media types. repeatable: takes an Idempotency-Key.
    etag: the result's version is its ETag. if_match: takes one. found: it can answer 404.
    """

    method: Method
    path: str
    name: str
    summary: str
    right: Right | None
    handler: Callable[[Call], Any]
    result: Any
    status: int = 200
    scoped: bool = True
    operator: bool = False
    query: Mapping[str, Schema] = field(default_factory=dict)
    needed: tuple[str, ...] = ()
    body: Schema | None = None
    takes: str = JSON
    gives: str = JSON
    repeatable: bool = False
    etag: bool = False
    if_match: bool = False
    found: bool = False

    @property
    def parameters(self) -> Mapping[str, Schema]:
        """Everything that may stand in the query."""
        return {**SCOPE, **self.query} if self.scoped else self.query


Answer = Response
