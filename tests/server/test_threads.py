"""The threads that answer requests."""

from __future__ import annotations

import asyncio
import threading

import pytest

from retentive.server.threads import Threads


def test_a_machine_without_a_thread_to_spare_answers_again_once_it_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    start, refused = threading.Thread.start, [True, True, False, True]
    done: list[int] = []

    def sometimes(thread: threading.Thread) -> None:
        if refused and refused.pop(0):
            message = "can't start new thread"
            raise RuntimeError(message)
        start(thread)

    async def ask(number: int) -> None:
        await threads.run(lambda: done.append(number), timeout_s=30)

    threads = Threads(2)
    monkeypatch.setattr(threading.Thread, "start", sometimes)
    for number in (1, 2):
        with pytest.raises(RuntimeError, match="thread"):
            asyncio.run(ask(number))
    for number in (3, 4, 5):
        asyncio.run(ask(number))
    assert done == [3, 4, 5]  # what was refused is not done later
