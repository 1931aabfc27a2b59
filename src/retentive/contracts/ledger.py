"""What model calls took, whose and for what: kept with the store, so limits hold across processes and restarts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from retentive.contracts.models import Usage
from retentive.types import Partition, SessionKey

#: What spending can be told apart by. `owner` is the user, or the agent where there is no user; `agent` and `project`
#: are the session's: two of one name may differ in them.
UsageKey = Literal["tenant", "owner", "session", "agent", "project", "operation", "model", "hour"]
USAGE_KEYS: tuple[UsageKey, ...] = ("tenant", "owner", "session", "agent", "project", "operation", "model", "hour")


HOUR_US = 3_600_000_000


@dataclass(frozen=True, slots=True)
class Account:
    """Who pays for a model call, and what it is for: `extract`, `reconcile`, `summarise` ...

    agent_id, project_id: of the session, where there is one.
    """

    partition: Partition
    operation: str
    session_id: str | None = None
    agent_id: str | None = None
    project_id: str | None = None

    @property
    def session_key(self) -> SessionKey:
        """Which session it is: two agents may each have one of a name."""
        return SessionKey(self.session_id, self.agent_id, self.project_id)


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


@dataclass(frozen=True, slots=True)
class Carried:
    """What one memory took of the prompts of calls: in so many of them it was a line of the memory block.

    memory_id: None is what is no memory's: the frame, titles, summaries of sessions. tokens: by the store's counter,
    not the model's. cost: its share of what those prompts cost, US dollars; None where no price is known.
    """

    memory_id: str | None
    calls: int
    tokens: int
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class SessionUsage:
    """What a session's model calls took, and what of it came from memory, what took most tokens first.

    block_tokens, block_cost: of `memories` together. Only calls through the gateway carry a block that we know of.
    """

    session_id: str
    calls: int
    failed: int
    usage: Usage
    block_tokens: int
    block_cost: float | None
    memories: tuple[Carried, ...]


def summed(costs: Iterable[float | None]) -> float | None:
    """The sum of the costs that are known; None where none is.

    >>> summed([None, 0.5, 0.25]), summed([None])
    (0.75, None)
    """
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known else None


class Ledger(ABC):
    """Keeps spending by the hour. Every method is one transaction; writers of two processes see each other."""

    @abstractmethod
    def reserve(self, account: Account, now_us: int, most: Usage, limits: UsageLimits) -> bool:
        """Set aside the most that a call may take, if it fits in what is left of the tenant's hour; else say False.

        What is set aside counts as spent until it is settled; of a process that died, until the hour is over.
        """

    @abstractmethod
    def settle(
        self,
        account: Account,
        now_us: int,
        took: Usage,
        *,
        model: str,
        failed: bool = False,
        most: Usage | None = None,
        carried: Sequence[Carried] = (),
    ) -> None:
        """Enter what a call took, in the hour of `now_us`, in place of what was set aside for it (`most`).

        carried: the memories in its prompt; entered for the account's session, as far as both are there (still).
        """

    @abstractmethod
    def carried(self, partition: Partition, session: SessionKey) -> list[Carried]:
        """Which memories a session's calls carried, most tokens first."""

    @abstractmethod
    def usage(
        self,
        by: Sequence[UsageKey] = (),
        *,
        tenant: str | None = None,
        partition: Partition | None = None,
        since_us: int | None = None,
    ) -> list[Spent]:
        """What was spent, one line for each combination of `by`, in their order; one line in all without any.

        By `session` each session has its own lines, also where another agent's or project's has the same name.
        """

    def of_session(self, partition: Partition, session: SessionKey) -> SessionUsage:
        """What a session's model calls took, and which memories their prompts carried."""
        lines = self.usage(("session", "agent", "project"), partition=partition)
        spent = next((line for line in lines if line.key == session), Spent(session, 0, 0, Usage()))
        memories = self.carried(partition, session)
        tokens, cost = sum(one.tokens for one in memories), summed(one.cost for one in memories)
        return SessionUsage(session.id or "", spent.calls, spent.failed, spent.usage, tokens, cost, tuple(memories))
