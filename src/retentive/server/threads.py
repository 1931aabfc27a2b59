"""Threads that run plain functions while the event loop goes on.

One queue for all: a thread that is done takes the next call by itself, without a turn of the event loop between them.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from retentive.across import contained


class TookTooLong(Exception):
    """A call had no result in time; one that was begun goes on to its end."""


@dataclass(frozen=True, slots=True)
class _Call:
    """A function, and where its result is awaited."""

    run: Callable[[], Any]
    context: contextvars.Context
    loop: asyncio.AbstractEventLoop
    result: asyncio.Future[Any]


_Queue = SimpleQueue[_Call | None]


class Threads:
    """So many threads at the most, started with the first calls; they end when nobody has this object any more.

    >>> threads = Threads(4)
    >>> asyncio.run(threads.run(lambda: 6 * 7, timeout_s=5))
    42
    """

    def __init__(self, most: int) -> None:
        self._most, self._started = most, 0
        self._lock, self._calls = threading.Lock(), _Queue()
        weakref.finalize(self, _end, self._calls, most)

    async def run(self, run: Callable[[], Any], *, timeout_s: float) -> Any:
        """What the function gives or raises, called in a thread. Raises TookTooLong."""
        loop = asyncio.get_running_loop()
        result = loop.create_future()
        self._start_one()
        self._calls.put(_Call(run, contextvars.copy_context(), loop, result))
        timer = loop.call_later(timeout_s, _give_up, result)
        try:
            return await result
        finally:
            timer.cancel()

    def _start_one(self) -> None:
        if self._started >= self._most:
            return
        with self._lock:
            if self._started < self._most:
                name = f"retentive-answer-{self._started + 1}"
                try:
                    threading.Thread(target=_work, args=(self._calls,), name=name, daemon=True).start()
                except RuntimeError:  # the machine has none to spare now: those there are take the call
                    if not self._started:
                        raise
                else:
                    self._started += 1


def _work(calls: _Queue) -> None:
    while (call := calls.get()) is not None:
        if not call.result.done():  # nobody waits for it any more
            _run(call)
        del call


def _run(call: _Call) -> None:
    value, error = None, None
    try:
        value = call.context.run(contained, call.run)
    except BaseException as raised:  # noqa: BLE001  it is the caller's, wherever it was raised
        error = raised
    with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
        call.loop.call_soon_threadsafe(_tell, call.result, value, error)


def _tell(result: asyncio.Future[Any], value: Any, error: BaseException | None) -> None:
    if result.done():
        return
    if error is None:
        result.set_result(value)
    else:
        result.set_exception(error)


def _give_up(result: asyncio.Future[Any]) -> None:
    if not result.done():
        result.set_exception(TookTooLong())


def _end(calls: _Queue, threads: int) -> None:
    for _ in range(threads):
        calls.put(None)
