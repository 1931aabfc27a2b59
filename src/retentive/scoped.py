"""ScopedMemory: the verbs, within one scope. Each checks what it is given, calls one step and returns its result."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from retentive import block as blocks
from retentive import recall as recalling
from retentive import record as recording
from retentive import remember as remembering
from retentive import revise as revising
from retentive.blas import one_thread
from retentive.checking import (
    checked_cursor,
    checked_ids,
    checked_limit,
    checked_score,
    checked_status,
    checked_tiers,
    checked_where,
    searchable,
)
from retentive.cleaning import Cleaner
from retentive.clock import Timestamp, new_id, now_us, optional_us, parse_timestamp
from retentive.contracts import Listing, Remembered
from retentive.contracts.ledger import SessionUsage
from retentive.echo import echo
from retentive.errors import NotFound
from retentive.lifecycle import erase
from retentive.lifecycle.selection import Selection, selected
from retentive.profile import checked_profile, profile_of
from retentive.results import Block, ErasureReport, Item, Page, Quoted, Recall, Receipt, Why
from retentive.scope_base import Files
from retentive.session import Session, WorkingMemory, end_abandoned, end_sessions, last_messages
from retentive.spending import usage_of_session
from retentive.stated import new_facts
from retentive.tracing import traced
from retentive.types import Episode, Fact, SessionInfo, Tier, TierName, checked_name

_UNCHANGED: Any = object()


class ScopedMemory(Files):
    """The verbs, within one scope. Made by `Memory.scope`; cheap, so make one per request."""

    # -- write -------------------------------------------------------------------------------------------------------
    def record(self, messages: Sequence[Mapping[str, Any]], session_id: str | None = None) -> Receipt:
        """Append what happened to the log: all messages are stored, or none and an InvalidInput says why.

        A message is a dict with role, content and, if you have them, name, timestamp (RFC 3339 with a zone), id, type
        and metadata. Returns after the commit. A repeated id is a duplicate; empty messages, heartbeats and what the
        setting `retention` says to are skipped.
        """
        return self.record_as(messages, session_id, None)

    @traced("retentive.record", lambda receipt: {"retentive.messages": len(receipt.items)})
    def record_as(self, messages: Sequence[Mapping[str, Any]], session_id: str | None, owner: str | None) -> Receipt:
        """Record on behalf of the process that holds the session open, so that its death ends the session."""
        every = None if self._settings.extractor == "none" else self._settings.extract_every
        receipt = recording.record(
            self._store,
            self.scope,
            messages,
            session_id=session_id,
            owner=owner,
            extract_every=every,
            policy=self._parts.policy,
            storing=self._parts.storing,
        )
        return self._receipt(receipt.items)

    def remember(
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
        """Keep a statement as a fact, several in one text as one each. The newest about a thing replaces the older one.

        evergreen: always in the block, never faded. expires_at: gone from then on. source: who says so; what an
        untrusted source (`tool`, `web`) says never replaces a person's word. session_id: in which conversation.
        idempotency_key: a repeat of the call is a duplicate; for something else under it IdempotencyConflict is raised.
        """
        if field is not None:
            checked_profile(self._settings, {checked_name("field", field): text})
        cleaner = self._cleaner()
        new = new_facts(
            self.scope,
            text,
            cleaner,
            category=category,
            field=field,
            confidence=confidence,
            evergreen=evergreen,
            expires_us=optional_us(expires_at),
            source=source,
            metadata=metadata,
            idempotency_key=idempotency_key,
            session_id=self._session_name(session_id),
        )
        return self._place(new, cleaner)

    def _place(self, facts: Sequence[Fact], cleaner: Cleaner) -> Receipt:
        items = remembering.remember(self._store, self.scope, facts) if facts else []
        return self._receipt(items, cleaner.note)

    def update_profile(self, values: Mapping[str, str | None]) -> Receipt:
        """Set profile fields; None empties one. Raises InvalidInput for an unknown field or one that is too long."""
        values = checked_profile(self._settings, values)
        given = {name: value for name, value in values.items() if value is not None}
        cleaner = self._cleaner()
        facts = [remembering.new_fact(self.scope, f"{n}: {v}", cleaner, field=n) for n, v in given.items()]
        for name in [name for name, value in values.items() if value is None]:
            revising.empty_field(self._store, self.scope, name, self._mine)
        return self._place(facts, cleaner)

    def update(
        self,
        id: str,  # noqa: A002  as in every call of the interface
        *,
        text: str | None = None,
        category: str = _UNCHANGED,
        confidence: float = _UNCHANGED,
        evergreen: bool = _UNCHANGED,
        expires_at: Timestamp | None = _UNCHANGED,
        metadata: Mapping[str, Any] | None = _UNCHANGED,
        version: int | None = None,
    ) -> Receipt:
        """Change a fact: a new version under the same id, the old one stays in its history.

        New words take the place of what they contradict, as in `remember`; what waits for review goes on waiting.
        version: the version you read; Conflict is raised if it is no longer the current one.
        """
        given = {"category": category, "confidence": confidence, "evergreen": evergreen, "metadata": metadata}
        changes = {name: value for name, value in given.items() if value is not _UNCHANGED}
        if expires_at is not _UNCHANGED:
            changes["expires_us"] = optional_us(expires_at)
        cleaner = self._cleaner()

        def revise(old: Fact) -> Fact:
            if not self._mine(old):
                raise NotFound
            if old.field is not None and text is not None:
                checked_profile(self._settings, {old.field: text})
            return revising.revised(self.scope, old, text, changes, cleaner)

        item = revising.change(self._store, self.scope, id, version, revise)
        return self._receipt([item], cleaner.note)

    # -- read --------------------------------------------------------------------------------------------------------
    @traced("retentive.recall", lambda found: {"retentive.hits": len(found), "retentive.degraded": len(found.degraded)})
    def recall(
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
        """The k memories that answer a query best, of what this scope may see; 5, or what a tuned ranking says.

        since, until: when it happened. as_of: as things stood, and were believed, at that moment; with known_at, what
        was true at the one as it was known at the other. now: what age is counted from. where: columns or metadata that
        must be equal. min_score: a floor; `below_floor` says what it kept out. budget_tokens: only hits that fit
        together. explain: a trace of every step.
        """
        asked = recalling.RecallQuery(
            text=searchable(query),
            now_us=now_us() if now is None else parse_timestamp(now)[0],
            k=recalling.checked_k(k, self._parts.ranking),
            tiers=checked_tiers(tiers),
            since_us=optional_us(since),
            until_us=optional_us(until),
            as_of_us=optional_us(known_at if as_of is None else as_of),
            known_at_us=optional_us(known_at),
            where=checked_where(where),
            session_id=self._session_name(session_id),
            min_score=checked_score(min_score),
            budget_tokens=None if budget_tokens is None else checked_limit(budget_tokens, "budget_tokens"),
            explain=explain,
            ranking=self._parts.ranking,
        )
        with one_thread():
            found = recalling.recall(self._backend, self._parts.embedders, self._parts.counter, self.scope, asked)
        if found.degraded:
            self._parts.wake()  # what reading found damaged is made anew
        return self._shown("recall", found)

    def block(
        self,
        query: str | None = None,
        *,
        budget_tokens: int | None = None,
        k: int | None = None,
        episodes: int = 5,
        tag: str | None = None,
    ) -> Block:
        """Text for the prompt: profile and evergreen facts, then what the query recalls and the last sessions.

        budget_tokens: never exceeded (settings say 800). episodes: how many sessions. tag: settings say MEMORY.
        Raises BudgetTooSmall when there are memories and not one fits.
        """
        return self._block(None, frozenset(), query, budget_tokens=budget_tokens, k=k, episodes=episodes, tag=tag)

    def block_beside(self, session_id: str, shown_ids: frozenset[str]) -> Callable[..., Block]:
        """A maker of blocks without a session in progress, and without those of its messages the prompt has."""
        return partial(self._block, session_id, shown_ids)

    @traced("retentive.block", lambda made: {"retentive.memories": len(made.ids), "retentive.tokens": made.tokens})
    def _block(
        self,
        session_id: str | None,
        shown_ids: frozenset[str],
        query: str | None = None,
        *,
        budget_tokens: int | None = None,
        k: int | None = None,
        episodes: int = 5,
        tag: str | None = None,
    ) -> Block:
        settings = self._settings
        budget = checked_limit(settings.budget_tokens if budget_tokens is None else budget_tokens, "budget_tokens")
        k = recalling.checked_k(k, self._parts.ranking)
        if episodes != 0:
            checked_limit(episodes, "episodes")
        profile, evergreen = profile_of(self._always(), settings.profile_fields)
        asked = searchable(query or "")
        recall = self.recall(asked, k=min(k + len(shown_ids), 1000)) if asked.strip() else Recall(())
        hits = blocks.without_sources([hit for hit in recall.hits if hit.id not in shown_ids])[:k]
        known = self._store.sessions(self._partition, limit=episodes + 20)
        sessions = [s for s in known if self._mine(s) and s.id != session_id][:episodes]
        contents = blocks.Contents(profile, evergreen, hits, sessions)
        try:
            built = blocks.build(contents, self._parts.counter, budget_tokens=budget, tag=tag or settings.tag)
        except blocks.BudgetTooSmall:
            if budget_tokens is not None:
                raise
            built = blocks.nothing_fits(contents)  # nobody chose this budget: no reason to stop a conversation
        return self._shown("block", replace(built, degraded=recall.degraded))

    def _always(self, as_of_us: int | None = None) -> list[Item]:
        now = now_us() if as_of_us is None else as_of_us
        there = (fact for fact in self._store.always(self._partition, as_of_us) if self._mine(fact))
        facts = [fact for fact in there if fact.expires_us is None or fact.expires_us > now]
        return list(recalling.to_items(self._backend, self.scope, facts).values())

    def profile(self, *, as_of: Timestamp | None = None) -> dict[str, str]:
        """The profile's fields that are set, in their fixed order. as_of: as they were, and were known, then."""
        profile, _ = profile_of(self._always(optional_us(as_of)), self._settings.profile_fields)
        return self._shown("profile", {name: blocks.profile_value(item) for name, item in profile.items()})

    def get(self, id: str) -> Item:  # noqa: A002
        """One memory, a fact in its newest version. Raises NotFound."""
        return self._shown("get", self._item(self._get(id)))

    def _get(self, id: str) -> Remembered:  # noqa: A002
        found = self._store.get(self._partition, [id]).get(id) if isinstance(id, str) else None
        if found is None or not self._mine(found):
            raise NotFound
        return found

    def list(
        self,
        tier: TierName | None = None,
        *,
        status: str | None = "active",
        where: Mapping[str, Any] | None = None,
        limit: int = 100,
        cursor: str | None = None,
        as_of: Timestamp | None = None,
    ) -> Page:
        """Memories, newest first.

        status: of facts; `active` has disputed ones too, None is any. cursor: the last page's, for the next one. as_of:
        what was true, and believed, at that moment, whatever its status is now.
        """
        after = None if cursor is None else checked_cursor(cursor)
        query = Listing(
            tier=None if tier is None else Tier[checked_tiers([tier])[0].upper()],
            status=checked_status(status),
            where=checked_where(where),
            agent_id=self.scope.agent_id,
            project_id=self.scope.project_id,
            limit=checked_limit(limit, "limit"),
            after_row=after,
            as_of_us=optional_us(as_of),
        )
        memories = self._store.listing(self._partition, query)
        items = recalling.to_items(self._backend, self.scope, memories)
        page = Page(tuple(items.values()), f"{memories[-1].row:x}" if len(memories) == limit else None)
        return self._shown("list", page)

    def history(self, id: str) -> builtins.list[Item]:  # noqa: A002
        """All versions of a memory, and of what it replaced or was replaced by, oldest first. Raises NotFound."""
        return self._shown("history", self._descent(self._get(id)))

    def why(self, id: str) -> Why:  # noqa: A002
        """Why a memory is there: the words it rests on, where they stand, and its versions. Raises NotFound."""
        memory = self._get(id)
        evidence = () if isinstance(memory, Episode) else memory.evidence
        episodes = self._store.get(self._partition, [e.episode_id for e in evidence])
        stored = [one for one in evidence if one.episode_id in episodes]
        quoted = tuple(Quoted(one.quote, self._item(episodes[one.episode_id])) for one in stored)
        return self._shown("why", Why(self._item(memory), quoted, tuple(self._descent(memory))))

    def _descent(self, memory: Remembered) -> builtins.list[Item]:
        versions = revising.line_of_descent(self._store, self._partition, memory)
        return list(recalling.to_items(self._backend, self.scope, versions).values())

    # -- forget ------------------------------------------------------------------------------------------------------
    def forget(
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
        """Erase memories by id, or all that meet every condition, with every version, vector and derived fact.

        session_id: a conversation; facts that other messages say too stay. since, until: when it happened. verify:
        search the bytes of every file for what went. dry_run: say what would go, and change nothing.

        Raises NotFound, having erased nothing, when an id is not in this scope.
        """
        what = Selection(
            None if ids is None else tuple(checked_ids(ids)),
            checked_where(where),
            self._session_name(session_id),
            None if of_project is None else checked_name("of_project", of_project),
            optional_us(since),
            optional_us(until),
        )
        at = self._forgetting()
        chosen = selected(self._store, self._partition, what, self._mine, at.archived)
        return erase.forget(at, what, chosen, verify=verify, dry_run=dry_run)

    def forget_everything(self, *, verify: bool = False, dry_run: bool = False) -> ErasureReport:
        """Erase all that is stored of this user (or agent), whatever agent and project it is for; as in `forget`."""
        return erase.forget_everything(self._forgetting(), verify=verify, dry_run=dry_run)

    # -- sessions ----------------------------------------------------------------------------------------------------
    def session(self, session_id: str | None = None) -> Session:
        """A conversation with working memory; `session_id` resumes one. Use it in a `with`."""
        known = self._session_name(session_id)
        end_abandoned(self._backend, self._settings.session_idle_s)
        working = WorkingMemory(self._parts.counter, self._settings.working_tokens)
        session = Session(self, known or new_id(), working)
        if known is not None:
            session.resume(last_messages(self._backend, self._partition, known, self._mine))
        return session

    def end_session(self, session_id: str) -> None:
        """End a session: its summary and facts are made in the background."""
        end_sessions(self._backend, self.scope, self._session_name(session_id) or "", self._mine)
        self._parts.wake()

    def sessions(self, limit: int = 20) -> builtins.list[SessionInfo]:
        """The sessions that spoke last, newest first."""
        return list(filter(self._mine, self._store.sessions(self._partition, limit=checked_limit(limit, "limit"))))

    def session_messages(self, session_id: str, limit: int = 200) -> builtins.list[Item]:
        """The last messages of a session, oldest first. Raises NotFound when there is no such session here."""
        known, most = self._session_name(session_id) or "", checked_limit(limit, "limit")
        episodes = last_messages(self._backend, self._partition, known, self._mine, most)
        if not episodes:
            message = f"no session {echo(session_id)} is in this scope"
            raise NotFound(message)
        return self._shown("session", list(recalling.to_items(self._backend, self.scope, episodes).values()))

    def session_usage(self, session_id: str) -> SessionUsage:
        """What a session's model calls took, and which memories took most of it. Raises NotFound."""
        self.session_messages(session_id, limit=1)
        return usage_of_session(self._backend, self.scope, self._session_name(session_id) or "", self._mine)
