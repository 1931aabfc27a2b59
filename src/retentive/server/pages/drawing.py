"""What pages draw, as numbers: places and lengths for SVG attributes, since no style may stand in a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retentive.clock import now_us, optional_us
from retentive.results import Item

#: How wide a drawing is, in its own units.
WIDTH = 1000
_COLOURS = 8  # of arms; the style sheet has as many
_LEAST = 4  # what is short is still seen


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a bar: where it begins, how long it is, which colour, and what it stands for."""

    x: float
    width: float
    colour: int
    name: str


def arms_of(trace: Mapping[str, Any]) -> list[tuple[str, float, int]]:
    """The arms with their share of the query's weight, heaviest first, and the colour of each."""
    ordered = sorted(trace["shares"].items(), key=lambda arm: -arm[1])
    return [(name, share, place % _COLOURS) for place, (name, share) in enumerate(ordered)]


def score_bars(trace: Mapping[str, Any]) -> list[list[Piece]]:
    """A bar for each hit, made of its arms' parts; the best one fills the width."""
    colours = {name: colour for name, _, colour in arms_of(trace)}
    whole = max((sum(arm["part"] for arm in hit["arms"].values()) for hit in trace["hits"]), default=0) or 1
    bars = []
    for hit in trace["hits"]:
        pieces, x = list[Piece](), 0.0
        for name, colour in colours.items():
            part = hit["arms"].get(name, {"part": 0.0})["part"]
            width = round(WIDTH * max(part, 0.0) / whole, 1)
            if width:
                pieces.append(Piece(round(x, 1), width, colour, f"{name} {part:.3f}"))
            x += width
        bars.append(pieces)
    return bars


@dataclass(frozen=True, slots=True)
class LifeLine:
    """A version of a fact, and the time it was believed: from `x` on, `width` long; `mark` is the moment asked for."""

    item: Item
    x: float
    width: float
    ended: bool
    mark: float | None


def life_lines(facts: Sequence[Item], as_of_us: int | None) -> list[LifeLine]:
    """A line for each version, over one time from the first to now.

    >>> life_lines([], None)
    []
    """
    now = now_us()
    spans = [(optional_us(item.recorded_at) or now, optional_us(item.retired_at) or now) for item in facts]
    first = min((begin for begin, _ in spans), default=now)
    length = max(now - first, 1)

    def place(us: int) -> float:
        return round(WIDTH * min(max(us - first, 0), length) / length, 1)

    mark = None if as_of_us is None else place(as_of_us)
    return [
        LifeLine(item, min(place(begin), WIDTH - _LEAST), max(place(end) - place(begin), _LEAST), end < now, mark)
        for item, (begin, end) in zip(facts, spans, strict=True)
    ]


def columns(values: Sequence[float], height: int) -> list[tuple[float, float, float]]:
    """Columns of a small chart: x, width and height of each, the highest as high as the chart.

    >>> columns([1, 2], 10)
    [(0.0, 450.0, 5.0), (500.0, 450.0, 10.0)]
    """
    most, step = max(values, default=0) or 1, WIDTH / max(len(values), 1)
    return [
        (round(place * step, 1), round(step * 0.9, 1), round(height * value / most, 1))
        for place, value in enumerate(values)
    ]
