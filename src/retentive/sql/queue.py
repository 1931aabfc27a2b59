"""The outbox as a queue. Leases and delays stand on the machine's monotonic clock: setting the date moves neither."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

from retentive.contracts import Queue
from retentive.sql.database import Connection, SqlDatabase, fetch, fetch_value
from retentive.types import DeadJob, Job, Partition

#: No lease or delay is longer. The monotonic clock starts anew at a reboot, so a mark further ahead than this is from
#: before it, and counts as past.
MAX_AHEAD_S = 6 * 3600.0
_PASSED = "(job.{column} <= :now OR job.{column} > :now + :ahead)"
_WAITING = f"state = 'ready' AND {_PASSED.format(column='not_before_s')} AND {_PASSED.format(column='lease_until_s')}"

#: Nobody has claimed it since: every claim is one attempt more.
_OURS = "id = ? AND attempts = ? AND state = 'ready'"


class SqlQueue(Queue):
    """Jobs of one `SqlDatabase`."""

    def __init__(self, database: SqlDatabase) -> None:
        self._db = database

    def _clock(self, connection: Connection) -> dict[str, float]:
        return {"now": self._db.now_s(connection), "ahead": MAX_AHEAD_S}

    def claim(self, worker: str, *, limit: int, lease_s: float) -> list[Job]:
        if not self._any_waiting():
            return []  # no write lock is taken to find nothing
        sql = (
            "SELECT id, kind, payload, attempts + 1, (SELECT tenant FROM partition WHERE no = partition), "  # noqa: S608
            "(SELECT kind FROM partition WHERE no = partition), (SELECT owner FROM partition WHERE no = partition) "
            f"FROM job WHERE {_WAITING} ORDER BY id LIMIT :limit{self._db.skip_locked}"
        )
        lease = "UPDATE job SET lease_until_s = ?, worker = ?, attempts = ? WHERE id = ?"
        jobs: list[Job] = []
        gone: list[tuple[int]] = []
        with self._db.write(shared=True, derived=True) as connection:
            clock = self._clock(connection)
            until_s = clock["now"] + min(lease_s, MAX_AHEAD_S)
            for no, kind, payload, attempts, *whose in fetch(connection, sql, clock | {"limit": limit}):
                if whose[-1] is None:
                    gone.append((no,))
                else:
                    jobs.append(Job(no, kind, Partition(*whose), json.loads(payload), attempts))
            connection.executemany(lease, [(until_s, worker, job.attempts, job.id) for job in jobs])
            connection.executemany("DELETE FROM job WHERE id = ?", gone)
        return jobs

    def _any_waiting(self) -> bool:
        with self._db.read() as connection:
            sql = f"SELECT EXISTS (SELECT 1 FROM job WHERE {_WAITING})"  # noqa: S608
            return bool(fetch_value(connection, sql, self._clock(connection)))

    def extend(self, jobs: Sequence[Job], *, lease_s: float) -> list[Job]:
        held: list[Job] = []
        with self._db.write(shared=True, derived=True) as connection:
            until_s = self._db.now_s(connection) + min(lease_s, MAX_AHEAD_S)
            for job in jobs:
                connection.execute(f"UPDATE job SET lease_until_s = ? WHERE {_OURS}", (until_s, job.id, job.attempts))  # noqa: S608
                held += [job] if connection.changes() else []
        return held

    def release(self, gone: Callable[[str], bool]) -> int:
        sql = "SELECT worker FROM job WHERE state = 'ready' AND worker IS NOT NULL AND lease_until_s > 0"
        with self._db.read() as connection:
            dead = [worker for worker in {worker for (worker,) in fetch(connection, sql)} if gone(worker)]
        if not dead:
            return 0
        with self._db.write(shared=True, derived=True) as connection:
            sql = "UPDATE job SET lease_until_s = 0, worker = NULL WHERE worker = ? AND state = 'ready'"
            connection.executemany(sql, [(worker,) for worker in dead])
            return connection.changes()

    def done(self, jobs: Iterable[Job]) -> None:
        with self._db.write(shared=True, derived=True) as connection:
            ended = [(job.id, job.attempts) for job in jobs]  # its number may be another job's by now
            connection.executemany(f"DELETE FROM job WHERE {_OURS}", ended)  # noqa: S608

    def retry(self, job: Job, *, delay_s: float, error: str) -> None:
        with self._db.write(shared=True) as connection:
            until_s = self._db.now_s(connection) + min(delay_s, MAX_AHEAD_S)
            sql = f"UPDATE job SET not_before_s = ?, lease_until_s = 0, error = ? WHERE {_OURS}"  # noqa: S608
            connection.execute(sql, (until_s, error, job.id, job.attempts))

    def dead(self, job: Job, error: str) -> None:
        with self._db.write(shared=True) as connection:
            sql = f"UPDATE job SET state = 'dead', error = ? WHERE {_OURS}"  # noqa: S608
            connection.execute(sql, (error, job.id, job.attempts))

    def given_up(self, *, limit: int) -> list[DeadJob]:
        sql = (
            "SELECT j.id, j.kind, p.tenant, p.kind, p.owner, j.attempts, j.error FROM job j "
            "JOIN partition p ON p.no = j.partition WHERE j.state = 'dead' ORDER BY j.id LIMIT ?"
        )
        with self._db.read() as connection:
            found = fetch(connection, sql, (limit,))
        return [DeadJob(no, kind, Partition(*whose), tries, why or "") for no, kind, *whose, tries, why in found]

    def requeue(self) -> int:
        with self._db.write(shared=True) as connection:
            sql = (
                "UPDATE job SET state = 'ready', attempts = 0, not_before_s = 0, lease_until_s = 0 WHERE state = 'dead'"
            )
            connection.execute(sql)
            return connection.changes()

    def depth(self) -> Mapping[str, int]:
        leased = f"state = 'ready' AND NOT {_PASSED.format(column='lease_until_s')}"
        sql = (
            "SELECT count(*) FILTER (WHERE state = 'ready'), count(*) FILTER (WHERE state = 'dead'), "  # noqa: S608
            f"count(*) FILTER (WHERE {leased}), count(*) FILTER (WHERE {_WAITING}) FROM job"
        )
        with self._db.read() as connection:
            alive, dead, held, ready = fetch_value(connection, sql, self._clock(connection))
        return {"ready": ready, "leased": held, "delayed": alive - held - ready, "dead": dead}
