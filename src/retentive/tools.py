"""Tools for a model: memory as functions it may call, with the same checks as everyone's calls.

`schemas()` gives OpenAI function schemas; `call(mine, name, arguments)` runs one and returns plain JSON data. A mistake
of the model comes back as `{"error": ...}` that says what to do, so that it can try again; it never raises for one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from retentive.echo import echo
from retentive.errors import InvalidInput, NotFound
from retentive.given import checked_object
from retentive.results import Item, Receipt
from retentive.scoped import ScopedMemory
from retentive.types import CATEGORIES

#: No answer is longer, whatever a model asks for.
_MAX_ITEMS = 50
_MAX_TEXT_CHARS = 2000
_MAX_ANSWER_CHARS = 20_000


def _string(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **more}


def _schema(name: str, description: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


_ID = {"id": _string("The memory's id, as a search or listing gave it")}
_LIMIT = {"type": "integer", "minimum": 1, "maximum": _MAX_ITEMS, "description": "How many at the most"}


def schemas() -> list[dict[str, Any]]:
    """The tools as OpenAI function schemas.

    >>> [schema["function"]["name"] for schema in schemas()][:3]
    ['save_fact', 'update_profile', 'update_memory']
    """
    return [*_writing_schemas(), *_reading_schemas()]


def _writing_schemas() -> list[dict[str, Any]]:
    category = _string("What kind of fact it is", enum=list(CATEGORIES))
    return [
        _schema(
            "save_fact",
            "Remember one durable fact about the user, in one plain sentence. Not for what matters only now.",
            {"text": _string("The fact, one sentence"), "category": category},
            ["text"],
        ),
        _schema(
            "update_profile",
            "Set fields of the user's profile, such as name, language or timezone.",
            {"values": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Field: value"}},
            ["values"],
        ),
        _schema(
            "update_memory",
            "Correct a fact; the old wording stays in its history.",
            _ID | {"text": _string("The corrected fact, one sentence")},
            ["id", "text"],
        ),
        _schema("delete_memory", "Erase one memory for good, when the user asks for it.", _ID, ["id"]),
    ]


def _reading_schemas() -> list[dict[str, Any]]:
    return [
        _schema(
            "search_memories",
            "Find what is remembered that answers a question.",
            {"query": _string("What to look for"), "k": _LIMIT},
            ["query"],
        ),
        _schema(
            "list_memories",
            "List what is remembered, newest first, a page at a time.",
            {
                "tier": _string("Facts or the log of messages", enum=["semantic", "episodic"]),
                "limit": _LIMIT,
                "cursor": _string("The last page's cursor, for the next page"),
            },
            [],
        ),
        _schema("get_memory", "Read one memory, with the words it rests on.", _ID, ["id"]),
        _schema(
            "get_memory_block",
            "What is known of the user as text: the profile, what a question recalls, the last sessions.",
            {"query": _string("What the conversation is about now")},
            [],
        ),
    ]


def call(mine: ScopedMemory, name: str, arguments: Mapping[str, Any] | str) -> dict[str, Any]:
    """Run one tool. `arguments` are a dict, or the JSON text a model gave.

    Store failures are raised as everywhere; what the model itself got wrong is returned as `{"error": ...}`.
    """
    checked_object("mine", mine, ScopedMemory)
    try:
        return _tool(name)(mine, _checked(name, arguments))
    except (InvalidInput, NotFound) as error:
        return {"error": str(error)}


def _tool(name: str) -> Callable[[ScopedMemory, dict[str, Any]], dict[str, Any]]:
    if not isinstance(name, str) or name not in _TOOLS:
        message = f"there is no tool {echo(name)}: use one of {', '.join(_TOOLS)}"
        raise InvalidInput(message)
    return _TOOLS[name]


def _checked(name: str, arguments: Mapping[str, Any] | str) -> dict[str, Any]:
    """The arguments as a dict with the names the schema knows."""
    try:
        given = json.loads(arguments) if isinstance(arguments, str) else dict(arguments)
    except (ValueError, TypeError, RecursionError) as error:
        message = "the arguments are not a JSON object"
        raise InvalidInput(message) from error
    known = next(s["function"]["parameters"] for s in schemas() if s["function"]["name"] == name)
    if not isinstance(given, dict) or set(given) - set(known["properties"]) or set(known["required"]) - set(given):
        needed = ", ".join(known["required"]) or "nothing"
        message = f"{name} takes {', '.join(known['properties'])} and needs {needed}"
        raise InvalidInput(message)
    for limit in ("k", "limit"):
        if limit in given and given[limit] not in range(1, _MAX_ITEMS + 1):
            message = f"{limit} is a whole number from 1 to {_MAX_ITEMS}"
            raise InvalidInput(message)
    return given


def fits(parts: Sequence[Any]) -> int:
    """How many of the first parts fit in one answer, as JSON; at least one.

    >>> fits(["word " * 1000] * 10)
    3
    """
    room = _MAX_ANSWER_CHARS
    for count, part in enumerate(parts):
        room -= len(json.dumps(part, ensure_ascii=False))
        if room < 0:
            return max(count, 1)
    return len(parts)


def shortened(text: str) -> str:
    """A text of which no more than an answer has room for is left, and which says so."""
    return text if len(text) <= _MAX_TEXT_CHARS else text[:_MAX_TEXT_CHARS] + " […]"


def _shown(item: Item) -> dict[str, Any]:
    """What a model needs of a memory; long texts are cut, and say so."""
    text = shortened(item.text)
    shown = {"id": item.id, "tier": item.tier, "text": text, "timestamp": item.timestamp, "trust": item.trust}
    return shown | ({"category": item.category, "status": item.status} if item.tier == "semantic" else {})


def _receipt(receipt: Receipt) -> dict[str, Any]:
    return {"items": [{"id": i.id, "outcome": i.outcome, "reason": i.reason} for i in receipt.items]}


def _save_fact(mine: ScopedMemory, given: dict[str, Any]) -> dict[str, Any]:
    return _receipt(mine.remember(given["text"], category=given.get("category"), source="assistant"))


def _update_profile(mine: ScopedMemory, given: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(given["values"], dict):
        message = "values is an object of field: value"
        raise InvalidInput(message)
    return _receipt(mine.update_profile(given["values"]))


def _search(mine: ScopedMemory, given: dict[str, Any]) -> dict[str, Any]:
    recall = mine.recall(given["query"], k=given.get("k", 5))
    found = [_shown(hit.item) | {"score": round(hit.score, 3)} for hit in recall.hits]
    fitting = fits(found)
    return {"memories": found[:fitting], "degraded": list(recall.degraded), "left_out": len(found) - fitting}


def _list(mine: ScopedMemory, given: dict[str, Any]) -> dict[str, Any]:
    tier, cursor = given.get("tier"), given.get("cursor")
    page = mine.list(tier, limit=given.get("limit", 20), cursor=cursor)
    fitting = fits([_shown(item) for item in page])
    if fitting < len(page):  # the rest is the next page's
        page = mine.list(tier, limit=fitting, cursor=cursor)
    return {"memories": [_shown(item) for item in page], "cursor": page.cursor}


def _get(mine: ScopedMemory, given: dict[str, Any]) -> dict[str, Any]:
    why = mine.why(given["id"])
    evidence = [{"quote": quote[:_MAX_TEXT_CHARS], "timestamp": item.timestamp} for quote, item in why.evidence]
    return _shown(why.item) | {"version": why.item.version, "evidence": evidence[: fits(evidence)]}


def _update(mine: ScopedMemory, given: dict[str, Any]) -> dict[str, Any]:
    return _receipt(mine.update(given["id"], text=given["text"]))


def _delete(mine: ScopedMemory, given: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(given["id"], str):
        message = "id is one memory's id"
        raise InvalidInput(message)
    report = mine.forget(given["id"])
    return {"forgotten": list(report.ids), "complete": report.complete}


def _block(mine: ScopedMemory, given: dict[str, Any]) -> dict[str, Any]:
    block = mine.block(given.get("query"))
    return {"text": block.text, "tokens": block.tokens}


_TOOLS: Mapping[str, Callable[[ScopedMemory, dict[str, Any]], dict[str, Any]]] = {
    "save_fact": _save_fact,
    "update_profile": _update_profile,
    "search_memories": _search,
    "list_memories": _list,
    "get_memory": _get,
    "update_memory": _update,
    "delete_memory": _delete,
    "get_memory_block": _block,
}
