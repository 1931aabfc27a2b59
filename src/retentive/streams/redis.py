"""Redis Streams: a stream as the topic, its consumer group as the group.

A group hands each entry to whichever member asks first, so order by key holds for one member a stream: give each worker
a stream of its own. A member is known by its name (`?worker=`, the group's by default): what it read before it died is
the first thing it reads again.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from typing import Any

import redis

from retentive.errors import LogUnavailable
from retentive.streams.address import Address
from retentive.streams.log import Log, Message, Record

_ANSWER_S = 30.0
#: Read again from the beginning what this member has not committed; then go on with what nobody has read.
_OWN, _NEW = "0", ">"


@contextlib.contextmanager
def _mapped() -> Iterator[None]:
    try:
        yield
    except redis.RedisError as error:
        message = f"Redis refused or did not answer: {error}"
        raise LogUnavailable(message) from error


class RedisLog(Log):
    """One stream of a Redis server."""

    def __init__(self, address: Address) -> None:
        host, _, port = address.hosts.partition(":")
        self.topic, self._group = address.topic, address.group
        self._member = address.options.get("worker", address.group)
        self._server: Any = redis.Redis(
            host=host,
            port=int(port or 6379),
            username=address.user,
            password=address.password,
            socket_timeout=_ANSWER_S,
            ssl=address.options.get("tls") == "true",
        )
        self._from: str | None = None

    def read(self, *, limit: int, wait_s: float) -> list[Record]:
        with _mapped():
            if self._from is None:
                self._join()
                self._from = _OWN
            entries = self._entries(limit, wait_s)
            if not entries and self._from != _NEW:
                self._from = _NEW
                entries = self._entries(limit, wait_s)
        if entries and self._from != _NEW:
            self._from = entries[-1][0].decode()
        return [Record(_message(fields), f"{self.topic}/{no.decode()}") for no, fields in entries if fields]

    def _entries(self, limit: int, wait_s: float) -> list[tuple[bytes, dict[bytes, bytes]]]:
        asked = {self.topic: self._from}
        found = self._server.xreadgroup(self._group, self._member, asked, count=limit, block=max(1, int(wait_s * 1000)))
        pairs = found.items() if isinstance(found, dict) else found
        return [entry for _, entries in pairs or () for entry in _flat(entries)]

    def _join(self) -> None:
        try:
            self._server.xgroup_create(self.topic, self._group, id="0", mkstream=True)
        except redis.ResponseError as error:
            if "BUSYGROUP" not in str(error):  # it is there already
                raise

    def commit(self, records: Sequence[Record]) -> None:
        if records:
            with _mapped():
                self._server.xack(self.topic, self._group, *[one.position.rpartition("/")[2] for one in records])

    def publish(self, topic: str, messages: Sequence[Message]) -> None:
        with _mapped(), self._server.pipeline(transaction=True) as pipe:
            for message in messages:
                fields = {"value": message.value, "headers": json.dumps(dict(message.headers))}
                pipe.xadd(topic, fields | ({} if message.key is None else {"key": message.key}))
            pipe.execute()

    def close(self) -> None:
        self._server.close()


def _flat(entries: Any) -> list[tuple[bytes, dict[bytes, bytes]]]:
    """Entries as the older and the newer protocol give them."""
    return [entry for one in entries for entry in (one if isinstance(one, list) else [one])]


def _message(fields: dict[bytes, bytes]) -> Message:
    key = fields.get(b"key")
    headers = json.loads(fields.get(b"headers", b"{}"))
    return Message(fields.get(b"value", b""), None if key is None else key.decode("utf-8", "replace"), headers)
