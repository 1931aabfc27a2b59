"""Vectors already made are not made again: queries are kept in the process, documents with the store."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Generic, Literal, TypeVar

import numpy as np

from retentive.contracts import Embedder, VectorCache, Vectors
from retentive.models.sound import sound_tokens, sound_vectors

_Kept = TypeVar("_Kept")


class CachedEmbedder(Embedder):
    """An embedder that asks another one only for texts it has not seen. Safe to share between threads.

    A query's vector is kept in the process alone, so that reading never writes, nor asks the store. A document's is
    looked for in the store and kept there, by the embedder's name and the SHA-256 of the text.

    Args:
        inner: the embedder that makes the vectors; its `name` and `dimension` are this one's.
        store: where documents' vectors are kept.
        memory_limit: how many queries' vectors are kept in the process; the one used longest ago goes first.

    Raises:
        EmbedderUnavailable: as `inner` does, where a text is new.
        EmbedderMismatch: as `inner` does, and where what it gave is not as its contract says.
        StoreError: as `store` does.
    """

    def __init__(self, inner: Embedder, store: VectorCache, *, memory_limit: int = 4096) -> None:
        self.name, self.dimension, self.token_dimension = inner.name, inner.dimension, inner.token_dimension
        self.split = inner.split
        self._inner = inner
        self._store = store
        self._queries: _RecentlyUsed[Vectors] = _RecentlyUsed(memory_limit)
        self._seconds: _RecentlyUsed[Vectors] = _RecentlyUsed(memory_limit)
        self._tokens: _RecentlyUsed[tuple[Vectors, Vectors]] = _RecentlyUsed(memory_limit)

    def embed(
        self,
        texts: Sequence[str],
        *,
        purpose: Literal["document", "query"] = "document",
        timeout_s: float | None = None,
    ) -> Vectors:
        """Return (n, dimension) float32: a fresh array, which the caller may change."""
        make = partial(self._made, purpose=purpose, timeout_s=timeout_s)
        vectors = self._queries.of(texts, make) if purpose == "query" else self._documents(texts, make)
        return np.array(vectors) if vectors else np.zeros((0, self.dimension), np.float32)

    def embed_tokens(
        self,
        texts: Sequence[str],
        *,
        purpose: Literal["document", "query"] = "document",
        timeout_s: float | None = None,
    ) -> tuple[Vectors, list[Vectors]]:
        """As the inner embedder does, or as `embed` does where that one gives no token states.

        Those of queries are kept in the process. Those of documents are stored with the index and not a second time
        here: they take more room than the vector, and come from the same pass.
        """
        if not self.token_dimension:
            vectors = self.embed(texts, purpose=purpose, timeout_s=timeout_s)
            return vectors, [np.zeros((0, 0), np.float32) for _ in texts]
        if purpose == "document" or not texts:
            made = self._inner.embed_tokens(texts, purpose=purpose, timeout_s=timeout_s)
            return sound_tokens(made, len(texts), self._inner)

        def make(new: Sequence[str]) -> Iterable[tuple[Vectors, Vectors]]:
            made = self._inner.embed_tokens(new, purpose=purpose, timeout_s=timeout_s)
            return zip(*sound_tokens(made, len(new), self._inner), strict=True)

        known = self._tokens.of(texts, make)
        return np.array([vector for vector, _ in known]), [tokens for _, tokens in known]

    def embed_second(self, texts: Sequence[str]) -> Vectors:
        """As the inner embedder does; kept in the process."""

        def make(new: Sequence[str]) -> Vectors:
            return sound_vectors(self._inner.embed_second(new), len(new), self._inner)

        return np.array(self._seconds.of(texts, make))

    def close(self) -> None:
        """Close the embedder within; the store is not this one's to close."""
        self._inner.close()

    def _made(
        self, texts: Sequence[str], purpose: Literal["document", "query"], timeout_s: float | None
    ) -> Iterable[Vectors]:
        made = self._inner.embed(texts, purpose=purpose, timeout_s=timeout_s)
        self.dimension = self._inner.dimension
        return sound_vectors(made, len(texts), self._inner)

    def _documents(self, texts: Sequence[str], make: Callable[[Sequence[str]], Iterable[Vectors]]) -> list[Vectors]:
        digests = [_digest(text) for text in texts]
        vectors = self._stored(digests)
        new = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in vectors}
        if new:
            made = dict(zip(new, make(list(new.values())), strict=True))
            self._store.put_many(self.name, {digest: vector.astype("<f4").tobytes() for digest, vector in made.items()})
            vectors |= made
        return [vectors[digest] for digest in digests]

    def _stored(self, digests: list[bytes]) -> dict[bytes, Vectors]:
        if not digests or not self.dimension:  # an endpoint tells its dimension with its first answer
            return {}
        found = self._store.get_many(self.name, digests)
        vectors = {digest: np.frombuffer(packed, "<f4") for digest, packed in found.items()}
        return {digest: vector for digest, vector in vectors.items() if len(vector) == self.dimension}


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


class _RecentlyUsed(Generic[_Kept]):
    """What was made of at most `limit` texts, by digest; the one used longest ago goes first."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._kept: OrderedDict[bytes, _Kept] = OrderedDict()

    def of(self, texts: Sequence[str], make: Callable[[Sequence[str]], Iterable[_Kept]]) -> list[_Kept]:
        """What belongs to each text; `make` is asked for those that are not kept, each once."""
        digests = [_digest(text) for text in texts]
        with self._lock:
            known = {digest: self._kept[digest] for digest in digests if digest in self._kept}
        new = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in known}
        if new:
            known |= dict(zip(new, make(list(new.values())), strict=True))
        with self._lock:
            for digest, kept in known.items():
                self._kept[digest] = kept
                self._kept.move_to_end(digest)
            while len(self._kept) > self._limit:
                self._kept.popitem(last=False)
        return [known[digest] for digest in digests]
