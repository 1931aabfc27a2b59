"""Values to columns and back: the one place that knows the order of the columns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any
from uuid import UUID

from retentive.corpus import IndexRow
from retentive.counts import pack_terms
from retentive.frozen import maker
from retentive.types import CURRENT, Episode, Evidence, Fact, SessionInfo, SessionKey, Status, Tier

SEQ_BITS = 32
_ID_CHARS, _ID_BYTES = 36, 16
MAX_SEQ = (1 << SEQ_BITS) - 1
#: Roles that speak to the owner of a memory rather than for them.
_OTHERS = frozenset({"assistant", "tool", "system"})

EPISODE_COLUMNS = tuple(f.name for f in fields(Episode))
FACT_COLUMNS = tuple(f.name for f in fields(Fact) if f.name != "evidence")
SESSION_COLUMNS = tuple(f.name for f in fields(SessionInfo))
_make_episode, _make_fact, _make_session = maker(Episode), maker(Fact), maker(SessionInfo)
_episode_columns, _session_columns = attrgetter(*EPISODE_COLUMNS), attrgetter(*SESSION_COLUMNS)
_EPISODE_ID, _EPISODE_METADATA, _EPISODE_ROW, _EPISODE_QUOTED = map(
    EPISODE_COLUMNS.index, ("id", "metadata", "row", "quoted")
)
_SESSION_AGENT, _SESSION_PROJECT = map(SESSION_COLUMNS.index, ("agent_id", "project_id"))


def row_range(partition_no: int) -> tuple[int, int]:
    """First and last row id of a partition."""
    return partition_no << SEQ_BITS, partition_no << SEQ_BITS | MAX_SEQ


def id_bytes(text: str) -> bytes | None:
    """A UUID string as 16 bytes; None for what is no id (and so cannot be found)."""
    try:
        if len(text) == _ID_CHARS and len(plain := bytes.fromhex(text.replace("-", ""))) == _ID_BYTES:
            return plain
        return UUID(text).bytes
    except (ValueError, AttributeError, TypeError):
        return None


def id_text(value: bytes | None) -> str | None:
    """The string of an id stored as 16 bytes."""
    if value is None:
        return None
    digits = value.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def dump_metadata(metadata: Mapping[str, Any]) -> str | None:
    """Metadata as JSON text; None when there is none."""
    return json.dumps(metadata, ensure_ascii=False, sort_keys=True) if metadata else None


def load_metadata(text: str | None) -> dict[str, Any]:
    """Metadata from JSON text."""
    return json.loads(text) if text else {}


def episode_values(episode: Episode, row: int | None = None) -> tuple[Any, ...]:
    """An episode as values of its columns; `row` in the place of its own."""
    values = list(_episode_columns(episode))
    values[_EPISODE_ID] = id_bytes(episode.id)
    values[_EPISODE_METADATA] = dump_metadata(episode.metadata)
    if row is not None:
        values[_EPISODE_ROW] = row
    return tuple(values)


def episode_from(values: Sequence[Any]) -> Episode:
    """An episode from values of its columns."""
    known = list(values)
    known[_EPISODE_ID] = id_text(known[_EPISODE_ID])
    known[_EPISODE_METADATA] = load_metadata(known[_EPISODE_METADATA])
    known[_EPISODE_QUOTED] = bool(known[_EPISODE_QUOTED])
    return _make_episode(*known)


def fact_values(fact: Fact) -> tuple[Any, ...]:
    """A fact as values of its columns."""
    known = {name: getattr(fact, name) for name in FACT_COLUMNS}
    for name in ("id", "supersedes_id", "superseded_by_id"):
        known[name] = None if known[name] is None else id_bytes(known[name])
    known["status"] = fact.status.value
    known["metadata"] = dump_metadata(fact.metadata)
    return tuple(known.values())


def fact_from(values: Sequence[Any], evidence: Sequence[Evidence] = ()) -> Fact:
    """A fact from values of its columns."""
    known = dict(zip(FACT_COLUMNS, values, strict=True))
    for name in ("id", "supersedes_id", "superseded_by_id"):
        known[name] = id_text(known[name])
    known["status"] = Status(known["status"])
    known["evergreen"] = bool(known["evergreen"])
    known["metadata"] = load_metadata(known["metadata"])
    return _make_fact(**known, evidence=tuple(evidence))


def session_values(session: SessionInfo) -> tuple[Any, ...]:
    """A session as values of its columns: what names it is never NULL, so that it is one row."""
    values = list(_session_columns(session))
    values[_SESSION_AGENT] = session.agent_id or ""
    values[_SESSION_PROJECT] = session.project_id or ""
    return tuple(values)


def session_key(key: SessionKey) -> tuple[str, str, str]:
    """What names a session as values of its columns."""
    return key.id or "", key.agent_id or "", key.project_id or ""


def session_from(values: Sequence[Any]) -> SessionInfo:
    """A session from values of its columns."""
    known = list(values)
    known[_SESSION_AGENT] = known[_SESSION_AGENT] or None
    known[_SESSION_PROJECT] = known[_SESSION_PROJECT] or None
    return _make_session(*known)


def episode_entry(episode: Episode, row: int, terms: Sequence[str]) -> IndexRow:
    """What the index holds of an episode. A system prompt is kept in the log, but is nobody's memory: never found."""
    return IndexRow(
        row,
        Tier.EPISODIC,
        episode.timestamp_us,
        episode.recorded_us,
        None,
        None,
        None,
        current=episode.trust != "system",
        evergreen=False,
        session_id=episode.session_id,
        agent_id=episode.agent_id,
        project_id=episode.project_id,
        own=episode.role not in _OTHERS,
        terms=pack_terms(terms),
        vector=None,
    )


def fact_entry(fact: Fact, row: int, terms: Sequence[str]) -> IndexRow:
    """What the index holds of one version of a fact. What waits for a person was believed at no moment.

    Of a retired one `valid_to_us` is until when we still believe that it was true: not at all where it was rejected, or
    another record took its place (a new version, or a fact it was merged into) without a change in the world.
    """
    believed = fact.status in CURRENT or fact.retired_us is not None
    ends_us = fact.valid_to_us
    if not believed or fact.status is Status.REJECTED or (fact.retired_us is not None and ends_us is None):
        ends_us = fact.valid_from_us
    return IndexRow(
        row,
        Tier.SEMANTIC,
        fact.valid_from_us,
        fact.recorded_us,
        fact.retired_us if believed else fact.recorded_us,
        ends_us,
        fact.expires_us,
        current=fact.retired_us is None and fact.status in CURRENT,
        evergreen=fact.evergreen or fact.field is not None,
        session_id=fact.session_id,
        agent_id=fact.agent_id,
        project_id=fact.project_id,
        own=True,
        terms=pack_terms(terms),
        vector=None,
    )
