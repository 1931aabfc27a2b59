"""Export and import: everything of a scope as JSON lines, and back, with ids, versions and both clocks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

from retentive.analyze import index_terms
from retentive.checking import checked_metadata, checked_path, checked_text
from retentive.cleaning import Cleaner
from retentive.clock import MAX_US, MIN_US
from retentive.contracts import Listing, Remembered, Store, Transaction
from retentive.errors import Conflict, ImportFailed, RetentiveError
from retentive.lines import memory_object, session_object
from retentive.policy import TRUSTS
from retentive.redaction import RedactionPolicy
from retentive.remember import derived
from retentive.results import Receipt, ReceiptItem
from retentive.types import (
    CURRENT,
    KEPT_CATEGORIES,
    AddEpisode,
    AddFact,
    ConfirmFact,
    Episode,
    Evidence,
    Fact,
    NewJob,
    Partition,
    PutSession,
    SessionInfo,
    SessionKey,
    Status,
    Tier,
    indexed_text,
)
from retentive.wording import kind_of

FORMAT = "retentive-export"
FORMAT_VERSION = 1
#: The first line of an export.
HEAD = json.dumps({"format": FORMAT, "version": FORMAT_VERSION})
_PAGE = 1000
_FIELD = re.compile(r"[a-z][a-z_]{0,30}")
_KINDS: Mapping[str, Any] = {"str": str, "int": int, "float": (int, float), "bool": bool, "Metadata": dict}


def everything(
    store: Store, partition: Partition, *, tier: Tier | None = None, status: str | None = None
) -> Iterator[Remembered]:
    """All memories of a partition, every version, in order of recording; of one tier, of one status."""
    after: int | None = None
    while True:
        page = store.listing(partition, Listing(tier, status, limit=_PAGE, after_row=after, oldest_first=True))
        yield from page
        if len(page) < _PAGE:
            return
        after = page[-1].row


def export_lines(store: Store, partition: Partition) -> Iterator[str]:
    """One JSON object a line: a head, then sessions, then memories."""
    yield HEAD
    for session in reversed(store.sessions(partition, limit=1_000_000)):
        yield json.dumps(session_object(session), ensure_ascii=False)  # `_put_session` finds anew what is of its store
    for memory in everything(store, partition):
        yield memory_line(memory)


def memory_line(memory: Remembered) -> str:
    """A memory as a line of an export."""
    return json.dumps(memory_object(memory), ensure_ascii=False)


def _parsed(lines: Iterable[str]) -> Iterator[Episode | Fact | SessionInfo]:
    number = 0
    try:
        for number, line in enumerate(lines, 1):
            known: dict[str, Any] = json.loads(line)
            if number > 1:
                yield memory_of_line(known)
            elif known.get("format") != FORMAT or known.get("version") != FORMAT_VERSION:
                raise ImportFailed
        if number == 0:
            raise ImportFailed
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        message = f"line {number} is not part of a Retentive export{_why(error)}; nothing was imported"
        raise ImportFailed(message) from error


def _why(error: Exception) -> str:
    """What is wrong with a line in words of ours; those of a parser, or of a type, say nothing to who has the file."""
    return f": {error}" if isinstance(error, _Unfit | RetentiveError) else ""


def memory_of_line(known: dict[str, Any]) -> Episode | Fact | SessionInfo:
    """What a line of an export holds, every value checked. Raises ValueError, TypeError, KeyError for what is none."""
    kind = known.pop("kind")
    if kind == "session":
        return _checked(SessionInfo(**known))
    if kind == "episode":
        return _checked(Episode(**known))
    known["digest"] = bytes.fromhex(known["digest"])
    known["status"] = Status(known["status"])
    known["evidence"] = tuple(Evidence(str(UUID(i)), checked_text(quote)) for i, quote in known["evidence"])
    fact = _checked(Fact(**known))
    named = (fact.field is None or _FIELD.fullmatch(fact.field)) and fact.category in KEPT_CATEGORIES
    plain = named and fact.trust in TRUSTS and 0 <= fact.confidence <= 1 and 1 <= fact.version < 1 << 31
    if not plain or not fact.text.strip():
        message = "a fact has a category, a trust, a confidence or a version that none can have, or no text"
        raise _Unfit(message)
    return fact


class _Unfit(ValueError):
    """What no export holds, said in words of ours."""


Kept = TypeVar("Kept", Episode, Fact, SessionInfo)


def _checked(memory: Kept) -> Kept:
    """Every value of the type it is declared with: a file may have been edited by hand."""
    for field in fields(memory):
        value, kind = getattr(memory, field.name), str(field.type)
        if value is None and kind.endswith(" | None"):
            continue
        if not isinstance(value, _KINDS.get(kind.removesuffix(" | None"), object)):
            message = f"{field.name} is {kind_of(value)}, which it is in no export"
            raise _Unfit(message)
        if isinstance(value, str):
            checked_text(value, field.name)
        if field.name.endswith("_us") and not MIN_US <= value <= MAX_US:
            message = f"{field.name} is outside the years 1 to 9999"
            raise _Unfit(message)
    if not isinstance(memory, SessionInfo):
        UUID(memory.id)
        checked_metadata(memory.metadata)
    return memory


def import_lines(store: Store, partition: Partition, lines: Iterable[str], policy: RedactionPolicy) -> Receipt:
    """Put an export into a partition, all or nothing; what is there already, by id or in the same words, stays.

    It is cleaned as everything that is stored: a file may come from a store with another policy, or from an editor.
    """
    cleaner = Cleaner(policy)
    memories = [_clean(memory, cleaner) for memory in _parsed(lines)]
    if not memories:
        return Receipt(())
    here = set(store.get(partition, list({m.id for m in memories if not isinstance(m, SessionInfo)})))
    try:
        with store.transaction(partition, verb="import") as transaction:
            return Receipt(tuple(_put(transaction, memories, here)))
    except Conflict as error:
        message = (
            "memories with these ids are in this store already, in another scope: "
            "import them into a store of its own; nothing was imported"
        )
        raise ImportFailed(message) from error


def _clean(memory: Episode | Fact | SessionInfo, cleaner: Cleaner) -> Episode | Fact | SessionInfo:
    for what in ("agent_id", "project_id"):
        if cleaner.name(getattr(memory, what)) != getattr(memory, what):
            message = f"the {what} of a memory in the file looks like a secret: name it by something else"
            raise ImportFailed(message)
    if isinstance(memory, Episode):
        return cleaner.episode(memory)
    if isinstance(memory, SessionInfo):
        return cleaner.session(memory)
    return derived(cleaner.fact(memory))  # what follows from its words is not taken from the file


def _put(
    transaction: Transaction, memories: Sequence[Episode | Fact | SessionInfo], here: set[str]
) -> Iterator[ReceiptItem]:
    new = [m for m in memories if isinstance(m, Fact) and m.id not in here]
    said = {fact.id: _said_again(transaction, fact) for fact in new if _is_now(fact)}
    rows: list[int] = []
    in_session: dict[SessionKey, list[int]] = {}
    for memory in (m for m in memories if not isinstance(m, SessionInfo)):
        if memory.id in here:
            yield ReceiptItem(memory.id, "duplicate", "a memory with this id is here already")
        elif (same := said.get(memory.id)) is not None:
            yield ReceiptItem(same, "duplicate", "known already; counted once more")
        else:
            change = AddEpisode(memory) if isinstance(memory, Episode) else AddFact(memory)
            rows += transaction.apply([change], {memory.id: index_terms(indexed_text(memory))})
            if isinstance(memory, Episode):
                in_session.setdefault(memory.session_key, []).append(rows[-1])
            yield ReceiptItem(memory.id, "stored")
    for session in (m for m in memories if isinstance(m, SessionInfo)):
        _put_session(transaction, session, in_session.get(session.key, []))
    if rows:
        transaction.enqueue(NewJob("embed", {"first_row": rows[0], "last_row": rows[-1]}))


def _is_now(fact: Fact) -> bool:
    return fact.retired_us is None and fact.status in CURRENT


def _said_again(transaction: Transaction, fact: Fact) -> str | None:
    """The id of our own fact that says the same, counted once more; None when there is none."""
    same = next((old for old in transaction.facts(digest=fact.digest) if _is_now(old)), None)
    if same is None:
        return None
    transaction.apply([ConfirmFact(same.id, same.version, fact.recorded_us, fact.evidence)])
    return same.id


def _put_session(transaction: Transaction, session: SessionInfo, rows: Sequence[int]) -> None:
    """A session that is not here yet, with what it still waits for; its messages have other rows here."""
    if transaction.session(session.key) is None:
        unread = rows[-session.unread_count :] if session.unread_count else []
        here = replace(session, owner=None, unread_row=unread[0] if unread else None, unread_count=len(unread))
        transaction.apply([PutSession(here)])
        if session.state == "ending":
            transaction.enqueue(NewJob("end_session", session.key.payload))


def import_(store: Store, partition: Partition, path: str | Path, policy: RedactionPolicy) -> Receipt:
    """Import an export's file."""
    source = checked_path(path, "the path of an import")
    try:
        with source.open(encoding="utf-8") as lines:
            return import_lines(store, partition, lines, policy)
    except OSError as error:
        message = f"{str(path)!r} cannot be read ({error.strerror}): give the path of a file that `export` wrote"
        raise ImportFailed(message) from error
