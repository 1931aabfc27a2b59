"""The embedder of the default install: a strong model for English and one for sixteen languages, side by side.

A vector holds the first model's numbers, the second's, and one that makes its length 1 where a model had nothing to
say (`Embedder.split`). English is compared by the first, all else by the second: vectors of the two never meet. A
memory has both where it can, so that a question in another language finds an English memory.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import sqrt
from typing import Literal

import numpy as np

from retentive.analyze.language import guess_languages
from retentive.contracts import Embedder, Vectors
from retentive.models import embed_universal
from retentive.models.embed_local import LocalEmbedder
from retentive.models.embed_universal import UniversalModel

_WORDS = re.compile(r"[^\W\d_]+")
_LONGEST_CHARS = 2000
_HALF = sqrt(0.5)


def may_be_english(text: str) -> bool:
    """False for a text that shows another language; what shows none, such as a name or a code, may be English.

    >>> (
    ...     may_be_english("Where did I put the keys?"),
    ...     may_be_english("Wo sind die Schlüssel?"),
    ...     may_be_english("我的钥匙"),
    ... )
    (True, False, False)
    """
    words = _WORDS.findall(text[:_LONGEST_CHARS])
    guess = guess_languages(words)
    if guess == ("english",):
        return True
    return all(map(str.isascii, words)) and (not guess or guess[0] == "english")


class OfflineEmbedder(Embedder):
    """MiniLM for English, the Universal Sentence Encoder for the rest. Safe to share between threads.

    The second model loads with the first memory that is embedded, or with the first question that needs it: one that is
    not English, or one asked of memories that are not.

    Raises:
        EmbedderMismatch, EmbedderUnavailable: as the models do, see `LocalEmbedder` and `UniversalModel`.

    >>> embedder = OfflineEmbedder()
    >>> question = embedder.embed(["Wie heißt mein Hund?"], purpose="query")[0]
    >>> dog, rain = embedder.embed(["My dog is called Bello", "It rained all day"])
    >>> bool(question @ dog > question @ rain)
    True
    """

    def __init__(self, english: LocalEmbedder | None = None, universal: UniversalModel | None = None) -> None:
        self._english = english or LocalEmbedder()
        self._universal = universal or UniversalModel()
        self.split = self._english.dimension
        self.name = f"{self._english.name}+{embed_universal.NAME}"
        self.dimension = self.split + embed_universal.DIMENSION + 1
        self.token_dimension = self._english.token_dimension

    def embed(
        self,
        texts: Sequence[str],
        *,
        purpose: Literal["document", "query"] = "document",
        timeout_s: float | None = None,
    ) -> Vectors:
        """Return (n, dimension) float32. A query has one part, the first one if it can."""
        return self.embed_tokens(texts, purpose=purpose, timeout_s=timeout_s)[0]

    def embed_tokens(
        self,
        texts: Sequence[str],
        *,
        purpose: Literal["document", "query"] = "document",
        timeout_s: float | None = None,
    ) -> tuple[Vectors, list[Vectors]]:
        """Return the vectors and the token states of each text, which those that are not English have none of."""
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        tokens = [np.zeros((0, self.token_dimension), np.float32) for _ in texts]
        english = [place for place, text in enumerate(texts) if may_be_english(text)]
        first, states = self._english.embed_tokens([texts[i] for i in english], purpose=purpose, timeout_s=timeout_s)
        vectors[english, : self.split] = first
        for place, state in zip(english, states, strict=True):
            tokens[place] = state
        others = [i for i in range(len(texts)) if purpose == "document" or not vectors[i].any()]
        vectors[others, self.split : -1] = self._universal.vectors([texts[i] for i in others], purpose)
        if purpose == "document":
            vectors *= _HALF
            vectors[:, -1] = np.where(vectors.any(axis=1), np.sqrt(np.maximum(1 - (vectors**2).sum(axis=1), 0)), 0)
        return vectors, tokens

    def embed_second(self, texts: Sequence[str]) -> Vectors:
        """The second model's part of queries' vectors, for memories that have no first part; zeros elsewhere."""
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        vectors[:, self.split : -1] = self._universal.vectors(texts, "query")
        return vectors

    def close(self) -> None:
        """Free both models' memory; a later call loads them again."""
        self._english.close()
        self._universal.close()
