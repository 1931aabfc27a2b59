"""A sheet and the store brought together: people's edits into the store, then the store's facts into the sheet."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from retentive.document import PROFILE, Document, Line, parse, render
from retentive.errors import InvalidInput, NotFound
from retentive.given import checked_object
from retentive.memory import Memory
from retentive.results import Item
from retentive.scoped import ScopedMemory
from retentive.sheets.cells import LONGEST, Changes, Edit, Row, changes, edit_of, rows_of
from retentive.types import CATEGORIES, Scope

#: The actor in the audit.
SHEET = "sheet"
#: How often it is looked again when people go on editing meanwhile.
_LOOKS = 3
_PAGE = 1000


class Table(Protocol):
    """A sheet's cells."""

    def read(self) -> list[list[str]]:
        """All of them, the head first."""

    def change(self, wanted: Changes) -> None:
        """Write rows, then add, then take away."""


@dataclass(frozen=True, slots=True)
class SheetReport:
    """What people's edits came to, and how many rows of the sheet were written, added or taken away."""

    accepted: int = 0
    rejected: int = 0
    corrected: int = 0
    added: int = 0
    refused: int = 0
    rows: int = 0


def sync(memory: Memory, table: Table, scopes: Sequence[Scope] | None = None) -> SheetReport:
    """Do what people edited, then show what is known and what waits, a row a fact.

    Args:
        memory: the store.
        table: the sheet, such as `retentive.sheets.open_table` gives.
        scopes: whose facts it shows; everybody's by default.

    An edit that cannot be done stays in its row, with the reason beside it. Raises SheetUnavailable, DocumentError.
    """
    checked_object("memory", memory, Memory)
    if scopes is None:
        scopes = [_scope(f"{one.kind}:{one.owner}", one.tenant) for one in memory.owners()]
    by_name = {_whose(scope): memory.scope(*_names(scope), actor=SHEET) for scope in scopes}
    done: set[tuple[str, str]] = set()

    def looked(values: list[list[str]]) -> tuple[Changes, int]:
        rows = rows_of(values)
        notes, kept = _take_up(memory, by_name, rows, done)
        return changes(values, rows, _everyone(by_name), notes, kept), len(notes)

    values = table.read()
    wanted, refused = looked(values)
    for _ in range(_LOOKS):
        again = table.read() if wanted.count else values
        if again == values:
            break
        values = again  # somebody wrote meanwhile
        wanted, refused = looked(values)
    table.change(wanted)
    counts = Counter(action for action, _ in done)
    return SheetReport(counts["accept"], counts["reject"], counts["correct"], counts["add"], refused, wanted.count)


def _take_up(
    memory: Memory, by_name: dict[str, ScopedMemory], rows: Sequence[Row], done: set[tuple[str, str]]
) -> tuple[dict[int, str], set[int]]:
    """Do what each row asks for; returns by place what is to be noted, and which rows stay as they are."""
    notes: dict[int, str] = {}
    kept: set[int] = set()
    shown = {row.id: row for row in _everyone(by_name)}
    seen: set[str] = set()
    for place, row in enumerate(rows):
        edit = _asked(by_name, row, shown, seen)
        seen.add(row.id)
        if edit is None:
            continue
        try:
            _do(memory, by_name, edit)
        except (InvalidInput, NotFound) as error:
            notes[place] = str(error)
            moved = edit.shown is not None and edit.shown.version != row.version
            kept |= set() if moved else {place}
        else:
            done.add((edit.action, row.id or row.text))
    return notes, kept


def _asked(by_name: dict[str, ScopedMemory], row: Row, shown: dict[str, Row], seen: set[str]) -> Edit | None:
    if not row.id:
        if not row.text.strip():
            return None
        whose = row.whose or (next(iter(by_name)) if len(by_name) == 1 else "")
        if whose not in by_name:
            return Edit("refuse", row, None, f"whose is one of {', '.join(by_name)}")
        return Edit("add", replace(row, whose=whose))
    if row.id in seen:
        return Edit("refuse", row, None, "its id stands above already: take it off to have this remembered")
    known = shown.get(row.id)
    before = None
    if known is not None and row.version != known.version:
        versions = {str(item.version): item for item in by_name[known.whose].history(row.id) if item.id == row.id}
        old = versions.get(row.version)
        before = None if old is None else replace(known, text=_plain(old), category=old.category or "")
    edit = edit_of(row, known, before)
    return edit if edit is None or edit.shown is None else replace(edit, row=replace(edit.row, whose=edit.shown.whose))


def _do(memory: Memory, by_name: dict[str, ScopedMemory], edit: Edit) -> None:
    """Do what one row asks for. Raises InvalidInput for what cannot be done."""
    row, shown = edit.row, edit.shown
    if edit.action == "refuse":
        raise InvalidInput(edit.reason)
    mine = by_name[row.whose]
    text = row.text.strip()
    if edit.action == "add":
        category = row.category.strip() or None
        asked = f"{row.whose}\0{text}\0{row.category}\0{row.field}"
        key = hashlib.blake2b(asked.encode(), digest_size=8).hexdigest()
        mine.remember(text, category=category, field=row.field.strip() or None, idempotency_key=f"sheet:{key}")
    elif edit.action == "accept":
        changed = shown is not None and text != shown.text
        memory.review.approve(row.id, text=text if changed else None, actor=SHEET)
    elif edit.action == "reject" and shown is not None and shown.status == "pending":
        memory.review.reject(row.id, row.why.strip() or "turned down in the sheet", actor=SHEET)
    else:
        _edit_document(memory, mine, row, removed=edit.action == "reject")


def _edit_document(memory: Memory, mine: ScopedMemory, row: Row, *, removed: bool) -> None:
    """Correct or take out one line, as `retentive edit` would. Raises InvalidInput."""
    document = parse(mine.document())
    if row.category not in CATEGORIES and not row.field:
        message = f"category is one of {', '.join(CATEGORIES)}"
        raise InvalidInput(message)
    lines: list[Line] = []
    for line in document.lines:
        if line.id != row.id:
            lines.append(line)
        elif not removed:
            lines.append(replace(line, text=row.text.strip(), section=line.section if line.field else row.category))
    edited = Document(document.as_of, tuple(lines), document.whose)
    mine.apply_document(render(edited, row.whose, memory.settings.profile_fields))


# -- what is shown -----------------------------------------------------------------------------------------------------
def _everyone(by_name: dict[str, ScopedMemory]) -> Iterator[Row]:
    for whose, mine in by_name.items():
        lines = {line.id: line for line in parse(mine.document()).lines}
        for status in ("pending", "active"):
            for item in _items(mine, status):
                line = lines.get(item.id)
                shown = status == "pending" or line is not None
                if shown and len(item.text) <= LONGEST:
                    yield _row(whose, item, line)


def _items(mine: ScopedMemory, status: str) -> Iterator[Item]:
    cursor = None
    while True:
        page = mine.list("semantic", status=status, limit=_PAGE, cursor=cursor)
        yield from page
        if page.cursor is None:
            return
        cursor = page.cursor


def _row(whose: str, item: Item, line: Line | None) -> Row:
    category = (item.category or "") if line is None or line.section == PROFILE else line.section
    return Row(
        id=item.id,
        version=str(item.version),
        whose=whose,
        status=item.status,
        text=item.text if line is None else line.text,
        category=category,
        field=item.field or "",
        confidence="" if item.confidence is None else f"{item.confidence:.2f}",
        source=item.source or "",
        said=" | ".join(item.quotes),
        why=(item.reason or "") if item.status == "pending" else "",
    )


def _plain(item: Item) -> str:
    return item.text.removeprefix(f"{item.field}: ").strip() if item.field else item.text.strip()


def _whose(scope: Scope) -> str:
    kind, name = ("user", scope.user_id) if scope.user_id is not None else ("agent", scope.agent_id)
    tenant = "" if scope.tenant == "default" else f"{scope.tenant}/"
    return f"{tenant}{kind}:{name}"


def _scope(whose: str, tenant: str) -> Scope:
    kind, _, owner = whose.partition(":")
    return Scope(user_id=owner, tenant=tenant) if kind == "user" else Scope(agent_id=owner, tenant=tenant)


def _names(scope: Scope) -> tuple[str | None, str | None, str | None, str]:
    return scope.user_id, scope.agent_id, scope.project_id, scope.tenant
