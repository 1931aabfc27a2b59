"""What the verbs work with; made once by `Memory.open`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from retentive.arms import Ranking
from retentive.config import Settings
from retentive.contracts import Backend, TokenCounter
from retentive.embedders import Embedders
from retentive.lifecycle.mirror import Mirrors
from retentive.policy import StoragePolicy
from retentive.read_log import ReadLog
from retentive.redaction import RedactionPolicy


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of an open store. `reads` is None where reads are not audited, `mirrors` where there are none."""

    backend: Backend
    embedders: Embedders
    counter: TokenCounter
    settings: Settings
    ranking: Ranking
    policy: RedactionPolicy
    storing: StoragePolicy
    reads: ReadLog | None
    mirrors: Mirrors | None
    wake: Callable[[], None]
