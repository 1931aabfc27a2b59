"""The audit: who wrote, read, changed, approved and forgot what, and when, without a word of any text.

Entries are numbered from 1 without gaps and chained: each one's hash covers its own values and the hash before it. The
hash is SHA-256 over a JSON array without spaces, non-ASCII escaped:

    [no, hash of the entry before as hex, at_us, tenant, partition, actor, verb, count, [ids]]

with 64 zeros before the first entry. Whoever keeps the last hash elsewhere also finds entries cut off at the end.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from retentive.types import (
    AddEpisode,
    AddFact,
    Change,
    ConfirmFact,
    DisputeFact,
    Partition,
    PutSession,
    RetireFact,
    Rewrite,
    Status,
)

#: Who acts when nobody is named: some code of this machine. No user's name is taken from the system.
LOCAL = "local"
#: Who acts in background jobs.
WORKER = "worker"
#: Whoever edits a mirror: the files do not tell who.
MIRROR = "mirror"
#: The hash before the first entry.
NO_HASH = "0" * 64
#: What a hash covers, as text.
_as_text = json.JSONEncoder(separators=(",", ":"), default=repr).encode
#: The verb of the entry that says how far the chain's beginning was cut off: its count is the last number that went.
CUT = "cut"


@dataclass(frozen=True, slots=True)
class Deed:
    """What is to be entered: `ids` may be fewer than `count` where a whole scope is meant."""

    at_us: int
    actor: str
    verb: str
    partition: Partition
    ids: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One line of the audit.

    at: RFC 3339 in UTC. verb: what was done; docs/audit.md lists them. count: how many memories. ids: which, as far as
    they are named. kind, owner: whose they are (`user` or `agent`, and the name), None once the whole scope was
    forgotten; `partition` is the number that stays.
    """

    no: int
    at: str
    actor: str
    verb: str
    count: int
    ids: tuple[str, ...]
    tenant: str
    partition: int
    kind: str | None
    owner: str | None
    hash: str


@dataclass(frozen=True, slots=True)
class AuditPage:
    """One page of the audit, newest first: iterable, with the cursor of the next page or None at the end."""

    entries: tuple[AuditEntry, ...]
    cursor: str | None = None

    def __iter__(self) -> Iterator[AuditEntry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


@dataclass(frozen=True, slots=True)
class AuditCheck:
    """What verifying found: how many entries there are, the head to keep elsewhere, and what is wrong, entry by entry.

    head: `number:hash` of the last entry, `0:` and zeros while there is none.
    """

    entries: int
    head: str
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AuditQuery:
    """Which entries: all that is given must hold; `until_us` is exclusive, `before_no` starts the next page.

    after_no: those behind a number, oldest first.
    """

    actor: str | None = None
    verb: str | None = None
    memory_id: str | None = None
    tenant: str | None = None
    partition: Partition | None = None
    since_us: int | None = None
    until_us: int | None = None
    limit: int = 100
    before_no: int | None = None
    after_no: int | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """One entry as it is stored, with what its hash covers."""

    no: int
    at_us: int
    tenant: str
    partition: int
    actor: str
    verb: str
    count: int
    ids: tuple[str, ...]
    hash: str = NO_HASH

    def hash_after(self, previous: str) -> str:
        """The SHA-256 this entry must carry behind one with the hash `previous`, as hex.

        >>> Link(1, 0, "default", 1, "local", "record", 0, ()).hash_after(NO_HASH)[:8]
        'a732015a'
        """
        ids = list(self.ids)
        covered = [self.no, previous, self.at_us, self.tenant, self.partition, self.actor, self.verb, self.count, ids]
        return hashlib.sha256(_as_text(covered).encode("ascii")).hexdigest()


class AuditTrail(ABC):
    """The chain of a store. Writes of memories enter theirs in their own transaction; reads are entered afterwards."""

    @abstractmethod
    def append(self, deeds: Sequence[Deed]) -> None:
        """Enter what was done, in one transaction."""

    @abstractmethod
    def entries(self, query: AuditQuery) -> list[AuditEntry]:
        """Entries, newest first unless they are asked for behind a number."""

    @abstractmethod
    def cut(self, before_us: int, actor: str) -> int:
        """Take out the oldest entries, as far as all are from before then, and enter that; returns how many went.

        The number and hash of the last one taken out stay, so that the rest can still be verified.
        """

    @abstractmethod
    def start(self) -> tuple[int, str]:
        """The number and hash the chain goes on from: 0 and zeros, or those of the last entry that was cut off."""

    @abstractmethod
    def links(self) -> Iterable[Link]:
        """Every entry in order, for verifying."""


def verb_of(change: Change) -> str | None:
    """How a change is entered when its caller gave the whole of them no name; None for what is no memory's.

    >>> verb_of(DisputeFact("id", 1, "two values"))
    'dispute'
    """
    if isinstance(change, AddFact):
        return "remember" if change.fact.version == 1 else "update"
    if isinstance(change, RetireFact):
        if change.superseded_by_id == change.id:
            return None  # a new version takes its place: that is the update
        return {Status.SUPERSEDED: "supersede", Status.REJECTED: "reject"}.get(change.status, "expire")
    return _VERBS[type(change)]


_VERBS: dict[type[Change], str | None] = {
    AddEpisode: "record",
    ConfirmFact: "confirm",
    DisputeFact: "dispute",
    PutSession: None,
    Rewrite: "redact",
}


def memory_of(change: Change) -> str:
    """The id of the memory that a change changes."""
    if isinstance(change, AddEpisode):
        return change.episode.id
    if isinstance(change, AddFact):
        return change.fact.id
    if isinstance(change, PutSession):
        return change.session.id
    return change.memory.id if isinstance(change, Rewrite) else change.id


def verify(links: Iterable[Link], head: str | None = None, start: tuple[int, str] = (0, NO_HASH)) -> AuditCheck:
    """Follow the chain from its beginning and name every entry that does not fit; `head` must still be in it.

    start: what it goes on from where its beginning was cut off; an entry of the chain must say so.
    """
    (no, previous), count, problems = start, 0, list[str]()
    kept_no, kept_hash = _parsed_head(head)
    kept, cut_said = previous if kept_no == no else None, no == 0
    for link in links:
        cut_said = cut_said or (link.verb == CUT and link.no > start[0] and link.count == start[0])
        if link.no != no + 1:
            problems.append(f"entries {no + 1} to {link.no - 1} are missing")
        elif link.hash_after(previous) != link.hash:
            problems.append(f"entry {link.no} does not fit: it, or the one before it, was changed or moved")
        count, no, previous = count + 1, link.no, link.hash
        kept = link.hash if no == kept_no else kept
    if not cut_said:
        problems.insert(0, f"entries 1 to {start[0]} are missing, and no entry says that they were cut off")
    if kept_no is not None and kept_no < start[0]:
        problems.append(f"entry {kept_no}, whose hash was kept, was cut off with those before it: keep a newer head")
    elif kept_no is not None and kept is None:
        problems.append(f"entry {kept_no}, whose hash was kept, is missing: the chain ends with entry {no}")
    elif kept_no is not None and kept != kept_hash:
        problems.append(f"entry {kept_no} is not the one whose hash was kept: the chain was written anew")
    return AuditCheck(count, f"{no}:{previous}", tuple(problems))


def _parsed_head(head: str | None) -> tuple[int | None, str]:
    number, _, digest = (head or ":").partition(":")
    return int(number) if number else None, digest
