"""mem0 with its local Qdrant, without inference: what is added is stored as it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

REQUIRES = "mem0"
DURABLE = True


class Store:
    """One user's memory. The embedder is replaced by the given vectors."""

    def __init__(self, folder: Path, vectors: Callable[[str], Sequence[float]]) -> None:
        from mem0 import Memory  # noqa: PLC0415

        class Given:
            def embed(self, text: str, _action: str | None = None) -> list[float]:
                return list(vectors(text))

            def embed_batch(self, texts: Sequence[str], _action: str = "add") -> list[list[float]]:
                return [list(vectors(text)) for text in texts]

        qdrant = {"path": str(folder / "qdrant"), "embedding_model_dims": 384, "on_disk": True}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": qdrant},
                "embedder": {"provider": "openai", "config": {"api_key": "none", "embedding_dims": 384}},
                "llm": {"provider": "openai", "config": {"api_key": "none"}},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = Given()

    def add(self, text: str) -> None:
        """One message."""
        self._memory.add([{"role": "user", "content": text}], user_id="alice", infer=False)

    def add_many(self, texts: Sequence[str]) -> None:
        """Several in one call."""
        self._memory.add([{"role": "user", "content": text} for text in texts], user_id="alice", infer=False)

    def search(self, query: str, k: int) -> list[str]:
        """The best texts."""
        found = self._memory.search(query, top_k=k, filters={"user_id": "alice"})
        return [hit["memory"] for hit in found["results"]]

    def close(self) -> None:
        """Close the files."""
        self._memory.vector_store.client.close()


start = Store
