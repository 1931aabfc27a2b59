"""Which ranking to use, and whether its gain is more than noise.

1. Do the labels belong to the queries? Today's hits must agree better with a query's own labels than with those of
   other queries of the same memory, shuffled many times (a permutation test). Else there is nothing to learn from.
2. Cross-validation: a ranking is searched on four fifths of the groups and measured on the rest, in turn. So the gain
   is that of queries the search did not see; its interval is by drawing groups anew, each query against itself.
3. Only when the whole interval is above 0 is a ranking searched on all of them and offered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from retentive.arms.ranking import Ranking
from retentive.measures import Figure, bootstrap
from retentive.tune.gather import Array, Example
from retentive.tune.search import GOAL, Trials, search

#: Queries under which no gain could be told from noise.
LEAST = 20
_FOLDS = 5
_SHUFFLES, _CHANCE = 200, 0.05
#: `k` is the least that finds this share of what the first 20 do, from 3 on.
_ENOUGH, _K_FROM, _K_TO = 0.95, 3, 20
_SHOWN = (GOAL, "mrr", "recall@5", "recall@10")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What tuning came to. `refused` says why nothing is offered, else `ranking` and what it is made of are.

    `now` and `tuned` are measures in percent, of queries the search did not see; `gain` is their paired difference in
    points. `knobs`: factors of kinds of arms and other fields of the preset that were changed.
    """

    queries: int
    now: Mapping[str, float]
    tuned: Mapping[str, float]
    gain: Mapping[str, Figure]
    refused: str | None = None
    ranking: Ranking | None = None
    preset: str | None = None
    knobs: Mapping[str, float] | None = None

    def lines(self) -> Iterator[str]:
        """The outcome for people."""
        yield f"{f'{self.queries} queries':12}{'now':>7}{'tuned':>7}   gain, 95 % interval"
        for name in _SHOWN if self.gain else ():
            gain = self.gain[name]
            figures = f"{self.now[name]:7.1f}{self.tuned[name]:7.1f}"
            yield f"{name:12}{figures}   {gain.mean:+.1f}, {gain.low:+.1f} to {gain.high:+.1f}"
        if self.refused is not None:
            yield f"nothing is changed: {self.refused}"
        elif self.ranking is not None:
            changed = ", ".join(f"{name} {_shown(name, value)}" for name, value in (self.knobs or {}).items())
            yield f"chosen: {self.preset} {f'with {changed}' if changed else 'as it is'}, k {self.ranking.k}"


def _shown(name: str, value: float) -> str:
    if name == "half_life_s":
        return f"half-life {value / 86_400:g} days"
    return f"{value:g}" if name == "decay_floor" else f"x {value:g}"


def tune(examples: Sequence[Example], current: Ranking, *, seed: int = 7) -> Outcome:
    """Choose a ranking for such queries, or say why not.

    Args:
        examples: from `gather`; those that found nothing are no examples.
        current: the ranking to beat.
        seed: of the folds, shuffles and draws; the same give the same.
    """
    useless = _useless(examples, current, seed)
    if useless is not None:
        return Outcome(len(examples), {}, {}, {}, refused=useless)
    trials = Trials(examples)
    outcome = _compared(examples, trials.rows(current), _unseen(trials, current, seed), seed)
    found = search(trials, np.arange(len(examples)), current)
    if found is None:
        return replace(outcome, refused="no ranking is clearly better than the one in use")
    if outcome.gain[GOAL].low <= 0:
        return replace(outcome, refused="the gain is noise: its interval reaches down to 0")
    ranking = replace(found.ranking(), k=enough(examples, found.ranking()))
    return replace(outcome, ranking=ranking, preset=found.preset, knobs=dict(found.knobs))


def compare(examples: Sequence[Example], current: Ranking, tuned: Ranking, *, seed: int = 7) -> Outcome:
    """What another ranking would bring to these queries."""
    trials = Trials(examples)
    return _compared(examples, trials.rows(current), trials.rows(tuned), seed)


def shuffled(examples: Sequence[Example], *, seed: int = 7) -> list[Example]:
    """The same queries with the labels of others of their memory: what must be refused."""
    order = np.arange(len(examples))
    for places in _pools(examples):
        order[places] = np.random.default_rng(seed).permutation(places)
    pairs = zip(examples, order.tolist(), strict=True)
    return [replace(example, wanted=examples[other].wanted) for example, other in pairs]


def enough(examples: Sequence[Example], ranking: Ranking) -> int:
    """The least k, from 3 to 20, that finds 95 % of what the first 20 hits do."""
    places = [(example.places(ranking), len(example.wanted)) for example in examples]
    recall = [float(np.mean([sum(p <= k for p in found) / of for found, of in places])) for k in range(1, _K_TO + 1)]
    return next(k for k in range(_K_FROM, _K_TO + 1) if recall[k - 1] >= _ENOUGH * recall[-1])


# -- do the labels belong? ---------------------------------------------------------------------------------------------
def _useless(examples: Sequence[Example], current: Ranking, seed: int) -> str | None:
    """Why nothing can be learned from these, None when it can."""
    if len(examples) < LEAST:
        return f"{len(examples)} queries are too few, label at least {LEAST}"
    if not any(example.places(current) for example in examples):
        return "no labelled id was found: are they of this store and this user?"
    if not _belong(examples, current, seed):
        return "the labels fit other queries as well as their own: there is nothing in them to learn from"
    return None


def _belong(examples: Sequence[Example], current: Ranking, seed: int) -> bool:
    """Whether today's first hits agree better with a query's labels than with shuffled ones; True where none can be."""
    tables = [_agreement([examples[place] for place in pool], current) for pool in _pools(examples) if len(pool) > 1]
    if not tables:
        return True
    draw = np.random.default_rng(seed)
    own = sum(float(np.trace(table)) for table in tables)
    others = [
        sum(float(table[np.arange(len(table)), draw.permutation(len(table))].sum()) for table in tables)
        for _ in range(_SHUFFLES)
    ]
    return float(np.mean(np.array(others) >= own)) < _CHANCE


def _agreement(pool: Sequence[Example], ranking: Ranking) -> Array:
    """(queries, queries): the share of each one's labels that is among another's first ten hits."""
    hits = [frozenset().union(*(one.names[c] for c in one.order(ranking)[:10])) for one in pool]
    return np.array([[len(found & other.wanted) / len(other.wanted) for other in pool] for found in hits])


def _pools(examples: Sequence[Example]) -> list[NDArray[np.int64]]:
    names = np.array([example.pool for example in examples])
    return [np.flatnonzero(names == name) for name in dict.fromkeys(names.tolist())]


# -- what the search did not see ---------------------------------------------------------------------------------------
def _unseen(trials: Trials, current: Ranking, seed: int) -> list[dict[str, float]]:
    """Each query's measures under a ranking that was searched without its group, today's where none was better."""
    rows = list(trials.rows(current))
    for fold in _folds(trials.examples, seed):
        found = search(trials, np.flatnonzero(~fold), current)
        if found is not None:
            there = trials.rows(found.ranking())
            for place in np.flatnonzero(fold):
                rows[place] = there[place]
    return rows


def _folds(examples: Sequence[Example], seed: int) -> list[NDArray[np.bool_]]:
    """Who is left out in each fold: whole groups, or queries where there are too few groups."""
    keys = [example.group for example in examples]
    if len(set(keys)) < _FOLDS:
        keys = [str(number) for number in range(len(examples))]
    groups = list(dict.fromkeys(keys))
    order = np.random.default_rng(seed).permutation(len(groups)).tolist()
    fold_of = {groups[place]: number % _FOLDS for number, place in enumerate(order)}
    of = np.array([fold_of[key] for key in keys])
    return [of == number for number in range(_FOLDS)]


def _compared(
    examples: Sequence[Example], now: Sequence[Mapping[str, float]], tuned: Sequence[Mapping[str, float]], seed: int
) -> Outcome:
    names = list(now[0])
    gain = {}
    for name in names:
        groups: dict[str, list[float]] = {}
        for example, before, after in zip(examples, now, tuned, strict=True):
            groups.setdefault(example.group, []).append(100 * (after[name] - before[name]))
        gain[name] = bootstrap(list(groups.values()), seed=seed)
    return Outcome(len(examples), _means(now, names), _means(tuned, names), gain)


def _means(rows: Sequence[Mapping[str, float]], names: Sequence[str]) -> dict[str, float]:
    return {name: 100 * float(np.mean([row[name] for row in rows])) for name in names}
