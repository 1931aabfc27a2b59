"""A model with a ledger: what each call takes is written down, and a tenant that has spent its hour is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from retentive.clock import now_us
from retentive.contracts import Model, Reply, Usage
from retentive.contracts.ledger import HOUR_US, Account, Carried, Ledger, UsageLimits
from retentive.errors import ConfigError, ModelBadReply, ModelError
from retentive.models.failures import CallFailed, CallOverLimit
from retentive.models.replies import Prices, priced
from retentive.models.schema import first_problem, without_lengths
from retentive.models.tokens import EstimatedTokenCounter

_COUNTER = EstimatedTokenCounter()
_NO_LIMITS = UsageLimits()


@dataclass(slots=True)
class Meter:
    """One call on someone's account: what it may take is set aside before, what it took is entered after.

    carried: the memories in its prompt; nothing is entered of them for a call that failed.
    """

    ledger: Ledger
    account: Account
    limits: UsageLimits
    prices: Prices | None
    begun_us: int
    carried: tuple[Carried, ...] = ()
    _held: Usage | None = None

    def reserve(self, most: Usage) -> None:
        """Set aside the most that the call may take, where there is a limit. Raises LimitReached for too much."""
        if self.limits == _NO_LIMITS:
            return
        held = priced(most, self.prices)
        if not self.ledger.reserve(self.account, self.begun_us, held, self.limits):
            tokens = held.prompt_tokens + held.completion_tokens
            message = (
                f"the hour's limit of {_described(self.limits)} leaves no room for a call that may take {tokens} "
                "tokens: work waits for the next hour, or raise the limit"
            )
            raise CallOverLimit(message, retry_after_s=(HOUR_US - self.begun_us % HOUR_US) / 1e6)
        self._held = held

    def settle(self, took: Usage, model: str, *, failed: bool = False) -> None:
        """Enter what it took in place of what was set aside."""
        known = took if took.cost is not None else priced(took, self.prices)
        carried = () if failed else self._shares(took)
        self.ledger.settle(
            self.account, self.begun_us, known, model=model, failed=failed, most=self._held, carried=carried
        )

    def _shares(self, took: Usage) -> Sequence[Carried]:
        """What each memory in the prompt cost: its tokens, at what a token of this prompt cost on average."""
        if self.prices is None or not took.prompt_tokens:
            return self.carried
        whole = self.prices.cost(prompt=took.prompt_tokens, cached=took.cached_tokens, completion=0)
        return [replace(one, cost=whole * one.tokens / took.prompt_tokens) for one in self.carried]


class MeteredModel(Model):
    """Asks another model on someone's account. Cheap to make: one for each batch of work.

    Under a limit, the most that a call may take is set aside before it: twice the prompt and three times `max_tokens`,
    for a call may be repaired once, with more room. So calls at the same time cannot pass the limit together, whatever
    process they are in, and a tenant is refused a little before its limit rather than after it.

    Args:
        inner: the model that is asked.
        ledger: where spending is kept.
        account: whose it is, and what for.
        limits: for the account's tenant and an hour of the clock.
        prices: the dearest that `inner` may cost; for the money limit, and for replies that tell no cost.

    Raises:
        ConfigError: there is a money limit and no prices.
    """

    def __init__(
        self,
        inner: Model,
        ledger: Ledger,
        account: Account,
        limits: UsageLimits = _NO_LIMITS,
        *,
        prices: Prices | None = None,
    ) -> None:
        if limits.cost is not None and prices is None:
            message = "a money limit needs the model's prices: without them nobody knows what a call costs"
            raise ConfigError(message)
        self.name = inner.name
        self._inner, self._ledger, self._account = inner, ledger, account
        self._limits, self._prices = limits, prices

    def complete(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1024,
        timeout_s: float = 60.0,
    ) -> Reply:
        """As the inner model; raises LimitReached before anything is asked when the call could pass a limit.

        Raises ModelBadReply for a reply that does not fit the schema, whatever the inner model lets pass.
        """
        meter = Meter(self._ledger, self._account, self._limits, self._prices, now_us())
        texts = [message["content"] for message in messages] + ([json.dumps(schema)] if schema else [])
        meter.reserve(Usage(2 * sum(map(_COUNTER.count, texts)), 3 * max_tokens))
        try:
            reply = self._inner.complete(messages, schema=schema, max_tokens=max_tokens, timeout_s=timeout_s)
        except ModelError as error:
            took = error.usage if isinstance(error, CallFailed) else Usage()
            meter.settle(took, self.name, failed=True)
            raise
        meter.settle(reply.usage, reply.model)
        problem = None if schema is None else first_problem(reply.data, without_lengths(schema))
        if problem is not None:  # a model of someone's own may not look itself
            message = f"the reply does not have the form that was asked for: {problem}"
            raise ModelBadReply(message)
        return reply

    def close(self) -> None:
        """Nothing: the inner model is its owner's to close."""


def _described(limits: UsageLimits) -> str:
    parts = [f"{limits.tokens} tokens"] if limits.tokens is not None else []
    return " and ".join([*parts, f"{limits.cost} US dollars"] if limits.cost is not None else parts)
