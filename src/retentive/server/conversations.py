"""Which conversation a chat request goes on with, where its program does not say.

OpenAI's clients send the whole conversation each time and no name for it. What every request of one repeats is its
opening; but the same words open many: every day's "Good morning". So a name is made from the opening, the caller and
the moment it began, and a request goes on with one of that opening which is in keeping with what it tells.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from retentive.clock import now_us
from retentive.scoped import ScopedMemory
from retentive.server.chat_request import Said
from retentive.types import SessionInfo

_LATEST = 200  # conversations of a user that are looked through
_COMPARED = 10  # of those with one opening, so many are compared by what was said in them


def conversation(mine: ScopedMemory, caller: str, said: Said, idle_s: float) -> str:
    """The id of the session that a request belongs to.

    caller: whose programs' conversations are not each other's. idle_s: a repeated opening after so long is a new one.
    """
    begin = f"chat-{hashlib.blake2b(f'{caller} {said.opening}'.encode(), digest_size=8).hexdigest()}-"
    known = [session for session in mine.sessions(_LATEST) if session.id.startswith(begin)]
    found = _gone_on_with(mine, known, said) if said.answered else _sent_again(known, said, idle_s)
    return found or f"{begin}{now_us() // 1_000_000:x}"


def _gone_on_with(mine: ScopedMemory, known: Sequence[SessionInfo], said: Said) -> str | None:
    """The one in which most of what the request tells was said; of several the one that spoke last."""
    if len(known) < 2:
        return known[0].id if known else None
    common = {one.id: _common(mine, one, said) for one in known[:_COMPARED]}
    return max(common, key=lambda one: common[one])


def _common(mine: ScopedMemory, session: SessionInfo, said: Said) -> int:
    return len(said.texts & {item.text for item in mine.session_messages(session.id)})


def _sent_again(known: Sequence[SessionInfo], said: Said, idle_s: float) -> str | None:
    """The one that a first request began a moment ago, and that came no further: the same request, sent again."""
    for session in known[:1]:
        recent = session.state == "open" and now_us() - session.touched_us <= idle_s * 1e6
        if recent and session.message_count <= said.count + 1:
            return session.id
    return None
