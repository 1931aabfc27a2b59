"""Results as callers over HTTP see them, where they differ from Python's: times are RFC 3339, nothing is internal."""

from __future__ import annotations

from dataclasses import dataclass, field

from retentive.clock import format_us
from retentive.contracts.keys import ApiKey
from retentive.keys import NewKey
from retentive.results import Item
from retentive.review import Pending
from retentive.types import Right, SessionInfo


@dataclass(frozen=True, slots=True)
class Document:
    """Profile and facts as one Markdown text; each line carries its mark."""

    text: str


@dataclass(frozen=True, slots=True)
class SessionView:
    """One conversation."""

    id: str
    started_at: str
    last_at: str
    message_count: int
    state: str
    summary: str | None
    agent_id: str | None
    project_id: str | None


@dataclass(frozen=True, slots=True)
class KeyView:
    """What an API key allows, and whether it still does."""

    id: str
    name: str
    tenant: str
    rights: tuple[Right, ...]
    users: tuple[str, ...]
    created_at: str
    expires_at: str | None
    ended_at: str | None
    rate_minute: int | None
    made_by: str


@dataclass(frozen=True, slots=True)
class NewKeyView:
    """A key that was just made: its text is shown this once."""

    key: KeyView
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class PendingView:
    """One fact that waits for a person, and whose it is."""

    kind: str
    owner: str
    item: Item
    reason: str | None


@dataclass(frozen=True, slots=True)
class Count:
    """How many it were."""

    count: int


def session_view(session: SessionInfo) -> SessionView:
    """A session as callers see it."""
    return SessionView(
        session.id,
        session.started,
        session.last,
        session.message_count,
        session.state,
        session.summary,
        session.agent_id,
        session.project_id,
    )


def key_view(key: ApiKey) -> KeyView:
    """A key as callers see it."""
    return KeyView(
        key.id,
        key.name,
        key.tenant,
        key.rights,
        key.users,
        format_us(key.created_us),
        None if key.expires_us is None else format_us(key.expires_us),
        None if key.ended_us is None else format_us(key.ended_us),
        key.rate_minute,
        key.made_by,
    )


def new_key_view(made: NewKey) -> NewKeyView:
    """A new key with its text."""
    return NewKeyView(key_view(made.key), made.text)


def pending_view(pending: Pending) -> PendingView:
    """A fact that waits, as callers see it."""
    return PendingView(pending.partition.kind, pending.partition.owner, pending.item, pending.reason)
