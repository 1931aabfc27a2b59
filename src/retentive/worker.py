"""The thread that runs background jobs while a process uses memory. It starts at the first work, and sleeps without."""

from __future__ import annotations

import atexit
import logging
import threading
import time
import weakref
from collections.abc import Callable
from typing import Protocol

from retentive.across import contained
from retentive.errors import RetentiveError
from retentive.results import ProcessReport

log = logging.getLogger("retentive")

#: How often delayed jobs are looked for while some wait.
_POLL_S = 2.0
_STOP_WAIT_S = 10.0


class RunJobs(Protocol):
    """Runs waiting jobs and says what they came to."""

    def __call__(self, max_jobs: int | None = None, stop: Callable[[], bool] = ...) -> ProcessReport:
        """Run up to `max_jobs` jobs, until `stop()`."""


class Every:
    """Calls something at most once in so many seconds, however often it is asked to."""

    def __init__(self, every_s: float, call: Callable[[], object]) -> None:
        self._every_s, self._call = every_s, call
        self._next_s = 0.0

    def __call__(self) -> None:
        """Call it, unless it was called just now."""
        now_s = time.monotonic()
        if now_s >= self._next_s:
            self._next_s = now_s + self._every_s
            self._call()


class Background:
    """Runs jobs when woken, and again while some are delayed; asleep otherwise."""

    def __init__(self, run: RunJobs, wait: Callable[[threading.Event, float], object] = threading.Event.wait) -> None:
        self._run, self._wait = run, wait
        self._woken = threading.Event()
        self._stopping = threading.Event()
        self._idle = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def wake(self) -> None:
        """There is work: start the thread if need be."""
        self._idle.clear()
        self._woken.set()
        with self._lock:
            if self._thread is None and not self._stopping.is_set():
                self._thread = threading.Thread(target=self._forever, name="retentive-jobs", daemon=True)
                self._thread.start()
                atexit.register(_stop_at_exit, weakref.ref(self))

    def stop(self, drain_s: float = 0.0) -> None:
        """Stop after the job at hand, or when nothing waits, if that comes within `drain_s`; the rest stays stored."""
        if self._thread is not None:
            self._idle.wait(drain_s)
        self._stopping.set()
        self._woken.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(_STOP_WAIT_S)

    def loop(self, stop: Callable[[], bool], poll_s: float, before: Callable[[], object] | None = None) -> None:
        """Run jobs in this thread until `stop()`; `before` each round do something else."""
        while not stop():
            self._round(stop, before)
            self._wait(self._woken, poll_s)
            self._woken.clear()

    def _forever(self) -> None:
        waiting = True
        while not self._stopping.is_set():
            self._woken.wait(_POLL_S if waiting else None)
            self._woken.clear()
            if not self._stopping.is_set():
                waiting = self._round(self._stopping.is_set)
            if not self._woken.is_set():
                self._idle.set()

    def _round(self, stop: Callable[[], bool], before: Callable[[], object] | None = None) -> bool:
        """One run; True when something still waits. A store that fails now is tried again later, and it is said."""
        try:
            if before is not None:
                before()
            return contained(lambda: self._run(None, stop)).waiting > 0
        except RetentiveError as error:
            log.warning("background jobs stopped for now: %s", error)
        except Exception as error:  # noqa: BLE001  a backend of others: the thread must outlive it
            log.error("background jobs stopped for now: %s", type(error).__name__)  # noqa: TRY400  no text in the log
        return True


def _stop_at_exit(reference: weakref.ref[Background]) -> None:
    background = reference()
    if background is not None:
        background.stop()
