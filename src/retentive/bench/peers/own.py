"""Retentive itself, in the form the peers have: an add is in the log and has its vector when it returns.

`extra_s` keeps how long the commit alone took: after it a memory is durable and found by its words, and its vector is
made by a background job. The vector is not flushed to disk: the job makes it again where a power cut took it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from retentive.config import Settings
from retentive.contracts import Embedder, Vectors
from retentive.memory import Memory

REQUIRES = "retentive"
DURABLE = True


class Given(Embedder):
    """The vectors that are given."""

    name, dimension = "given-384", 384

    def __init__(self, vectors: Callable[[str], Sequence[float]]) -> None:
        self._vectors = vectors

    def embed(
        self,
        texts: Sequence[str],
        *,
        purpose: Literal["document", "query"] = "document",  # noqa: ARG002  one vector a text
        timeout_s: float | None = None,  # noqa: ARG002  it is at once
    ) -> Vectors:
        """Return (n, 384) float32."""
        return np.array([self._vectors(text.removeprefix("user: ")) for text in texts], np.float32)


class Store:
    """One user's memory, recorded in one session; without extraction, which no peer does here."""

    def __init__(self, folder: Path, vectors: Callable[[str], Sequence[float]]) -> None:
        settings = Settings(extractor="none")
        self._memory = Memory.open(folder / "memory.db", embedder=Given(vectors), settings=settings, background=False)
        self._mine = self._memory.scope("alice")
        self.extra_s: dict[str, list[float]] = {"add": [], "many": []}

    def add(self, text: str) -> None:
        """One message, and its vector."""
        self._record([text], "add")

    def add_many(self, texts: Sequence[str]) -> None:
        """Several in one call, and their vectors."""
        self._record(texts, "many")

    def _record(self, texts: Sequence[str], kind: str) -> None:
        begun = time.perf_counter()
        self._mine.record([{"role": "user", "content": text} for text in texts], "session")
        self.extra_s[kind].append(time.perf_counter() - begun)
        report = self._memory.process()
        if report.errors:
            raise RuntimeError(report.errors[0])

    def search(self, query: str, k: int) -> list[str]:
        """The best texts."""
        return [hit.text for hit in self._mine.recall(query, k=k)]

    def close(self) -> None:
        """Close the store."""
        self._memory.close()


start = Store
