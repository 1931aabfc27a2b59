"""Labelled conversations, one a line, as retrieval is measured with. Each is a user of its own, `eval-<id>`.

`{"id", "messages": [{"id", "session", "ts", "speaker", "text"}], "queries": [...]}`; the queries are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from retentive.importers.report import Broken, Conversation, ImportReport, Message, clean, moment, name_of

_ROLES = frozenset({"user", "assistant", "system", "tool"})
_ZONE = re.compile(r"(?:Z|[+-]\d{2}:\d{2})$")
#: Conversations without times are given this one: what counts is their order.
_NO_TIME = "2024-01-01T00:00:00"


def conversations(records: Iterable[Any], report: ImportReport) -> Iterator[Conversation]:
    """Conversations of parsed records, session by session."""
    for record in records:
        if isinstance(record, ValueError):
            report.broken[str(record)] += 1
            continue
        own = name_of(record.get("id")) if isinstance(record, Mapping) else None
        if own is None or not isinstance(record.get("messages"), list):
            report.broken["conversations without an id or messages"] += 1
            continue
        sessions: dict[str, list[Message]] = {}
        for message in record["messages"]:
            try:
                session_id, ours = _message(message)
            except Broken as broken:
                report.broken[f"messages {broken}"] += 1
                continue
            sessions.setdefault(session_id, []).append(ours)
        for session_id, messages in sessions.items():
            yield Conversation(session_id, messages, f"eval-{own}")


def _message(message: Any) -> tuple[str, Message]:
    message = message if isinstance(message, Mapping) else {}
    speaker, own, session_id = (name_of(message.get(key)) for key in ("speaker", "id", "session"))
    if not isinstance(message.get("text"), str) or speaker is None or own is None or session_id is None:
        reason = "without text, a speaker, an id or a session"
        raise Broken(reason)
    time = message.get("ts") or _NO_TIME
    if isinstance(time, str) and not _ZONE.search(time, 10):
        time += "Z"
    return session_id, {
        "role": speaker if speaker in _ROLES else "user",
        "name": speaker,
        "content": clean(message["text"]),
        "timestamp": moment(time),
        "id": own,
    }
