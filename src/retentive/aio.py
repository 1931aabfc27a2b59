"""AsyncMemory: the same verbs, names and results, each run in a worker thread.

SQLite blocks whatever calls it, so threads are the honest way. No loop is kept: one AsyncMemory serves several.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from retentive.aio_files import AsyncFiles
from retentive.aio_session import AsyncSession, in_thread
from retentive.aio_upkeep import AsyncUpkeepVerbs
from retentive.clock import Timestamp
from retentive.config import Settings
from retentive.contracts import Embedder, Extractor, Model, Reranker, StoreStatus
from retentive.contracts.audit import LOCAL, AuditCheck, AuditPage
from retentive.contracts.ledger import SessionUsage, Spent, UsageKey
from retentive.lifecycle.difference import RebuildReport
from retentive.lifecycle.rescan import RescanReport
from retentive.memory import Memory
from retentive.results import (
    Block,
    ErasureReport,
    Item,
    Page,
    ProcessReport,
    Recall,
    Receipt,
    ReembedReport,
    Why,
)
from retentive.scoped import _UNCHANGED
from retentive.types import Scope, SessionInfo, TierName


class AsyncMemory(AsyncUpkeepVerbs):
    """`async with await AsyncMemory.open(url) as memory`: see `Memory` for every verb."""

    def __init__(self, memory: Memory) -> None:
        """Use `AsyncMemory.open`, or give a Memory you have."""
        self.memory = memory
        self.settings = memory.settings

    @classmethod
    async def open(
        cls,
        url: str | Path | None = None,
        *,
        embedder: Embedder | None = None,
        model: Model | None = None,
        reranker: Reranker | None = None,
        settings: Settings | None = None,
        background: bool | None = None,
        change_embedder: bool = False,
    ) -> AsyncMemory:
        """Open a store, or create it: `async with await AsyncMemory.open(url) as memory`."""
        return cls(
            await in_thread(
                Memory.open,
                url,
                embedder=embedder,
                model=model,
                reranker=reranker,
                settings=settings,
                background=background,
                change_embedder=change_embedder,
            )
        )

    def scope(
        self,
        user_id: str | None = None,
        agent_id: str | None = None,
        project_id: str | None = None,
        tenant: str | None = None,
        *,
        actor: str = LOCAL,
    ) -> AsyncScopedMemory:
        """One user's or agent's memory; touches nothing, so it is not awaited."""
        return AsyncScopedMemory(self.memory.scope(user_id, agent_id, project_id, tenant, actor=actor))

    async def process(self, max_jobs: int | None = None) -> ProcessReport:
        """Run waiting background jobs."""
        return await in_thread(self.memory.process, max_jobs)

    async def work(
        self, stop: Callable[[], bool] = lambda: False, poll_s: float = 1.0, *, schedule: bool = False
    ) -> None:
        """Be a worker until `stop()`."""
        await in_thread(self.memory.work, stop, poll_s, schedule=schedule)

    async def pending(self) -> int:
        """How many jobs wait or run."""
        return await in_thread(self.memory.pending)

    async def usage(
        self, by: Sequence[UsageKey] = ("session", "operation"), *, tenant: str | None = None
    ) -> list[Spent]:
        """What model calls took."""
        return await in_thread(self.memory.usage, by, tenant=tenant)

    async def audit(
        self,
        *,
        actor: str | None = None,
        verb: str | None = None,
        memory_id: str | None = None,
        scope: Scope | None = None,
        tenant: str | None = None,
        since: Timestamp | None = None,
        until: Timestamp | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> AuditPage:
        """Who did what to which memories, newest first."""
        return await in_thread(
            self.memory.audit,
            actor=actor,
            verb=verb,
            memory_id=memory_id,
            scope=scope,
            tenant=tenant,
            since=since,
            until=until,
            limit=limit,
            cursor=cursor,
        )

    async def audit_verify(self, head: str | None = None) -> AuditCheck:
        """Follow the audit's chain."""
        return await in_thread(self.memory.audit_verify, head)

    async def requeue(self) -> int:
        """Give jobs that gave up another chance."""
        return await in_thread(self.memory.requeue)

    def wake(self) -> None:
        """Tell the background thread that there is work."""
        self.memory.wake()

    async def doctor(self, *, fix: bool = False) -> StoreStatus:
        """Check the store."""
        return await in_thread(self.memory.doctor, fix=fix)

    async def rescan(self) -> RescanReport:
        """Put everything stored through today's redactor."""
        return await in_thread(self.memory.rescan)

    async def reembed(
        self,
        embedder: str | Embedder | None = None,
        *,
        wait: bool = True,
        progress: Callable[[int], None] | None = None,
    ) -> ReembedReport:
        """Change the embedder while the store is in use."""
        return await in_thread(self.memory.reembed, embedder, wait=wait, progress=progress)

    async def rebuild(
        self,
        *,
        dry_run: bool = True,
        extractor: str | Extractor | None = None,
        scope: Scope | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> RebuildReport:
        """Draw all facts from the log anew: compare, or put them in place."""
        return await in_thread(
            self.memory.rebuild, dry_run=dry_run, extractor=extractor, scope=scope, progress=progress
        )

    async def rebuild_discard(self) -> RebuildReport:
        """Throw away what a rebuild has read."""
        return await in_thread(self.memory.rebuild_discard)

    async def rebuild_restore(self, *, scope: Scope | None = None) -> RebuildReport:
        """Put back the facts that the last rebuild took out."""
        return await in_thread(self.memory.rebuild_restore, scope=scope)

    async def status(self) -> StoreStatus:
        """Where the store is and what it holds."""
        return await in_thread(self.memory.status)

    async def close(self) -> None:
        """Stop the background thread and close the store."""
        await in_thread(self.memory.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class AsyncScopedMemory(AsyncFiles):
    """The verbs within one scope, each in a worker thread. See `ScopedMemory`."""

    def __repr__(self) -> str:
        return f"Async{self.mine!r}"

    @property
    def scope(self) -> Scope:
        """Whose memory this is."""
        return self.mine.scope

    async def record(self, messages: Sequence[Mapping[str, Any]], session_id: str | None = None) -> Receipt:
        """Append what happened to the log."""
        return await in_thread(self.mine.record, messages, session_id)

    async def remember(
        self,
        text: str,
        *,
        category: str | None = None,
        field: str | None = None,
        confidence: float | None = None,
        evergreen: bool = False,
        expires_at: Timestamp | None = None,
        source: str = "user",
        metadata: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        session_id: str | None = None,
    ) -> Receipt:
        """Keep a statement as a fact."""
        return await in_thread(
            self.mine.remember,
            text,
            category=category,
            field=field,
            confidence=confidence,
            evergreen=evergreen,
            expires_at=expires_at,
            source=source,
            metadata=metadata,
            idempotency_key=idempotency_key,
            session_id=session_id,
        )

    async def update_profile(self, values: Mapping[str, str | None]) -> Receipt:
        """Set profile fields."""
        return await in_thread(self.mine.update_profile, values)

    async def update(
        self,
        id: str,  # noqa: A002
        *,
        text: str | None = None,
        category: str = _UNCHANGED,
        confidence: float = _UNCHANGED,
        evergreen: bool = _UNCHANGED,
        expires_at: Timestamp | None = _UNCHANGED,
        metadata: Mapping[str, Any] | None = _UNCHANGED,
        version: int | None = None,
    ) -> Receipt:
        """Change a fact: a new version under the same id."""
        return await in_thread(
            self.mine.update,
            id,
            text=text,
            category=category,
            confidence=confidence,
            evergreen=evergreen,
            expires_at=expires_at,
            metadata=metadata,
            version=version,
        )

    async def recall(
        self,
        query: str,
        *,
        k: int | None = None,
        tiers: Sequence[TierName] = ("semantic", "episodic"),
        since: Timestamp | None = None,
        until: Timestamp | None = None,
        as_of: Timestamp | None = None,
        known_at: Timestamp | None = None,
        now: Timestamp | None = None,
        where: Mapping[str, Any] | None = None,
        session_id: str | None = None,
        min_score: float | None = None,
        budget_tokens: int | None = None,
        explain: bool = False,
    ) -> Recall:
        """The k memories that answer a query best."""
        return await in_thread(
            self.mine.recall,
            query,
            k=k,
            tiers=tiers,
            since=since,
            until=until,
            as_of=as_of,
            known_at=known_at,
            now=now,
            where=where,
            session_id=session_id,
            min_score=min_score,
            budget_tokens=budget_tokens,
            explain=explain,
        )

    async def block(
        self,
        query: str | None = None,
        *,
        budget_tokens: int | None = None,
        k: int | None = None,
        episodes: int = 5,
        tag: str | None = None,
    ) -> Block:
        """Text for the prompt."""
        return await in_thread(self.mine.block, query, budget_tokens=budget_tokens, k=k, episodes=episodes, tag=tag)

    async def profile(self, *, as_of: Timestamp | None = None) -> dict[str, str]:
        """The profile's fields that are set."""
        return await in_thread(self.mine.profile, as_of=as_of)

    async def get(self, id: str) -> Item:  # noqa: A002
        """One memory."""
        return await in_thread(self.mine.get, id)

    async def list(
        self,
        tier: TierName | None = None,
        *,
        status: str | None = "active",
        where: Mapping[str, Any] | None = None,
        limit: int = 100,
        cursor: str | None = None,
        as_of: Timestamp | None = None,
    ) -> Page:
        """Memories, newest first."""
        return await in_thread(
            self.mine.list, tier, status=status, where=where, limit=limit, cursor=cursor, as_of=as_of
        )

    async def history(self, id: str) -> builtins.list[Item]:  # noqa: A002
        """All versions of a memory."""
        return await in_thread(self.mine.history, id)

    async def why(self, id: str) -> Why:  # noqa: A002
        """Why a memory is there."""
        return await in_thread(self.mine.why, id)

    async def forget(
        self,
        ids: str | Sequence[str] | None = None,
        *,
        where: Mapping[str, Any] | None = None,
        session_id: str | None = None,
        of_project: str | None = None,
        since: Timestamp | None = None,
        until: Timestamp | None = None,
        verify: bool = False,
        dry_run: bool = False,
    ) -> ErasureReport:
        """Erase memories by id, or all that meet every condition."""
        return await in_thread(
            self.mine.forget,
            ids,
            where=where,
            session_id=session_id,
            of_project=of_project,
            since=since,
            until=until,
            verify=verify,
            dry_run=dry_run,
        )

    async def forget_everything(self, *, verify: bool = False, dry_run: bool = False) -> ErasureReport:
        """Erase all that is stored of this user (or agent)."""
        return await in_thread(self.mine.forget_everything, verify=verify, dry_run=dry_run)

    async def session(self, session_id: str | None = None) -> AsyncSession:
        """A conversation with working memory: `async with await mine.session() as chat`."""
        return AsyncSession(await in_thread(self.mine.session, session_id))

    async def sessions(self, limit: int = 20) -> builtins.list[SessionInfo]:
        """The sessions that spoke last."""
        return await in_thread(self.mine.sessions, limit)

    async def session_messages(self, session_id: str, limit: int = 200) -> builtins.list[Item]:
        """The last messages of a session."""
        return await in_thread(self.mine.session_messages, session_id, limit)

    async def session_usage(self, session_id: str) -> SessionUsage:
        """What a session's model calls took."""
        return await in_thread(self.mine.session_usage, session_id)
