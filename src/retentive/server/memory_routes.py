"""Routes of one user's or agent's memory: record, remember, recall, block, look, change, forget, take along."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.responses import Response

from retentive.checking import SCOPE_WORDS
from retentive.config import Settings
from retentive.contracts.ledger import SessionUsage
from retentive.errors import InvalidInput
from retentive.lifecycle.edit import EditReport
from retentive.models.schema import Schema
from retentive.results import Block, ErasureReport, Item, Page, Recall, Receipt, Why
from retentive.server.routing import LINES, MARKDOWN, Answer, Call, Route
from retentive.server.schemas import CURSOR, ID, METADATA, SESSION, TIME, obj, optional, text, whole
from retentive.server.views import Document, SessionView, session_view
from retentive.types import CATEGORIES, Status

_WHERE: Schema = {
    "type": "object",
    "description": "Columns or metadata that must be equal, such as category, session_id or a key of the metadata.",
    "minProperties": 1,
    "maxProperties": 20,
    "propertyNames": {"pattern": rf"^(?!\$)(?!(?:{'|'.join(sorted(SCOPE_WORDS))})$)[^\u0000]+$"},
    "additionalProperties": {
        "type": ["string", "number", "boolean"],
        "minLength": 1,
        "pattern": r"^(?!\*$)",
        "minimum": 1 - (1 << 63),
        "maximum": (1 << 63) - 1,
    },
}
_TIER: Schema = {"type": "string", "enum": ["episodic", "semantic"]}
_STATUS: Schema = {"type": "string", "enum": [*map(str, Status), "any"]}
_CATEGORY: Schema = {"type": "string", "enum": list(CATEGORIES)}
_CONFIDENCE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_LIMIT = whole(1, 1000, "How many at the most.")
_PROFILE: Schema = {"type": "object", "additionalProperties": {"type": ["string", "null"]}, "minProperties": 1}

_MESSAGE = obj(
    {
        "role": ID,
        "content": {
            "type": ["string", "array", "null"],
            "items": {},
            "description": "Text, or a list of parts of which text counts.",
        },
        "name": optional(ID),
        "timestamp": optional(TIME),
        "id": {**optional(ID), "description": "Your own id of the message: the same one is stored once."},
        "type": ID,
        "metadata": optional(METADATA),
    },
    "content",
)
_RECORD = obj(
    {"messages": {"type": "array", "items": _MESSAGE, "maxItems": 10_000}, "session_id": optional(SESSION)}, "messages"
)
_REMEMBER = obj(
    {
        "text": text("The fact, one sentence."),
        "category": optional(_CATEGORY),
        "field": optional({**ID, "description": "The profile field it fills."}),
        "confidence": optional(_CONFIDENCE),
        "evergreen": {"type": "boolean", "description": "Always in the block, never faded."},
        "expires_at": optional(TIME),
        "source": {**ID, "description": "Who says so; tool and web are not trusted."},
        "metadata": optional(METADATA),
        "session_id": optional(SESSION),
    },
    "text",
)
_UPDATE = obj(
    {
        "text": text("The fact, corrected."),
        "category": _CATEGORY,
        "confidence": _CONFIDENCE,
        "evergreen": {"type": "boolean"},
        "expires_at": optional(TIME),
        "metadata": optional(METADATA),
    },
    minProperties=1,
)
_RECALL = obj(
    {
        "query": {"type": "string", "maxLength": 1_000_000},
        "k": optional(whole(1, 1000)),
        "tiers": {"type": "array", "items": _TIER, "minItems": 1, "maxItems": 2},
        "since": optional(TIME),
        "until": optional(TIME),
        "as_of": optional(TIME),
        "known_at": optional(TIME),
        "now": optional(TIME),
        "where": optional(_WHERE),
        "session_id": optional(SESSION),
        "min_score": {"type": ["number", "null"], "description": "A floor; below_floor says what it kept out."},
        "budget_tokens": optional(whole(1, 1_000_000)),
        "explain": {"type": "boolean", "description": "A trace of every step."},
    },
    "query",
)
_BLOCK = obj(
    {
        "query": {"type": ["string", "null"], "maxLength": 1_000_000},
        "budget_tokens": optional(whole(1, 1_000_000)),
        "k": optional(whole(1, 1000)),
        "episodes": whole(0, 1000, "How many of the last sessions."),
        "tag": optional({"type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_-]{0,63}$"}),
    }
)
_HOW: dict[str, Schema] = {
    "verify": {"type": "boolean", "description": "Search the bytes of every file for what went."},
    "dry_run": {"type": "boolean", "description": "Say what would go, and change nothing."},
}
_CONDITIONS: dict[str, Schema] = {
    "where": _WHERE,
    "session_id": SESSION,
    "of_project": ID,
    "since": TIME,
    "until": TIME,
}
#: Ids or conditions. `if` rather than `oneOf`: of the latter, generators of clients make a type for each branch.
_FORGET: Schema = {
    **obj({"ids": {"type": "array", "items": ID, "minItems": 1, "maxItems": 10_000}, **_CONDITIONS, **_HOW}),
    "if": {"required": ["ids"]},
    "then": {"properties": dict.fromkeys(_CONDITIONS, False)},
    "else": {"anyOf": [{"required": [name]} for name in _CONDITIONS]},
}


# -- handlers: one call of a verb each -----------------------------------------------------------------------------
def _remember(call: Call) -> Receipt:
    return call.mine.remember(**call.body, idempotency_key=call.headers.get("idempotency-key"))


def _list(call: Call) -> Page:
    asked = call.asked
    status = asked.pop("status", "active")
    return call.mine.list(status=None if status == "any" else status, **asked)


def _update(call: Call) -> Receipt:
    version = call.headers.get("if-match")
    return call.mine.update(call.path["id"], **call.body, version=None if version is None else _version(version))


def _version(etag: str) -> int:
    """The version that an ETag of ours names.

    >>> _version('"3"')
    3
    """
    number = etag.strip().removeprefix("W/").strip('"')
    if not number.isdecimal() or len(number) > 9:
        message = 'If-Match is the ETag that reading the memory gave, such as "3"'
        raise InvalidInput(message)
    return int(number)


def _sessions(call: Call) -> list[SessionView]:
    return [session_view(one) for one in call.mine.sessions(**call.asked)]


def _export(call: Call) -> Answer:
    with tempfile.TemporaryDirectory(prefix="retentive-export-") as folder:
        path = Path(folder) / "export.jsonl"
        call.mine.export(path, format="jsonl")
        return Response(path.read_bytes(), media_type=LINES)


def _import(call: Call) -> Receipt:
    with tempfile.TemporaryDirectory(prefix="retentive-import-") as folder:
        path = Path(folder) / "import.jsonl"
        path.write_text(call.body, encoding="utf-8")
        return call.mine.import_(path)


def _end_session(call: Call) -> None:
    call.mine.session_messages(call.path["id"], limit=1)  # NotFound for one that is not in this scope
    call.mine.end_session(call.path["id"])


def _messages(call: Call) -> list[Item]:
    return call.mine.session_messages(call.path["id"], **call.asked)


def _profile(call: Call) -> Mapping[str, str]:
    return call.mine.profile(**call.asked)


def with_profile(routes: Iterable[Route], settings: Settings) -> tuple[Route, ...]:
    """The routes, where what they take names the profile's fields as the settings have them, and their length."""
    names, most = list(settings.profile_fields), settings.profile_chars
    field = {**_REMEMBER["properties"]["field"], "enum": [*names, None]}
    filled = {"properties": {"field": {"type": "string"}}, "required": ["field"]}
    bodies: dict[str, Schema] = {
        "update_profile": obj(dict.fromkeys(names, optional(text(maxLength=most))), minProperties=1),
        "remember": {
            **_REMEMBER,
            "properties": {**_REMEMBER["properties"], "field": field},
            "if": filled,
            "then": {"properties": {"text": {"maxLength": most}}},
        },
    }
    return tuple(replace(route, body=bodies.get(route.name, route.body)) for route in routes)


_ONE: dict[str, Any] = {"found": True}

ROUTES: tuple[Route, ...] = (
    Route("POST", "/v1/messages", "record", "Append messages to the log, all or none.", "write",
          lambda call: call.mine.record(**call.body), Receipt, 201, body=_RECORD, repeatable=True),
    Route("POST", "/v1/facts", "remember", "Keep a statement as a fact.", "write",
          _remember, Receipt, 201, body=_REMEMBER, repeatable=True),
    Route("POST", "/v1/recall", "recall", "The memories that answer a query best.", "read",
          lambda call: call.mine.recall(**call.body), Recall, body=_RECALL),
    Route("POST", "/v1/block", "block", "Text for the prompt, within a token budget.", "read",
          lambda call: call.mine.block(**call.body), Block, body=_BLOCK),
    Route("GET", "/v1/profile", "get_profile", "The capped fields that are always in the prompt.", "read",
          _profile, Mapping[str, str], query={"as_of": TIME}),
    Route("PATCH", "/v1/profile", "update_profile", "Set profile fields; null empties one.", "write",
          lambda call: call.mine.update_profile(call.body), Receipt, body=_PROFILE, repeatable=True),
    Route("GET", "/v1/memories", "list_memories", "Memories, newest first, a page at a time.", "read", _list, Page,
          query={"tier": _TIER, "status": _STATUS, "where": _WHERE, "limit": _LIMIT, "cursor": CURSOR, "as_of": TIME}),
    Route("GET", "/v1/memories/{id}", "get_memory", "One memory; its ETag is its version.", "read",
          lambda call: call.mine.get(call.path["id"]), Item, etag=True, **_ONE),
    Route("PATCH", "/v1/memories/{id}", "update_memory", "Correct a fact: a new version under the same id.", "write",
          _update, Receipt, body=_UPDATE, repeatable=True, if_match=True, **_ONE),
    Route("DELETE", "/v1/memories/{id}", "forget_memory", "Erase one memory, bytes and all.", "forget",
          lambda call: call.mine.forget(call.path["id"]), ErasureReport, **_ONE),
    Route("GET", "/v1/memories/{id}/history", "history", "All versions, oldest first.", "read",
          lambda call: call.mine.history(call.path["id"]), list[Item], **_ONE),
    Route("GET", "/v1/memories/{id}/why", "why", "The words a memory rests on, and its versions.", "read",
          lambda call: call.mine.why(call.path["id"]), Why, **_ONE),
    Route("POST", "/v1/forget", "forget", "Erase memories by id or by filter.", "forget",
          lambda call: call.mine.forget(**call.body), ErasureReport, body=_FORGET, repeatable=True, **_ONE),
    Route("POST", "/v1/forget-everything", "forget_everything", "Erase all of this user's or agent's memory.", "forget",
          lambda call: call.mine.forget_everything(**call.asked), ErasureReport, query=_HOW),
    Route("GET", "/v1/sessions", "list_sessions", "The sessions that spoke last, newest first.", "read",
          _sessions, list[SessionView], query={"limit": _LIMIT}),
    Route("GET", "/v1/sessions/{id}/messages", "session_messages", "The last messages, oldest first.", "read",
          _messages, list[Item], query={"limit": _LIMIT}, **_ONE),
    Route("GET", "/v1/sessions/{id}/usage", "session_usage",
          "What a session's model calls took, and which memories in it.", "read",
          lambda call: call.mine.session_usage(call.path["id"]), SessionUsage, **_ONE),
    Route("POST", "/v1/sessions/{id}/end", "end_session", "End a session; what it was about is said in the background.",
          "write", _end_session, None, 202, **_ONE),
    Route("GET", "/v1/document", "get_document", "Profile and facts as one Markdown text to edit.", "read",
          lambda call: Document(call.mine.document()), Document),
    Route("PUT", "/v1/document", "apply_document", "Do what a person's edits of the document ask for.", "write",
          lambda call: call.mine.apply_document(call.body), EditReport, body=text(), takes=MARKDOWN),
    Route("GET", "/v1/export", "export", "All that is stored, every version, as JSON lines.", "export",
          _export, None, gives=LINES),
    Route("POST", "/v1/import", "import", "Take in an export, all of it or nothing.", "write",
          _import, Receipt, 201, body=text(), takes=LINES, repeatable=True),
)  # fmt: skip
