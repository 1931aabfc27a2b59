"""Qdrant beside a store: its vectors once more, for search in scopes too large for one process's memory.

The store stays the truth and keeps its own vectors. Qdrant follows: it is fed from the store's record of changed rows,
says how far behind it is, and can be thrown away and filled again. A point holds numbers, a mark of the owner and the
narrower names that filters look at; no text, and no owner's name.
"""

from __future__ import annotations

from retentive.backends.qdrant.address import open_client
from retentive.backends.qdrant.asked import QdrantBeside, open_beside
from retentive.backends.qdrant.follower import Near, QdrantVectors, Synced

__all__ = ["Near", "QdrantBeside", "QdrantVectors", "Synced", "open_beside", "open_client"]
