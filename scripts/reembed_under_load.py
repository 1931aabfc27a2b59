"""Change the embedder of a store of facts from 256 to 384 dimensions while another process searches and writes.

    python scripts/reembed_under_load.py [--facts 20000]

The changing process is killed twice and started again. Says how many searches failed (one that held vectors of two
models would: they differ in length), how many went by text alone, and how long one took.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path.insert(0, str(TESTS))

from retentive import Memory, ScopedMemory  # noqa: E402  the stub stands with the tests
from stubs import StubEmbedder  # noqa: E402

COMMAND = [sys.executable, str(TESTS / "faults" / "reembedder.py")]


@dataclass
class Load:
    """A reader and writer, and what it saw."""

    store: Path
    took_s: list[float] = field(default_factory=list)
    degraded: list[bool] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Search ten times a second and write once a second until stopped; everything that fails is kept."""
        with Memory.open(self.store, embedder=StubEmbedder("stub-256", 256), background=False) as memory:
            mine, number = memory.scope(user_id="alice"), 0
            while not self.stop.wait(0.1):
                number += 1
                begun_s = time.perf_counter()
                try:
                    recall = mine.recall(f"crate {number} aisle")
                    self.degraded.append(bool(recall.degraded))
                    if not recall.hits:
                        self.failures.append("no answer")
                    if number % 10 == 0:
                        mine.remember(f"Crate {number} was moved")
                        memory.process()
                except Exception as error:  # noqa: BLE001  counted, whatever it is
                    self.failures.append(repr(error))
                self.took_s.append(time.perf_counter() - begun_s)


def fill(mine: ScopedMemory, facts: int) -> None:
    """State so many facts."""
    for number in range(facts):
        mine.remember(f"Crate {number} stands in aisle {number % 97}")


def main() -> None:
    """Fill, change under load, report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=20_000)
    facts = parser.parse_args().facts
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "memory.db"
        with Memory.open(store, embedder=StubEmbedder("stub-256", 256), background=False) as memory:
            fill(memory.scope(user_id="alice"), facts)
            memory.process()
        load = Load(store)
        thread = threading.Thread(target=load.run, daemon=True)
        thread.start()
        begun_s = time.perf_counter()
        for _ in range(2):
            process = subprocess.Popen([*COMMAND, str(store), "384", "0.05"], stdout=subprocess.DEVNULL)  # noqa: S603
            time.sleep(3)
            process.kill()
            process.wait()
        subprocess.run([*COMMAND, str(store), "384", "0.05"], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
        took_s = time.perf_counter() - begun_s
        load.stop.set()
        thread.join()
        with Memory.open(store, embedder=StubEmbedder("stub-384", 384), background=False) as memory:
            recall = memory.scope(user_id="alice").recall("crate 17 aisle")
            print(f"{facts} facts in {took_s:.1f} s, killed twice; now searched with {memory.status().embedder}")
            print(f"last search: {len(recall.hits)} hits, degraded: {recall.degraded}")
        degraded = sum(load.degraded)
        print(f"{len(load.took_s)} searches, {len(load.failures)} failed, {degraded} by text alone")
        print(
            f"one took {statistics.median(load.took_s) * 1e3:.0f} ms (median), {max(load.took_s) * 1e3:.0f} ms at most"
        )
        print(*dict.fromkeys(load.failures), sep="\n")


if __name__ == "__main__":
    main()
