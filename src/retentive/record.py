"""Recording: messages become episodes of the log, all of a call or none, without a model call.

    check -> policy -> analyse -> one transaction: log, text index, session, outbox

The receipt is given after the commit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from retentive.again import again_when_yielded
from retentive.analyze import index_terms
from retentive.checking import checked_metadata, checked_session_id, message_text
from retentive.cleaning import Cleaner
from retentive.clock import new_id, now_us, parse_timestamp
from retentive.contracts import Store, Transaction
from retentive.echo import echo
from retentive.errors import InvalidInput
from retentive.policy import DEFAULT_STORING, StoragePolicy, trust_of
from retentive.redaction import DEFAULT_POLICY, RedactionPolicy
from retentive.results import Receipt, ReceiptItem
from retentive.summary import opening
from retentive.types import (
    AddEpisode,
    Episode,
    NewJob,
    PutSession,
    Scope,
    SessionInfo,
    checked_name,
    indexed_text,
)
from retentive.wording import kind_of

_MESSAGE_FIELDS = frozenset({"role", "name", "content", "timestamp", "id", "type", "metadata"})
_MAX_MESSAGES = 10_000


def to_episode(message: Mapping[str, Any], scope: Scope, session_id: str | None, recorded_us: int) -> Episode:
    """A message dict as an episode; raises InvalidInput that names the field which is wrong."""
    if not isinstance(message, Mapping):
        error = f"a message is an object with role and content, not {kind_of(message)}"
        raise InvalidInput(error)
    if not message.keys() <= _MESSAGE_FIELDS:
        unknown = sorted(set(message) - _MESSAGE_FIELDS)
        known = ", ".join(sorted(_MESSAGE_FIELDS))
        error = f"unknown message field {echo(unknown[0])}: known are {known}; put others in metadata"
        raise InvalidInput(error)
    role = checked_name("role", message.get("role", "user"))
    timestamp = message.get("timestamp")
    timestamp_us, zone_min = (recorded_us, 0) if timestamp is None else parse_timestamp(timestamp)
    name, source_id = message.get("name"), message.get("id")
    return Episode(
        id=new_id(),
        text=message_text(message.get("content")),
        timestamp_us=timestamp_us,
        recorded_us=recorded_us,
        zone_min=zone_min,
        role=role,
        name=None if name is None else checked_name("name", name),
        type=checked_name("type", message.get("type", "message")),
        session_id=session_id,
        agent_id=scope.agent_id,
        project_id=scope.project_id,
        source_id=None if source_id is None else checked_name("id", source_id),
        trust=trust_of(role),
        metadata=checked_metadata(message.get("metadata")),
    )


@again_when_yielded
def record(
    store: Store,
    scope: Scope,
    messages: Sequence[Mapping[str, Any]],
    *,
    session_id: str | None,
    owner: str | None = None,
    extract_every: int | None = None,
    policy: RedactionPolicy = DEFAULT_POLICY,
    storing: StoragePolicy = DEFAULT_STORING,
) -> Receipt:
    """Append messages to the log: all of them, or none and an error. Nothing sees a text before it is clean.

    extract_every: after so many messages of a session facts are extracted; None for never. storing: what is skipped.
    """
    if isinstance(messages, str) or not isinstance(messages, Sequence):
        message = 'messages are given as a list, such as [{"role": "user", "content": "..."}]'
        raise InvalidInput(message)
    if len(messages) > _MAX_MESSAGES:
        message = f"record takes at most {_MAX_MESSAGES:,} messages a call, not {len(messages):,}: split them"
        raise InvalidInput(message)
    if session_id is not None:
        checked_session_id(session_id)
    recorded_us = now_us()
    cleaner = Cleaner(policy)
    episodes, notes = [], []
    for given in messages:
        episodes.append(cleaner.episode(to_episode(given, scope, session_id, recorded_us)))
        notes.append(cleaner.note)
        cleaner.found.clear()
    reasons = [storing.skip_reason(episode) for episode in episodes]
    kept = [episode for episode, reason in zip(episodes, reasons, strict=True) if reason is None]
    terms = {episode.id: index_terms(indexed_text(episode)) for episode in kept}
    with store.transaction(scope.partition) as transaction:
        seen = {episode.id: _stored_already(transaction, episode) for episode in kept}
        fresh = _without_repeats([episode for episode in kept if seen[episode.id] is None], seen)
        rows = transaction.apply([AddEpisode(episode) for episode in fresh], terms)
        if rows:
            transaction.enqueue(NewJob("embed", {"first_row": rows[0], "last_row": rows[-1]}))
            _follow(transaction, fresh, rows, _Manner(scope, owner, extract_every))
    return Receipt(tuple(_outcome(*known, seen) for known in zip(episodes, reasons, notes, strict=True)))


def _stored_already(transaction: Transaction, episode: Episode) -> str | None:
    """The id of the stored episode this one repeats: the same message id, session and words."""
    if episode.source_id is None:
        return None
    said = transaction.said_before(episode.source_id, episode.session_id)
    narrow = (episode.text, episode.role, episode.agent_id, episode.project_id)
    return next((old.id for old in said if (old.text, old.role, old.agent_id, old.project_id) == narrow), None)


def _without_repeats(episodes: Sequence[Episode], seen: dict[str, str | None]) -> list[Episode]:
    """Leave out what one call says twice under one id, noting what it repeats."""
    first: dict[tuple[str, str, str], str] = {}
    fresh = []
    for episode in episodes:
        if episode.source_id is not None:
            key = (episode.source_id, episode.role, episode.text)
            if key in first:
                seen[episode.id] = first[key]
                continue
            first[key] = episode.id
        fresh.append(episode)
    return fresh


def _outcome(episode: Episode, reason: str | None, note: str | None, seen: Mapping[str, str | None]) -> ReceiptItem:
    if reason is not None:
        return ReceiptItem(None, "skipped", reason)
    stored_id = seen[episode.id]
    if stored_id is not None:
        return ReceiptItem(stored_id, "duplicate", "a message with this id and these words is stored already")
    return ReceiptItem(episode.id, "stored", note)


class _Manner(NamedTuple):
    """How a call records: whose memory, which process holds the session, when to ask for extraction."""

    scope: Scope
    owner: str | None
    extract_every: int | None


def _follow(transaction: Transaction, episodes: Sequence[Episode], rows: Sequence[int], manner: _Manner) -> None:
    """Carry the session on, and ask for extraction where enough was said; messages without a session do not wait."""
    if episodes[0].session_id is None:
        if manner.extract_every is not None:
            whose = episodes[0].session_key.payload
            transaction.enqueue(NewJob("extract", {"first_row": rows[0], "last_row": rows[-1], **whose}))
        return
    session = _carried_on(transaction.session(episodes[0].session_key), episodes, rows[0], manner)
    if manner.extract_every is not None and session.unread_count >= manner.extract_every:
        transaction.enqueue(extract_job(session, rows[-1]))
        session = replace(session, unread_row=None, unread_count=0)
    transaction.apply([PutSession(session)])


def extract_job(session: SessionInfo, last_row: int) -> NewJob:
    """The job that reads a session's messages since the last one."""
    return NewJob("extract", {"first_row": session.unread_row or 0, "last_row": last_row, **session.key.payload})


def _carried_on(old: SessionInfo | None, episodes: Sequence[Episode], first_row: int, manner: _Manner) -> SessionInfo:
    """The session as it stands after these messages: begun, gone on, or opened again."""
    moments = [episode.timestamp_us for episode in episodes]
    spoken = next((e.text for e in episodes if e.role == "user"), None)
    session = old or SessionInfo(
        id=episodes[0].session_id or "",
        started_us=min(moments),
        last_us=max(moments),
        zone_min=episodes[-1].zone_min,
        agent_id=manner.scope.agent_id,
        project_id=manner.scope.project_id,
    )
    return replace(
        session,
        started_us=min(session.started_us, *moments),
        last_us=max(session.last_us, *moments),
        message_count=session.message_count + len(episodes),
        state="open",
        ended_us=None,
        summary=session.summary or (opening(spoken) if spoken else None),
        owner=manner.owner or session.owner,
        touched_us=episodes[-1].recorded_us,
        unread_row=session.unread_row or first_row,
        unread_count=session.unread_count + len(episodes),
    )
