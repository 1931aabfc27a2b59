"""How much of the labelled evidence do recall and block find, how fast, and how sure is that?

Each conversation of a labelled file is one user: its messages are recorded session by session, jobs are run, then each
query is asked in that user's scope through the public verbs.

- **recall@k, hit@k, MRR, nDCG@10**: of the messages that answer, among the first hits of the episodic tier; sessions
  likewise, a session standing where its first message does. Means over queries.
- **covered**: the share of the messages that answer whose text, or a fact drawn from it, is in a block of so many
  tokens. Not for queries asked before the conversation's end, since a block knows all of it.
- **intervals**: 95 %, by drawing conversations anew; of a single conversation, its queries.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from retentive.block import BudgetTooSmall
from retentive.config import Settings
from retentive.errors import ImportFailed, InvalidInput
from retentive.importers.labelled import Labelled, Query, read_labelled
from retentive.measures import Figure, bootstrap, ranking_measures, session_measures
from retentive.memory import Memory
from retentive.scoped import ScopedMemory

#: Ranks that are looked at; queries that see only part of a conversation are asked for more, since some drop out.
_K, _K_OF_PART = 20, 80
#: A block asks for one memory per so many tokens of its budget, and for 20 at the least.
_TOKENS_A_MEMORY = 40
#: The measures that people are shown, in this order; all are in the JSON.
_SHOWN = ("recall@5", "recall@10", "recall@20", "hit@10", "mrr", "ndcg@10", "session_recall@10")


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure: the first so many conversations, and queries of each (None: all); the curve's token budgets."""

    conversations: int | None = None
    queries: int | None = None
    budgets: tuple[int, ...] = (100, 200, 400, 800, 1600, 3200)
    seed: int = 7


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Milliseconds a call took."""

    p50_ms: float
    p90_ms: float
    p99_ms: float


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """What a block of so many tokens covers, in percent, and how many tokens it took in the mean."""

    budget_tokens: int
    covered: Figure
    used_tokens: float


@dataclass(frozen=True, slots=True)
class Report:
    """What came of it. Measures are percentages by name; block times are of blocks whose query was just embedded."""

    data: str
    conversations: int
    queries: int
    messages: int
    measures: Mapping[str, Figure]
    by_category: Mapping[str, Mapping[str, float]]
    curve: tuple[CurvePoint, ...]
    recall: Percentiles
    block: Percentiles | None
    messages_per_s: float

    def lines(self) -> Iterator[str]:
        """The report for people."""
        yield f"{self.data}: {self.conversations} conversations, {self.messages:,} messages, {self.queries:,} queries"
        yield f"{'':20}{'%':>6}   95 % interval"
        for name in _SHOWN:
            if name in self.measures:
                yield _figure_line(name, self.measures[name])
        for point in self.curve:
            line = _figure_line(f"covered at {point.budget_tokens}", point.covered)
            yield f"{line}   {point.used_tokens:6.0f} tokens"
        for category, found in self.by_category.items():
            yield f"{category[:20]:20}{found['recall@10']:6.1f}   recall@10 of {found['queries']:.0f} queries"
        for name, times in (("recall", self.recall), ("block", self.block)):
            if times:
                yield f"{name:20}{times.p50_ms:6.1f} ms p50 {times.p90_ms:6.1f} p90 {times.p99_ms:6.1f} p99"
        yield f"recorded, processed {self.messages_per_s:6,.0f} messages/s"


def _figure_line(name: str, figure: Figure) -> str:
    return f"{name:20}{figure.mean:6.1f}   {figure.low:5.1f} to {figure.high:5.1f}"


@dataclass(slots=True)
class _Asked:
    """What was found for the queries of one conversation: rows of measures, blocks by budget, seconds of each call."""

    rows: list[dict[str, float]]
    categories: list[str]
    blocks: dict[int, list[tuple[float, int]]]
    recall_s: list[float]
    block_s: list[float]
    messages: int = 0
    record_s: float = 0.0


def measure(
    path: Path,
    plan: Plan,
    settings: Settings,
    url: str | None = None,
    advance: Callable[[int], None] = lambda _: None,
) -> Report:
    """Measure a labelled file, with the given settings.

    Args:
        path: the file, plain or .gz.
        plan: how much of it, and the token budgets.
        settings: as for any store.
        url: a store to use instead of one in a temporary folder; what is written there is forgotten again.
        advance: told of each conversation that is done.

    Raises ImportFailed when the file is not labelled or has no query; InvalidInput when the store already knows one of
    the users `bench-<id>`, since what they have would be forgotten.
    """
    asked = []
    for conversation in islice(read_labelled(path), plan.conversations):
        with tempfile.TemporaryDirectory(prefix="retentive-bench-") as folder:
            place = url or str(Path(folder) / "memory.db")
            with Memory.open(place, settings=settings, background=False) as memory:
                asked.append(_measured(memory, conversation, plan, forget=url is not None))
        advance(1)
    if not any(one.rows for one in asked):
        message = f"{path.name} has no query with an answer"
        raise ImportFailed(message)
    return _report(path.name, asked, plan)


# -- one conversation --------------------------------------------------------------------------------------------------
def _measured(memory: Memory, conversation: Labelled, plan: Plan, *, forget: bool) -> _Asked:
    mine = memory.scope(user_id=f"bench-{conversation.id}")
    if forget and len(mine.list(limit=1)):
        message = f"the store already has memories of bench-{conversation.id}: measure in an empty one"
        raise InvalidInput(message)
    asked = _Asked([], [], {budget: [] for budget in plan.budgets}, [], [])
    begun = time.perf_counter()
    for session in conversation.sessions:
        mine.record(session.messages, session.session_id)
        asked.messages += len(session.messages)
    memory.process()
    asked.record_s = time.perf_counter() - begun
    for query in conversation.queries[: plan.queries]:
        _ask(mine, conversation, query, asked)
        if query.visible is None:
            _blocks(mine, query, asked)
    if forget:
        mine.forget_everything()
    return asked


def _ask(mine: ScopedMemory, conversation: Labelled, query: Query, asked: _Asked) -> None:
    visible = query.visible or len(conversation.places)
    begun = time.perf_counter()
    hits = mine.recall(query.text, k=_K_OF_PART if query.visible else _K, tiers=("episodic",)).hits
    asked.recall_s.append(time.perf_counter() - begun)
    sources = dict.fromkeys(source for hit in hits for source in hit.source_ids)
    ranked = [source for source in sources if conversation.places.get(source, 0) < visible][:_K]
    row = ranking_measures(ranked, query.gold_ids)
    if query.gold_sessions:
        sessions = dict.fromkeys(conversation.session_of[one] for one in ranked if one in conversation.session_of)
        row |= session_measures(list(sessions), query.gold_sessions)
    asked.rows.append(row)
    asked.categories.append(query.category)


def _blocks(mine: ScopedMemory, query: Query, asked: _Asked) -> None:
    for budget, found in asked.blocks.items():
        begun = time.perf_counter()
        try:
            block = mine.block(query.text, budget_tokens=budget, k=min(1000, max(_K, budget // _TOKENS_A_MEMORY)))
        except BudgetTooSmall:
            found.append((0.0, 0))
            continue
        asked.block_s.append(time.perf_counter() - begun)
        found.append((len(query.gold_ids.intersection(block.source_ids)) / len(query.gold_ids), block.tokens))


# -- all of them -------------------------------------------------------------------------------------------------------
def _report(name: str, asked: Sequence[_Asked], plan: Plan) -> Report:
    rows = [row for one in asked for row in one.rows]
    names = dict.fromkeys(name for row in rows for name in row)
    block_s = [seconds for one in asked for seconds in one.block_s]
    return Report(
        data=name,
        conversations=len(asked),
        queries=len(rows),
        messages=sum(one.messages for one in asked),
        measures={name: _figure([_column(one.rows, name) for one in asked], plan) for name in names},
        by_category=_by_category(asked, list(names)),
        curve=tuple(_point(budget, asked, plan) for budget in plan.budgets if any(one.blocks[budget] for one in asked)),
        recall=_percentiles([seconds for one in asked for seconds in one.recall_s]),
        block=_percentiles(block_s) if block_s else None,
        messages_per_s=sum(one.messages for one in asked) / sum(one.record_s for one in asked),
    )


def _figure(groups: Sequence[Sequence[float]], plan: Plan) -> Figure:
    return bootstrap([[100 * value for value in group] for group in groups], seed=plan.seed)


def _column(rows: Sequence[Mapping[str, float]], name: str) -> list[float]:
    return [row[name] for row in rows if name in row]


def _by_category(asked: Sequence[_Asked], names: Sequence[str]) -> dict[str, dict[str, float]]:
    """Mean of each measure by category, in percent, with the number of queries."""
    by: dict[str, list[dict[str, float]]] = {}
    for one in asked:
        for category, row in zip(one.categories, one.rows, strict=True):
            by.setdefault(category, []).append(row)
    return {
        category: {"queries": float(len(rows))}
        | {name: 100 * float(np.mean(found)) for name in names if (found := _column(rows, name))}
        for category, rows in sorted(by.items())
    }


def _point(budget: int, asked: Sequence[_Asked], plan: Plan) -> CurvePoint:
    blocks = [one.blocks[budget] for one in asked]
    covered = _figure([[share for share, _ in found] for found in blocks], plan)
    return CurvePoint(budget, covered, float(np.mean([tokens for found in blocks for _, tokens in found])))


def _percentiles(seconds: Sequence[float]) -> Percentiles:
    p50, p90, p99 = np.percentile(seconds, (50, 90, 99)) * 1e3
    return Percentiles(float(p50), float(p90), float(p99))
