"""A ChatGPT export: conversations.json, each a tree of messages of which one branch is the conversation.

The branch from the root to `current_node` is taken. Answers made again and questions edited are other branches:
counted, not taken. Hidden system messages, empty ones and a model's thoughts are skipped and counted, and so is what
is broken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from retentive.importers.report import Broken, Conversation, ImportReport, Message, clean, moment, name_of, text_parts

#: Content that nobody said to anybody.
_SILENT = frozenset({"thoughts", "reasoning_recap", "user_editable_context", "model_editable_context", "system_error"})


def conversations(records: Iterable[Any], report: ImportReport) -> Iterator[Conversation]:
    """Conversations of parsed records, each with the messages of its current branch."""
    for record in records:
        if isinstance(record, ValueError):
            report.broken[str(record)] += 1
            continue
        session_id = _session_id(record)
        if session_id is None or not isinstance(record.get("mapping"), Mapping):
            report.broken["conversations without an id or a mapping"] += 1
            continue
        try:
            branch = _branch(record["mapping"], record.get("current_node"))
        except Broken as broken:
            report.broken[f"conversations {broken}"] += 1
            continue
        others = sum(_says_something(node) for key, node in record["mapping"].items() if key not in branch)
        if others:
            report.skipped["on other branches"] += others
        yield Conversation(session_id, list(_messages(record, branch, report)))


def _session_id(record: Any) -> str | None:
    if not isinstance(record, Mapping):
        return None
    return name_of(record.get("conversation_id")) or name_of(record.get("id"))


def _branch(nodes: Mapping[str, Any], current: Any) -> list[str]:
    """Keys of the nodes from the root to the current one; without one, to the newest leaf."""
    place = current if isinstance(current, str) and current in nodes else _newest_leaf(nodes)
    branch: list[str] = []
    seen: set[str] = set()
    while isinstance(place, str) and place in nodes:
        if place in seen:
            reason = "that go round in a circle"
            raise Broken(reason)
        seen.add(place)
        branch.append(place)
        place = nodes[place].get("parent") if isinstance(nodes[place], Mapping) else None
    return branch[::-1]


def _newest_leaf(nodes: Mapping[str, Any]) -> str | None:
    parents = {node.get("parent") for node in nodes.values() if isinstance(node, Mapping)}
    leaves = [key for key in nodes if key not in parents]
    return max(leaves, key=lambda key: _seconds(nodes[key]), default=None)


def _seconds(node: Any) -> float:
    message = node.get("message") if isinstance(node, Mapping) else None
    time = message.get("create_time") if isinstance(message, Mapping) else None
    return float(time) if isinstance(time, int | float) else 0.0


def _says_something(node: Any) -> bool:
    return isinstance(node, Mapping) and isinstance(node.get("message"), Mapping)


def _messages(record: Mapping[str, Any], branch: list[str], report: ImportReport) -> Iterator[Message]:
    """Messages of a branch, oldest first; one without a time has that of the message before it."""
    last_time = _time_or_none(record.get("create_time"))
    for key in branch:
        node = record["mapping"][key]
        if not isinstance(node, Mapping) or not isinstance(node.get("message", None), Mapping | None):
            report.broken["messages that are no objects"] += 1
            continue
        message = node.get("message")
        if message is None:  # the root holds none
            continue
        reason = _why_skipped(message)
        if reason is not None:
            report.skipped[reason] += 1
            continue
        try:
            found = _message(message, key, last_time)
        except Broken as broken:
            report.broken[f"messages {broken}"] += 1
            continue
        last_time = found.get("timestamp", last_time)
        yield found


def _time_or_none(value: Any) -> str | None:
    try:
        return moment(value)
    except Broken:
        return None


def _why_skipped(message: Mapping[str, Any]) -> str | None:
    metadata, content = message.get("metadata"), message.get("content")
    if isinstance(metadata, Mapping) and metadata.get("is_visually_hidden_from_conversation"):
        return "hidden"
    if isinstance(content, Mapping) and content.get("content_type") in _SILENT:
        return "not said to anyone (thoughts, settings, errors)"
    text, others = _text(content)
    if not text.strip():
        return "without text (images, files)" if others else "empty"
    return None


def _text(content: Any) -> tuple[str, list[str]]:
    if not isinstance(content, Mapping):
        return "", []
    if isinstance(content.get("parts"), list):
        return text_parts(content["parts"])
    return clean(next((content[key] for key in ("text", "result") if isinstance(content.get(key), str)), "")), []


def _message(message: Mapping[str, Any], key: str, last_time: str | None) -> Message:
    author = message.get("author")
    role = name_of(author.get("role")) if isinstance(author, Mapping) else None
    if role is None:
        reason = "without an author"
        raise Broken(reason)
    text, others = _text(message.get("content"))
    found: Message = {"role": role, "content": text, "id": name_of(message.get("id")) or name_of(key)}
    timestamp = moment(message.get("create_time")) or last_time
    if timestamp is not None:
        found["timestamp"] = timestamp
    if isinstance(author, Mapping) and (name := name_of(author.get("name"))):
        found["name"] = name
    if others:
        found["metadata"] = {"parts": others[:50]}
    return found
