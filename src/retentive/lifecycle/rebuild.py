"""Rebuilding the semantic tier: the log read again by another extractor, compared, put in place, and put back.

    read (a batch a commit, killed anywhere and gone on with) -> compare -> promote, a partition a transaction
                                                                  |             |
                                                                  +-> discard   +-> restore

What a person said, changed, approved or turned down stands through all of it, and what was forgotten stays forgotten.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from retentive.analyze import index_terms
from retentive.clock import new_id
from retentive.contracts import Backend, Extractor, Store
from retentive.contracts.ledger import Account
from retentive.contracts.tiers import Former, Span
from retentive.errors import ModelBadReply, NotFound, StoreBusy
from retentive.extract import guard
from retentive.learn import BATCH, Rules, facts_of
from retentive.lifecycle.difference import RebuildReport, compared
from retentive.lifecycle.portable import everything
from retentive.lifecycle.shadow import (
    Reading,
    dumped,
    freed,
    is_persons,
    lines,
    log_of,
    replaceable,
    semantic_tier,
    without_forgotten,
)
from retentive.redaction import redact
from retentive.remember import decide, superseded_by
from retentive.types import AddFact, Episode, Fact, Partition, SessionKey, Tier

OPERATION = "rebuild"
_NOTE = "rebuild"
#: How often a partition is tried that is written to all the while.
_TRIES = 10


@dataclass(frozen=True, slots=True)
class _Note:
    """A rebuild under way: its name, the extractor, and what all rebuilds had taken when it began."""

    id: str
    version: str
    calls: int
    tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class Rebuild:
    """A rebuild of some partitions of a store.

    extractor_for: the extractor on someone's account. scratch: opens an empty store in memory.
    """

    backend: Backend
    partitions: Sequence[Partition]
    extractor_for: Callable[[Account], Extractor]
    rules: Rules
    scratch: Callable[[], Backend]

    # -- reading -----------------------------------------------------------------------------------------------------
    def compare(self, progress: Callable[[int], None] | None = None) -> RebuildReport:
        """Read what is unread, and say what a promotion would do. Nothing is changed.

        Raises ModelUnavailable, LimitReached: what was read is kept, and the next call goes on.
        """
        report = self._read_all(progress)
        for partition in self._left():
            tiers = self.backend.tiers
            log = log_of(self.backend.store, partition, tiers.forgotten(partition))
            tier = self._tier(partition, report.extractor)
            report = compared(partition.owner, log.facts, tier, report)
            kept = {fact.id for fact in log.facts} - replaceable(log)
            report = replace(report, kept=report.kept + len(kept), read=report.read + len(tiers.read(partition)))
        return self._priced(report)

    def _read_all(self, progress: Callable[[int], None] | None) -> RebuildReport:
        version = self._begin()
        errors: list[str] = []
        unread = 0
        for partition in self._left():
            for key, rows in self._batches(partition):
                episodes = [m for m in self.backend.store.fetch(partition, rows).values() if isinstance(m, Episode)]
                try:
                    self._read(partition, key, sorted(episodes, key=lambda episode: episode.row))
                except ModelBadReply as error:
                    unread += len(episodes)
                    errors.append(redact(str(error)).text)
                if progress is not None:
                    progress(len(episodes))
        return RebuildReport(version, "compared", unread=unread, errors=tuple(errors))

    def _begin(self) -> str:
        """The version of the extractor; what another one read before is dropped."""
        version = self.extractor_for(Account(self.partitions[0], OPERATION)).version if self.partitions else ""
        noted = self._note()
        if noted is None or noted.version != version:
            self._drop()
            self.backend.store.set_note(_NOTE, json.dumps(asdict(_Note(new_id(), version, *self._ledger()))))
        return version

    def _left(self) -> list[Partition]:
        """Partitions that this rebuild has not put in place yet, before it was killed."""
        noted = self._note()
        formers = {partition: self.backend.tiers.former(partition) for partition in self.partitions}
        return [p for p, former in formers.items() if former is None or noted is None or former.rebuild != noted.id]

    def _batches(self, partition: Partition) -> Iterator[tuple[SessionKey, list[int]]]:
        """Runs of unread messages of one session, in order."""
        sessions: dict[SessionKey, list[int]] = {}
        for row, key in self.backend.tiers.unread(partition):
            sessions.setdefault(key, []).append(row)
        for key, rows in sessions.items():
            for start in range(0, len(rows), BATCH):
                yield key, rows[start : start + BATCH]

    def _read(self, partition: Partition, session: SessionKey, episodes: Sequence[Episode]) -> None:
        extractor = self.extractor_for(Account(partition, OPERATION, *session))
        policy = self.rules.policy
        extraction = extractor.extract(episodes)
        kept, _ = guard(extraction.candidates, episodes, redact=lambda text: redact(text, policy=policy).text)
        tiers, by_id = self.backend.tiers, {episode.id: episode for episode in episodes}
        forgotten: dict[str, list[Span]] | None = None
        while forgotten != (now := self._forgotten(partition, by_id)):  # what is forgotten meanwhile is not kept aside
            forgotten = now
            candidates = without_forgotten(
                kept,
                by_id,
                forgotten,
                lambda one, said: facts_of(one, said, partition, extractor.version, self.rules),
                lambda: self._current(partition),
            )
            found = {e.row: dumped([one for one in candidates if one.episode_id == e.id]) for e in episodes}
            tiers.put_read(partition, found)

    def _forgotten(self, partition: Partition, episodes: Mapping[str, Episode]) -> dict[str, list[Span]]:
        forgotten = self.backend.tiers.forgotten(partition)
        return {key: spans for key, spans in forgotten.items() if key in episodes}

    def _current(self, partition: Partition) -> set[bytes]:
        facts = everything(self.backend.store, partition, tier=Tier.SEMANTIC, status="active")
        return {fact.digest for fact in facts if isinstance(fact, Fact)}

    def _tier(self, partition: Partition, version: str) -> list[Fact]:
        tiers = self.backend.tiers
        log = log_of(self.backend.store, partition, tiers.forgotten(partition))
        return self._in_scratch(
            lambda store: semantic_tier(store, partition, log, Reading(version, tiers.read(partition), self.rules))
        )

    def _in_scratch(self, make: Callable[[Store], list[Fact]]) -> list[Fact]:
        scratch = self.scratch()
        try:
            return make(scratch.store)
        finally:
            scratch.store.close()

    # -- putting in place ----------------------------------------------------------------------------------------------
    def promote(self, progress: Callable[[int], None] | None = None) -> RebuildReport:
        """Put what was read in the place of what there is; each partition in one transaction, killed and gone on with.

        Raises ModelBadReply, having changed nothing, where messages could not be read; StoreBusy where a partition is
        written to all the while.
        """
        report = self.compare(progress)
        if report.unread:
            message = f"{report.unread} messages could not be read: repeat the call; nothing was put in place"
            raise ModelBadReply(message)
        noted = self._note()
        assert noted is not None  # noqa: S101  begun above
        for partition in self._left():
            self._put(partition, lambda whose: self._tier(whose, noted.version), keep=noted.id)
        self.backend.store.set_note(_NOTE, "")
        return replace(report, state="promoted")

    def _put(self, partition: Partition, tier: Callable[[Partition], list[Fact]], *, keep: str | None) -> None:
        for _ in range(_TRIES):
            revision = self.backend.tiers.revision(partition)
            facts = tier(partition)
            terms = {fact.text: index_terms(fact.text) for fact in facts}
            if self.backend.tiers.put(partition, revision, facts, terms, keep=keep):
                return
        raise StoreBusy

    def discard(self) -> RebuildReport:
        """Throw away what was read."""
        noted = self._note()
        self._drop()
        self.backend.store.set_note(_NOTE, "")
        return RebuildReport("" if noted is None else noted.version, "discarded")

    def _drop(self) -> None:
        for partition in list(self.backend.store.partitions()):
            self.backend.tiers.clear(partition)

    def restore(self) -> RebuildReport:
        """Put back the facts that the last promotion took out; what was said or decided since stands.

        Raises NotFound where there are none.
        """
        report = RebuildReport("", "restored")
        found = False
        for partition in self.partitions:
            former = self.backend.tiers.former(partition)
            if former is not None:
                found = True
                before = log_of(self.backend.store, partition, {}).facts
                after = self._restored(partition)
                report = compared(partition.owner, before, after, report)
                self._put(partition, self._restored, keep=None)
        if not found:
            message = "there is nothing to restore: no rebuild was promoted, or it was restored already"
            raise NotFound(message)
        return report

    def _restored(self, partition: Partition) -> list[Fact]:
        former = self.backend.tiers.former(partition)
        assert former is not None  # noqa: S101  asked before
        facts = log_of(self.backend.store, partition, {}).facts
        since = _since(former, facts)
        if not since:
            return list(former.facts)
        return self._in_scratch(lambda store: _rejoined(store, partition, former, [f for f in facts if f.id in since]))

    # -- what it took --------------------------------------------------------------------------------------------------
    def _note(self) -> _Note | None:
        """What is noted of the rebuild under way."""
        noted = self.backend.store.note(_NOTE)
        return _Note(**json.loads(noted)) if noted else None

    def _ledger(self) -> tuple[int, int, float | None]:
        """Calls, tokens and money of all rebuilds so far."""
        spent = [line for line in self.backend.ledger.usage(("operation",)) if line.key == (OPERATION,)]
        return (spent[0].calls, spent[0].tokens, spent[0].usage.cost) if spent else (0, 0, None)

    def _priced(self, report: RebuildReport) -> RebuildReport:
        calls, tokens, cost = self._ledger()
        noted = self._note()
        if noted is None:
            return report
        money = None if cost is None else cost - (noted.cost or 0.0)
        return replace(report, calls=calls - noted.calls, tokens=tokens - noted.tokens, cost=money)


def _since(former: Former, facts: Sequence[Fact]) -> set[str]:
    """Facts that were made, changed or decided on since the former ones were taken out."""
    there = {(fact.id, fact.version) for fact in former.facts}
    changed = {fact.id for fact in facts if fact.row > former.last_row}
    known = {fact_id for fact_id, _ in there}
    decided = {fact_id for fact_id, line in lines(facts).items() if fact_id not in known and is_persons(line)}
    return changed | decided


def _rejoined(scratch: Store, partition: Partition, former: Former, since: Sequence[Fact]) -> list[Fact]:
    """The former facts with those made since, which take the place of what they contradict."""
    ids = {fact.id for fact in since}
    tier = [fact for fact in former.facts if fact.id not in ids] + list(since)
    there = {fact.id for fact in tier}
    tier = sorted((freed(fact, there) for fact in tier), key=lambda fact: fact.row)
    with scratch.transaction(partition) as transaction:
        transaction.apply([AddFact(fact) for fact in tier])
        for fact in (one for one in tier if one.id in ids and one.retired_us is None):
            decision, known = decide(transaction, fact)
            if decision.action == "supersede":
                older = [known[target] for target in decision.target_ids if target not in ids]
                transaction.apply([superseded_by(fact, old, decision.reason, fact.recorded_us) for old in older])
    rows = {(fact.id, fact.version): fact.row for fact in tier}
    return [replace(fact, row=rows[fact.id, fact.version]) for fact in log_of(scratch, partition, {}).facts]
