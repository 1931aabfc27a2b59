"""Sessions: one conversation, its working memory, and an end that comes whatever happens.

Every message is stored when it is added, so leaving, an exception and a crash lose nothing; a session whose process
died is ended by the next one that opens the store.
"""

from __future__ import annotations

import os
import socket
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Protocol, Self

from retentive.again import again_when_yielded
from retentive.asking import what_to_ask
from retentive.checking import checked_text, message_text
from retentive.clock import now_us
from retentive.contracts import Backend, TokenCounter
from retentive.record import extract_job
from retentive.results import Block, Receipt
from retentive.types import Episode, NewJob, Partition, PutSession, Scope, SessionInfo, SessionKey

#: How many stored messages a resumed session reads at the most; the token limit usually says stop before.
_RESUMED_MESSAGES = 200


def process_mark() -> str:
    """Who holds a session open: this machine and process."""
    return f"{socket.gethostname()}:{os.getpid()}"


def is_gone(owner: str | None) -> bool:
    """True when the process that held a session is known to have ended; another machine's is never known to."""
    host, _, pid = (owner or "").rpartition(":")
    if host != socket.gethostname() or not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def end_sessions(backend: Backend, scope: Scope, session_id: str, in_scope: Callable[[SessionInfo], bool]) -> None:
    """End what a session's name means to a scope."""
    for key in meant_by(backend, scope, session_id, in_scope):
        _begin_end(backend, scope.partition, key)


def meant_by(
    backend: Backend, scope: Scope, session_id: str, in_scope: Callable[[SessionInfo], bool]
) -> list[SessionKey]:
    """Which sessions a name means to a scope: its own of that name, or where it has none those that it sees."""
    own = SessionKey(session_id, scope.agent_id, scope.project_id)
    seen = [one.key for one in backend.store.sessions_named(scope.partition, session_id) if in_scope(one)]
    return [own] if own in seen else seen


@again_when_yielded
def _begin_end(backend: Backend, partition: Partition, key: SessionKey) -> None:
    """Close a session for new messages' sake: its summary and facts are made by a job."""
    with backend.store.transaction(partition) as transaction:
        session = transaction.session(key)
        if session is not None and session.state == "open":
            if session.unread_row is not None:
                transaction.enqueue(extract_job(session, transaction.last_row))
            ending = replace(session, state="ending", owner=None, ended_us=now_us(), unread_row=None, unread_count=0)
            transaction.apply([PutSession(ending)])
            transaction.enqueue(NewJob("end_session", key.payload))


def end_abandoned(backend: Backend, idle_s: float) -> int:
    """End sessions whose process died or in which nobody spoke for `idle_s`; returns how many."""
    abandoned = [
        (partition, session.key)
        for partition, session in backend.store.open_sessions(now_us() - round(idle_s * 1e6))
        if session.owner is None or is_gone(session.owner)
    ]
    for partition, key in abandoned:
        _begin_end(backend, partition, key)
    return len(abandoned)


class WorkingMemory:
    """The messages now in the prompt: the newest that fit a token limit. Never the only copy."""

    def __init__(self, counter: TokenCounter, limit_tokens: int) -> None:
        self._counter = counter
        self._limit_tokens = limit_tokens
        self._messages: deque[tuple[dict[str, str], int, str | None]] = deque()
        self._tokens = 0

    def add(self, role: str, content: str, episode_id: str | None = None) -> None:
        """Add a message; the oldest leave until the rest fits. The newest always stays."""
        tokens = self._counter.count(content) + 4  # role and separators, as chat formats add
        self._messages.append(({"role": role, "content": content}, tokens, episode_id))
        self._tokens += tokens
        while self._tokens > self._limit_tokens and len(self._messages) > 1:
            self._tokens -= self._messages.popleft()[1]

    @property
    def messages(self) -> list[dict[str, str]]:
        """Role and content of each, oldest first, as chat endpoints take them."""
        return [dict(message) for message, *_ in self._messages]

    @property
    def episode_ids(self) -> frozenset[str]:
        """Ids of the stored messages that are in it."""
        return frozenset(episode_id for *_, episode_id in self._messages if episode_id is not None)

    @property
    def tokens(self) -> int:
        """Tokens of what is kept."""
        return self._tokens


class Verbs(Protocol):
    """What a session asks of the memory it belongs to."""

    def record_as(self, messages: Sequence[Mapping[str, Any]], session_id: str | None, owner: str | None) -> Receipt:
        """Store messages of a session on behalf of the process that holds it open."""

    @property
    def remember(self) -> Callable[..., Receipt]:
        """Keep a statement as a fact."""

    def block_beside(self, session_id: str, shown_ids: frozenset[str]) -> Callable[..., Block]:
        """A maker of blocks that leave out a session in progress, and those of its messages already in the prompt."""

    def end_session(self, session_id: str) -> None:
        """End the session."""


class Session:
    """One conversation: `with mine.session() as chat: chat.add("user", "...")`."""

    def __init__(self, mine: Verbs, session_id: str, working: WorkingMemory) -> None:
        self.id = session_id
        self._mine = mine
        self._working = working

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def resume(self, episodes: Sequence[Episode]) -> None:
        """Fill working memory with what was said before, oldest first."""
        for episode in episodes:
            self._working.add(episode.role, episode.text, episode.id)

    def add(self, role: str, content: str, **more: Any) -> Receipt:
        """Store a message and put it in working memory; `more` are the other fields of a message."""
        receipt = self._mine.record_as([{"role": role, "content": content, **more}], self.id, process_mark())
        if receipt.items[0].outcome == "stored":
            self._working.add(role, message_text(content), receipt.ids[0])
        return receipt

    def remember(self, text: str, **more: Any) -> Receipt:
        """Keep a statement as a fact of this conversation; `more` are the other arguments of `remember`."""
        return self._mine.remember(text, session_id=self.id, **more)

    @property
    def messages(self) -> list[dict[str, str]]:
        """Working memory: the newest messages within its token limit."""
        return self._working.messages

    @property
    def working_tokens(self) -> int:
        """Tokens of working memory."""
        return self._working.tokens

    def system_prompt(self, instructions: str = "", *, query: str | None = None, **block_options: Any) -> str:
        """Your instructions followed by the memory block.

        query: what to look for, in all there is. Without one it is the last user message, with the one before and its
        answer where it leaves unsaid what it is about; and the block leaves out what is in working memory: that stands
        in the prompt already.
        """
        shown_ids = self._working.episode_ids if query is None else frozenset[str]()
        make = self._mine.block_beside(self.id, shown_ids)
        checked_text(instructions, "instructions")
        text = make(what_to_ask(self._working.messages) if query is None else query, **block_options).text
        return "\n\n".join(part for part in (instructions, text) if part)

    def end(self) -> None:
        """End the session: its summary and facts are made in the background."""
        self._mine.end_session(self.id)


def last_messages(
    backend: Backend,
    partition: Partition,
    session_id: str,
    in_scope: Callable[[Episode | SessionInfo], bool],
    limit: int = _RESUMED_MESSAGES,
) -> list[Episode]:
    """The last messages of the sessions of a name that are in scope, oldest first.

    Where others have one of that name, theirs do not take the places of ours.
    """
    store = backend.store
    named: list[SessionKey | str] = [one.key for one in store.sessions_named(partition, session_id) if in_scope(one)]
    found = [store.session_episodes(partition, key, limit=limit) for key in named or [session_id]]
    episodes = sorted((one for each in found for one in each if in_scope(one)), key=lambda one: one.row)
    return episodes[-limit:]
