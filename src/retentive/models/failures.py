"""Errors of a model call that also say what the call took and when to come back. Callers catch those of `errors`."""

from __future__ import annotations

from retentive.contracts import Usage
from retentive.errors import LimitReached, ModelBadReply, ModelError, ModelUnavailable


class CallFailed(ModelError):
    """A model call failed: `usage` is what its replies took, `retry_after_s` the wait that the endpoint asked for."""

    def __init__(
        self, message: str | None = None, *, usage: Usage | None = None, retry_after_s: float | None = None
    ) -> None:
        super().__init__(message)
        self.usage = usage or Usage()
        self.retry_after_s = retry_after_s


class CallUnavailable(CallFailed, ModelUnavailable):
    """The language model did not answer in time, or refused: repeat later or configure a fallback."""


class CallBadReply(CallFailed, ModelBadReply):
    """The language model answered with something that is not what was asked for, also after a repair was tried."""


class CallOverLimit(CallFailed, LimitReached):
    """The token or money limit of this hour is used up: work waits for the next hour, or raise the limit."""
