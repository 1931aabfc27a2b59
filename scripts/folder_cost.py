"""What a `remember` costs in a store that is a folder, by how many facts its user has, beside one SQLite file."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from retentive import Memory, ScopedMemory, Settings
from retentive.clock import new_id
from retentive.contracts import Store
from retentive.models.embed_none import NoEmbedder
from retentive.plugins import make_backend
from retentive.remember import derived
from retentive.types import AddFact, Fact

SIZES = (100, 1_000, 5_000)
WRITES = 15


def fill(store: Store, mine: ScopedMemory, first: int, count: int) -> None:
    """Facts that say different things, in one transaction."""
    with store.transaction(mine.scope.partition) as transaction:
        for number in range(first, count):
            fact = derived(Fact(new_id(), f"Keeps note {number} about shelf {number % 97}", number + 1, number + 1))
            transaction.apply([AddFact(fact)], {fact.id: ["note"]})


def median_ms(mine: ScopedMemory, size: int) -> float:
    """Of a few writes."""
    took: list[float] = []
    for number in range(WRITES):
        started = time.perf_counter()
        mine.remember(f"Measured at {size}, number {number}")
        took.append(time.perf_counter() - started)
    return statistics.median(took) * 1000


def main() -> None:
    """Print a line for each size."""
    with tempfile.TemporaryDirectory() as folder:
        places = {"folder": f"file:{folder}/memory/", "sqlite": f"{folder}/memory.db"}
        for name, url in places.items():
            backend, before = make_backend(url, Settings()), 0
            with Memory.open(url, embedder=NoEmbedder(), background=False) as memory:
                mine = memory.scope(user_id="alice")
                for size in SIZES:
                    fill(backend.store, mine, before, size)
                    before = size
                    print(f"{name}: {size} facts: remember {median_ms(mine, size):.1f} ms")
        print(f"alice.json: {Path(folder, 'memory', 'alice.json').stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
