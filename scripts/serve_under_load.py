"""Serve a store of facts to many clients at once: four of five requests recall, one records.

    python scripts/serve_under_load.py [--clients 50] [--seconds 60] [--facts 1000]

Says how many requests a second were answered, how long they took, how many failed, how much memory the server took
before and after, and, after a SIGTERM under load, how long it went on and whether anything acknowledged was lost.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from retentive import Memory
from retentive.models.embed_none import NoEmbedder

USERS = [f"user-{number}" for number in range(10)]
COMMAND = [sys.executable, "-m", "retentive.cli", "serve", "--port", "0"]


@dataclass
class Load:
    """What all clients together saw."""

    url: str
    took_s: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    acknowledged: list[tuple[str, str]] = field(default_factory=list)
    stop: bool = False

    async def client(self, number: int) -> None:
        """Ask until stopped."""
        user = USERS[number % len(USERS)]
        async with httpx2.AsyncClient(base_url=self.url, params={"user_id": user}, timeout=30) as http:
            turn = 0
            while not self.stop:
                turn += 1
                begun_s = time.perf_counter()
                try:
                    if turn % 5:
                        answer = await http.post("/v1/recall", json={"query": f"crate {turn % 100} aisle"})
                    else:
                        said = {"messages": [{"content": f"Client {number} moved crate {turn}"}]}
                        answer = await http.post("/v1/messages", json=said)
                except httpx2.HTTPError as error:
                    if not self.stop:
                        self.failures.append(repr(error))
                    return
                self.took_s.append(time.perf_counter() - begun_s)
                if answer.status_code >= 400:
                    self.failures.append(answer.text[:200])
                elif not turn % 5:
                    self.acknowledged.append((user, answer.json()["items"][0]["id"]))


def fill(store: Path, facts: int) -> None:
    """Give each user their share of facts."""
    with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
        for number in range(facts):
            mine = memory.scope(user_id=USERS[number % len(USERS)])
            mine.record([{"content": f"Crate {number} stands in aisle {number % 37}"}])


def resident_mb(pid: int) -> float:
    """Memory of a process; not a number where the system does not tell it."""
    try:
        found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(encoding="ascii"))
    except OSError:
        found = None
    return int(found[1]) / 1024 if found else float("nan")


async def run(url: str, pid: int, clients: int, seconds: float) -> tuple[Load, list[float]]:
    """The load, ended by a SIGTERM in the middle of it; and the server's memory every five seconds."""
    load, memory_mb = Load(url), list[float]()
    tasks = [asyncio.create_task(load.client(number)) for number in range(clients)]
    end_s = time.monotonic() + seconds
    while time.monotonic() < end_s:
        await asyncio.sleep(min(5, seconds))
        memory_mb.append(resident_mb(pid))
    load.stop = True
    os.kill(pid, signal.SIGTERM)
    await asyncio.gather(*tasks)
    return load, memory_mb


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--facts", type=int, default=1000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "memory.db"
        fill(store, asked.facts)
        environment = {**os.environ, "RETENTIVE_URL": str(store), "RETENTIVE_EMBEDDER": "none"}
        with subprocess.Popen(COMMAND, stderr=subprocess.PIPE, text=True, env=environment) as server:  # noqa: S603
            url = next(line.split()[2] for line in server.stderr or () if line.startswith("serving at "))
            load, memory_mb = asyncio.run(run(url, server.pid, asked.clients, asked.seconds))
            begun_s = time.perf_counter()
            code = server.wait(30)
            ended_s = time.perf_counter() - begun_s
        report(load, memory_mb, asked.seconds)
        print(f"SIGTERM: exit code {code} {ended_s:.1f} s after the last answer")
        with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
            stored = {i.id for user in USERS for i in memory.scope(user_id=user).list("episodic", limit=1_000_000)}
        print(f"acknowledged {len(load.acknowledged)}, lost {sum(i not in stored for _, i in load.acknowledged)}")


def report(load: Load, memory_mb: list[float], seconds: float) -> None:
    """The figures of the load itself."""
    cuts = statistics.quantiles(load.took_s, n=100)
    print(f"{len(load.took_s) / seconds:.0f} requests/s, {len(load.failures)} failed {load.failures[:2]}")
    print(f"p50 {cuts[49] * 1e3:.0f} ms, p95 {cuts[94] * 1e3:.0f} ms, p99 {cuts[98] * 1e3:.0f} ms")
    print(f"server memory {memory_mb[0]:.0f} MB after the first seconds, {memory_mb[-1]:.0f} MB at the end")


if __name__ == "__main__":
    main()
