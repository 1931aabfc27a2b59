"""Erasing where the disk has no room for one transaction: a few memories at a time, each wholly or not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from retentive.contracts import Erased
from retentive.errors import StoreFull
from retentive.results import added
from retentive.sql import rows
from retentive.sql.database import SqlDatabase, fetch, fetch_value
from retentive.types import Partition

#: What is taken at once at first; less where that is still too much.
_PIECE_ROWS = 64
_CACHED_ROWS = 100
_TABLES = ("episode", "fact")
_NUMBER = "SELECT no FROM partition WHERE tenant = ? AND kind = ? AND owner = ?"


def erase_in_pieces(
    database: SqlDatabase,
    partition: Partition,
    wanted: Sequence[int] | None,
    erase: Callable[[list[int] | None], Erased],
) -> Erased:
    """Erase these rows, or all of a partition and at the end itself, with the space set aside.

    erase: takes a piece, in a transaction of its own. Raises StoreFull where even one memory does not fit: what went
    until then is gone.
    """
    database.make_room()
    _empty_cache(database, partition)
    todo = _rows_of(database, partition) if wanted is None else list(wanted)
    total, size, done = len(todo), _PIECE_ROWS, list[Erased]()
    while todo or wanted is None:
        piece = todo[:size] or None
        try:
            done.append(erase(piece))
        except StoreFull as error:
            if size == 1:
                raise _still_full(total - len(todo), total) from error
            size //= 2
        else:
            del todo[:size]
            if piece is None:
                break
        finally:
            database.make_room()
    return _together(done)


def _empty_cache(database: SqlDatabase, partition: Partition) -> None:
    """The cache of document vectors, which an erasure empties, may be larger than the space there is."""
    sql = "DELETE FROM embedding WHERE no IN (SELECT no FROM embedding LIMIT ?)"
    some = True
    while some:
        with database.write(partition.tenant) as connection:
            connection.execute(sql, (_CACHED_ROWS,))
            some = connection.changes() > 0
        database.make_room()


def _rows_of(database: SqlDatabase, partition: Partition) -> list[int]:
    with database.read(partition.tenant) as connection:
        number = fetch_value(connection, _NUMBER, partition)
        bounds = rows.row_range(-1 if number is None else number)
        found = (fetch(connection, f"SELECT row FROM {t} WHERE row BETWEEN ? AND ?", bounds) for t in _TABLES)  # noqa: S608
        return [row for each in found for (row,) in each]


def _still_full(done: int, total: int) -> StoreFull:
    message = (
        f"the disk is full: {done} of {total} memories were forgotten, the others stand as they were; "
        "free some space and repeat the call"
    )
    return StoreFull(message)


def _together(done: Sequence[Erased]) -> Erased:
    """What several erasures took, as of one."""
    ids = dict.fromkeys(one for each in done for one in each.ids)
    return Erased(tuple(ids), added(*(one.places for one in done)))
