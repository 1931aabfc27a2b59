"""The contracts between the core and its parts. The prose is the contract; the classes give it a form."""

from retentive.contracts.backend import Backend
from retentive.contracts.models import (
    Candidate,
    Embedder,
    Extraction,
    Extractor,
    Model,
    Reply,
    Reranker,
    StoredEmbedders,
    TokenCounter,
    Usage,
    VectorCache,
    Vectors,
)
from retentive.contracts.queue import Queue
from retentive.contracts.storage import (
    Embed,
    EmbedderChange,
    Erased,
    Index,
    Listing,
    Remembered,
    Store,
    StoreStatus,
    Transaction,
    Where,
)

__all__ = [
    "Backend",
    "Candidate",
    "Embed",
    "Embedder",
    "EmbedderChange",
    "Erased",
    "Extraction",
    "Extractor",
    "Index",
    "Listing",
    "Model",
    "Queue",
    "Remembered",
    "Reply",
    "Reranker",
    "Store",
    "StoreStatus",
    "StoredEmbedders",
    "TokenCounter",
    "Transaction",
    "Usage",
    "VectorCache",
    "Vectors",
    "Where",
]
