"""txtai's Embeddings with content, hybrid. It keeps what is added in memory: nothing is on disk until it is saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

REQUIRES = "txtai"
DURABLE = False


class Store:
    """One index."""

    def __init__(self, folder: Path, vectors: Callable[[str], Sequence[float]]) -> None:
        import numpy as np  # noqa: PLC0415
        from txtai import Embeddings  # noqa: PLC0415

        def transform(texts: Sequence[str]) -> Any:
            return np.array([vectors(text) for text in texts], np.float32)

        self._index = Embeddings({"method": "external", "transform": transform, "content": True, "hybrid": True})
        self._folder, self._keys = folder, count()

    def add(self, text: str) -> None:
        """One document."""
        self.add_many([text])

    def add_many(self, texts: Sequence[str]) -> None:
        """Several in one call."""
        self._index.upsert([(str(next(self._keys)), text, None) for text in texts])

    def search(self, query: str, k: int) -> list[str]:
        """The best texts."""
        return [hit["text"] for hit in self._index.search(query, k)]

    def close(self) -> None:
        """Let go of it."""
        self._index.close()


start = Store
