"""Export and import: everything of a scope as JSON lines, and back, with ids, versions and both clocks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from retentive.analyze import index_terms
from retentive.contracts import Listing, Remembered, Store
from retentive.errors import ImportFailed
from retentive.results import Receipt, ReceiptItem
from retentive.types import (
    AddEpisode,
    AddFact,
    Episode,
    Evidence,
    Fact,
    NewJob,
    Partition,
    PutSession,
    SessionInfo,
    Status,
    indexed_text,
)

FORMAT = "retentive-export"
FORMAT_VERSION = 1
_PAGE = 1000


def everything(store: Store, partition: Partition) -> Iterator[Remembered]:
    """All memories of a partition, every version, in order of recording."""
    after: int | None = None
    while True:
        page = store.listing(partition, Listing(status=None, limit=_PAGE, after_row=after, oldest_first=True))
        yield from page
        if len(page) < _PAGE:
            return
        after = page[-1].row


def export_lines(store: Store, partition: Partition) -> Iterator[str]:
    """One JSON object a line: a head, then sessions, then memories."""
    yield json.dumps({"format": FORMAT, "version": FORMAT_VERSION})
    for session in reversed(store.sessions(partition, limit=1_000_000)):
        yield json.dumps({"kind": "session"} | asdict(session), ensure_ascii=False)
    for memory in everything(store, partition):
        kind = "episode" if isinstance(memory, Episode) else "fact"
        known = asdict(memory) | {"row": 0}
        if kind == "fact":
            known["digest"] = known["digest"].hex()
        yield json.dumps({"kind": kind} | known, ensure_ascii=False)


def export(store: Store, partition: Partition, path: str | Path) -> int:
    """Write the export to a file that appears only when it is complete; returns the number of lines."""
    target = Path(path)
    unfinished = target.with_name(target.name + ".part")
    count = 0
    with unfinished.open("w", encoding="utf-8", newline="\n") as file:
        for line in export_lines(store, partition):
            file.write(line + "\n")
            count += 1
    unfinished.replace(target)
    return count


def _parsed(lines: Iterable[str]) -> Iterator[Episode | Fact | SessionInfo]:
    for number, line in enumerate(lines, 1):
        try:
            known: dict[str, Any] = json.loads(line)
            if number == 1:
                if known.get("format") != FORMAT or known.get("version") != FORMAT_VERSION:
                    raise ImportFailed
                continue
            yield _memory(known)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            message = f"line {number} is not part of a Retentive export: {error}; nothing was imported"
            raise ImportFailed(message) from error


def _memory(known: dict[str, Any]) -> Episode | Fact | SessionInfo:
    kind = known.pop("kind")
    if kind == "session":
        return SessionInfo(**known)
    if kind == "episode":
        return Episode(**known)
    known["digest"] = bytes.fromhex(known["digest"])
    known["status"] = Status(known["status"])
    known["evidence"] = tuple(Evidence(*pair) for pair in known["evidence"])
    return Fact(**known)


def import_lines(store: Store, partition: Partition, lines: Iterable[str]) -> Receipt:
    """Put an export into a partition, all or nothing; what is there already by id is left as it is."""
    memories = list(_parsed(lines))
    if not memories:
        return Receipt(())
    known = store.get(partition, list({m.id for m in memories if not isinstance(m, SessionInfo)}))
    items, rows = [], []
    with store.transaction(partition) as transaction:
        for memory in memories:
            if isinstance(memory, SessionInfo):
                if transaction.session(memory.id) is None:
                    transaction.apply([PutSession(replace(memory, owner=None))])
                continue
            if memory.id in known:
                items.append(ReceiptItem(memory.id, "duplicate", "a memory with this id is here already"))
                continue
            change = AddEpisode(memory) if isinstance(memory, Episode) else AddFact(memory)
            rows += transaction.apply([change], {memory.id: index_terms(indexed_text(memory))})
            items.append(ReceiptItem(memory.id, "stored"))
        if rows:
            transaction.enqueue(NewJob("embed", {"first_row": rows[0], "last_row": rows[-1]}))
    return Receipt(tuple(items))


def import_(store: Store, partition: Partition, path: str | Path) -> Receipt:
    """Import an export's file."""
    with Path(path).open(encoding="utf-8") as lines:
        return import_lines(store, partition, lines)
