"""20,000 messages through a real Kafka broker that is killed twice, taken in by several worker processes.

Says whether each was stored once, in the order of its session, and how long it took. Needs Java and Maven. Exit code 1
when anything was lost, doubled or out of order.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from retentive import Memory, Settings
from retentive.contracts import Backend
from retentive.errors import LogUnavailable
from retentive.plugins import make_backend
from retentive.streams import Message, open_log
from retentive.testing.kafka import Broker, broker

COUNT, SESSIONS, WORKERS = 20_000, 200, 3
KILLED_AT = (0.25, 0.6)
LONGEST_S = 900.0
QUICK = "&reconnect.backoff.max.ms=500&session.timeout.ms=6000"


def produce(url: str, topic: str) -> None:
    """Send all of them, those the broker did not confirm again: the same message may arrive twice."""
    with open_log(url) as log:
        for start in range(0, COUNT, 500):
            batch = [message(number) for number in range(start, start + 500)]
            while True:
                try:
                    log.publish(topic, batch)
                    break
                except LogUnavailable:
                    time.sleep(0.2)


def message(number: int) -> Message:
    """Sessions take turns."""
    session = number % SESSIONS
    known = {"user_id": f"user{session % 20}", "session_id": f"s{session}", "id": f"m{number}"}
    return Message(json.dumps(known | {"content": f"Message {number}"}).encode(), f"s{session}")


def stored(backend: Backend) -> int:
    """How many messages the store has."""
    return backend.store.status().counts["episode"]


def until(backend: Backend, count: int, started_s: float) -> None:
    """Wait for so many."""
    while stored(backend) < count:
        if time.monotonic() - started_s > LONGEST_S:
            message = f"only {stored(backend)} of {count} arrived"
            raise TimeoutError(message)
        time.sleep(0.1)


def run(started: Broker, path: str) -> float:
    """Let all run, kill the broker twice; returns the seconds until the last message was stored."""
    topic = "chats"
    url = started.url(topic) + QUICK
    command = [sys.executable, "-m", "retentive.cli", "ingest", "--from", url, "--store", path]
    backend = make_backend(path, Settings())
    workers = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(WORKERS)]  # noqa: S603  our own
    started_s = time.monotonic()
    producer = threading.Thread(target=produce, args=(url, topic))
    producer.start()
    try:
        for share in KILLED_AT:
            until(backend, int(COUNT * share), started_s)
            print(f"{stored(backend)} stored after {time.monotonic() - started_s:.0f} s: the broker is killed")
            started.kill()
            started.start()
        until(backend, COUNT, started_s)
        took_s = time.monotonic() - started_s
        producer.join(60)
    finally:
        for worker in workers:
            worker.terminate()
            worker.wait(60)
        backend.store.close()
    return took_s


def wrong(path: str) -> list[str]:
    """What is not as it must be."""
    found: list[str] = []
    with Memory.open(path, background=False) as memory:
        for session in range(SESSIONS):
            mine = memory.scope(user_id=f"user{session % 20}")
            texts = [item.text for item in mine.session_messages(f"s{session}", limit=1000)]
            if texts != [f"Message {number}" for number in range(session, COUNT, SESSIONS)]:
                found.append(f"session {session}: {len(texts)} messages, not those that were sent in that order")
    return found


def main() -> int:
    """Run it and say what came of it; returns the exit code."""
    with tempfile.TemporaryDirectory() as folder, broker() as started:
        path = str(Path(folder) / "memory.db")
        took_s = run(started, path)
        problems = wrong(path)
        print(f"{COUNT} messages of {SESSIONS} sessions by {WORKERS} workers, broker killed {len(KILLED_AT)} times:")
        print(f"each stored once, in order: {not problems}; {took_s:.0f} s, {COUNT / took_s:.0f} a second")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
