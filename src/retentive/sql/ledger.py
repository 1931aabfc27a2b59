"""The ledger of model calls in the store's database. A partition stands as its number: by itself it tells nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from retentive.clock import format_us
from retentive.contracts.ledger import HOUR_US, Account, Carried, Ledger, Spent, UsageKey, UsageLimits
from retentive.contracts.models import Usage
from retentive.results import ErasurePlace
from retentive.sql import carried as carrying
from retentive.sql.database import Connection, SqlDatabase, fetch, fetch_value
from retentive.types import Partition, SessionKey

#: Where each key stands.
_COLUMNS: dict[UsageKey, str] = {
    "tenant": "u.tenant",
    "owner": "p.owner",
    "session": "nullif(u.session_id, '')",
    "agent": "nullif(u.agent_id, '')",
    "project": "nullif(u.project_id, '')",
    "operation": "u.operation",
    "model": "u.model",
    "hour": "u.hour",
}
_KEPT_HOURS = 24 * 400  # more than a year, so that this month can be held against the last year's
_SPENT = (
    "SELECT coalesce(sum(prompt_tokens + completion_tokens + held_tokens), 0), coalesce(sum(cost + held_cost), 0) "
    "FROM usage"
)
_SUMS = (
    "calls",
    "failed",
    "prompt_tokens",
    "completion_tokens",
    "cached_tokens",
    "cost",
    "priced",
    "held_tokens",
    "held_cost",
)
_KEY = "hour, tenant, partition, session_id, agent_id, project_id, operation, model"
#: What tells sessions of one name apart.
_NAMED = (_COLUMNS["agent"], _COLUMNS["project"])
_SAME = (("partition", "partition"), ("id", "session_id"), ("agent_id", "agent_id"), ("project_id", "project_id"))
_ADDED = ", ".join(f"{name} = usage.{name} + excluded.{name}" for name in _SUMS)
_ADDING = f"ON CONFLICT ({_KEY}) DO UPDATE SET {_ADDED}"
_ADD = f"INSERT INTO usage VALUES ({', '.join('?' * (8 + len(_SUMS)))}) {_ADDING}"  # noqa: S608  our own names
_NOTHING = Usage()


class SqlLedger(Ledger):
    """`retentive.contracts.ledger.Ledger` over one `SqlDatabase`."""

    def __init__(self, database: SqlDatabase) -> None:
        self._db = database

    def reserve(self, account: Account, now_us: int, most: Usage, limits: UsageLimits) -> bool:
        hour = now_us // HOUR_US
        with self._db.write(account.partition.tenant, shared=True) as connection:
            self._db.lock(connection, f"usage of {account.partition.tenant}")
            where = " WHERE hour = ? AND tenant = ?"
            tokens, cost = fetch_value(connection, _SPENT + where, (hour, account.partition.tenant))
            if limits.tokens is not None and tokens + _tokens(most) > limits.tokens:
                return False
            if limits.cost is not None and cost + (most.cost or 0) > limits.cost:
                return False
            _add(connection, account, hour, "", _NOTHING, held=most)
        return True

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
        hour = now_us // HOUR_US
        with self._db.write(account.partition.tenant, shared=True) as connection:
            if most is not None:
                _add(connection, account, hour, "", _NOTHING, held=most, sign=-1)
            _add(connection, account, hour, model, took, calls=1, failed=int(failed))
            number = _number(connection, account.partition)
            if carried and number and account.session_id:
                carrying.add(connection, number, account.session_key, carried)
            connection.execute(
                "DELETE FROM usage WHERE hour < ? OR (hour < ? AND calls = 0)", (hour - _KEPT_HOURS, hour - 1)
            )

    def usage(
        self,
        by: Sequence[UsageKey] = (),
        *,
        tenant: str | None = None,
        partition: Partition | None = None,
        since_us: int | None = None,
    ) -> list[Spent]:
        keys = [_COLUMNS[name] for name in by]
        conditions = ["u.calls > 0"]
        values: list[str | int] = []
        if tenant is not None:
            conditions.append("u.tenant = ?")
            values.append(tenant)
        if partition is not None:
            conditions.append("p.tenant = ? AND p.kind = ? AND p.owner = ?")
            values += partition
        if since_us is not None:
            conditions.append("u.hour >= ?")
            values.append(since_us // HOUR_US)
        apart = list(dict.fromkeys([*keys, *(_NAMED if "session" in by else ())]))
        order = ", ".join(f"{key} NULLS FIRST" for key in apart)
        grouped = f"GROUP BY {', '.join(apart)} ORDER BY {order}" if keys else "HAVING count(*) > 0"
        sql = (
            f"SELECT {', '.join([*keys, ''])} sum(u.calls), sum(u.failed), sum(u.prompt_tokens), "  # noqa: S608  our own
            "sum(u.completion_tokens), sum(u.cached_tokens), sum(u.cost), sum(u.priced) "
            "FROM usage u LEFT JOIN partition p ON p.no = u.partition "
            f"WHERE {' AND '.join(conditions)} {grouped}"
        )
        with self._db.read() as connection:
            return [_spent(row, by) for row in fetch(connection, sql, values)]

    def carried(self, partition: Partition, session: SessionKey) -> list[Carried]:
        with self._db.read() as connection:
            return carrying.of_session(connection, _number(connection, partition), session)


def _number(connection: Connection, partition: Partition) -> int:
    """A partition's number; 0 where it was erased meanwhile."""
    found = "SELECT no FROM partition WHERE tenant = ? AND kind = ? AND owner = ?"
    return fetch_value(connection, found, partition) or 0


def _add(
    connection: Connection,
    account: Account,
    hour: int,
    model: str,
    took: Usage,
    *,
    calls: int = 0,
    failed: int = 0,
    held: Usage = _NOTHING,
    sign: int = 1,
) -> None:
    partition = account.partition
    number = _number(connection, partition)  # of one that was erased only the tenant's sum is kept
    session = (account.session_id, account.agent_id or "", account.project_id or "")
    named = session if number and account.session_id else ("", "", "")
    key = (hour, partition.tenant, number, *named, account.operation, model)
    tokens = (took.prompt_tokens, took.completion_tokens, took.cached_tokens)
    money = (took.cost or 0.0, int(took.cost is not None))
    connection.execute(_ADD, (*key, calls, failed, *tokens, *money, sign * _tokens(held), sign * (held.cost or 0.0)))


def _tokens(usage: Usage) -> int:
    return usage.prompt_tokens + usage.completion_tokens


def _spent(row: tuple[Any, ...], by: Sequence[UsageKey]) -> Spent:
    values, numbers = row[: len(by)], row[len(by) :]
    calls, failed, prompt, completion, cached, cost, priced = numbers
    key = [format_us(value * HOUR_US) if name == "hour" else value for name, value in zip(by, values, strict=True)]
    return Spent(tuple(key), calls, failed, Usage(prompt, completion, cached, cost if priced else None))


def release_partition(connection: Connection, number: int) -> ErasurePlace:
    """Keep of an erased partition only what its tenant spent: no owner, no session."""
    return _release(connection, "0", f"partition = {number}")


def release_sessions(connection: Connection, number: int) -> ErasurePlace:
    """Keep of sessions that are not there (any more) what their owner spent: not their names."""
    return _release(connection, "partition", f"partition = {number} AND session_id <> '' AND {gone_session('usage')}")


def gone_session(table: str) -> str:
    """The condition that the session which a table names is not there (any more)."""
    same = " AND ".join(f"s.{one} = {table}.{other}" for one, other in _SAME)
    return f"NOT EXISTS (SELECT 1 FROM session s WHERE {same})"  # noqa: S608  our own names


def _release(connection: Connection, partition: str, which: str) -> ErasurePlace:
    summed = ", ".join(f"sum({name})" for name in _SUMS)
    connection.execute(
        f"INSERT INTO usage SELECT hour, tenant, {partition}, '', '', '', operation, model, {summed} FROM usage "  # noqa: S608  our own
        f"WHERE {which} GROUP BY hour, tenant, partition, operation, model {_ADDING}"
    )
    connection.execute(f"DELETE FROM usage WHERE {which}")  # noqa: S608
    erased = connection.changes()
    left = connection.execute(f"SELECT count(*) FROM usage WHERE {which}").get  # noqa: S608
    return ErasurePlace("names in the ledger of model calls", erased, left)
