"""What opening a store gives: its parts together."""

from __future__ import annotations

from dataclasses import dataclass

from retentive.contracts.audit import AuditTrail
from retentive.contracts.beside import Beside
from retentive.contracts.keys import KeyStore
from retentive.contracts.ledger import Ledger
from retentive.contracts.models import VectorCache
from retentive.contracts.queue import Queue
from retentive.contracts.storage import Index, Store
from retentive.contracts.tiers import Tiers


@dataclass(frozen=True, slots=True)
class Backend:
    """One place, three roles, and what lies with them: vectors' cache, ledger of model calls, audit, rebuilds, keys."""

    store: Store
    index: Index
    queue: Queue
    vector_cache: VectorCache
    ledger: Ledger
    audit: AuditTrail
    tiers: Tiers
    beside: Beside | None = None  # what finds the nearest of large scopes, if anything but the index does
    keys: KeyStore | None = None  # a backend may keep none: then nothing is served but to this machine
