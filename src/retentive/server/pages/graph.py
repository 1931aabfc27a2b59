"""The graph of a memory: whom and what its facts speak of, read as the rules read them, in rings around the owner."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from retentive.results import Item
from retentive.server.pages.views import cut
from retentive.statement import in_own_case, parse_statements

_MOST_NODES = 48  # more cannot be told apart on a screen
_LABEL_CHARS, _LABEL_WIDTH, _LABEL_HEIGHT = 22, 180, 26
_RINGS = (0, 150, 290)
_STAGGER = 46  # every other one of a ring stands further out, so that labels do not meet
_MOST_WORDS = 5  # a name is short: what is longer is a sentence that was not told apart
_USER = "user"


@dataclass(frozen=True, slots=True)
class Node:
    """A thing or a person: its place, whole name, and the label with where it is anchored."""

    name: str
    label: str
    x: float
    y: float
    anchor: str
    ring: int


@dataclass(frozen=True, slots=True)
class Edge:
    """What a fact says of two of them."""

    source: str
    kind: str
    target: str
    fact: Item


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes with places around a middle at 0, 0; edges; how many facts did not fit; and what the drawing takes up."""

    nodes: dict[str, Node]
    edges: list[Edge]
    left_out: int

    @property
    def box(self) -> str:
        """The drawing's viewBox, with room for labels."""
        xs, ys = [node.x for node in self.nodes.values()], [node.y for node in self.nodes.values()]
        left, top = min(xs) - _LABEL_WIDTH, min(ys) - _LABEL_HEIGHT
        return f"{left:g} {top:g} {max(xs) - left + _LABEL_WIDTH:g} {max(ys) - top + _LABEL_HEIGHT:g}"


def graph_of(owner: str, facts: Sequence[Item]) -> Graph:
    """The graph that facts make, newest first, as far as they are statements that the rules know.

    >>> graph_of("alice", []).nodes["alice"].ring
    0
    """
    names, edges, left_out = {owner: 0}, list[Edge](), 0
    for edge in (edge for fact in facts for edge in _edges(owner, fact)):
        new = [name for name in dict.fromkeys((edge.source, edge.target)) if name not in names]
        if len(names) + len(new) > _MOST_NODES:
            left_out += 1
            continue
        names.setdefault(edge.source, 1)
        names.setdefault(edge.target, names[edge.source] + 1 if names[edge.source] < 2 else 2)
        edges.append(edge)
        if edge.source != owner and not any(one.target == edge.source for one in edges):
            edges.append(Edge(owner, "knows", edge.source, edge.fact))
    return Graph(_placed(names), edges, left_out)


def _edges(owner: str, fact: Item) -> list[Edge]:
    marked = _marked(owner, fact)
    if marked is not None:
        return [marked]
    found = []
    for one in parse_statements(fact.text):
        if one.polarity < 0 or one.tense != "now":
            continue
        source = owner if one.subject == _USER else in_own_case(one.subject, fact.text)
        kind = one.attribute.partition(":")[0]
        found.append(Edge(source, kind, in_own_case(one.value, fact.text), fact))
    return [edge for edge in found if _is_name(edge.target) and _is_name(edge.source) and edge.source != edge.target]


def _marked(owner: str, fact: Item) -> Edge | None:
    """What a tool of the knowledge graph marked as an entity or a relation (docs/mcp.md)."""
    told = {name: value for name, value in fact.metadata.items() if isinstance(value, str)}
    if told.get("graph") == "relation" and {"entity", "to", "type"} <= told.keys():
        return Edge(told["entity"], told["type"], told["to"], fact)
    if told.get("graph") == "entity" and {"entity", "type"} <= told.keys():
        return Edge(owner, told["type"], told["entity"], fact)
    return None


def _is_name(words: str) -> bool:
    return bool(words) and len(words.split()) <= _MOST_WORDS and not words.casefold().startswith("user ")


def _placed(names: dict[str, int]) -> dict[str, Node]:
    """Rings around the middle, the outer one turned so that labels do not meet."""
    rings = {ring: [name for name, at in names.items() if at == ring] for ring in sorted(set(names.values()))}
    placed = {}
    for ring, members in rings.items():
        for place, name in enumerate(members):
            angle = 2 * math.pi * (place + ring / 3) / len(members) - math.pi / 2
            far = _RINGS[ring] + (_STAGGER if ring and place % 2 else 0)
            x, y = far * math.cos(angle), far * math.sin(angle)
            anchor = "middle" if ring == 0 or abs(math.cos(angle)) < 0.3 else "start" if x > 0 else "end"
            placed[name] = Node(name, cut(name, _LABEL_CHARS), round(x, 1), round(y, 1), anchor, ring)
    return placed
