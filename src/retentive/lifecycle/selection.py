"""What to forget: memories by id, or all that match every condition given; in the store and in its archive alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields

from retentive.contracts import Remembered, Store, Where
from retentive.echo import echo
from retentive.errors import InvalidInput, NotFound
from retentive.lifecycle.archive import Line, matches
from retentive.lifecycle.portable import everything
from retentive.types import Episode, Partition

_PART = 1000


@dataclass(frozen=True, slots=True)
class Selection:
    """`ids`, or conditions that are all to hold; `since_us` and `until_us`, both inclusive, are when it happened.

    A session's facts that rest on messages are not named by it: they go with the messages, unless others say the same.
    """

    ids: tuple[str, ...] | None = None
    where: Where | None = None
    session_id: str | None = None
    project_id: str | None = None
    since_us: int | None = None
    until_us: int | None = None

    def __post_init__(self) -> None:
        conditions = [f.name for f in fields(self) if f.name != "ids" and getattr(self, f.name) is not None]
        if (self.ids is None) == (not conditions):
            message = (
                "say what to forget: either ids, or conditions: where, session_id, of_project, since, until; "
                "forget_everything takes all there is of a user or agent"
            )
            raise InvalidInput(message)

    def of(self, memory: Remembered) -> bool:
        """Whether a memory meets every condition but `where`."""
        rests = not isinstance(memory, Episode) and bool(memory.evidence)
        return self._holds(memory.session_id, memory.project_id, memory.timestamp_us, rests=rests)

    def of_line(self, line: Line) -> bool:
        """Whether an archived memory meets every condition."""
        if self.ids is not None:
            return line["id"] in self.ids
        at_us = line["timestamp_us"] if line["kind"] == "episode" else line["valid_from_us"]
        rests = bool(line.get("evidence"))
        held = self._holds(line["session_id"], line["project_id"], at_us, rests=rests)
        return held and (self.where is None or matches(line, self.where))

    def _holds(self, session_id: str | None, project_id: str | None, at_us: int, *, rests: bool) -> bool:
        return (
            (self.session_id is None or (session_id == self.session_id and not rests))
            and self.project_id in {None, project_id}
            and (self.since_us is None or at_us >= self.since_us)
            and (self.until_us is None or at_us <= self.until_us)
        )


def selected(
    store: Store,
    partition: Partition,
    what: Selection,
    in_scope: Callable[[Remembered], bool],
    archived: Callable[[set[str]], set[str]],
) -> tuple[list[Remembered], list[str]]:
    """What of a partition is to be forgotten, and the ids of what only its archive has.

    archived: which of these ids the archive has, in the scope. Raises NotFound for an id that neither has.
    """
    if what.ids is None:
        return [one for one in _candidates(store, partition, what) if what.of(one) and in_scope(one)], []
    known = {key: one for key, one in store.get(partition, what.ids).items() if in_scope(one)}
    missing = [wanted for wanted in what.ids if wanted not in known]
    there = archived(set(missing)) if missing else set()
    for wanted in missing:
        if wanted not in there:
            message = f"no memory with id {echo(wanted)} is in this scope: nothing was forgotten"
            raise NotFound(message)
    return list(known.values()), missing


def _candidates(store: Store, partition: Partition, what: Selection) -> Iterable[Remembered]:
    """All that may match: of what the store finds by columns, what both ways of asking find."""
    asked = [what.where] if what.where else []
    asked += [{"session_id": what.session_id}] if what.session_id else []
    if not asked:
        return everything(store, partition)
    rows = sorted(set.intersection(*(store.matching(partition, where) for where in asked)))
    return _fetched(store, partition, rows)


def _fetched(store: Store, partition: Partition, rows: list[int]) -> Iterator[Remembered]:
    for start in range(0, len(rows), _PART):
        found = store.fetch(partition, rows[start : start + _PART])
        yield from (found[row] for row in sorted(found))
