"""Facts as rows of a sheet, and what a person made of them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from retentive.errors import DocumentError
from retentive.lifecycle.sheet import safe_cell

COLUMNS = (
    "id",
    "version",
    "whose",
    "status",
    "text",
    "category",
    "field",
    "confidence",
    "source",
    "said",
    "why",
    "note",
)
#: The most characters a cell is given; the service takes 50,000. A longer fact is not shown: it could not be edited.
LONGEST = 40_000
REJECTED, ACCEPTED = "rejected", "active"
_STATUSES = {"active", "disputed", "pending", REJECTED}


@dataclass(frozen=True, slots=True)
class Row:
    """One fact as the sheet shows it. What a person may edit: status, text, category, and why it is turned down."""

    id: str
    version: str
    whose: str
    status: str
    text: str
    category: str
    field: str = ""
    confidence: str = ""
    source: str = ""
    said: str = ""
    why: str = ""
    note: str = ""

    @property
    def says(self) -> tuple[str, str]:
        """What a person can change of it, whatever the service makes of line ends; a field has no category."""
        return "\n".join(self.text.splitlines()).strip(), "" if self.field else self.category


@dataclass(frozen=True, slots=True)
class Edit:
    """What a person asks for of one fact; without a `shown` one it is a new fact."""

    action: Literal["accept", "reject", "correct", "add", "refuse"]
    row: Row
    shown: Row | None = None
    reason: str = ""


def to_cells(row: Row) -> list[str]:
    """A row as cells, none of which a spreadsheet runs, also when it is copied into another.

    >>> to_cells(Row("1", "1", "user:a", "active", "=1+1", "other"))[4]
    "'=1+1"
    """
    return [_escaped(getattr(row, name)[:LONGEST]) for name in COLUMNS]


def from_cells(cells: Sequence[str]) -> Row:
    """The row that cells are.

    >>> from_cells(["1", "1", "user:a", "active", "'=1+1"]).text
    '=1+1'
    """
    padded = [*cells[: len(COLUMNS)], *[""] * (len(COLUMNS) - len(cells))]
    return Row(*(cell.removeprefix("'") for cell in padded))


def _escaped(text: str) -> str:
    return f"'{text}" if text.startswith("'") else safe_cell(text)


def rows_of(values: Sequence[Sequence[str]]) -> list[Row]:
    """The rows of a sheet, without its heads; none of an empty one. Raises DocumentError."""
    if not any(any(row) for row in values):
        return []
    if tuple(values[0][: len(COLUMNS)]) != COLUMNS:
        message = f"the first row of the sheet must be {', '.join(COLUMNS)}: put it back as it was"
        raise DocumentError(message)
    return [from_cells(row) for row in values[1:]]


def edit_of(row: Row, shown: Row | None, before: Row | None) -> Edit | None:
    """What a row asks for, given the fact as it is now, and as it was in the version that the row names.

    >>> now = Row("1", "2", "user:a", "pending", "Likes tea", "preference")
    >>> edit_of(replace(now, status="active"), now, now).action
    'accept'
    """
    if shown is None:
        return None
    status, moved = row.status.strip().lower(), row.version != shown.version
    untouched = row.says == shown.says or (moved and (before is None or row.says == before.says))
    decided = status != shown.status and (status == REJECTED or (status == ACCEPTED and shown.status == "pending"))
    if status not in _STATUSES:
        return Edit("refuse", row, shown, f"status is {ACCEPTED} or {REJECTED}")
    if untouched and not decided:
        return None
    if moved:
        return Edit("refuse", row, shown, "it was changed meanwhile: the row shows what it is now, do it again there")
    return _decision(row, shown, status)


def _decision(row: Row, shown: Row, status: str) -> Edit:
    if status == REJECTED:
        return Edit("reject", row, shown)
    if shown.status != "pending":
        return Edit("correct", row, shown)
    if status == ACCEPTED:
        return Edit("accept", row, shown)
    return Edit("refuse", row, shown, f"it waits: set status to {ACCEPTED} or {REJECTED}")


@dataclass(frozen=True, slots=True)
class Changes:
    """What to do to a sheet, by numbers of its rows, the head being 1."""

    updated: dict[int, list[str]]
    appended: list[list[str]]
    deleted: list[int]

    @property
    def count(self) -> int:
        """How many rows."""
        return len(self.updated) + len(self.appended) + len(self.deleted)


def changes(
    values: Sequence[Sequence[str]], rows: Sequence[Row], shown: Iterable[Row], notes: dict[int, str], kept: set[int]
) -> Changes:
    """What brings a sheet to what is to be shown.

    notes, kept: by place among `rows`: what is said of a row, and which stay as a person has them.
    """
    left = {row.id: row for row in shown}
    updated: dict[int, list[str]] = {}
    deleted: list[int] = []
    for place, row in enumerate(rows):
        number = place + 2
        known = None if place in kept and row.id not in left else left.pop(row.id, None)
        if known is None and place not in kept:
            deleted += [number] if row.id or row.text.strip() else []  # forgotten, or added and shown below
            continue
        note = notes.get(place, row.note if known is not None and known.version == row.version else "")
        wanted = replace(row if place in kept or known is None else known, note=note)
        cells = to_cells(wanted)
        if cells != [*values[place + 1][: len(COLUMNS)], *[""] * (len(COLUMNS) - len(values[place + 1]))]:
            updated[number] = cells
    head = [] if any(any(row) for row in values) else [list(COLUMNS)]
    return Changes(updated, [*head, *(to_cells(row) for row in left.values())], deleted)
