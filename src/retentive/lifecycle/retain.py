"""Retention: what is past its time goes, in batches, each of which can be the last before a crash.

    episodes past their limit  -> cited by a fact?  yes: only the words it cites stay, out of the index    no: erased
    current facts past theirs  -> expired: out of the index, in the history
    the history past its own   -> erased, every version
    more than a cap allows     -> the oldest episodes; the least valuable facts, as if their time were over

Where a limit says so, what leaves is archived first. What is held (`audit_hold`) stays, whatever the limits say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, Literal

from retentive.contracts import Erased, Listing, Remembered, Store, Transaction
from retentive.fading import since_us, worth
from retentive.lifecycle.archive import Archive
from retentive.lifecycle.retention import Limit, Retention, is_held
from retentive.results import Aged, RetainReport
from retentive.types import CURRENT, SUMMARY, Episode, Fact, Partition, RetireFact, Rewrite, SessionKey, Status, Tier

#: Memories that leave in one transaction.
BATCH: Final = 500
#: What a dry run lists at the most; it counts all.
_LISTED: Final = 10_000
Action = Literal["erase", "quote", "expire"]


@dataclass(frozen=True, slots=True)
class Leaving:
    """A memory past its limit: what becomes of it, and why."""

    memory: Remembered
    action: Action
    reason: str
    archive: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """What is held to which limits, at what moment; `archive` takes what a limit says is to be archived."""

    store: Store
    partition: Partition
    retention: Retention
    archive: Archive | None
    now_us: int


def retain(place: Place, report: RetainReport) -> RetainReport:
    """Hold one partition to the limits and add to `report`; one of a dry run lists what would go, and nothing goes."""
    looking = _Looking(place)
    for leaving in looking.batches():
        report = _counted(report, leaving)
        if report.dry_run:
            listed = tuple(Aged(x.memory.id, _tier(x.memory), x.action, x.reason) for x in leaving)
            report = replace(report, aged=(report.aged + listed)[:_LISTED])
        else:
            report = _carry_out(place, leaving, report)
    if report.quoted and not report.dry_run:
        place.store.scrub()  # what was shrunk is overwritten in its row; caches and the log still hold it
    return replace(report, looked_at=report.looked_at + looking.looked_at, held=report.held + looking.held)


def _tier(memory: Remembered) -> Literal["episodic", "semantic"]:
    return "episodic" if isinstance(memory, Episode) else "semantic"


def _counted(report: RetainReport, leaving: Sequence[Leaving]) -> RetainReport:
    by_action = {action: sum(x.action == action for x in leaving) for action in ("erase", "quote", "expire")}
    return replace(
        report,
        erased=report.erased + by_action["erase"],
        quoted=report.quoted + by_action["quote"],
        expired=report.expired + by_action["expire"],
    )


# -- doing ---------------------------------------------------------------------------------------------------------
def _carry_out(place: Place, leaving: Sequence[Leaving], report: RetainReport) -> RetainReport:
    """Archive, then shrink and expire in one transaction, then erase. Each can be repeated without harm."""
    with place.store.transaction(place.partition, verb="retain") as transaction:
        there = transaction.fetch([one.memory.row for one in leaving])  # without what was forgotten meanwhile
        wanted = [there[one.memory.row] for one in leaving if one.archive and one.memory.row in there]
        if place.archive is not None and wanted:
            report = replace(report, archived=report.archived + place.archive.add(place.partition, wanted))
        quotes = transaction.quotes([one.memory.id for one in leaving if one.action == "quote"])
        whole = [memory for memory in there.values() if isinstance(memory, Episode) and memory.id in quotes]
        transaction.apply([Rewrite(_only_quoted(episode, quotes[episode.id])) for episode in whole])
        for one in leaving:
            if one.action == "expire" and isinstance(one.memory, Fact):
                _expire(transaction, one.memory, one.reason, place.now_us)
    erased = [x.memory for x in leaving if x.action == "erase"]
    cited = place.store.quotes(place.partition, [one.id for one in erased if isinstance(one, Episode)])
    doomed = [one.row for one in erased if one.id not in cited]  # cited meanwhile: the next run keeps its quote
    gone = place.store.erase(place.partition, doomed, lasting=False) if doomed else Erased()
    return replace(report, left=report.left + sum(found.left for found in gone.places))


def _expire(transaction: Transaction, fact: Fact, reason: str, now_us: int) -> None:
    """Unless someone changed it since it was looked at. It was believed until its own time was over."""
    current = transaction.facts(id=fact.id, limit=1)
    if current and current[0].version == fact.version:
        at_us = _end_us(fact, now_us)
        valid_to_us = max(at_us, fact.valid_from_us)
        transaction.apply([RetireFact(fact.id, fact.version, Status.EXPIRED, reason, at_us, valid_to_us)])


def _end_us(fact: Fact, now_us: int) -> int:
    """When a fact's time was over: by its own date, else now."""
    return now_us if fact.expires_us is None else min(max(fact.expires_us, fact.recorded_us), now_us)


# -- looking ---------------------------------------------------------------------------------------------------------
class _Looking:
    """Walks through a partition, oldest first, and says what leaves."""

    def __init__(self, place: Place) -> None:
        self._store, self._partition = place.store, place.partition
        self._retention, self._now_us = place.retention, place.now_us
        self._open: dict[SessionKey, bool] = {}
        self._going: set[str] = set()
        self.looked_at = self.held = 0

    def batches(self) -> Iterator[list[Leaving]]:
        """Facts, then episodes, which nothing may cite by then: no batch has both. A memory is named once."""
        for leaving in (self._facts(), self._episodes()):
            while batch := list(islice(leaving, BATCH)):
                self._going |= {one.memory.id for one in batch if one.action == "erase"}
                yield batch

    def _pages(self, tier: Tier, status: str | None = None) -> Iterator[list[Remembered]]:
        after: int | None = None
        while True:
            query = Listing(tier, status, limit=BATCH, after_row=after, oldest_first=True)
            page = self._store.listing(self._partition, query)
            if not page:
                return
            self.looked_at += len(page)
            yield page
            after = page[-1].row

    # -- episodes ------------------------------------------------------------------------------------------------------
    def _episodes(self) -> Iterator[Leaving]:
        first_kept = self._first_within_cap()
        shortest_us = self._retention.shortest_episode_us
        for page in self._pages(Tier.EPISODIC):
            episodes = [memory for memory in page if isinstance(memory, Episode)]
            self.held += sum(map(is_held, episodes))
            over = [(e, limit) for e in episodes if (limit := self._over(e, first_kept)) is not None]
            cited = [episode.id for episode, _ in over]
            quotes = self._store.quotes(self._partition, cited, without=self._going)
            for episode, limit in over:
                yield from _episode_leaving(episode, limit, quotes.get(episode.id, []), episode.row < first_kept)
            young = shortest_us is None or episodes[0].recorded_us + shortest_us > self._now_us
            if young and episodes[-1].row >= first_kept:
                return  # rows stand in the order of recording: what follows is younger still

    def _over(self, episode: Episode, first_kept: int) -> Limit | None:
        """The limit that an episode is past, by its age or by the cap; None for one that stays."""
        limit = self._retention.of_episode(episode)
        past = limit.over(episode.recorded_us, self._now_us) or episode.row < first_kept or episode.quoted
        return limit if past and not is_held(episode) and not self._goes_on(episode.session_key) else None

    def _goes_on(self, key: SessionKey) -> bool:
        """Whether a conversation is not over, or its facts and its summary are still to be made."""
        if key.id is None:
            return False
        if key not in self._open:
            session = self._store.session(self._partition, key)
            # one whose summary is only to be made anew, since a part of it was erased, is over
            waits = session is not None and session.state == "ending" and session.summary is not None
            self._open[key] = waits or (session is not None and session.state == "open")
        return self._open[key]

    def _first_within_cap(self) -> int:
        """The row of the oldest episode that the cap leaves; 0 without a cap, or where it is not reached."""
        cap, after = self._retention.caps.get("max_episodes"), None
        while cap is not None:
            query = Listing(Tier.EPISODIC, None, limit=BATCH, after_row=after)
            page = self._store.listing(self._partition, query)
            whole = [memory for memory in page if isinstance(memory, Episode) and not memory.quoted]
            if len(whole) >= cap:
                return whole[cap - 1].row
            if not page:
                return 0
            cap, after = cap - len(whole), page[-1].row
        return 0

    # -- facts ---------------------------------------------------------------------------------------------------------
    def _facts(self) -> Iterator[Leaving]:
        cap = self._retention.caps.get("max_facts")
        staying: list[Fact] = []
        past: list[Fact] = []
        for page in self._pages(Tier.SEMANTIC):
            facts = [memory for memory in page if isinstance(memory, Fact)]
            self.held += sum(is_held(fact) for fact in facts if fact.retired_us is None)
            for fact in facts:
                if fact.retired_us is not None:
                    past.append(fact)
                elif reason := self._why_over(fact):
                    yield self._over_now(fact, reason)
                elif cap is not None and fact.status in CURRENT and not (fact.evergreen or fact.field or is_held(fact)):
                    staying.append(fact)
            yield from self._erased(past)
            past = []
        for fact in self._beyond(cap, staying):
            yield self._over_now(fact, f"more than {cap} facts")

    def _over_now(self, fact: Fact, reason: str) -> Leaving:
        """Expired; or erased at once where its time in the history is over as well, and a summary, which has none."""
        limit = self._retention.of_past(Status.EXPIRED)
        gone = fact.category == SUMMARY or limit.over(_end_us(fact, self._now_us), self._now_us)
        return Leaving(fact, "erase", reason, limit.archive) if gone else Leaving(fact, "expire", reason)

    def _why_over(self, fact: Fact) -> str | None:
        if is_held(fact):
            return None
        if fact.expires_us is not None and fact.expires_us <= self._now_us:
            return "its time was over"
        over = self._retention.of_fact(fact).over(since_us(fact), self._now_us)
        return "older than its kind is kept" if over else None

    def _beyond(self, cap: int | None, staying: Iterable[Fact]) -> list[Fact]:
        """The least valuable ones above the cap, the least first."""
        if cap is None:
            return []
        ranked = sorted(staying, key=lambda fact: (worth(fact, self._now_us), fact.row))
        return ranked[: max(0, len(ranked) - cap)]

    def _erased(self, past: Sequence[Fact]) -> Iterator[Leaving]:
        """Retired facts past their limit, unless a version of them still counts: then their history stays whole."""
        limits = {fact.row: self._retention.of_past(fact.status) for fact in past}
        over = [f for f in past if limits[f.row].over(f.retired_us or 0, self._now_us) and not is_held(f)]
        newest = self._store.get(self._partition, list(dict.fromkeys(fact.id for fact in over)))
        for fact in over:
            if newest[fact.id].row == fact.row:
                yield Leaving(fact, "erase", f"{fact.status.value} and past its time", limits[fact.row].archive)


def _episode_leaving(episode: Episode, limit: Limit, quotes: Sequence[str], capped: bool) -> Iterator[Leaving]:  # noqa: FBT001  one word of the reason
    reason = "more than the cap of episodes" if capped else "older than its kind is kept"
    if not quotes:
        yield Leaving(episode, "erase", reason, limit.archive and not episode.quoted)
    elif not episode.quoted:
        yield Leaving(episode, "quote", reason, limit.archive)


def _only_quoted(episode: Episode, quotes: Sequence[str]) -> Episode:
    """What is left of it: the words that facts cite."""
    words = " … ".join(sorted(quotes, key=lambda quote: (episode.text.find(quote), quote)))
    return replace(episode, text=words, metadata={}, quoted=True)
