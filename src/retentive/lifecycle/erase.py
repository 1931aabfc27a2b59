"""Forgetting: the memories named, with everything derived from them, and a report counted after looking.

The archive goes first, then the store, then the mirrors: killed in between, the store still has what was named, so that
the same call goes on; mirrors that lag are written anew by the next run of jobs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from retentive.contracts import Backend, Erased, Remembered
from retentive.lifecycle.archive import Archive, Line
from retentive.lifecycle.mirror import Mirrors
from retentive.lifecycle.selection import Selection
from retentive.lifecycle.traces import Place, said_by, traces
from retentive.results import ErasurePlace, ErasureReport
from retentive.types import Partition


@dataclass(frozen=True, slots=True)
class Forgetting:
    """Where to forget: a partition, what lies beside its store, and which archived memories the scope may see."""

    backend: Backend
    partition: Partition
    archive: Archive | None
    mirrors: Mirrors | None
    line_in_scope: Callable[[Line], bool]

    @property
    def place(self) -> Place:
        """Where words of it may stand."""
        return Place(self.backend.store, self.partition, self.archive, self.mirrors)


def forget(
    at: Forgetting, what: Selection, named: Sequence[Remembered], *, verify: bool = False, dry_run: bool = False
) -> ErasureReport:
    """Erase what was selected of the store, and what meets the selection in the archive."""
    ids = tuple(dict.fromkeys(memory.id for memory in named))

    def archived(line: Line) -> bool:
        return at.line_in_scope(line) and what.of_line(line)

    report = ErasureReport(ids, (), dry_run=dry_run)
    return _erased(at, report, [memory.row for memory in named], archived, verify=verify)


def forget_everything(at: Forgetting, *, verify: bool = False, dry_run: bool = False) -> ErasureReport:
    """Erase a whole partition: every episode, fact, version, vector, session and job of it."""
    return _erased(at, ErasureReport((), (), dry_run=dry_run), None, None, verify=verify)


def _erased(
    at: Forgetting,
    report: ErasureReport,
    rows: Sequence[int] | None,
    archived: Callable[[Line], bool] | None,
    *,
    verify: bool,
) -> ErasureReport:
    """The report with what went of the rows (None: of everything), and of the lines of the archive."""
    before = said_by(at.place) if verify and not report.dry_run else frozenset[str]()
    would = _erase(at, rows, dry_run=True) if report.dry_run or (at.archive and archived) else Erased()
    doomed = None if archived is None else _line_doomed({*report.ids, *would.ids}, archived)
    if report.dry_run:
        places = (*would.places, *_archive(at, doomed, dry_run=True))
        return replace(report, places=places, derived=_derived(report, would.ids, rows))
    first = _archive(at, doomed)
    erased = _erase(at, rows)
    again = _archive(at, doomed)  # what retention archived in between
    archives = [ErasurePlace(a.place, a.erased + b.erased, b.left) for a, b in zip(first, again, strict=True)]
    caches = ErasurePlace("caches of this process", at.backend.index.forget(at.partition), 0)
    places = (*erased.places, caches, *archives)
    report = replace(report, places=places, derived=_derived(report, erased.ids, rows))
    if at.mirrors is not None:
        report = at.mirrors.forgotten(at.partition, report)
    if verify:
        report = replace(report, places=(*report.places, *traces(at.place, before - said_by(at.place))))
    return report


def _erase(at: Forgetting, rows: Sequence[int] | None, *, dry_run: bool = False) -> Erased:
    """None erases all there is, no rows nothing."""
    return at.backend.store.erase(at.partition, rows, dry_run=dry_run) if rows is None or rows else Erased()


def _derived(report: ErasureReport, ids: Sequence[str], rows: Sequence[int] | None) -> tuple[str, ...]:
    named = set(report.ids)
    return () if rows is None else tuple(one for one in ids if one not in named)


def _archive(at: Forgetting, doomed: Callable[[Line], bool] | None, *, dry_run: bool = False) -> list[ErasurePlace]:
    return [] if at.archive is None else [at.archive.erase(at.partition, doomed, dry_run=dry_run)]


def _line_doomed(ids: set[str], archived: Callable[[Line], bool]) -> Callable[[Line], bool]:
    """Of an archived memory: is it one that goes, does it quote one, or was it replaced by one?"""

    def doomed(line: Line) -> bool:
        quoted = {episode_id for episode_id, _ in line.get("evidence", ())}
        return line["id"] in ids or not ids.isdisjoint(quoted) or line.get("superseded_by_id") in ids or archived(line)

    return doomed
