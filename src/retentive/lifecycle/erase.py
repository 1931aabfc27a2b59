"""Forgetting: the memories named, with everything derived from them, and a report counted after looking.

The archive goes first, then the store, then the mirrors: killed in between, the store still has what was named, so that
the same call goes on; mirrors that lag are written anew by the next run of jobs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from retentive.contracts import Backend, Erased, Remembered
from retentive.errors import StoreFull
from retentive.lifecycle.archive import Archive, Line
from retentive.lifecycle.mirror import Mirrors
from retentive.lifecycle.selection import Selection
from retentive.lifecycle.traces import Place, said_by, traces
from retentive.results import ErasurePlace, ErasureReport, added
from retentive.types import Partition

#: How often what was chosen is looked for under another row.
_LOOKS = 3
#: Memories of the store that were selected, and ids of what only the archive has.
Selected = tuple[Sequence[Remembered], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Forgetting:
    """Where to forget: a partition, what lies beside its store, and which archived memories the scope may see."""

    backend: Backend
    partition: Partition
    archive: Archive | None
    mirrors: Mirrors | None
    line_in_scope: Callable[[Line], bool]

    def archived(self, ids: set[str]) -> set[str]:
        """Those of the ids that the archive has, in the scope."""
        lines = () if self.archive is None else self.archive.lines(self.partition)
        return {line["id"] for line in lines if line["id"] in ids and self.line_in_scope(line)}

    @property
    def place(self) -> Place:
        """Where words of it may stand."""
        return Place(self.backend.store, self.partition, self.archive, self.mirrors)


def forget(
    at: Forgetting, what: Selection, in_scope: Selected, *, verify: bool = False, dry_run: bool = False
) -> ErasureReport:
    """Erase what was selected of the store, and what meets the selection in the archive."""
    named, elsewhere = in_scope
    ids = tuple(dict.fromkeys([*(memory.id for memory in named), *elsewhere]))

    def archived(line: Line) -> bool:
        return at.line_in_scope(line) and what.of_line(line)

    return _erased(at, ErasureReport(ids, (), dry_run=dry_run), [memory.row for memory in named], archived, verify)


def forget_everything(at: Forgetting, *, verify: bool = False, dry_run: bool = False) -> ErasureReport:
    """Erase a whole partition: every episode, fact, version, vector, session and job of it."""
    return _erased(at, ErasureReport((), (), dry_run=dry_run), None, None, verify)


def _erased(
    at: Forgetting,
    report: ErasureReport,
    rows: Sequence[int] | None,
    archived: Callable[[Line], bool] | None,
    verify: bool,  # noqa: FBT001  as it was asked for
) -> ErasureReport:
    """The report with what went of the rows (None: of everything), and of the lines of the archive."""
    store, partition, archive = at.backend.store, at.partition, at.archive
    before = said_by(at.place) if verify and not report.dry_run else frozenset[str]()
    kept = archive is not None and archive.path(partition).exists()
    would = store.erase(partition, rows, dry_run=True) if report.dry_run or (kept and archived) else Erased()
    doomed = None if archived is None else _Doomed({*report.ids, *would.ids}, archived)
    lines = _doomed_lines(archive, partition, doomed) if archive is not None else []
    if report.dry_run:
        places = (*would.places, ErasurePlace("archive", len(lines), 0))
        return replace(report, places=places, derived=_derived(report, would.ids, rows))
    if doomed is not None:
        doomed = replace(doomed, ids={*doomed.ids, *lines})  # also what quotes these and is archived only then
    first = _archive(at, doomed)
    erased = _from_store(at, report, rows, lines)
    again = _archive(at, doomed)  # what retention archived in between
    caches = ErasurePlace("caches of this process", at.backend.index.forget(partition), 0)
    places = (*erased.places, caches, ErasurePlace("archive", first.erased + again.erased, again.left))
    report = replace(report, places=places, derived=_derived(report, erased.ids, rows))
    if at.mirrors is not None:
        report = at.mirrors.forgotten(partition, report)
    if verify:
        report = replace(report, places=(*report.places, *traces(at.place, before - said_by(at.place))))
    return report


def _from_store(at: Forgetting, report: ErasureReport, rows: Sequence[int] | None, lines: Sequence[str]) -> Erased:
    """Out of the store. The journal names all that was chosen, also what retention took since: a backup may have it.

    What was put to another row since, as a rebuild does with a fact, is looked for by its id.
    """
    store = at.backend.store
    if rows is None:
        return store.erase(at.partition, None, archived=lines)
    if not rows and not lines:
        return Erased()
    erased = store.erase(at.partition, rows, archived=(*report.ids, *lines))
    for _ in range(_LOOKS):
        moved = store.get(at.partition, report.ids)
        if not moved:
            break
        more = store.erase(at.partition, [memory.row for memory in moved.values()])
        erased = Erased(tuple(dict.fromkeys((*erased.ids, *more.ids))), added(erased.places, more.places))
    return erased


def _derived(report: ErasureReport, ids: Sequence[str], rows: Sequence[int] | None) -> tuple[str, ...]:
    named = set(report.ids)
    return () if rows is None else tuple(one for one in ids if one not in named)


def _doomed_lines(archive: Archive, partition: Partition, doomed: _Doomed | None) -> list[str]:
    going = None if doomed is None else doomed.of(archive.lines(partition))
    return [line["id"] for line in archive.lines(partition) if going is None or line["id"] in going]


def _archive(at: Forgetting, doomed: _Doomed | None) -> ErasurePlace:
    """In a transaction, so that retention archives nothing meanwhile."""
    if at.archive is None or not at.archive.has(at.partition):
        return ErasurePlace("archive", 0, 0)
    try:
        return _archive_once(at, at.archive, doomed)
    except StoreFull:
        at.backend.store.make_room()
        return _archive_once(at, at.archive, doomed)


def _archive_once(at: Forgetting, archive: Archive, doomed: _Doomed | None) -> ErasurePlace:
    with at.backend.store.transaction(at.partition):
        if doomed is None:
            return archive.erase(at.partition)
        going = doomed.of(archive.lines(at.partition))
        return archive.erase(at.partition, lambda line: line["id"] in going)


@dataclass(frozen=True, slots=True)
class _Doomed:
    """Which archived memories go: those of these ids, and those that meet what is to be forgotten."""

    ids: AbstractSet[str]
    meets: Callable[[Line], bool]

    def of(self, lines: Iterable[Line]) -> set[str]:
        """Ids of what goes; in turn also of what quotes one that goes, or was replaced by one."""
        going, rest = set(self.ids), list[tuple[str, set[str]]]()
        for line in lines:
            if self.meets(line):
                going.add(line["id"])
            quoted = (episode_id for episode_id, _ in line.get("evidence", ()))
            rest.append((line["id"], {*quoted, line.get("superseded_by_id") or ""}))
        while more := {one for one, ties in rest if one not in going and not ties.isdisjoint(going)}:
            going |= more
        return going
