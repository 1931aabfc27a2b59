"""The search for a ranking: one knob after another, each moved only where that pays clearly on the queries at hand.

What is searched is a preset times a factor for each kind of arm, with how fast and how far memories fade. So few knobs,
and a move must pay half a standard error: with a hundred queries more would only follow their accidents.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from retentive.arms.ranking import ARMS, PRESETS, Ranking
from retentive.tune.gather import Array, Example, measured

#: Kinds of arms that are weighed together: those that see a memory through its neighbours and its session do the same.
#: Every other arm is a kind of its own.
_CONTEXT = ("text_window", "vector_window", "session", "tokens_window")
KINDS: Mapping[str, tuple[str, ...]] = {"context": _CONTEXT} | {arm: (arm,) for arm in ARMS if arm not in _CONTEXT}
_FACTORS = (0.25, 0.5, 0.7, 1.0, 1.4, 2.0, 4.0)
_HALF_LIVES_S = tuple(days * 86_400.0 for days in (7, 30, 90, 365))
_FLOORS = (0.0, 0.5, 0.8, 0.9, 0.97, 1.0)
#: What a move must gain, in standard errors of its paired difference.
_PAYS = 0.5
_ROUNDS = 2
#: What is raised: it counts every place among the first ten, so it moves before recall does.
GOAL = "ndcg@10"


@dataclass(frozen=True, slots=True)
class Choice:
    """A place in the search: a preset and where its knobs stand. A knob is a kind of arm, or a field of a ranking."""

    preset: str
    knobs: tuple[tuple[str, float], ...] = ()

    def ranking(self) -> Ranking:
        """The ranking it stands for: a kind's arms times its factor, other fields as they are given."""
        base = PRESETS[self.preset]
        changes = {name: value for name, value in self.knobs if name not in KINDS}
        for kind, factor in self.knobs:
            changes |= {arm: round(getattr(base, arm) * factor, 4) for arm in KINDS.get(kind, ())}
        return replace(base, **changes)  # type: ignore[arg-type]  # every knob but `k` is a float, and `k` is none

    def turned(self, knob: str, value: float) -> Choice:
        """The same with one knob turned."""
        return replace(self, knobs=tuple(sorted((dict(self.knobs) | {knob: value}).items())))


class Trials:
    """What rankings come to on the examples, each measured once."""

    def __init__(self, examples: Sequence[Example]) -> None:
        self.examples = examples
        self._known: dict[Ranking, list[dict[str, float]]] = {}

    def rows(self, ranking: Ranking) -> list[dict[str, float]]:
        """All measures of each query."""
        if ranking not in self._known:
            self._known[ranking] = [measured(example, ranking) for example in self.examples]
        return self._known[ranking]

    def goal(self, ranking: Ranking) -> Array:
        """What is to be raised, (queries,)."""
        return np.array([row[GOAL] for row in self.rows(ranking)])


def search(trials: Trials, among: NDArray[np.int64], current: Ranking) -> Choice | None:
    """The best place found on the examples `among`; None where none clearly beats the current ranking."""
    best: Choice | None = None
    at = trials.goal(current)[among]
    for preset in PRESETS:
        found = _climb(trials, among, Choice(preset))
        there = trials.goal(found.ranking())[among]
        if _pays(there, at):
            best, at = found, there
    return best


def _climb(trials: Trials, among: NDArray[np.int64], choice: Choice) -> Choice:
    at = trials.goal(choice.ranking())[among]
    for _ in range(_ROUNDS):
        before = choice
        for knob, values in _knobs(choice.preset):
            for turned in [choice.turned(knob, value) for value in values]:
                there = trials.goal(turned.ranking())[among]
                if _pays(there, at):
                    choice, at = turned, there
        if choice == before:
            break
    return choice


def _knobs(preset: str) -> list[tuple[str, Sequence[float]]]:
    """The knobs that change something, and where each may stand."""
    base = PRESETS[preset]
    used = [kind for kind, arms in KINDS.items() if any(getattr(base, arm) for arm in arms)]
    fading: list[tuple[str, Sequence[float]]] = [("decay_floor", _FLOORS), ("half_life_s", _HALF_LIVES_S)]
    return [*((kind, _FACTORS) for kind in used), *fading]


def _pays(there: Array, here: Array) -> bool:
    difference = there - here
    error = float(difference.std()) / math.sqrt(max(len(difference), 1))
    return float(difference.mean()) > max(_PAYS * error, 1e-9)
