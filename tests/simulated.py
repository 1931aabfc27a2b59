"""A clock that a test sets forward, and a model that answers from a script: what tests of upkeep share."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from retentive import ScopedMemory
from retentive.clock import duration_us
from retentive.contracts import Model, Reply, Usage

DAY_US = duration_us("1d")
BEGAN_US = 1_780_000_000_000_000

Answer = Callable[[list[dict[str, Any]]], Any]


class Days:
    """A clock that the test sets forward; each look at it takes a millisecond."""

    def __init__(self) -> None:
        self.now_us = BEGAN_US

    def __call__(self) -> int:
        self.now_us += 1_000
        return self.now_us

    def pass_(self, days: float) -> None:
        self.now_us += int(days * DAY_US)


class ScriptedModel(Model):
    """Answers each call with what the answer makes of the lines it was shown; an exception is raised."""

    name = "scripted"

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.calls = 0

    def complete(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        schema: Mapping[str, Any] | None = None,  # noqa: ARG002  it answers as it was told to
        max_tokens: int = 1024,  # noqa: ARG002
        timeout_s: float = 60.0,  # noqa: ARG002
    ) -> Reply:
        self.calls += 1
        data = self.answer([json.loads(line) for line in messages[-1]["content"].splitlines()])
        if isinstance(data, Exception):
            raise data
        return Reply(data, json.dumps(data), Usage(10, 10), self.name)


def say(mine: ScopedMemory, *texts: str, session_id: str = "s", **more: object) -> list[str]:
    """Record messages of a session that is over then."""
    ids = mine.record([{"role": "user", "content": text, **more} for text in texts], session_id=session_id).ids
    mine.end_session(session_id)
    return ids
