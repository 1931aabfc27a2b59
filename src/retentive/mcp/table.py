"""What a tool is, and the tools of a memory: those of `retentive.tools`, and `search` and `fetch` for connectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from retentive import tools
from retentive.errors import InvalidInput
from retentive.models.schema import Schema
from retentive.scoped import ScopedMemory
from retentive.types import Right

_STRING: Schema = {"type": "string"}
#: Two branches rather than two types: clients of models that know one type a schema take this.
OR_NULL: Schema = {"anyOf": [_STRING, {"type": "null"}]}


def shape(properties: Mapping[str, Schema], *required: str) -> Schema:
    """The schema of an object."""
    return {"type": "object", "properties": dict(properties), "required": list(required)}


def items(schema: Schema) -> Schema:
    """The schema of a list."""
    return {"type": "array", "items": schema}


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: what it takes and gives, what it needs to be allowed, and how a client may treat it.

    reads: it changes nothing. destroys: what it changes cannot be had back. again: a repeat changes nothing more.
    """

    name: str
    title: str
    description: str
    takes: Schema
    gives: Schema
    right: Right
    run: Callable[[ScopedMemory, dict[str, Any]], dict[str, Any]]
    reads: bool = False
    destroys: bool = False
    again: bool = False


_RECEIPT = shape(
    {"items": items(shape({"id": OR_NULL, "outcome": _STRING}, "outcome"))},
    "items",
)
_MEMORY: dict[str, Schema] = {
    "id": _STRING,
    "tier": _STRING,
    "text": _STRING,
    "timestamp": _STRING,
    "trust": _STRING,
    "category": OR_NULL,
    "status": _STRING,
}
_SHOWN = ("id", "tier", "text", "timestamp", "trust")

_WRITES: dict[str, Any] = {"gives": _RECEIPT, "right": "write", "again": True}
_READS: dict[str, Any] = {"right": "read", "reads": True, "again": True}
_FOUND = {
    "memories": items(shape({**_MEMORY, "score": {"type": "number"}}, *_SHOWN, "score")),
    "degraded": items(_STRING),
    "left_out": {"type": "integer"},
}
_PAGE = {"memories": items(shape(_MEMORY, *_SHOWN)), "cursor": OR_NULL}
_QUOTES = items(shape({"quote": _STRING, "timestamp": _STRING}, "quote", "timestamp"))
_ONE = {**_MEMORY, "version": {"type": "integer"}, "evidence": _QUOTES}
_GONE = shape({"forgotten": items(_STRING), "complete": {"type": "boolean"}}, "forgotten", "complete")
_TEXT = shape({"text": _STRING, "tokens": {"type": "integer"}}, "text", "tokens")

#: What `retentive.tools` does not say of its tools.
_KNOWN: Mapping[str, dict[str, Any]] = {
    "save_fact": {"title": "Remember a fact", **_WRITES},
    "update_profile": {"title": "Set profile fields", **_WRITES},
    "update_memory": {"title": "Correct a memory", **_WRITES},
    "delete_memory": {"title": "Erase a memory", "gives": _GONE, "right": "forget", "destroys": True, "again": True},
    "search_memories": {"title": "Search memory", "gives": shape(_FOUND, *_FOUND), **_READS},
    "list_memories": {"title": "List memories", "gives": shape(_PAGE, *_PAGE), **_READS},
    "get_memory": {"title": "Read a memory", "gives": shape(_ONE, *_SHOWN, "version", "evidence"), **_READS},
    "get_memory_block": {"title": "What is known of the user", "gives": _TEXT, **_READS},
}


def memory_tools() -> dict[str, Tool]:
    """The tools of a memory, by name."""
    functions = [schema["function"] for schema in tools.schemas()]
    return {tool.name: tool for tool in (*map(_of_function, functions), *_connector_tools())}


def _of_function(function: Mapping[str, Any]) -> Tool:
    name = function["name"]
    said = {"description": function["description"], "takes": function["parameters"]}
    return Tool(name=name, run=partial(_called, name), **said, **_KNOWN[name])


def _called(name: str, mine: ScopedMemory, arguments: dict[str, Any]) -> dict[str, Any]:
    answer = tools.call(mine, name, arguments)
    if "error" in answer:
        raise InvalidInput(answer["error"])
    return answer


# -- connectors: names and results that ChatGPT's connectors ask for --------------------------------------------------
def _connector_tools() -> tuple[Tool, Tool]:
    found = shape({"id": _STRING, "title": _STRING, "url": _STRING}, "id", "title", "url")
    whole = shape(
        {"id": _STRING, "title": _STRING, "text": _STRING, "url": _STRING, "metadata": {"type": "object"}},
        "id",
        "title",
        "text",
        "url",
    )
    query, one = shape({"query": _STRING}, "query"), shape({"id": _STRING}, "id")
    say = "Search memory; give an id of the results to fetch."
    return (
        Tool("search", "Search", say, query, shape({"results": items(found)}, "results"), "read", _search, reads=True),
        Tool("fetch", "Fetch", "Read one result of search.", one, whole, "read", _fetch, reads=True, again=True),
    )


def address(memory_id: str) -> str:
    """A memory's address, as a resource.

    >>> address("0192")
    'memory://memories/0192'
    """
    return f"memory://memories/{memory_id}"


def _search(mine: ScopedMemory, given: dict[str, Any]) -> dict[str, Any]:
    found = _called("search_memories", mine, {"query": given["query"], "k": 10})["memories"]
    return {"results": [{"id": m["id"], "title": _title(m["text"]), "url": address(m["id"])} for m in found]}


def _fetch(mine: ScopedMemory, given: dict[str, Any]) -> dict[str, Any]:
    memory = _called("get_memory", mine, {"id": given["id"]})
    more = {name: memory[name] for name in ("tier", "timestamp", "trust", "evidence")}
    text = memory["text"]
    return {"id": memory["id"], "title": _title(text), "text": text, "url": address(memory["id"]), "metadata": more}


def _title(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else line[:79] + "…"
