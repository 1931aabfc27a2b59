"""Chroma's persistent client: vector search (HNSW), no words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

REQUIRES = "chromadb"
DURABLE = True


class Store:
    """One collection; the user is metadata that searches filter by."""

    def __init__(self, folder: Path, vectors: Callable[[str], Sequence[float]]) -> None:
        import chromadb  # noqa: PLC0415
        from chromadb.config import Settings  # noqa: PLC0415

        client = chromadb.PersistentClient(str(folder / "chroma"), settings=Settings(anonymized_telemetry=False))
        self._collection = client.create_collection("memories", metadata={"hnsw:space": "cosine"})
        self._vectors, self._keys = vectors, count()

    def add(self, text: str) -> None:
        """One document."""
        self.add_many([text])

    def add_many(self, texts: Sequence[str]) -> None:
        """Several in one call."""
        self._collection.add(
            ids=[str(next(self._keys)) for _ in texts],
            documents=list(texts),
            embeddings=[list(self._vectors(text)) for text in texts],
            metadatas=[{"user": "alice"} for _ in texts],
        )

    def search(self, query: str, k: int) -> list[str]:
        """The best texts."""
        vectors = [list(self._vectors(query))]
        found = self._collection.query(query_embeddings=vectors, n_results=k, where={"user": "alice"})
        return list(found["documents"][0])

    def close(self) -> None:
        """Nothing to close."""


start = Store
