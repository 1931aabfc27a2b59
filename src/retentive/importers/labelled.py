"""Labelled conversations, one a line, as retrieval is measured with. Each is a user of its own, `eval-<id>`.

`{"id", "messages": [{"id", "session", "ts", "speaker", "text"}], "queries": [{"text", "gold_ids", "gold_sessions",
"category", "visible"}]}`. Importing takes the messages; measuring reads the queries too, with `read_labelled`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from retentive.errors import ImportFailed
from retentive.importers.reading import read_texts, records
from retentive.importers.report import Broken, Conversation, ImportReport, Message, clean, moment, name_of

_ROLES = frozenset({"user", "assistant", "system", "tool"})
_ZONE = re.compile(r"(?:Z|[+-]\d{2}:\d{2})$")
#: Conversations without times are given this one: what counts is their order.
_NO_TIME = "2024-01-01T00:00:00"


@dataclass(frozen=True, slots=True)
class Query:
    """A question, and the messages and sessions that answer it.

    `visible`: how many leading messages there were when it was asked, None for all.
    """

    text: str
    gold_ids: frozenset[str]
    gold_sessions: frozenset[str]
    category: str
    visible: int | None = None


@dataclass(frozen=True, slots=True)
class Labelled:
    """One conversation to measure with: what to record, session by session, and what to ask.

    `places` and `session_of` go by the messages' own ids; a place is where a message stands in the file.
    """

    id: str
    sessions: tuple[Conversation, ...]
    places: Mapping[str, int]
    session_of: Mapping[str, str]
    queries: tuple[Query, ...]


def read_labelled(path: Path) -> Iterator[Labelled]:
    """The conversations of a labelled file, with the queries that have an answer in them.

    Queries of the category `adversarial` have none and are left out. Raises ImportFailed when the file cannot be read
    or any piece of it is broken: what is measured on part of a file says nothing of the file.
    """
    for record in chain.from_iterable(map(records, read_texts(path))):
        report = ImportReport("labelled")
        sessions = tuple(conversations([record], report))
        if report.broken:
            message = f"{path.name} is not a labelled file: it has {next(iter(report.broken))}"
            raise ImportFailed(message)
        asked = [_query(query) for query in record.get("queries") or []]
        yield Labelled(
            str(record["id"]),
            sessions,
            {str(name_of(message["id"])): place for place, message in enumerate(record["messages"])},
            {message["id"]: one.session_id for one in sessions for message in one.messages},
            tuple(query for query in asked if query.gold_ids and query.category != "adversarial"),
        )


def _query(query: Any) -> Query:
    text = query.get("text") if isinstance(query, Mapping) else None
    gold, sessions = (query.get(name) or [] if text else [] for name in ("gold_ids", "gold_sessions"))
    visible = query.get("visible") if text else None
    if not isinstance(text, str) or not isinstance(gold, list) or not isinstance(sessions, list):
        message = "a labelled query has a text, gold_ids and gold_sessions"
        raise ImportFailed(message)
    return Query(
        clean(text),
        frozenset(str(name_of(one)) for one in gold),
        frozenset(str(name_of(one)) for one in sessions),
        str(query.get("category")),
        visible if isinstance(visible, int) and visible > 0 else None,
    )


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
