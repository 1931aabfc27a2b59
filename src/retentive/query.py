"""A question to memory, checked, and which memories its asker may see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from retentive.arms import PRESETS, Ranking
from retentive.contracts import Where
from retentive.corpus import NEVER, Corpus, Mask
from retentive.echo import echo
from retentive.errors import InvalidInput
from retentive.types import Scope, Tier, TierName


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """One question to memory, checked. Times are microseconds since 1970 UTC."""

    text: str
    now_us: int
    k: int = 5
    tiers: Sequence[TierName] = ("semantic", "episodic")
    since_us: int | None = None
    until_us: int | None = None
    as_of_us: int | None = None
    known_at_us: int | None = None
    where: Where | None = None
    session_id: str | None = None
    min_score: float | None = None
    budget_tokens: int | None = None
    explain: bool = False
    ranking: Ranking = field(default_factory=lambda: PRESETS["context"])


def checked_k(k: int | None, ranking: Ranking) -> int:
    """K as a positive number of at most 1,000, the ranking's when None; raises InvalidInput otherwise."""
    if k is None:
        return ranking.k
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= 1000:
        message = f"k must be a whole number from 1 to 1000, not {echo(k)}"
        raise InvalidInput(message)
    return k


def visible(corpus: Corpus, scope: Scope, query: RecallQuery, allowed: set[int] | None) -> Mask:
    """Which memories the caller may see and asked for."""
    mask = corpus.current(query.now_us) if query.as_of_us is None else corpus.column("alive") & _as_of(corpus, query)
    for name, names, value in (
        ("agent", corpus.agents, scope.agent_id),
        ("project", corpus.projects, scope.project_id),
    ):
        if value is not None:
            column = corpus.column(name)
            mask = mask & ((column == -1) | (column == names.number.get(value, -2)))
    if query.session_id is not None:
        mask = mask & (corpus.column("session") == corpus.sessions.number.get(query.session_id, -2))
    if len(set(query.tiers)) == 1:
        mask = mask & (corpus.column("tier") == (Tier.SEMANTIC if "semantic" in query.tiers else Tier.EPISODIC))
    if query.since_us is not None:
        mask = mask & (corpus.column("timestamp_us") >= query.since_us)
    if query.until_us is not None:
        mask = mask & (corpus.column("timestamp_us") <= query.until_us)
    if allowed is not None:
        mask = mask & np.isin(corpus.column("row"), np.fromiter(allowed, np.int64, len(allowed)))
    return mask


def _as_of(corpus: Corpus, query: RecallQuery) -> Mask:
    """What was true at `as_of`, as it was known at `known_at`.

    Two clocks, as in Snodgrass, Developing Time-Oriented Database Applications in SQL (1999). A fact that was believed
    was true from its start on: that it would end was learned when it was retired. One retired by then is believed to
    have been true until its end. A message was there from its own time on; `known_at` asks for its recording too.
    """
    moment, known_us = query.as_of_us, query.known_at_us
    there: Mask = (corpus.column("expires_us") > moment) & (corpus.column("timestamp_us") <= moment)
    recorded = corpus.column("recorded_us") <= (moment if known_us is None else known_us)
    retired_us = corpus.column("retired_us")
    believed = (retired_us > (moment if known_us is None else known_us)) & (retired_us < NEVER)
    facts = recorded & (believed | (corpus.column("valid_to_us") > moment))
    logged = corpus.column("current") & (recorded | np.bool_(known_us is None))
    known: Mask = there & np.where(corpus.column("tier") == Tier.EPISODIC, logged, facts)
    return known
