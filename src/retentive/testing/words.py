"""A stand-in for an embedder: it keeps the contract, so what is tested is the code around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Literal

import numpy as np

from retentive.contracts import Embedder, Vectors

_WORD = re.compile(r"\w+")


class StubEmbedder(Embedder):
    """A bag of words, each word hashed to one signed place: equal words are near, the rest is not, on every machine.

    `calls` keeps what was asked, as (purpose, texts), so that a test can say what must not be embedded twice.
    """

    def __init__(self, name: str = "stub", dimension: int = 256) -> None:
        self.name = name
        self.dimension = dimension
        self.calls: list[tuple[str, tuple[str, ...]]] = []

    def embed(
        self,
        texts: Sequence[str],
        *,
        purpose: Literal["document", "query"] = "document",
        timeout_s: float | None = None,  # noqa: ARG002  it is at once
    ) -> Vectors:
        """As `Embedder.embed` says; no text fails."""
        self.calls.append((purpose, tuple(texts)))
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            for word in _WORD.findall(text.casefold()):
                digest = int.from_bytes(blake2b(word.encode(), digest_size=8).digest())
                vector[digest % self.dimension] += 1 if digest >> 63 else -1
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: Vectors = np.divide(vectors, lengths, out=vectors, where=lengths > 0)
        return unit
