"""LangGraph's SqliteStore: vector search by sqlite-vec, no words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path

REQUIRES = "langgraph.store.sqlite"
DURABLE = True
_NAMESPACE = ("memories", "alice")


class Store:
    """One user's namespace."""

    def __init__(self, folder: Path, vectors: Callable[[str], Sequence[float]]) -> None:
        from langgraph.store.base import PutOp  # noqa: PLC0415
        from langgraph.store.sqlite import SqliteStore  # noqa: PLC0415

        def embed(texts: Sequence[str]) -> list[list[float]]:
            return [list(vectors(text)) for text in texts]

        fields = {"fields": ["text"], "text_fields": ["text"]}  # documented as the first, read as the second
        index = {"dims": 384, "embed": embed, **fields}
        self._put, self._keys, self._open = PutOp, count(), ExitStack()
        self._store = self._open.enter_context(SqliteStore.from_conn_string(str(folder / "store.db"), index=index))
        self._store.setup()

    def add(self, text: str) -> None:
        """One value."""
        self._store.put(_NAMESPACE, str(next(self._keys)), {"text": text})

    def add_many(self, texts: Sequence[str]) -> None:
        """Several in one batch."""
        self._store.batch([self._put(_NAMESPACE, str(next(self._keys)), {"text": text}) for text in texts])

    def search(self, query: str, k: int) -> list[str]:
        """The best texts."""
        return [hit.value["text"] for hit in self._store.search(_NAMESPACE, query=query, limit=k)]

    def close(self) -> None:
        """Close the file."""
        self._open.close()


start = Store
