"""Forgetting: the memories named, with everything derived from them, and a report counted after looking."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from retentive.contracts import Remembered, Store, Where
from retentive.echo import echo
from retentive.errors import InvalidInput, NotFound
from retentive.results import ErasureReport
from retentive.types import Partition


def forget(
    store: Store,
    partition: Partition,
    ids: Sequence[str] | None,
    where: Where | None,
    in_scope: Callable[[Remembered], bool],
) -> ErasureReport:
    """Erase by id or by filter what is in scope. Raises NotFound, having erased nothing, when an id is not."""
    if (ids is None) == (where is None):
        message = "say what to forget: ids, or where={...}; forget_everything() takes all"
        raise InvalidInput(message)
    if where is not None:
        found = store.fetch(partition, sorted(store.matching(partition, where)))
        rows = sorted(row for row, memory in found.items() if in_scope(memory))
        erased = tuple(dict.fromkeys(found[row].id for row in rows))
    else:
        assert ids is not None  # noqa: S101  one of the two is given
        known = store.get(partition, ids)
        missing = [wanted for wanted in ids if wanted not in known or not in_scope(known[wanted])]
        if missing:
            message = f"no memory with id {echo(missing[0])} is in this scope: nothing was forgotten"
            raise NotFound(message)
        rows, erased = [known[wanted].row for wanted in ids], tuple(ids)
    return ErasureReport(erased, tuple(store.erase(partition, rows)) if rows else ())


def forget_everything(store: Store, partition: Partition) -> ErasureReport:
    """Erase a whole partition: every episode, fact, version, vector, session and job of it."""
    return ErasureReport((), tuple(store.erase(partition, None)))
