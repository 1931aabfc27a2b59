"""The contracts between the core and its parts. The prose is the contract; the classes give it a form."""

from retentive.contracts.models import (
    Candidate,
    Embedder,
    Extraction,
    Extractor,
    Model,
    Reply,
    TokenCounter,
    Usage,
    VectorCache,
    Vectors,
)
from retentive.contracts.storage import (
    Backend,
    Index,
    Listing,
    Queue,
    Remembered,
    Store,
    StoreStatus,
    Transaction,
    Where,
)

__all__ = [
    "Backend",
    "Candidate",
    "Embedder",
    "Extraction",
    "Extractor",
    "Index",
    "Listing",
    "Model",
    "Queue",
    "Remembered",
    "Reply",
    "Store",
    "StoreStatus",
    "TokenCounter",
    "Transaction",
    "Usage",
    "VectorCache",
    "Vectors",
    "Where",
]
