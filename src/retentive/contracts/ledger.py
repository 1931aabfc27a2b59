"""What model calls took, whose and for what: kept with the store, so limits hold across processes and restarts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from retentive.contracts.models import Usage
from retentive.types import Partition

#: What spending can be told apart by. `owner` is the user, or the agent where there is no user.
UsageKey = Literal["tenant", "owner", "session", "operation", "model", "hour"]
USAGE_KEYS: tuple[UsageKey, ...] = ("tenant", "owner", "session", "operation", "model", "hour")
HOUR_US = 3_600_000_000


@dataclass(frozen=True, slots=True)
class Account:
    """Who pays for a model call, and what it is for: `extract`, `reconcile`, `summarise` ..."""

    partition: Partition
    operation: str
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class UsageLimits:
    """The most a tenant may spend in an hour of the clock; None sets no limit. `cost` is in US dollars."""

    tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Spent:
    """A line of `usage`: the values asked `by`, in their order, and what the calls took. `hour` is RFC 3339.

    `failed` counts calls that ended in an error; their tokens are in `usage` where an answer told them.
    """

    key: tuple[str | None, ...]
    calls: int
    failed: int
    usage: Usage

    @property
    def tokens(self) -> int:
        """Of prompts and answers together."""
        return self.usage.prompt_tokens + self.usage.completion_tokens


class Ledger(ABC):
    """Keeps spending by the hour. Every method is one transaction; writers of two processes see each other."""

    @abstractmethod
    def reserve(self, account: Account, now_us: int, most: Usage, limits: UsageLimits) -> bool:
        """Set aside the most that a call may take, if it fits in what is left of the tenant's hour; else say False.

        What is set aside counts as spent until it is settled; of a process that died, until the hour is over.
        """

    @abstractmethod
    def settle(
        self, account: Account, now_us: int, took: Usage, *, model: str, failed: bool = False, most: Usage | None = None
    ) -> None:
        """Enter what a call took, in the hour of `now_us`, in place of what was set aside for it (`most`)."""

    @abstractmethod
    def usage(
        self,
        by: Sequence[UsageKey] = (),
        *,
        tenant: str | None = None,
        partition: Partition | None = None,
        since_us: int | None = None,
    ) -> list[Spent]:
        """What was spent, one line for each combination of `by`, in their order; one line in all without any."""
