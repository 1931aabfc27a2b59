"""One owner's memory as a JSON text: a value of the head a line, an object a line, so that two versions compare well.

`profile` and `facts` are what is current and what people edit, `history` the rest of the facts, then sessions and
episodes. Read from top to bottom of their numbers (`row`) they are an export.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from retentive.lines import memory_object, session_object
from retentive.marked import OPEN_SEAL, sealed, whose_mark
from retentive.sql import rows
from retentive.sql.database import Connection, fetch
from retentive.sql.transaction import SELECT_EPISODE, SELECT_SESSION, load_facts
from retentive.types import CATEGORIES, CURRENT, Episode, Fact, Partition


def rendered(connection: Connection, partition: Partition, no: int) -> str:
    """All of a partition, as this connection sees it; sealed."""
    bounds = rows.row_range(no)
    in_order = "WHERE row BETWEEN ? AND ? ORDER BY row"
    episodes = [rows.episode_from(values) for values in fetch(connection, SELECT_EPISODE + in_order, bounds)]
    facts = load_facts(connection, in_order, bounds)
    sessions = fetch(connection, SELECT_SESSION + "WHERE partition = ? ORDER BY last_us, id", (no,))
    current = [fact for fact in facts if _is_current(fact)]
    shown = {fact.row for fact in current if fact.field is None}
    newest = max((*(one.row for one in episodes), *(one.row for one in facts)), default=0)
    head = {
        "format": "retentive-memory",
        "tenant": partition.tenant,
        partition.kind: partition.owner,
        "as_of": f"{newest:x}",
        "whose": whose_mark(partition),
        "written": OPEN_SEAL,
    }
    lists = {
        "profile": [_field(fact) for fact in current if fact.field is not None],
        "facts": [_object(fact) for fact in current if fact.field is None],
        "history": [_object(fact) for fact in facts if fact.row not in shown],
        "sessions": [_without_nones(session_object(rows.session_from(values))) for values in sessions],
        "episodes": [_object(episode) for episode in episodes],
    }
    return sealed(_laid_out(head, lists))


def _is_current(fact: Fact) -> bool:
    stated = fact.field is not None or fact.category in CATEGORIES
    return stated and fact.retired_us is None and fact.status in CURRENT


def _field(fact: Fact) -> dict[str, Any]:
    """A field as people read it; the fact in full stands in the history."""
    text = fact.text.removeprefix(f"{fact.field}: ")
    return {"id": fact.id, "version": fact.version, "field": fact.field, "text": text}


def _object(memory: Episode | Fact) -> dict[str, Any]:
    return _without_nones(memory_object(memory) | {"row": memory.row & rows.MAX_SEQ})


def _without_nones(known: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in known.items() if value is not None}


def _laid_out(head: Mapping[str, Any], lists: Mapping[str, Sequence[Any]]) -> str:
    parts = [f"  {_json(name)}: {_json(value)}" for name, value in head.items()]
    parts += [f"  {_json(name)}: {_list(objects)}" for name, objects in lists.items()]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _list(objects: Iterable[Any]) -> str:
    lines = ",\n".join(f"    {_json(one)}" for one in objects)
    return f"[\n{lines}\n  ]" if lines else "[]"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
