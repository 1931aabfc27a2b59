"""Kafka, by its C client librdkafka: a consumer that commits by hand, an idempotent producer that waits for replicas.

Options of the URL's query that have a dot are librdkafka's own, such as security.protocol=SASL_SSL.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka import Message as Received

from retentive.errors import LogUnavailable
from retentive.streams.address import Address
from retentive.streams.log import Log, Message, Record

#: How long the broker may take to answer before the caller hears of it.
_ANSWER_S = 30.0
#: A worker that died holds its partitions for so long.
_SESSION_MS = 10_000
#: The topic is not there yet: whoever writes first makes it.
_NOT_YET = frozenset({KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC})  # noqa: SLF001  its public name


@contextlib.contextmanager
def _mapped() -> Iterator[None]:
    try:
        yield
    except (KafkaException, BufferError, RuntimeError) as error:
        message = f"Kafka refused or did not answer: {error}"
        raise LogUnavailable(message) from error


class KafkaLog(Log):
    """One topic of a Kafka cluster. The reader and the writer are made when they are first needed."""

    def __init__(self, address: Address) -> None:
        self.topic = address.topic
        self._shared: dict[str, str | int | float | bool] = {
            "bootstrap.servers": address.hosts,
            "log_level": 0,
        }
        if address.user is not None:
            self._shared |= {
                "security.protocol": "SASL_SSL",
                "sasl.mechanism": "PLAIN",
                "sasl.username": address.user,
                "sasl.password": address.password or "",
            }
        self._shared |= {name: value for name, value in address.options.items() if "." in name}
        self._group = address.group
        self._consumer: Consumer | None = None
        self._producer: Producer | None = None

    def read(self, *, limit: int, wait_s: float) -> list[Record]:
        with _mapped():
            received = self._reading().consume(limit, wait_s)
        records: list[Record] = []
        for one in received:
            error = one.error()
            if error is None:
                records.append(_record(one))
            elif error.code() not in _NOT_YET and not error.retriable():
                message = f"Kafka refused: {error.str()}"
                raise LogUnavailable(message)
        return records

    def commit(self, records: Sequence[Record]) -> None:
        ends: dict[tuple[str, int], int] = {}
        for record in records:
            topic, partition, offset = record.position.rsplit("/", 2)
            key = topic, int(partition)
            ends[key] = max(ends.get(key, 0), int(offset) + 1)
        with _mapped():
            offsets = [TopicPartition(topic, partition, end) for (topic, partition), end in ends.items()]
            self._reading().commit(offsets=offsets, asynchronous=False)

    def publish(self, topic: str, messages: Sequence[Message]) -> None:
        refused: list[str] = []

        def delivered(error: KafkaError | None, _: Received) -> None:
            if error is not None:
                refused.append(error.str())

        with _mapped():
            producer = self._writing()
            for message in messages:
                headers: dict[str, str | bytes | None] = {**message.headers}
                producer.produce(topic, message.value, message.key, headers=headers, on_delivery=delivered)
                producer.poll(0)
            waiting = producer.flush(_ANSWER_S)
            if waiting:
                producer.purge()
        if refused or waiting:
            message_ = f"Kafka did not confirm {len(refused) + waiting} of {len(messages)} messages"
            raise LogUnavailable(message_)

    def close(self) -> None:
        if self._consumer is not None:
            self._consumer.close()
        self._consumer = self._producer = None

    def _reading(self) -> Consumer:
        if self._consumer is None:
            own = {
                "group.id": self._group,
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "session.timeout.ms": _SESSION_MS,
                "allow.auto.create.topics": True,
            }
            self._consumer = Consumer(own | self._shared)
            self._consumer.subscribe([self.topic])
        return self._consumer

    def _writing(self) -> Producer:
        if self._producer is None:
            own = {"acks": "all", "enable.idempotence": True, "message.timeout.ms": int(_ANSWER_S * 1000)}
            self._producer = Producer(own | self._shared)
        return self._producer


def _record(one: Received) -> Record:
    key, headers = one.key(), dict(one.headers() or [])
    known = {name: _text(value) for name, value in headers.items()}
    message = Message(_bytes(one.value()), None if key is None else _text(key), known)
    return Record(message, f"{one.topic()}/{one.partition()}/{one.offset()}")


def _bytes(value: str | bytes | None) -> bytes:
    return value.encode() if isinstance(value, str) else value or b""


def _text(value: str | bytes | None) -> str:
    return _bytes(value).decode("utf-8", "replace")
