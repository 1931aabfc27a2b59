"""What a session's model calls took, as a scope sees the session: several of one name are told together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from retentive.contracts import Backend, Usage
from retentive.contracts.ledger import Carried, SessionUsage, summed
from retentive.session import meant_by
from retentive.types import Scope, SessionInfo, SessionKey


def usage_of_session(
    backend: Backend, scope: Scope, session_id: str, in_scope: Callable[[SessionInfo], bool]
) -> SessionUsage:
    """Of the session that a name means to a scope; where it has none of its own, of those that it sees together."""
    own = SessionKey(session_id, scope.agent_id, scope.project_id)
    meant = meant_by(backend, scope, session_id, in_scope) or [own]
    return _together([backend.ledger.of_session(scope.partition, key) for key in meant])


def _together(sessions: Sequence[SessionUsage]) -> SessionUsage:
    if len(sessions) == 1:
        return sessions[0]
    used = [session.usage for session in sessions]
    return SessionUsage(
        sessions[0].session_id,
        sum(one.calls for one in sessions),
        sum(one.failed for one in sessions),
        Usage(
            sum(one.prompt_tokens for one in used),
            sum(one.completion_tokens for one in used),
            sum(one.cached_tokens for one in used),
            summed(one.cost for one in used),
        ),
        sum(one.block_tokens for one in sessions),
        summed(one.block_cost for one in sessions),
        _by_memory([one for session in sessions for one in session.memories]),
    )


def _by_memory(carried: Sequence[Carried]) -> tuple[Carried, ...]:
    """One for each memory, most tokens first."""
    of: dict[str | None, list[Carried]] = {}
    for one in carried:
        of.setdefault(one.memory_id, []).append(one)
    summed_up = [
        Carried(memory, sum(o.calls for o in ones), sum(o.tokens for o in ones), summed(o.cost for o in ones))
        for memory, ones in of.items()
    ]
    return tuple(sorted(summed_up, key=lambda one: -one.tokens))
