"""An index of vectors beside the store: it finds the nearest in large scopes, the store stays the truth."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from retentive.types import Scope


class Nearest(NamedTuple):
    """What such an index found: rows, nearest first, and the revision of the partition that it has followed to."""

    rows: list[int]
    revision: int


class Beside(ABC):
    """Asked for candidates alone: what it names is looked up, filtered and scored from the store's own rows.

    One that does not answer is not asked again for a while, and the store's own vectors are searched meanwhile.
    """

    #: What it is called where it is told of, such as `qdrant`.
    name: str

    @abstractmethod
    def nearest(self, scope: Scope, model: str, query: NDArray[np.float32], limit: int) -> Nearest:
        """The rows nearest to a vector (d,) of this embedder, of what the scope may see. Raises IndexUnavailable."""

    @abstractmethod
    def was_behind(self, changes: int) -> None:
        """By how many changes of its owner's memories the last answer was, for `measures`."""

    @property
    @abstractmethod
    def down(self) -> str | None:
        """Why it is not asked for now; None where it is."""

    @abstractmethod
    def measures(self) -> Mapping[str, float]:
        """Of this process: `up` (1 or 0), how often it was `asked` and `failed`, how far `behind` it was last."""

    @abstractmethod
    def close(self) -> None:
        """Close its connection."""
