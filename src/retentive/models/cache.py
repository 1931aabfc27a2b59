"""Vectors already made are not made again: queries are kept in the process, documents with the store."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Generic, Literal, TypeVar

import numpy as np

from retentive.contracts import Embedder, VectorCache, Vectors

_Kept = TypeVar("_Kept")


class CachedEmbedder(Embedder):
    """An embedder that asks another one only for texts it has not seen. Safe to share between threads.

    A query is looked for in the process, then in the store, and kept in the process alone, so that reading never
    writes. A document is looked for in the same two places and kept in the store. Vectors go by the embedder's name and
    the SHA-256 of the text; those of a query and of a document are kept apart only where the embedder has an attribute
    ``asymmetric`` that is true, or has two models.

    Args:
        inner: the embedder that makes the vectors; its `name` and `dimension` are this one's.
        store: where documents' vectors are kept.
        memory_limit: how many queries' vectors are kept in the process; the one used longest ago goes first.

    Raises:
        EmbedderUnavailable, EmbedderMismatch: as `inner` does, where a text is new.
        StoreError: as `store` does.
    """

    def __init__(self, inner: Embedder, store: VectorCache, *, memory_limit: int = 4096) -> None:
        self.name, self.dimension, self.token_dimension = inner.name, inner.dimension, inner.token_dimension
        self.split = inner.split
        self._inner = inner
        self._store = store
        self._queries: _RecentlyUsed[Vectors] = _RecentlyUsed(memory_limit)
        self._tokens: _RecentlyUsed[tuple[Vectors, Vectors]] = _RecentlyUsed(memory_limit)

    def embed(
        self,
        texts: Sequence[str],
        *,
        purpose: Literal["document", "query"] = "document",
        timeout_s: float | None = None,
    ) -> Vectors:
        """Return (n, dimension) float32: a fresh array, which the caller may change."""
        digests = [self._digest(text, purpose) for text in texts]
        vectors = self._queries.get_many(digests)
        vectors |= self._stored([digest for digest in digests if digest not in vectors])
        new = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in vectors}
        if new:
            made = self._inner.embed(list(new.values()), purpose=purpose, timeout_s=timeout_s)
            self.dimension = self._inner.dimension
            vectors |= dict(zip(new, made, strict=True))
        self._keep({digest: vectors[digest] for digest in new}, vectors, purpose)
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        return np.array([vectors[digest] for digest in digests])

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
            return self._inner.embed_tokens(texts, purpose=purpose, timeout_s=timeout_s)
        digests = [self._digest(text, purpose) for text in texts]
        known = self._tokens.get_many(digests)
        new = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in known}
        if new:
            vectors, tokens = self._inner.embed_tokens(list(new.values()), purpose=purpose, timeout_s=timeout_s)
            known |= {digest: (vectors[i], tokens[i]) for i, digest in enumerate(new)}
        self._tokens.put_many(known)
        return np.array([known[digest][0] for digest in digests]), [known[digest][1] for digest in digests]

    def embed_second(self, texts: Sequence[str]) -> Vectors:
        """As the inner embedder does; kept in the process."""
        digests = [hashlib.sha256(b"second\0" + text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        known = self._queries.get_many(digests)
        new = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in known}
        if new:
            known |= dict(zip(new, self._inner.embed_second(list(new.values())), strict=True))
        self._queries.put_many(known)
        return np.array([known[digest] for digest in digests])

    def close(self) -> None:
        """Close the embedder within; the store is not this one's to close."""
        self._inner.close()

    def _digest(self, text: str, purpose: str) -> bytes:
        apart = purpose == "query" and (getattr(self._inner, "asymmetric", False) or self.split > 0)
        return hashlib.sha256((b"query\0" if apart else b"") + text.encode("utf-8", "surrogatepass")).digest()

    def _stored(self, digests: list[bytes]) -> dict[bytes, Vectors]:
        if not digests or not self.dimension:  # an endpoint tells its dimension with its first answer
            return {}
        found = self._store.get_many(self.name, digests)
        vectors = {digest: np.frombuffer(packed, "<f4") for digest, packed in found.items()}
        return {digest: vector for digest, vector in vectors.items() if len(vector) == self.dimension}

    def _keep(self, new: Mapping[bytes, Vectors], used: Mapping[bytes, Vectors], purpose: str) -> None:
        if purpose == "query":
            self._queries.put_many(used)
        elif new:
            self._store.put_many(self.name, {digest: vector.astype("<f4").tobytes() for digest, vector in new.items()})


class _RecentlyUsed(Generic[_Kept]):
    """At most `limit` things by digest; the one used longest ago goes first."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._kept: OrderedDict[bytes, _Kept] = OrderedDict()

    def get_many(self, digests: Sequence[bytes]) -> dict[bytes, _Kept]:
        with self._lock:
            return {digest: self._kept[digest] for digest in digests if digest in self._kept}

    def put_many(self, used: Mapping[bytes, _Kept]) -> None:
        with self._lock:
            for digest, kept in used.items():
                self._kept[digest] = kept
                self._kept.move_to_end(digest)
            while len(self._kept) > self._limit:
                self._kept.popitem(last=False)
