"""How long what is kept: the retention setting, read strictly, and which of its limits a memory falls under.

    episodes=30d, type:tool_result=7d+archive, source:web=7d, category:event=1y, expired=30d, max_facts=5000

A name on the left, a length of time, `keep` or `skip` (never stored) on the right. What is not named keeps its default.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from pathlib import Path

from retentive.clock import duration_us
from retentive.errors import ConfigError
from retentive.policy import DEFAULT_STORING, StoragePolicy
from retentive.types import KEPT_CATEGORIES, Episode, Fact, Status

#: What holds by itself: a month of conversations, two of their summaries, a month between a fact's end and its erasure.
DEFAULTS = ("episodes=30d", "category:summary=60d", "expired=30d")
#: Who asks for a memory to be held says so in its type or its metadata; no limit and no cap touches it.
HOLD = "audit_hold"
_TIERS = ("episodes", "facts", "expired", "history", "audit")
_NAMED = ("type", "category", "source")
_CAPS = ("max_episodes", "max_facts", "max_chars")
_EXAMPLE = "write it like episodes=30d,category:event=1y,source:web=7d+archive,max_facts=5000"


@dataclass(frozen=True, slots=True)
class Limit:
    """How long: `age_us` microseconds, or None for as long as the store lives; `archive`: written to a file before."""

    age_us: int | None = None
    archive: bool = False

    def over(self, since_us: int, now_us: int) -> bool:
        """Whether what began at `since_us` is past it."""
        return self.age_us is not None and since_us + self.age_us <= now_us


KEEP = Limit()


@dataclass(frozen=True, slots=True)
class Retention:
    """The limits by name, the caps by name, and where archives lie (None: beside the store).

    >>> Retention.read(["type:tool_result=7d"]).limits["episodes"].age_us == duration_us("30d")
    True
    """

    limits: Mapping[str, Limit] = dataclass_field(default_factory=dict)
    caps: Mapping[str, int] = dataclass_field(default_factory=dict)
    folder: Path | None = None
    storing: StoragePolicy = DEFAULT_STORING

    @classmethod
    def read(cls, entries: Sequence[str] = ()) -> Retention:
        """The defaults with these entries in their place. Raises ConfigError that says which one is wrong, and why."""
        limits, caps, folder, seen = {}, {}, None, set()
        skipped: set[str] = set()
        for place, entry in enumerate([*DEFAULTS, *entries]):
            name, equals, value = (part.strip() for part in entry.partition("="))
            if not equals or not value:
                raise _wrong(entry, _EXAMPLE)
            if place >= len(DEFAULTS) and name in seen:
                raise _wrong(entry, "it stands there twice")
            seen |= {name} if place >= len(DEFAULTS) else set()
            if name == "archive":
                folder = Path(value).expanduser()
            elif name in _CAPS:
                caps[name] = _number(entry, value)
            elif value == "skip":
                skipped.add(_checked_skip(entry, name))
            else:
                limits[_checked_name(entry, name)] = _limit(entry, value)
            if name == "audit" and name in limits and limits[name].archive:
                raise _wrong(entry, "the audit has no archive: `retentive audit list --json` writes it to a file")
        kept = frozenset(name for name, limit in limits.items() if limit == KEEP)
        return cls(limits, caps, folder, StoragePolicy(frozenset(skipped), kept, caps.pop("max_chars", None)))

    @property
    def archives(self) -> bool:
        """Whether anything is to be archived."""
        return any(limit.archive for limit in self.limits.values())

    @property
    def shortest_episode_us(self) -> int | None:
        """The age below which no episode can be over; None when all are kept."""
        named = ("episodes", "type:", "source:")
        ages = [limit.age_us for name, limit in self.limits.items() if name.startswith(named)]
        return min((age for age in ages if age is not None), default=None)

    def of_episode(self, episode: Episode) -> Limit:
        """By its type, else by who spoke (its role), else that of all episodes."""
        if is_held(episode):
            return KEEP
        return self._first(f"type:{episode.type}", f"source:{episode.role}", "episodes")

    def of_fact(self, fact: Fact) -> Limit:
        """By its category, else by its source, else that of all facts. Evergreen ones stay until someone says else."""
        if is_held(fact) or fact.evergreen:
            return KEEP
        return self._first(f"category:{fact.category}", f"source:{fact.source.partition(':')[0]}", "facts")

    def of_past(self, status: Status) -> Limit:
        """How long a fact stays in the history that is no longer current."""
        return self._first("expired" if status is Status.EXPIRED else "history")

    def _first(self, *names: str) -> Limit:
        return next((self.limits[name] for name in names if name in self.limits), KEEP)


def is_held(memory: Episode | Fact) -> bool:
    """Whether someone asked for it to be held, whatever the limits say."""
    held = memory.metadata.get(HOLD)
    return held not in (None, False) or (isinstance(memory, Episode) and memory.type == HOLD)


def _checked_name(entry: str, name: str) -> str:
    kind, colon, value = name.partition(":")
    if name in _TIERS:
        return name
    if not colon or kind not in _NAMED or not value:
        raise _wrong(entry, f"known are {', '.join((*_names(), *_CAPS))} and archive")
    if kind == "category" and value not in KEPT_CATEGORIES:
        raise _wrong(entry, f"the categories are {', '.join(KEPT_CATEGORIES)}")
    return name


def _checked_skip(entry: str, name: str) -> str:
    if not _checked_name(entry, name).startswith(("type:", "source:")):
        raise _wrong(entry, "only a type:NAME or a source:NAME (a role) can be skipped")
    return name


def _names() -> Iterator[str]:
    yield from _TIERS
    yield from (f"{kind}:NAME" for kind in _NAMED)


def _limit(entry: str, value: str) -> Limit:
    age, plus, what = value.partition("+")
    if plus and what.strip() != "archive":
        raise _wrong(entry, "after the + stands archive, or nothing")
    if age.strip() == "keep":
        return KEEP
    try:
        return Limit(duration_us(age), archive=bool(plus))
    except ValueError as error:
        raise _wrong(entry, str(error)) from error


def _number(entry: str, value: str) -> int:
    if not (value.isdecimal() and int(value) > 0):
        raise _wrong(entry, "a cap is a whole number above 0")
    return int(value)


def _wrong(entry: str, why: str) -> ConfigError:
    return ConfigError(f"RETENTIVE_RETENTION: {entry.strip()[:80]!r} cannot be used: {why}")
