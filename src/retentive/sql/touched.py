"""Which rows a revision of a partition touched, so that readers who know an older one read only those again."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from retentive.sql import rows
from retentive.sql.database import Connection

#: At least this many revisions of a partition are kept; a reader further behind reads the partition anew.
KEPT = 2000


def touch(
    connection: Connection,
    partition_no: int,
    revision: int,
    touched: Sequence[int] | None,
    last_seq: int | None = None,
) -> None:
    """Raise the partition's revision, naming the rows that other readers must read again; None: all of them.

    last_seq: the number of its last row, where it has new ones.
    """
    first = partition_no << rows.SEQ_BITS
    if touched is not None:
        note = (first | revision, array("q", touched).tobytes())
        connection.execute("INSERT INTO touched VALUES (?, ?)", note)
    sql = "UPDATE partition SET revision = ?, last_seq = coalesce(?, last_seq) WHERE no = ?"
    connection.execute(sql, (revision, last_seq, partition_no))
    if revision % KEPT == 0:
        old = (first, first | revision - KEPT)
        connection.execute("DELETE FROM touched WHERE revision BETWEEN ? AND ?", old)
