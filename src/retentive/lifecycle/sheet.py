"""An export as CSV, for spreadsheets: a row a message and a row a version of a fact.

A cell that a spreadsheet would take for a formula gets an apostrophe before it, so what someone wrote to an agent is
not run on the machine of who opens the file. That makes CSV an export to look at; JSON lines are the one to import.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any

from retentive.contracts import Remembered, Store
from retentive.lifecycle.portable import everything
from retentive.results import episode_item, fact_item
from retentive.types import Episode, Partition

#: Spreadsheets look for Unicode only where a file says so.
ENCODING = "utf-8-sig"
#: What a formula begins with, in ASCII and in the full-width forms that some spreadsheets take for the same.
_FORMULA = tuple("=+-@|%＝＋－＠")
COLUMNS = (
    "tier",
    "id",
    "version",
    "status",
    "timestamp",
    "text",
    "category",
    "field",
    "role",
    "name",
    "session_id",
    "agent_id",
    "project_id",
    "source",
    "trust",
    "confidence",
    "evergreen",
    "seen_count",
    "recorded_at",
    "retired_at",
    "valid_to",
    "expires_at",
    "reason",
    "supersedes_id",
    "superseded_by_id",
    "source_ids",
    "episode_ids",
    "quotes",
    "metadata",
)


def sheet_lines(store: Store, partition: Partition) -> Iterator[str]:
    """The heads of the columns, then a line a row; a cell may hold line ends of its own."""
    yield _line(COLUMNS)
    for memory in everything(store, partition):
        known = _known(memory)
        yield _line([safe_cell(_text(known[name])) for name in COLUMNS])


def _known(memory: Remembered) -> Mapping[str, Any]:
    item = episode_item(memory) if isinstance(memory, Episode) else fact_item(memory)
    own = {"agent_id": memory.agent_id, "project_id": memory.project_id}
    return {name: own[name] if name in own else getattr(item, name) for name in COLUMNS}


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    return json.dumps(value, ensure_ascii=False) if value else ""


def safe_cell(text: str) -> str:
    """The text, with an apostrophe before what a spreadsheet would run.

    >>> safe_cell("=HYPERLINK(A1)"), safe_cell("1 = 1")
    ("'=HYPERLINK(A1)", '1 = 1')
    """
    begins = text.lstrip()[:1]
    return f"'{text}" if begins in _FORMULA and begins else text


def _line(cells: Any) -> str:
    line = io.StringIO()
    csv.writer(line, quoting=csv.QUOTE_ALL).writerow(cells)
    return line.getvalue()
