"""A process that changes a store's embedder, and says after each commit how far it is, until it is killed or done.

python reembedder.py STORE DIMENSION PAUSE_S
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from retentive import Memory
from retentive.contracts import Vectors
from stubs import StubEmbedder


class SlowEmbedder(StubEmbedder):
    """A stub that takes its time, so that there is something to kill."""

    pause_s = 0.0

    def embed(self, texts: Any, **options: Any) -> Vectors:
        time.sleep(self.pause_s)
        return super().embed(texts, **options)


def main(store: str, dimension: int, pause_s: float) -> None:
    """Change to a stub of this dimension."""
    embedder = SlowEmbedder(f"stub-{dimension}", dimension)
    embedder.pause_s = pause_s
    print("begun", flush=True)  # noqa: T201  what the test waits for
    with Memory.open(store, embedder=embedder, background=False, change_embedder=True) as memory:
        report = memory.reembed(progress=lambda made: print(made, flush=True))  # noqa: T201
    print("complete" if report.complete else "unfinished", flush=True)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
