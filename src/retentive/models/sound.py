"""What an embedder gave, held against its contract: a plugin's mistake is told as one, and never becomes a score.

Without this a row too few ends in somebody else's ValueError, vectors of another size wait for ever, and a number that
is none spreads from one query through all of its scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from retentive.contracts import Embedder, Vectors
from retentive.errors import EmbedderMismatch

#: How far a vector's length may be from 1 before it is made so, and how short one is that says nothing.
_SLACK, _SHORTEST = 1e-3, 1e-12


def sound_vectors(made: object, number: int, embedder: Embedder) -> Vectors:
    """Vectors of so many texts, (n, d) float32, each of length 1; zeros where one holds what is no number.

    Raises EmbedderMismatch where it is not one row of the embedder's dimension a text.

    >>> from retentive.models.embed_none import NoEmbedder
    >>> sound_vectors([], 1, NoEmbedder())
    Traceback (most recent call last):
    retentive.errors.EmbedderMismatch: ...
    """
    vectors = _numbers(made)
    if vectors is None or vectors.ndim != 2 or vectors.shape != (number, embedder.dimension or vectors.shape[-1]):
        given = "nothing that is numbers" if vectors is None else f"an array of {vectors.shape}"
        message = (
            f"{embedder.name} gave {given} for {number} texts: one row of {embedder.dimension} numbers is due for each"
        )
        raise EmbedderMismatch(message)
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    off = ~(np.abs(lengths - 1) < _SLACK)
    if off.any():
        vectors = vectors.copy()
        lengths = np.where(np.isfinite(lengths) & (lengths > _SHORTEST), lengths, np.inf)
        vectors[off] = np.where(np.isfinite(vectors[off]), vectors[off], 0) / lengths[off, None]
    return vectors


def sound_tokens(made: object, number: int, embedder: Embedder) -> tuple[Vectors, list[Vectors]]:
    """Vectors and token states of so many texts, (t, d) each; none where one holds what is no number.

    Raises EmbedderMismatch where there are not as many of both, or the states have another dimension.
    """
    given: Any = made
    if not isinstance(given, tuple) or len(given) != 2 or not isinstance(given[1], Sequence) or len(given[1]) != number:
        message = f"{embedder.name} gave no pair of vectors and token states of each of {number} texts"
        raise EmbedderMismatch(message)
    return sound_vectors(given[0], number, embedder), [_sound_states(one, embedder) for one in given[1]]


def _sound_states(made: object, embedder: Embedder) -> Vectors:
    states = _numbers(made)
    if states is not None and states.ndim == 2 and states.shape[1] == embedder.token_dimension:
        if np.isfinite(states).all():
            return states
    elif states is None or states.size:
        message = f"{embedder.name} gave token states that are not rows of {embedder.token_dimension} numbers"
        raise EmbedderMismatch(message)
    return np.zeros((0, embedder.token_dimension), np.float32)


def _numbers(made: object) -> Vectors | None:
    try:
        return np.asarray(made, np.float32)
    except (TypeError, ValueError):
        return None
