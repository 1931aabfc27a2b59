"""OpenAI-shaped messages: a list of them, `{"messages": [...]}`, or JSONL of either.

Tool calls become text where a message says nothing else, and metadata; parts without text are named in metadata.
Messages without an id get one from their place and words, so that the same file adds nothing when it is read again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from retentive.importers.report import (
    Broken,
    Conversation,
    ImportReport,
    Message,
    Skipped,
    clean,
    derived_id,
    moment,
    name_of,
    text_parts,
)

_TIME_FIELDS = ("timestamp", "created_at", "create_time", "created")
_ID_FIELDS = ("session_id", "conversation_id", "thread_id", "id")
#: Arguments of tool calls kept in metadata; longer ones stay in the text only.
_CALL_CHARS = 8000


def conversations(records: Iterable[Any], report: ImportReport, *, name: str) -> Iterator[Conversation]:
    """Conversations of parsed records; `name` tells files apart whose conversations carry no id."""
    loose: list[Any] = []
    number = 0
    for record in records:
        if isinstance(record, ValueError):
            report.broken[str(record)] += 1
        elif isinstance(record, list):
            number += 1
            yield _conversation(record, {}, report, (name, number))
        elif isinstance(record, Mapping) and isinstance(record.get("messages"), list):
            number += 1
            yield _conversation(record["messages"], record, report, (name, number))
        else:
            loose.append(record)
    if loose:  # messages one after another: one conversation
        yield _conversation(loose, {}, report, (name, 0))


def _conversation(
    messages: list[Any], about: Mapping[str, Any], report: ImportReport, place: tuple[str, int]
) -> Conversation:
    spoken = [m for m in messages if isinstance(m, Mapping) and m.get("role") in {"user", "assistant"}]
    own = next((name for key in _ID_FIELDS if (name := name_of(about.get(key)))), None)
    session_id = own or f"import-{derived_id(*place, spoken[0].get('content') if spoken else '')}"
    found: list[Message] = []
    for number, message in enumerate(messages):
        try:
            found.append(_message(message, number))
        except Broken as broken:
            report.broken[f"messages {broken}"] += 1
        except Skipped as skipped:
            report.skipped[str(skipped)] += 1
    return Conversation(session_id, found)


def _message(message: Any, number: int) -> Message:
    """One message as ours. Raises Broken or Skipped."""
    message = message if isinstance(message, Mapping) else {}
    role = name_of(message.get("role"))
    if role is None:
        if isinstance(message.get("type"), str):
            reason = f"of type {message['type'][:40]}"
            raise Skipped(reason)
        reason = "without a role"
        raise Broken(reason)
    text, others = text_parts(message.get("content"))
    calls = _tool_calls(message)
    text = text or "\n".join(f"called {call['name']}({call['arguments']})" for call in calls)
    text = text or (clean(message["refusal"]) if isinstance(message.get("refusal"), str) else "")
    if not text.strip():
        reason = "without text" if others else "empty"
        raise Skipped(reason)
    ours: Message = {
        "role": role,
        "content": text,
        "id": name_of(message.get("id")) or f"{number}-{derived_id(role, text)}",
    }
    timestamp = moment(next((message[key] for key in _TIME_FIELDS if message.get(key) is not None), None))
    optional = {"timestamp": timestamp, "name": name_of(message.get("name")), "type": _type(role, calls)}
    metadata = _metadata(message, calls, others)
    return ours | {key: value for key, value in (optional | {"metadata": metadata}).items() if value}


def _type(role: str, calls: list[dict[str, str]]) -> str | None:
    return "tool_result" if role in {"tool", "function"} else "tool_call" if calls else None


def _tool_calls(message: Mapping[str, Any]) -> list[dict[str, str]]:
    """Tool calls, and the older single function_call, as id, name and arguments."""
    given = message.get("tool_calls")
    calls = [call for call in given if isinstance(call, Mapping)] if isinstance(given, list) else []
    if isinstance(message.get("function_call"), Mapping):
        calls.append({"function": message["function_call"]})
    found = []
    for call in calls:
        function = call.get("function") or call.get("custom") or call
        arguments = function.get("arguments", function.get("input", "")) if isinstance(function, Mapping) else ""
        arguments = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        name = name_of(function.get("name")) if isinstance(function, Mapping) else None
        found.append({"id": name_of(call.get("id")) or "", "name": name or "a tool", "arguments": clean(arguments)})
    return found


def _metadata(message: Mapping[str, Any], calls: list[dict[str, str]], others: list[str]) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    if calls:
        short = sum(len(call["arguments"]) for call in calls) <= _CALL_CHARS
        metadata["tool_calls"] = calls if short else [{"id": c["id"], "name": c["name"]} for c in calls]
    if answered := name_of(message.get("tool_call_id")):
        metadata["tool_call_id"] = answered
    if others:
        metadata["parts"] = others[:50]
    return metadata
