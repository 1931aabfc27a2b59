"""A memory or a session as the JSON object that exports, archives and a user's file hold."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from retentive.types import Episode, Fact, SessionInfo


def memory_object(memory: Episode | Fact) -> dict[str, Any]:
    """A memory as values that JSON has; where it stands in its store is left out."""
    kind = "episode" if isinstance(memory, Episode) else "fact"
    known = asdict(memory) | {"row": 0}
    if kind == "fact":
        known["digest"] = known["digest"].hex()
    return {"kind": kind} | known


def session_object(session: SessionInfo) -> dict[str, Any]:
    """A session likewise: who holds it open and where its unread messages stand are of its store."""
    return {"kind": "session"} | asdict(session) | {"owner": None, "unread_row": None}
