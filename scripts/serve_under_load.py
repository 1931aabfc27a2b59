"""Serve a store of facts to many clients at once: four of five requests recall, one records, all with an API key.

    python scripts/serve_under_load.py [--clients 50] [--seconds 60] [--facts 1000]

Says how many requests a second were answered, how long they took, how many failed, how much processor time a request
took of the server and of the clients, how much memory the server took before and after, and, after a SIGTERM under
load, how long it went on and whether anything acknowledged was lost.

The clients share the machine with the server, so they are lean: one connection each, kept open, and a parser in C.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httptools

from retentive import Memory
from retentive.models.embed_none import NoEmbedder

USERS = [f"user-{number}" for number in range(10)]
COMMAND = [sys.executable, "-m", "retentive.cli", "serve", "--port", "0"]
ANSWER_S = 30


class Client(asyncio.Protocol):
    """One connection over which one request after another is sent; httptools calls the `on_` methods."""

    def __init__(self, host: str, key: str) -> None:
        self._head = f"Host: {host}\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n"
        self._body = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep what is written to."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101  as asyncio gives a protocol of a stream
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        """Whoever waits is told."""
        if not self._answer.done():
            self._answer.set_exception(exc or ConnectionResetError("closed by the server"))

    def data_received(self, data: bytes) -> None:
        """Parse what came."""
        self._parser.feed_data(data)

    def on_body(self, body: bytes) -> None:
        """Collect a part of the body."""
        self._body += body

    def on_message_complete(self) -> None:
        """The answer is whole."""
        self._answer.set_result((self._parser.get_status_code(), bytes(self._body)))

    async def post(self, path: str, body: Any) -> tuple[int, bytes]:
        """The status and the body of the answer. Raises OSError where there is none."""
        sent = json.dumps(body).encode()
        self._answer: asyncio.Future[tuple[int, bytes]] = asyncio.get_running_loop().create_future()
        self._parser = httptools.HttpResponseParser(self)
        self._body.clear()
        if self._transport.is_closing():
            raise ConnectionResetError
        head = f"POST {path} HTTP/1.1\r\n{self._head}Content-Length: {len(sent)}\r\n\r\n"
        self._transport.write(head.encode() + sent)
        return await asyncio.wait_for(self._answer, ANSWER_S)


@dataclass
class Load:
    """What all clients together saw."""

    url: str
    key: str
    took_s: dict[str, list[float]] = field(default_factory=lambda: {"recall": [], "messages": []})
    failures: list[str] = field(default_factory=list)
    acknowledged: list[tuple[str, str]] = field(default_factory=list)
    stop: bool = False

    async def client(self, number: int) -> None:
        """Ask until stopped."""
        user, place = USERS[number % len(USERS)], urlsplit(self.url)
        loop = asyncio.get_running_loop()
        _, http = await loop.create_connection(lambda: Client(place.netloc, self.key), place.hostname, place.port)
        turn = 0
        while not self.stop:
            turn += 1
            verb, sent = "recall", dict[str, Any](query=f"crate {turn % 100} aisle")
            if turn % 5 == 0:
                verb, sent = "messages", {"messages": [{"content": f"Client {number} moved crate {turn}"}]}
            begun_s = time.perf_counter()
            try:
                status, body = await http.post(f"/v1/{verb}?user_id={user}", sent)
            except OSError as error:  # a timeout is one
                if not self.stop:
                    self.failures.append(repr(error))
                return
            self.took_s[verb].append(time.perf_counter() - begun_s)
            if status >= 400:
                self.failures.append(body.decode()[:200])
            elif verb == "messages":
                self.acknowledged.append((user, json.loads(body)["items"][0]["id"]))


@dataclass(frozen=True)
class Server:
    """The process under load, as the system shows it; not a number where it does not."""

    pid: int

    def memory_mb(self) -> float:
        """What it holds."""
        found = re.search(r"VmRSS:\s+(\d+)", self._read("status"))
        return int(found[1]) / 1024 if found else float("nan")

    def processor_s(self) -> float:
        """Processor time so far."""
        fields = self._read("stat").rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK") if fields else float("nan")

    def _read(self, name: str) -> str:
        try:
            return Path(f"/proc/{self.pid}/{name}").read_text(encoding="utf-8")
        except OSError:
            return ""


@dataclass
class Taken:
    """What the load took: the server's memory every five seconds, and processor time."""

    memory_mb: list[float] = field(default_factory=list)
    server_s: float = 0.0
    clients_s: float = 0.0


def fill(store: Path, facts: int) -> str:
    """Give each user their share of facts; the key that may read and write them."""
    with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
        for number in range(facts):
            mine = memory.scope(user_id=USERS[number % len(USERS)])
            mine.record([{"content": f"Crate {number} stands in aisle {number % 37}"}])
        return memory.keys.create("load").text


async def run(load: Load, server: Server, clients: int, seconds: float) -> Taken:
    """The load, ended by a SIGTERM in the middle of it."""
    taken, server_s, clients_s = Taken(), server.processor_s(), _own_s()
    tasks = [asyncio.create_task(load.client(number)) for number in range(clients)]
    end_s = time.monotonic() + seconds
    while time.monotonic() < end_s:
        await asyncio.sleep(min(5, seconds))
        taken.memory_mb.append(server.memory_mb())
    taken.server_s, taken.clients_s = server.processor_s() - server_s, _own_s() - clients_s
    load.stop = True
    os.kill(server.pid, signal.SIGTERM)
    await asyncio.gather(*tasks)
    return taken


def _own_s() -> float:
    spent = resource.getrusage(resource.RUSAGE_SELF)
    return spent.ru_utime + spent.ru_stime


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--facts", type=int, default=1000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "memory.db"
        key = fill(store, asked.facts)
        environment = {**os.environ, "RETENTIVE_URL": str(store), "RETENTIVE_EMBEDDER": "none"}
        with subprocess.Popen(COMMAND, stderr=subprocess.PIPE, text=True, env=environment) as server:  # noqa: S603
            url = next(line.split()[2] for line in server.stderr or () if line.startswith("serving at "))
            load = Load(url, key)
            taken = asyncio.run(run(load, Server(server.pid), asked.clients, asked.seconds))
            begun_s = time.perf_counter()
            code = server.wait(30)
            ended_s = time.perf_counter() - begun_s
        report(load, taken, asked.seconds)
        print(f"SIGTERM: exit code {code} {ended_s:.1f} s after the last answer")
        with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
            stored = {i.id for user in USERS for i in memory.scope(user_id=user).list("episodic", limit=1_000_000)}
        print(f"acknowledged {len(load.acknowledged)}, lost {sum(i not in stored for _, i in load.acknowledged)}")


def report(load: Load, taken: Taken, seconds: float) -> None:
    """The figures of the load itself."""
    everything = [took_s for each in load.took_s.values() for took_s in each]
    print(f"{len(everything) / seconds:.0f} requests/s, {len(load.failures)} failed {load.failures[:2]}")
    for verb, took_s in {"all": everything, **load.took_s}.items():
        cuts = statistics.quantiles(took_s, n=100)
        print(f"{verb}: p50 {cuts[49] * 1e3:.0f} ms, p95 {cuts[94] * 1e3:.0f} ms, p99 {cuts[98] * 1e3:.0f} ms")
    server_ms, clients_ms = (1e3 * spent_s / len(everything) for spent_s in (taken.server_s, taken.clients_s))
    print(f"processor time a request: {server_ms:.2f} ms of the server, {clients_ms:.2f} ms of the clients")
    print(f"server memory {taken.memory_mb[0]:.0f} MB after the first seconds, {taken.memory_mb[-1]:.0f} MB at the end")


if __name__ == "__main__":
    main()
