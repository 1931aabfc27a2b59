"""No vectors at all: search by text alone, for those who want nothing loaded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from retentive.contracts import Embedder, Vectors


class NoEmbedder(Embedder):
    """Says nothing about any text.

    >>> NoEmbedder().embed(["a", "b"]).shape
    (2, 1)
    """

    name = "none"
    dimension = 1

    def embed(
        self,
        texts: Sequence[str],
        *,
        purpose: Literal["document", "query"] = "document",  # noqa: ARG002
        timeout_s: float | None = None,  # noqa: ARG002
    ) -> Vectors:
        """A row of zeros for each text."""
        return np.zeros((len(texts), self.dimension), np.float32)
