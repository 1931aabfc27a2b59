"""Messages in from a log and events out to one, on real servers: Kafka's own broker and Redis."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from retentive import Memory
from retentive.config import Settings
from retentive.contracts.audit import AuditQuery
from retentive.errors import ConfigError, LogUnavailable, StoreBusy
from retentive.models.embed_none import NoEmbedder
from retentive.plugins import make_backend
from retentive.streams import Log, Message, Record, ingest, open_log, relay
from retentive.streams.address import parse_address
from retentive.streams.ingest import take
from retentive.streams.relay import lag
from retentive.testing.kafka import Broker

Url = Callable[[str], str]


@pytest.fixture(params=["kafka", "redis"])
def url(request: pytest.FixtureRequest) -> Url:
    """The URL of a topic on a real server."""
    if request.param == "kafka":
        broker: Broker = request.getfixturevalue("kafka")
        return lambda topic: broker.url(topic, f"group-{topic}")
    port: int = request.getfixturevalue("redis_port")
    return lambda topic: f"redis://127.0.0.1:{port}/{topic}"


@pytest.fixture
def topic() -> str:
    return f"chats-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory.db", embedder=NoEmbedder(), background=False) as opened:
        yield opened


def said(number: int, session: str, **more: Any) -> Message:
    known = {"user_id": "alice", "session_id": session, "role": "user", "content": f"Message {number}"}
    return Message(json.dumps(known | {"id": f"m{number}"} | more).encode(), key=session)


def read_all(log: Log, count: int) -> list[Record]:
    found: list[Record] = []
    for _ in range(40):
        if len(found) >= count:
            break
        found += log.read(limit=count, wait_s=1)
    return found


def until_read(count: int) -> dict[str, Any]:
    """What lets `ingest` end after so many messages, or half a minute."""
    read: list[int] = []
    return {"progress": read.append, "stop": lambda: sum(read) >= count, "idle_s": 30}


def texts(memory: Memory, session: str, user: str = "alice") -> list[str]:
    return [item.text for item in memory.scope(user_id=user).session_messages(session, limit=1000)]


# -- what every log does -----------------------------------------------------------------------------------------------
def test_what_was_not_committed_is_read_again(url: Url, topic: str) -> None:
    sent = [Message(f"v{n}".encode(), "key", {"n": str(n)}) for n in range(6)]
    with open_log(url(topic)) as log:
        log.publish(topic, sent)
        first = read_all(log, 6)
        assert [one.message for one in first] == sent
        assert len({one.position for one in first}) == 6
        log.commit(first[:2])
    with open_log(url(topic)) as log:
        again = read_all(log, 4)
        assert again == first[2:]
        log.commit(again)
        log.publish(topic, [Message(b"last")])
        (last,) = read_all(log, 1)
        assert last.message == Message(b"last")


def test_messages_are_recorded_once_and_poison_is_put_aside(url: Url, topic: str, memory: Memory) -> None:
    poison = [
        Message(b"not json", "s1"),
        Message(b'["a list"]', "s1"),
        said(90, "s1", user_id=None),
        said(91, "s1", timestamp="yesterday"),
        said(92, "s1", user_id={"$or": []}),
    ]
    good = [said(n, f"s{n % 3}") for n in range(9)]
    without_id = [Message(json.dumps({"agent_id": "bot", "content": "No id"}).encode()) for _ in range(2)]
    with open_log(url(topic)) as log:
        log.publish(topic, [*good[:5], *poison, *good[5:], *good[:2], *without_id])
        report = ingest(memory, log, **until_read(18))
        assert (report.stored, report.duplicate, report.poison) == (11, 2, 5)
        assert texts(memory, "s1") == ["Message 1", "Message 4", "Message 7"]
        with open_log(url(f"{topic}.dead")) as dead:
            letters = [one.message for one in read_all(dead, 5)]
        assert {one.value for one in letters} == {one.value for one in poison}
        assert all(one.headers["position"].startswith(topic) and one.headers["reason"] for one in letters)
        assert ingest(memory, log, idle_s=1).read == 0


def test_a_worker_that_died_before_the_commit_stores_nothing_twice(url: Url, topic: str, memory: Memory) -> None:
    with open_log(url(topic)) as log:
        log.publish(topic, [said(n, "s1") for n in range(10)])
        take(memory, read_all(log, 10))
    with open_log(url(topic)) as log:
        report = ingest(memory, log, **until_read(10))
    assert (report.stored, report.duplicate) == (0, 10)
    assert len(texts(memory, "s1")) == 10


def test_events_go_out_once_the_store_has_them(url: Url, topic: str, tmp_path: Path) -> None:
    path = str(tmp_path / "memory.db")
    with Memory.open(path, embedder=NoEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice", actor="key-7")
        (kept,) = mine.remember("The vault is behind the painting").ids
        (doomed,) = mine.remember("Likes tea").ids
        mine.forget(doomed)
    backend = make_backend(path, Settings())
    with open_log(url(topic)) as log:
        assert lag(backend, topic) == 3
        assert relay(backend, log, follow=False, batch=2).sent == 3
        assert relay(backend, log, follow=False).sent == 0
        assert lag(backend, topic) == 0
        found = [one.message for one in read_all(log, 3)]
    backend.store.close()
    events = sorted((json.loads(one.value) for one in found), key=lambda one: int(one["no"]))
    assert [(one["verb"], one["ids"], one["user"]) for one in events] == [
        ("remember", [kept], "alice"),
        ("remember", [doomed], "alice"),
        ("forget", [doomed], "alice"),
    ]
    assert {one.key for one in found} == {one["id"] for one in events}
    assert not any(b"vault" in one.value for one in found)


def test_a_message_says_whose_it_is(memory: Memory) -> None:
    ingest(memory, Fake([said(0, "s1", tenant="acme"), said(1, "s1", project_id="p")]), idle_s=0.1)
    for tenant, expected in (("acme", "Message 0"), ("default", "Message 1")):
        assert [item.text for item in memory.scope(user_id="alice", tenant=tenant).list()] == [expected]
    assert not memory.scope(user_id="alice", project_id="q").list().items


# -- what goes wrong ---------------------------------------------------------------------------------------------------
class Fake(Log):
    """A log in memory that fails when it is told to."""

    topic = "chats"

    def __init__(self, messages: Sequence[Message]) -> None:
        self.messages, self.place, self.committed = list(messages), 0, 0
        self.published: list[Message] = []
        self.failing: dict[str, int] = {}

    def _may_fail(self, what: str) -> None:
        if self.failing.get(what, 0):
            self.failing[what] -= 1
            raise LogUnavailable

    def read(self, *, limit: int, wait_s: float) -> list[Record]:  # noqa: ARG002
        self._may_fail("read")
        found = self.messages[self.place : self.place + limit]
        self.place += len(found)
        return [Record(one, f"chats/{self.place - len(found) + n}") for n, one in enumerate(found)]

    def commit(self, records: Sequence[Record]) -> None:
        self._may_fail("commit")
        self.committed += len(records)

    def publish(self, topic: str, messages: Sequence[Message]) -> None:  # noqa: ARG002
        self._may_fail("publish")
        self.published += messages

    def close(self) -> None: ...


@pytest.mark.parametrize("what", ["read", "commit", "publish"])
def test_a_log_that_fails_for_a_while_loses_nothing(memory: Memory, what: str) -> None:
    log = Fake([said(0, "s1"), Message(b"poison"), said(1, "s1")])
    log.failing = {what: 2}
    report = ingest(memory, log, batch=2, idle_s=1)
    assert texts(memory, "s1") == ["Message 0", "Message 1"]
    assert report.stored + report.duplicate >= 2
    assert [one.value for one in log.published] == [b"poison"]


def test_a_store_that_is_busy_is_asked_again_before_the_log_is_told(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, calls, real = Fake([said(0, "s1")]), [0], memory.scope

    def scope(**given: Any) -> Any:
        calls[0] += 1
        if calls[0] < 3:
            assert log.committed == 0
            raise StoreBusy
        return real(**given)

    monkeypatch.setattr(memory, "scope", scope)
    assert ingest(memory, log, idle_s=1).stored == 1
    assert (calls[0], log.committed) == (3, 1)


def test_events_not_confirmed_are_sent_again(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.db")
    with Memory.open(path, embedder=NoEmbedder(), background=False) as memory:
        memory.scope(user_id="alice").remember("Likes tea")
    backend, log = make_backend(path, Settings()), Fake([])
    log.failing = {"publish": 1}
    with pytest.raises(LogUnavailable):
        relay(backend, log, follow=False)
    assert lag(backend, "chats") == 1
    assert relay(backend, log, follow=False).sent == 1
    backend.audit.cut(1 << 60, "local")
    backend.store.set_note("relayed chats", "0")
    report = relay(backend, log, follow=False)
    assert (report.sent, report.missed) == (1, 1)  # the entry that says what was cut off
    backend.store.close()


def test_an_address_is_read_and_a_password_not_shown() -> None:
    address = parse_address("kafka://bot:s%40cret@a:9092,b:9092/chats?group=g&sasl.mechanism=PLAIN")
    assert (address.hosts, address.user, address.password, address.group) == ("a:9092,b:9092", "bot", "s@cret", "g")
    assert address.options == {"sasl.mechanism": "PLAIN"}
    assert "s@cret" not in repr(address)
    for wrong in ("kafka://host:9092", "chats", "kafka:///chats", "kafka://host/a/b"):
        with pytest.raises(ConfigError, match="address of a log"):
            parse_address(wrong)
    with pytest.raises(ConfigError, match="amqp"):
        open_log("amqp://host/topic")


# -- a broker that dies ------------------------------------------------------------------------------------------------
def test_a_broker_killed_twice_loses_nothing(kafka: Broker, topic: str, tmp_path: Path) -> None:
    count, sessions = 400, 10
    messages = [said(n, f"s{n % sessions}", user_id=f"user{n % 2}") for n in range(count)]
    path, stopping = str(tmp_path / "memory.db"), threading.Event()
    quick = "&reconnect.backoff.max.ms=500&session.timeout.ms=2000&heartbeat.interval.ms=500"
    url, events = kafka.url(topic, f"group-{topic}") + quick, kafka.url(f"{topic}-events") + quick

    def produce() -> None:
        with open_log(url) as log:
            for start in range(0, count, 40):
                threading.Event().wait(0.2)  # some of them while the broker is dead
                _until_done(log.publish, topic, messages[start : start + 40])

    def work() -> None:
        with Memory.open(path, embedder=NoEmbedder(), background=False) as memory, open_log(url) as log:
            ingest(memory, log, stop=stopping.is_set, batch=25)

    def send() -> None:
        sender = make_backend(path, Settings())
        with open_log(events) as log:
            relay(sender, log, stop=stopping.is_set, batch=5)
        sender.store.close()

    threads = [threading.Thread(target=run) for run in (produce, work, work, send)]
    for thread in threads:
        thread.start()
    backend = make_backend(path, Settings())
    try:
        for share in (0.2, 0.5):
            _until(lambda share=share: _stored(backend) >= count * share)  # type: ignore[misc]
            kafka.kill()
            kafka.start()
        _until(lambda: _stored(backend) >= count and lag(backend, f"{topic}-events") == 0)
        done = backend.audit.entries(AuditQuery(limit=1000))
    finally:
        stopping.set()
        for thread in threads:
            thread.join(60)
        backend.store.close()
    with Memory.open(path, embedder=NoEmbedder(), background=False) as memory:
        for session in range(sessions):
            expected = [f"Message {n}" for n in range(session, count, sessions)]
            assert texts(memory, f"s{session}", f"user{session % 2}") == expected
    with open_log(events) as log:
        sent = read_all(log, len(done))
    assert {one.message.key for one in sent} == {f"{one.no}:{one.hash[:16]}" for one in done}


def _stored(backend: Any) -> int:
    counts: Mapping[str, int] = backend.store.status().counts
    return counts["episode"]


def _until_done(call: Callable[..., None], *given: Any) -> None:
    for _ in range(10):
        try:
            return call(*given)
        except LogUnavailable:
            continue
    pytest.fail("the broker did not come back")


def _until(there: Callable[[], bool], wait_s: float = 90) -> None:
    waiting = threading.Event()
    for _ in range(int(wait_s / 0.1)):
        if there():
            return
        waiting.wait(0.1)
    pytest.fail("it did not come to that in time")
