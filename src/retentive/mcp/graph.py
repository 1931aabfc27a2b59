"""A knowledge graph in a memory: the nine tools of the MCP project's reference memory server, and its file.

Entities, observations and relations are facts like others (found, shown and forgotten like them), marked in their
metadata. Each names its entity in its words, so that two entities' equal observations are two facts, and none is taken
for a statement about the user.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from retentive.errors import ImportFailed, InvalidInput, NotFound
from retentive.mcp.table import OR_NULL, Tool, items, shape
from retentive.models.schema import first_problem
from retentive.results import Item
from retentive.scoped import ScopedMemory
from retentive.tools import fits, shortened

_MARK = "graph"  # the metadata key that says what a fact is in the graph
_PAGE = 1000
_FOUND = 20  # facts that a search looks at beside what holds the words themselves


@dataclass(slots=True)
class Entity:
    """A node: its type, its own fact, and observations with theirs (words to id)."""

    name: str
    type: str
    id: str
    observations: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Graph:
    """All nodes by name, and relations (from, to, kind) with their facts."""

    entities: dict[str, Entity]
    relations: dict[tuple[str, str, str], str]

    def part(self, names: Iterable[str], cursor: str | None = None) -> dict[str, Any]:
        """The nodes of these names and the relations that touch one, as the tools give them: a page of what fits."""
        wanted = dict.fromkeys(name for name in names if name in self.entities)
        pieces: list[Any] = [(name, words) for name in wanted for words in self._words(name)]
        pieces += [
            {"from": source, "to": target, "relationType": kind}
            for source, target, kind in self.relations
            if source in wanted or target in wanted
        ]
        start = _checked_cursor(cursor)
        end = start + fits(pieces[start:])
        nodes = {name: self._node(name, pieces[start:end]) for name, _ in _observed(pieces[start:end])}
        left = {name for name, _ in _observed(pieces[end:])} - nodes.keys()
        return {
            "entities": list(nodes.values()),
            "relations": [piece for piece in pieces[start:end] if isinstance(piece, dict)],
            "leftOut": len(left),
            "cursor": str(end) if end < len(pieces) else None,
        }

    def _words(self, name: str) -> list[str | None]:
        """An entity's observations, none too long; of one without any, None."""
        return [shortened(words) for words in self.entities[name].observations] or [None]

    def _node(self, name: str, pieces: Iterable[Any]) -> dict[str, Any]:
        words = [words for one, words in _observed(pieces) if one == name and words is not None]
        return {"name": name, "entityType": self.entities[name].type, "observations": words}


def _observed(pieces: Iterable[Any]) -> list[tuple[str, str | None]]:
    return [piece for piece in pieces if isinstance(piece, tuple)]


def _checked_cursor(cursor: str | None) -> int:
    if cursor is not None and not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 10):
        message = "a cursor is what the last page gave"
        raise InvalidInput(message)
    return int(cursor or 0)


def read(mine: ScopedMemory) -> Graph:
    """The graph of a scope, oldest first."""
    graph = Graph({}, {})
    found = sorted(_facts(mine), key=lambda item: item.id)
    for item in found:
        about = item.metadata
        if about[_MARK] == "entity":
            graph.entities.setdefault(about["entity"], Entity(about["entity"], about["type"], item.id))
        elif about[_MARK] == "relation":
            graph.relations[about["entity"], about["to"], about["type"]] = item.id
    for item in found:
        about = item.metadata
        if about[_MARK] == "observation" and about["entity"] in graph.entities:
            words = item.text.removeprefix(f"{about['entity']}: ")
            graph.entities[about["entity"]].observations[words] = item.id
    return graph


def _facts(mine: ScopedMemory) -> Iterator[Item]:
    for kind in ("entity", "observation", "relation"):
        cursor = None
        while True:
            page = mine.list("semantic", where={_MARK: kind}, limit=_PAGE, cursor=cursor)
            yield from page
            cursor = page.cursor
            if cursor is None:
                break


def _keep(mine: ScopedMemory, text: str, category: str, about: Mapping[str, str]) -> bool:
    """Keep a fact of the graph; False where it was there already."""
    receipt = mine.remember(text, category=category, source="assistant", metadata=dict(about))
    return receipt.items[0].outcome != "duplicate"


# -- the nine tools ----------------------------------------------------------------------------------------------------
def _create_entities(mine: ScopedMemory, given: dict[str, Any]) -> dict[str, Any]:
    known, made = read(mine).entities, list[dict[str, Any]]()
    for entity in given["entities"]:
        name, kind = entity["name"], entity["entityType"]
        if name in known or any(one["name"] == name for one in made):
            continue
        _keep(mine, f"{name} ({kind})", "other", {_MARK: "entity", "entity": name, "type": kind})
        observations = [words for words in entity["observations"] if _observe(mine, name, words)]
        made.append({"name": name, "entityType": kind, "observations": observations})
    return {"entities": made}


def _observe(mine: ScopedMemory, name: str, words: str) -> bool:
    return _keep(mine, f"{name}: {words}", "other", {_MARK: "observation", "entity": name})


def _create_relations(mine: ScopedMemory, given: dict[str, Any]) -> dict[str, Any]:
    known, made = read(mine).relations, list[dict[str, Any]]()
    for relation in given["relations"]:
        source, target, kind = relation["from"], relation["to"], relation["relationType"]
        if (source, target, kind) not in known:
            about = {_MARK: "relation", "entity": source, "to": target, "type": kind}
            if _keep(mine, f"{source} {kind} {target}", "relationship", about):
                made.append(relation)
    return {"relations": made}


def _add_observations(mine: ScopedMemory, given: dict[str, Any]) -> dict[str, Any]:
    known, results = read(mine).entities, []
    for one in given["observations"]:
        if one["entityName"] not in known:
            message = f"there is no entity of the name {one['entityName'][:80]!r}: create it first"
            raise NotFound(message)
    for one in given["observations"]:
        added = [words for words in one["contents"] if _observe(mine, one["entityName"], words)]
        results.append({"entityName": one["entityName"], "addedObservations": added})
    return {"results": results}


def _delete_entities(mine: ScopedMemory, given: dict[str, Any]) -> dict[str, Any]:
    graph, names = read(mine), set(given["entityNames"])
    gone = [graph.entities[name] for name in names if name in graph.entities]
    ids = [id_ for entity in gone for id_ in (entity.id, *entity.observations.values())]
    ids += [id_ for (source, target, _), id_ in graph.relations.items() if {source, target} & names]
    return _erased(mine, ids)


def _delete_observations(mine: ScopedMemory, given: dict[str, Any]) -> dict[str, Any]:
    known, ids = read(mine).entities, list[str]()
    for one in given["deletions"]:
        entity = known.get(one["entityName"])
        if entity is not None:
            ids += [entity.observations[words] for words in one["observations"] if words in entity.observations]
    return _erased(mine, ids)


def _delete_relations(mine: ScopedMemory, given: dict[str, Any]) -> dict[str, Any]:
    known = read(mine).relations
    keys = [(one["from"], one["to"], one["relationType"]) for one in given["relations"]]
    return _erased(mine, [known[key] for key in keys if key in known])


def _erased(mine: ScopedMemory, ids: Sequence[str]) -> dict[str, Any]:
    if ids:
        mine.forget(ids)
    return {"success": True, "message": f"{len(ids)} erased"}


def _read_graph(mine: ScopedMemory, given: dict[str, Any]) -> dict[str, Any]:
    graph = read(mine)
    return graph.part(graph.entities, given.get("cursor"))


def _search_nodes(mine: ScopedMemory, given: dict[str, Any]) -> dict[str, Any]:
    """Nodes whose name, type or observations hold the words, then those that recall finds for them."""
    graph, words = read(mine), given["query"].casefold()
    holding = [
        one.name
        for one in graph.entities.values()
        if any(words in text.casefold() for text in (one.name, one.type, *one.observations))
    ]
    hits = mine.recall(given["query"], k=_FOUND, tiers=("semantic",)).hits
    near = [hit.item.metadata["entity"] for hit in hits if _MARK in hit.item.metadata]
    return graph.part([*holding, *near], given.get("cursor"))


def _open_nodes(mine: ScopedMemory, given: dict[str, Any]) -> dict[str, Any]:
    return read(mine).part(given["names"], given.get("cursor"))


_STRING = {"type": "string", "minLength": 1}
_STRINGS = items(_STRING)
_ENTITY = shape(
    {"name": _STRING, "entityType": _STRING, "observations": _STRINGS}, "name", "entityType", "observations"
)
_RELATION = shape({"from": _STRING, "to": _STRING, "relationType": _STRING}, "from", "to", "relationType")
_GRAPH = shape(
    {"entities": items(_ENTITY), "relations": items(_RELATION), "leftOut": {"type": "integer"}, "cursor": OR_NULL},
    "entities",
    "relations",
)
_CURSOR = {"cursor": {"type": "string", "description": "Of the last page, for the next one."}}
_DONE = shape({"success": {"type": "boolean"}, "message": {"type": "string"}}, "success", "message")
_ADDED = shape({"entityName": _STRING, "addedObservations": _STRINGS}, "entityName", "addedObservations")


def graph_tools() -> dict[str, Tool]:
    """The nine tools, by name."""
    return {tool.name: tool for tool in (*_making_tools(), *_deleting_tools(), *_reading_tools())}


def _making_tools() -> Iterator[Tool]:
    entities, relations = (
        shape({"entities": items(_ENTITY)}, "entities"),
        shape({"relations": items(_RELATION)}, "relations"),
    )
    words = shape({"entityName": _STRING, "contents": _STRINGS}, "entityName", "contents")
    yield Tool("create_entities", "Create entities", "Create entities of the knowledge graph; those there are stay.",
               entities, entities, "write", _create_entities, again=True)  # fmt: skip
    yield Tool("create_relations", "Create relations", "Relate entities of the knowledge graph, in active voice.",
               relations, relations, "write", _create_relations, again=True)  # fmt: skip
    yield Tool("add_observations", "Add observations", "Add what was observed of entities there are.",
               shape({"observations": items(words)}, "observations"), shape({"results": items(_ADDED)}, "results"),
               "write", _add_observations, again=True)  # fmt: skip


def _deleting_tools() -> Iterator[Tool]:
    words = shape({"entityName": _STRING, "observations": _STRINGS}, "entityName", "observations")
    yield Tool("delete_entities", "Delete entities", "Erase entities with their observations and relations.",
               shape({"entityNames": _STRINGS}, "entityNames"), _DONE, "forget", _delete_entities,
               destroys=True, again=True)  # fmt: skip
    yield Tool("delete_observations", "Delete observations", "Erase observations of entities.",
               shape({"deletions": items(words)}, "deletions"), _DONE, "forget", _delete_observations,
               destroys=True, again=True)  # fmt: skip
    yield Tool("delete_relations", "Delete relations", "Erase relations of the knowledge graph.",
               shape({"relations": items(_RELATION)}, "relations"), _DONE, "forget", _delete_relations,
               destroys=True, again=True)  # fmt: skip


def _reading_tools() -> Iterator[Tool]:
    query, names = shape({"query": _STRING, **_CURSOR}, "query"), shape({"names": _STRINGS, **_CURSOR}, "names")
    yield Tool("read_graph", "Read the graph", "Read the knowledge graph, a page of what fits.",
               shape(_CURSOR), _GRAPH, "read", _read_graph, reads=True, again=True)  # fmt: skip
    yield Tool("search_nodes", "Search nodes", "Find entities by their names, types and observations.",
               query, _GRAPH, "read", _search_nodes, reads=True, again=True)  # fmt: skip
    yield Tool("open_nodes", "Open nodes", "Read entities by their names.",
               names, _GRAPH, "read", _open_nodes, reads=True, again=True)  # fmt: skip


# -- the reference server's file ---------------------------------------------------------------------------------------
def import_lines(mine: ScopedMemory, lines: Iterable[str]) -> tuple[int, int]:
    """Take in the reference server's `memory.jsonl`; returns how many entities and relations were new.

    What is there already stays, so it may be taken in twice. Raises ImportFailed that names the line, having taken in
    nothing.
    """
    entities, relations = list[dict[str, Any]](), list[dict[str, Any]]()
    for number, line in enumerate(lines, 1):
        if line.strip():
            one = _checked_line(number, line)
            (entities if one.pop("type") == "entity" else relations).append(one)
    made = _create_entities(mine, {"entities": entities})["entities"]
    _add_observations(mine, {"observations": [_contents(one) for one in entities]})
    return len(made), len(_create_relations(mine, {"relations": relations})["relations"])


def _contents(entity: Mapping[str, Any]) -> dict[str, Any]:
    return {"entityName": entity["name"], "contents": entity["observations"]}


def _checked_line(number: int, line: str) -> dict[str, Any]:
    try:
        one = json.loads(line)
        schema = {"entity": _ENTITY, "relation": _RELATION}[one["type"]]
        problem = first_problem(one, schema)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        message = f"line {number} is neither an entity nor a relation of a knowledge graph; nothing was imported"
        raise ImportFailed(message) from error
    if problem is not None:
        message = f"line {number}: {problem}; nothing was imported"
        raise ImportFailed(message)
    kept: dict[str, Any] = one
    return kept


def profile_tools(profile: str, memory: Mapping[str, Tool]) -> dict[str, Tool]:
    """The tools of a profile: `memory`, `knowledge-graph` or `all`. Raises InvalidInput for another.

    >>> len(profile_tools("knowledge-graph", {}))
    9
    """
    known = {"memory": dict(memory), "knowledge-graph": graph_tools(), "all": {**memory, **graph_tools()}}
    if profile not in known:
        message = f"a profile is one of {', '.join(known)}"
        raise InvalidInput(message)
    return known[profile]
