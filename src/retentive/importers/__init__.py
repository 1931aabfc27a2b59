"""Conversations from files: OpenAI messages, ChatGPT exports, labelled conversations, our own exports.

Each format is a pure generator of conversations; this module finds out which one a file is and records what it yields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retentive.errors import ImportFailed, InvalidInput
from retentive.importers import chatgpt, labelled, openai_messages
from retentive.importers.reading import read_texts, records
from retentive.importers.report import Conversation, ImportReport, Message

if TYPE_CHECKING:
    from retentive.scoped import ScopedMemory

__all__ = ["Conversation", "ImportReport", "conversations_of", "import_file", "kind_of"]

#: Messages stored in one transaction.
_BATCH = 1000
#: Records looked at to find out what a file is: the first may be broken.
_LOOKED_AT = 20


def import_file(
    path: Path,
    scope_for: Callable[[str | None], ScopedMemory],
    *,
    format_: str = "auto",
    advance: Callable[[int], None] = lambda _: None,
) -> ImportReport:
    """Record what a file holds. Broken pieces are counted and passed over; importing again adds nothing.

    Args:
        path: the file; .gz and a ChatGPT export's .zip are read as they are.
        scope_for: whose memory takes a conversation, given the user the file names or None.
        format_: auto, openai, chatgpt, labelled or retentive.
        advance: told how many messages were dealt with.

    Raises ImportFailed when the file cannot be read or is none of these.
    """
    found = chain.from_iterable(map(records, read_texts(path)))
    if format_ == "auto":
        first = list(islice(found, _LOOKED_AT))
        format_, found = kind_of(first), chain(first, found)
    report = ImportReport(format_)
    if format_ == "retentive":
        receipt = scope_for(None).import_(path)
        report.imported = sum(item.outcome == "stored" for item in receipt.items)
        report.duplicates = len(receipt.items) - report.imported
        return report
    for conversation in conversations_of(format_, found, report, name=path.stem):
        report.conversations += 1
        _take_in(conversation, scope_for(conversation.user_id), report, advance)
    return report


def kind_of(first: Iterable[Any]) -> str:
    """What the first records of a file are; raises ImportFailed when they are nothing we know."""
    for record in first:
        messages = record.get("messages") if isinstance(record, Mapping) else record
        if isinstance(record, Mapping):
            if record.get("format") == "retentive-export":
                return "retentive"
            if "mapping" in record:
                return "chatgpt"
            if "role" in record:
                return "openai"
        if isinstance(messages, list) and messages:
            one = next((m for m in messages if isinstance(m, Mapping)), {})
            if "speaker" in one and "text" in one:
                return "labelled"
            if "role" in one:
                return "openai"
    message = "the file is neither OpenAI messages, a ChatGPT export, labelled conversations nor our own export"
    raise ImportFailed(message)


def conversations_of(format_: str, found: Iterable[Any], report: ImportReport, *, name: str) -> Iterator[Conversation]:
    """The conversations of parsed records in a format; `report` counts what is skipped or broken on the way."""
    if format_ == "chatgpt":
        return chatgpt.conversations(found, report)
    if format_ == "labelled":
        return labelled.conversations(found, report)
    return openai_messages.conversations(found, report, name=name)


def _take_in(
    conversation: Conversation, mine: ScopedMemory, report: ImportReport, advance: Callable[[int], None]
) -> None:
    """Record a conversation and end its session: whoever speaks in it again opens it again."""
    before = report.imported
    for start in range(0, len(conversation.messages), _BATCH):
        batch = conversation.messages[start : start + _BATCH]
        _record(batch, conversation.session_id, mine, report)
        advance(len(batch))
    if report.imported > before:
        mine.session(conversation.session_id).end()


def _record(messages: list[Message], session_id: str, mine: ScopedMemory, report: ImportReport) -> None:
    """Record messages; where they are refused, find the ones that are to blame and take the others."""
    try:
        receipt = mine.record(messages, session_id)
    except InvalidInput as error:
        if len(messages) == 1:
            report.broken[str(error)[:120]] += 1
            return
        middle = len(messages) // 2
        _record(messages[:middle], session_id, mine, report)
        _record(messages[middle:], session_id, mine, report)
        return
    for item in receipt.items:
        if item.outcome == "stored":
            report.imported += 1
        elif item.outcome == "duplicate":
            report.duplicates += 1
        else:
            report.skipped[item.reason or "nothing to keep"] += 1
