"""What callers get: receipts, items, hits, blocks, reports. Times are RFC 3339 strings in UTC, ids are strings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from retentive.clock import format_us, local_us, now_us
from retentive.fading import faded
from retentive.frozen import maker
from retentive.types import Episode, Fact, Metadata, TierName

Outcome = Literal["stored", "duplicate", "skipped", "pending", "superseded"]


@dataclass(frozen=True, slots=True)
class ReceiptItem:
    """What became of one thing given: its id, the outcome and, where it is not plain, the reason."""

    id: str | None
    outcome: Outcome
    reason: str | None = None
    replaced_id: str | None = None


def noted(item: ReceiptItem, note: str | None) -> ReceiptItem:
    """The item with one more remark in its reason."""
    if note is None:
        return item
    return replace(item, reason=note if item.reason is None else f"{item.reason}; {note}")


@dataclass(frozen=True, slots=True)
class Receipt:
    """The acknowledgement of a write: given only after the commit."""

    items: tuple[ReceiptItem, ...]

    @property
    def ids(self) -> list[str]:
        """Ids of what is now stored, in the order given (a duplicate's id is that of the stored one)."""
        return [item.id for item in self.items if item.id is not None]


@dataclass(frozen=True, slots=True)
class Item:
    """A memory of either tier as callers see it."""

    id: str
    tier: TierName
    text: str
    status: str
    timestamp: str
    session_id: str | None
    source_ids: tuple[str, ...]
    episode_ids: tuple[str, ...]
    category: str | None
    field: str | None
    metadata: Metadata
    trust: str
    version: int
    role: str | None = None
    name: str | None = None
    confidence: float | None = None
    evergreen: bool = False
    seen_count: int = 1
    source: str | None = None
    reason: str | None = None
    quotes: tuple[str, ...] = ()
    recorded_at: str | None = None
    retired_at: str | None = None
    valid_to: str | None = None
    expires_at: str | None = None
    supersedes_id: str | None = None
    superseded_by_id: str | None = None
    local_time: str | None = None


_make_item = maker(Item)


def _optional(us: int | None) -> str | None:
    return None if us is None else format_us(us)


#: As many characters of a timestamp as say date and time to the second.
_CLOCK_CHARS = 19


@lru_cache(maxsize=1 << 12)
def _local(us: int, zone_min: int) -> str:
    sign, minutes = "-" if zone_min < 0 else "+", abs(zone_min)
    clock = format_us(local_us(us, zone_min))[:_CLOCK_CHARS]
    return f"{clock}{sign}{minutes // 60:02}:{minutes % 60:02}"


def episode_item(episode: Episode) -> Item:
    """An episode as callers see it."""
    return _make_item(
        id=episode.id,
        tier="episodic",
        text=episode.text,
        status="expired" if episode.quoted else "active",
        timestamp=format_us(episode.timestamp_us),
        session_id=episode.session_id,
        source_ids=(episode.source_id,) if episode.source_id else (),
        episode_ids=(episode.id,),
        category=None,
        field=None,
        metadata=episode.metadata,
        trust=episode.trust,
        version=1,
        role=episode.role,
        name=episode.name,
        recorded_at=format_us(episode.recorded_us),
        local_time=_local(episode.timestamp_us, episode.zone_min),
    )


def fact_item(fact: Fact, source_ids: tuple[str, ...] = ()) -> Item:
    """A fact as callers see it, as sure as it still is; `source_ids` are the callers' own ids of what it rests on."""
    return _make_item(
        id=fact.id,
        tier="semantic",
        text=fact.text,
        status=fact.status.value,
        timestamp=format_us(fact.valid_from_us),
        session_id=fact.session_id,
        source_ids=source_ids,
        episode_ids=tuple(e.episode_id for e in fact.evidence),
        category=fact.category,
        field=fact.field,
        metadata=fact.metadata,
        trust=fact.trust,
        version=fact.version,
        confidence=faded(fact, now_us()),
        evergreen=fact.evergreen,
        seen_count=fact.seen_count,
        source=fact.source,
        reason=fact.reason,
        quotes=tuple(e.quote for e in fact.evidence),
        recorded_at=format_us(fact.recorded_us),
        retired_at=_optional(fact.retired_us),
        valid_to=_optional(fact.valid_to_us),
        expires_at=_optional(fact.expires_us),
        supersedes_id=fact.supersedes_id,
        superseded_by_id=fact.superseded_by_id,
        local_time=_local(fact.valid_from_us, fact.zone_min),
    )


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a listing: iterable, with the cursor of the next page or None at the end."""

    items: tuple[Item, ...]
    cursor: str | None = None

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory found, best first. `parts` is each arm's share of `score`; they add up to it."""

    id: str
    tier: TierName
    text: str
    score: float
    parts: Mapping[str, float]
    timestamp: str
    session_id: str | None
    episode_ids: tuple[str, ...]
    source_ids: tuple[str, ...]
    trust: str
    category: str | None
    item: Item


@dataclass(frozen=True, slots=True)
class BelowFloor:
    """What `min_score` kept out: how many, and the best score among them."""

    count: int = 0
    best_score: float = 0.0


@dataclass(frozen=True, slots=True)
class Recall:
    """The answer to one query. `degraded` names what was down, so an empty answer is never ambiguous."""

    hits: tuple[Hit, ...]
    degraded: tuple[str, ...] = ()
    below_floor: BelowFloor = BelowFloor()
    trace: Mapping[str, Any] | None = None

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)


@dataclass(frozen=True, slots=True)
class Block:
    """Text for the prompt. `text` is `stable + volatile`, or empty when there is nothing to say.

    id_tokens: of each of `ids`, what its line takes.
    """

    text: str
    stable: str
    volatile: str
    tokens: int
    ids: tuple[str, ...]
    source_ids: tuple[str, ...]
    left_out: int
    degraded: tuple[str, ...] = ()
    id_tokens: tuple[int, ...] = ()

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class ErasurePlace:
    """One place that was looked into after erasing: how many were taken out, how many are still there."""

    place: str
    erased: int
    left: int


def added(*each: Sequence[ErasurePlace]) -> tuple[ErasurePlace, ...]:
    """The places of several erasures as of one: what is left was looked for by each, and the last one counts."""
    found: dict[str, ErasurePlace] = {}
    for place in (place for places in each for place in places):
        before = found.get(place.place, ErasurePlace(place.place, 0, 0))
        found[place.place] = ErasurePlace(place.place, before.erased + place.erased, place.left)
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class ErasureReport:
    """What `forget` did, or in a dry run would do, place by place, counted after looking.

    ids: what was named. derived: what went with it: what it replaced, facts that rested on it. Neither is listed of a
    whole user. A place `bytes of ...` counts pieces of up to 32 characters of what is gone: not found, and found.
    """

    ids: tuple[str, ...]
    places: tuple[ErasurePlace, ...]
    derived: tuple[str, ...] = ()
    dry_run: bool = False

    @property
    def complete(self) -> bool:
        """Nothing is left anywhere that was looked into."""
        return all(place.left == 0 for place in self.places)


@dataclass(frozen=True, slots=True)
class ProcessReport:
    """What the background jobs run by one call came to; `refused` counts what extractors brought in vain, by reason."""

    done: int = 0
    retried: int = 0
    dead: int = 0
    waiting: int = 0
    errors: tuple[str, ...] = ()
    refused: Mapping[str, int] = field(default_factory=dict)

    @property
    def tried(self) -> int:
        """How many jobs were run, whatever they came to."""
        return self.done + self.retried + self.dead

    def then(self, later: ProcessReport) -> ProcessReport:
        """What this call and a later one came to together."""
        return ProcessReport(
            self.done + later.done,
            self.retried + later.retried,
            self.dead + later.dead,
            later.waiting,
            self.errors + later.errors,
            Counter(self.refused) + Counter(later.refused) if later.refused else self.refused,
        )


@dataclass(frozen=True, slots=True)
class ReembedReport:
    """How far a change of the embedder is: `complete` when search is with `model` and nothing of the former is left."""

    model: str
    made: int
    left: int
    complete: bool


@dataclass(frozen=True, slots=True)
class Aged:
    """One memory whose time is over, what becomes of it, and by which limit.

    `action`: `erase`, bytes and all; `quote`, an episode of which the words stay that facts cite; `expire`, a fact that
    is no longer current and stays in the history for a while.
    """

    id: str
    tier: TierName
    action: Literal["erase", "quote", "expire"]
    reason: str


@dataclass(frozen=True, slots=True)
class RetainReport:
    """What retention did, or in a dry run would do: then `aged` lists it, in the order in which it would go.

    `left` counts what is still there after looking: 0 unless another process keeps a reader open on the old bytes.
    `audit_cut` counts entries of the audit.
    """

    looked_at: int = 0
    erased: int = 0
    quoted: int = 0
    expired: int = 0
    held: int = 0
    archived: int = 0
    left: int = 0
    audit_cut: int = 0
    dry_run: bool = False
    aged: tuple[Aged, ...] = ()


@dataclass(frozen=True, slots=True)
class ConsolidateReport:
    """What consolidation came to: facts merged into others, sessions summarised, patterns added.

    refused: patterns of a model that cite too little. errors: replies of a model that changed nothing, and why; their
    sessions wait for the next run.
    """

    merged: int = 0
    summarised: int = 0
    patterns: int = 0
    refused: int = 0
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What verification came to: how many facts were stale, and what became of those that were looked at.

    left: stale ones beyond the budget, for the next run. pending: a newer statement waits for a person. lowered:
    nothing was heard. review: ids of those lowered that are of weight: they wait for a person, and go on counting.
    errors: replies of a model that changed nothing, and why.
    """

    stale: int = 0
    confirmed: int = 0
    superseded: int = 0
    disputed: int = 0
    pending: int = 0
    lowered: int = 0
    left: int = 0
    review: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


class Quoted(NamedTuple):
    """Words that a fact rests on, and the episode in which they stand."""

    quote: str
    episode: Item


@dataclass(frozen=True, slots=True)
class Why:
    """Why a memory is there: the episodes a fact rests on with the words quoted, and its versions, oldest first."""

    item: Item
    evidence: tuple[Quoted, ...]
    versions: tuple[Item, ...]
