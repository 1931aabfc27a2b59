"""Background work that a caller starts and asks after: one at a time, in a thread, known until the process ends."""

from __future__ import annotations

import logging
import threading
import traceback
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from retentive.across import contained
from retentive.clock import format_us, new_id, now_us
from retentive.errors import NotFound, RetentiveError
from retentive.plain import plain
from retentive.redaction import redact

log = logging.getLogger("retentive")

_MOST_KEPT = 1000
_UNEXPECTED = "something went wrong in the server: its log says where"


@dataclass(frozen=True, slots=True)
class Operation:
    """One piece of background work. `result` is what the verb gave; `error` says why there is none."""

    id: str
    kind: str
    state: Literal["waiting", "running", "done", "failed"]
    started_at: str
    ended_at: str | None = None
    result: Any = None
    error: str | None = None


class Operations:
    """What was started in this process, each in its turn. Safe between threads."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Operation] = OrderedDict()
        self._lock, self._turn = threading.Lock(), threading.Lock()

    def start(self, kind: str, run: Callable[[], object]) -> Operation:
        """Put work in the line."""
        operation = Operation(new_id(), kind, "waiting", format_us(now_us()))
        self._put(operation)
        # A daemon: what is cut short by the end of the process is kept by the store and goes on when it is asked again.
        threading.Thread(target=self._run, args=(operation, run), name="retentive-operation", daemon=True).start()
        return operation

    def get(self, id: str) -> Operation:  # noqa: A002  as in every call of the interface
        """How far it is. Raises NotFound."""
        with self._lock:
            found = self._kept.get(id)
        if found is None:
            message = "no operation has this id: they are known until the server ends"
            raise NotFound(message)
        return found

    def _run(self, operation: Operation, run: Callable[[], object]) -> None:
        with self._turn:
            self._put(replace(operation, state="running"))
            try:
                ended = replace(operation, state="done", result=plain(contained(run)))
            except RetentiveError as error:
                ended = replace(operation, state="failed", error=redact(str(error)).text)
            except Exception as error:  # noqa: BLE001  whatever it died of, who asks after it is told that it did
                log.error("operation %s died of %s", operation.kind, _where(error))  # noqa: TRY400  no text in the log
                ended = replace(operation, state="failed", error=_UNEXPECTED)
        self._put(replace(ended, ended_at=format_us(now_us())))
        log.info("operation %s: %s", operation.kind, ended.state)

    def _put(self, operation: Operation) -> None:
        with self._lock:
            self._kept[operation.id] = operation
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)


def _where(error: Exception) -> str:
    """Of what kind an error is and where it was raised; not what it says, which may quote a memory."""
    first = error.__cause__ or error
    return f"{type(first).__name__}\n{''.join(traceback.format_tb(first.__traceback__))}"
