"""The outbox with a bell: a worker that waits hears of new jobs as they are committed."""

from __future__ import annotations

import contextlib
from threading import Event, Lock

import psycopg

from retentive.again import methods_again_when_yielded
from retentive.backends.postgres.connection import Raw
from retentive.backends.postgres.database import CONNECT, PostgresDatabase
from retentive.backends.postgres.url import Place
from retentive.sql.queue import SqlQueue

#: Every store of a database rings this bell; the payload is the schema.
_CHANNEL = "retentive"


@methods_again_when_yielded("claim", "extend", "release", "done", "retry", "dead", "requeue")
class PostgresQueue(SqlQueue):
    """`retentive.sql.queue.SqlQueue`, whose workers LISTEN while they wait.

    LISTEN belongs to one server connection, so there is one for it beside the pool. A pooler of transactions has none
    to give: then a worker looks for jobs as often as it does anywhere.
    """

    def __init__(self, database: PostgresDatabase, place: Place) -> None:
        super().__init__(database)
        self._place = place
        self._ear: Raw | None = None
        self._pooled = False
        self._lock = Lock()
        database.on_close(self._hang_up)

    def wait(self, woken: Event, timeout_s: float) -> None:
        if self._pooled or not self._lock.acquire(blocking=False):
            woken.wait(timeout_s)
            return
        try:
            heard = self._listen(woken, timeout_s)
        except psycopg.Error:  # cut, or the server is away: the next round says so if it lasts
            self._hang_up()
            heard = False
        finally:
            self._lock.release()
        if not heard:
            woken.wait(timeout_s)

    def _listen(self, woken: Event, timeout_s: float) -> bool:
        """Whether there was somebody to listen to."""
        if self._ear is None:
            self._ear = psycopg.connect(self._place.conninfo, **CONNECT)
            (pid,) = self._ear.execute("SELECT pg_backend_pid()").fetchone() or (None,)
            self._pooled = pid != self._ear.info.backend_pid  # a pooler gives numbers of its own
            if self._pooled:
                self._hang_up()
                return False
            self._ear.execute(f"LISTEN {_CHANNEL}".encode())
            return True  # what was committed before is looked for first
        for notice in self._ear.notifies(timeout=0.0 if woken.is_set() else timeout_s):
            if notice.payload == self._place.schema:
                break
        return True

    def _hang_up(self) -> None:
        ear, self._ear = self._ear, None
        if ear is not None:
            with contextlib.suppress(psycopg.Error):  # it is given up, and may be gone already
                ear.close()
