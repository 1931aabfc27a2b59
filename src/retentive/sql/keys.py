"""API keys and answers to repeated requests, in the store's database."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from typing import Any

from retentive.contracts.keys import Answered, ApiKey, KeyStore
from retentive.sql.database import SqlDatabase, fetch, put_setting, setting

_PEPPER = "key_pepper"
_DAY_US = 86_400_000_000
_NOBODYS = ("", "", "", "", 0, "[]", None, None, None, "", b"")
_COLUMNS = "id, name, tenant, rights, created_us, users, expires_us, ended_us, rate_minute, made_by"


class SqlKeys(KeyStore):
    """`retentive.contracts.keys.KeyStore` over one `SqlDatabase`."""

    def __init__(self, database: SqlDatabase) -> None:
        self._db = database

    def pepper(self) -> bytes:
        with self._db.read() as connection:
            found = setting(connection, _PEPPER)
        if found is None:
            with self._db.write() as connection:
                self._db.lock(connection, _PEPPER)
                found = setting(connection, _PEPPER)  # another process may have been first: its value stands
                if found is None:
                    found = secrets.token_hex(32)
                    put_setting(connection, _PEPPER, found)
        return bytes.fromhex(found)

    def add(self, key: ApiKey, digest: bytes) -> None:
        values = (
            key.id,
            key.name,
            key.tenant,
            " ".join(key.rights),
            key.created_us,
            json.dumps(key.users),
            key.expires_us,
            key.ended_us,
            key.rate_minute,
            key.made_by,
            digest,
        )
        with self._db.write() as connection:
            connection.execute(
                f"INSERT INTO api_key ({_COLUMNS}, digest) VALUES ({', '.join('?' * len(values))})",  # noqa: S608
                values,
            )

    def find(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        with self._db.read() as connection:
            rows = fetch(connection, f"SELECT {_COLUMNS}, digest FROM api_key WHERE id = ?", (key_id,))  # noqa: S608
        *values, digest = rows[0] if rows else _NOBODYS
        key = _key(values)  # read where there is none too, so that an unknown id takes as long
        return (key, digest) if rows else None

    def all(self, tenant: str | None = None) -> list[ApiKey]:
        where, values = ("", ()) if tenant is None else ("WHERE tenant = ?", (tenant,))
        sql = f"SELECT {_COLUMNS} FROM api_key {where} ORDER BY created_us, id"  # noqa: S608  our own names
        with self._db.read() as connection:
            return [_key(row) for row in fetch(connection, sql, values)]

    def end(self, key_id: str, at_us: int) -> bool:
        with self._db.write() as connection:
            sql = "UPDATE api_key SET ended_us = ? WHERE id = ? AND (ended_us IS NULL OR ended_us > ?)"
            connection.execute(sql, (at_us, key_id, at_us))
            return bool(fetch(connection, "SELECT 1 FROM api_key WHERE id = ?", (key_id,)))

    def begin_answer(self, caller: str, name: bytes, request: bytes, now_us: int, *, stale_us: int) -> Answered | None:
        asked = "SELECT request, status, body FROM answered WHERE caller = ? AND name = ?"
        with self._db.write(shared=True) as connection:
            self._db.lock(connection, f"answer to {caller}")
            sql = "DELETE FROM answered WHERE at_us < ? OR (body IS NULL AND at_us < ?)"
            connection.execute(sql, (now_us - _DAY_US, now_us - stale_us))
            found = fetch(connection, asked, (caller, name))
            if found:
                return Answered(*found[0])
            connection.execute("INSERT INTO answered VALUES (?, ?, ?, ?, 0, NULL)", (caller, name, now_us, request))
        return None

    def end_answer(self, caller: str, name: bytes, status: int, body: str | None) -> None:
        with self._db.write(shared=True) as connection:
            if body is None:
                connection.execute("DELETE FROM answered WHERE caller = ? AND name = ?", (caller, name))
            else:
                sql = "UPDATE answered SET status = ?, body = ? WHERE caller = ? AND name = ?"
                connection.execute(sql, (status, body, caller, name))


def _key(row: Sequence[Any]) -> ApiKey:
    id_, name, tenant, rights, created_us, users, expires_us, ended_us, rate_minute, made_by = row
    return ApiKey(
        id=id_,
        name=name,
        tenant=tenant,
        rights=tuple(rights.split()),
        created_us=created_us,
        users=tuple(json.loads(users)),
        expires_us=expires_us,
        ended_us=ended_us,
        rate_minute=rate_minute,
        made_by=made_by,
    )
