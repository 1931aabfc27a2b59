"""The embedders of this process by name: the one the store is searched with and, while it is changed, the next."""

from __future__ import annotations

from collections.abc import Callable

from retentive.contracts import Embedder, Reranker
from retentive.corpus import Floats
from retentive.errors import EmbedderUnavailable

#: Texts embedded between two commits of vectors: what a crash makes us do again.
EMBED_BATCH = 256


class Embedders:
    """Gives the embedder that made a vector, so that no vector is ever held against another model's.

    Args:
        first: the one this process was opened with.
        cached: puts a cache before one.
        find: makes one by its name, or gives None; asked at most once a name.
        reranker: reads the first hits of a recall with its query.
    """

    def __init__(
        self,
        first: Embedder,
        cached: Callable[[Embedder], Embedder],
        find: Callable[[str], Embedder | None],
        reranker: Reranker | None = None,
    ) -> None:
        #: Who has the last look at hits, if anyone.
        self.reranker = reranker
        #: The model that the store was searched with when it was last looked at.
        self.serving = first.name
        self._cached, self._find = cached, find
        self._plain: dict[str, Embedder | None] = {}
        self._known: dict[str, Embedder] = {}
        self.add(first)

    def add(self, embedder: Embedder) -> None:
        """Another one that this process has from now on; one of the same name stays."""
        if self._plain.get(embedder.name) is None:
            self._plain[embedder.name] = embedder
            self._known[embedder.name] = self._cached(embedder)

    def get(self, name: str) -> Embedder | None:
        """The embedder of this name, or None where this process has none."""
        if name not in self._plain:
            found = self._plain[name] = self._find(name)
            if found is not None:
                self._known[name] = self._cached(found)
        return self._known.get(name)

    def plain(self, name: str) -> Embedder | None:
        """The embedder of this name without the cache, which writes to the store."""
        return None if self.get(name) is None else self._plain[name]

    def query_vector(self, name: str, text: str) -> tuple[Floats | None, Floats | None, tuple[str, ...]]:
        """The query's vector and token states by a model, None where there are none, and the name of what was down."""
        embedder = self.get(name)
        if embedder is None:
            return None, None, (f"embedder: the store is searched with {name} now, which this process does not have",)
        try:
            vectors, tokens = embedder.embed_tokens([text], purpose="query")
        except EmbedderUnavailable as error:
            return None, None, (f"embedder: {error}",)
        if not vectors[0].any():
            return None, None, ()
        return vectors[0], tokens[0] if embedder.token_dimension else None, ()

    def split(self, name: str) -> int:
        """How many numbers of a vector are the first of two models', 0 for one model; see `contracts.Embedder`."""
        embedder = self.get(name)
        return 0 if embedder is None else embedder.split

    def both_parts(self, name: str, text: str, vector: Floats | None) -> Floats | None:
        """A query's vector with the second model's part too; as it is where that is down."""
        embedder = self.get(name)
        if vector is None or embedder is None:
            return vector
        try:
            both: Floats = vector + embedder.embed_second([text])[0]
        except EmbedderUnavailable:
            return vector
        return both

    def close(self) -> None:
        """Close them all."""
        for embedder in self._known.values():
            embedder.close()
        if self.reranker is not None:
            self.reranker.close()
