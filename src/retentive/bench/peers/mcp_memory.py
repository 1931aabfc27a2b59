"""mcp-memory-service with its SQLite storage: BM25 and sqlite-vec, fused. Its commits do not wait for the disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

REQUIRES = "mcp_memory_service"
DURABLE = False


class Store:
    """One database. The embedding model is replaced by the given vectors."""

    def __init__(self, folder: Path, vectors: Callable[[str], Sequence[float]]) -> None:
        import numpy as np  # noqa: PLC0415
        from mcp_memory_service.models.memory import Memory  # noqa: PLC0415
        from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage  # noqa: PLC0415
        from mcp_memory_service.utils.hashing import generate_content_hash  # noqa: PLC0415

        class Given:
            embedding_dimension = 384

            def encode(self, texts: Sequence[str], **_: Any) -> Any:
                return np.array([vectors(text) for text in texts], np.float32)

        async def initialize() -> None:
            self._storage.embedding_model, self._storage.embedding_dimension = Given(), 384

        self._memory, self._hash, self._loop = Memory, generate_content_hash, asyncio.new_event_loop()
        self._storage = SqliteVecMemoryStorage(str(folder / "memory.db"))
        self._storage._initialize_embedding_model = initialize  # noqa: SLF001  there is no other way in
        self._loop.run_until_complete(self._storage.initialize())

    def _made(self, text: str) -> Any:
        return self._memory(content=text, content_hash=self._hash(text))

    def add(self, text: str) -> None:
        """One memory."""
        stored, why = self._loop.run_until_complete(self._storage.store(self._made(text)))
        if not stored:
            raise RuntimeError(why)

    def add_many(self, texts: Sequence[str]) -> None:
        """Several in one batch."""
        self._loop.run_until_complete(self._storage.store_batch([self._made(text) for text in texts]))

    def search(self, query: str, k: int) -> list[str]:
        """The best texts."""
        found = self._loop.run_until_complete(self._storage.retrieve_hybrid(query, n_results=k))
        return [hit.memory.content for hit in found]

    def close(self) -> None:
        """Close the database."""
        self._loop.run_until_complete(self._storage.close())
        self._loop.close()


start = Store
