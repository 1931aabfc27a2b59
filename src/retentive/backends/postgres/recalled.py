"""What a recall found, read in one message to the server: messages, facts with their evidence, and what is outdated."""

from __future__ import annotations

from collections.abc import Sequence

from retentive.backends.postgres.database import Asked, PostgresDatabase
from retentive.contracts import Remembered
from retentive.sql import rows
from retentive.sql.database import marks
from retentive.sql.transaction import SELECT_EPISODE, SELECT_FACT, outdated
from retentive.types import Evidence, Partition

_OWNED = "EXISTS (SELECT 1 FROM partition p WHERE p.no = ? AND p.tenant = ? AND p.kind = ? AND p.owner = ?)"
_EVIDENCE = (
    "SELECT v.fact_id, v.episode_id, v.quote FROM evidence v "
    "WHERE v.fact_id IN (SELECT id FROM fact WHERE row IN ({rows}) AND {owned}) ORDER BY 1, 2, 3"
)


def recalled(
    database: PostgresDatabase, partition: Partition, wanted: Sequence[int]
) -> tuple[dict[int, Remembered], set[str]]:
    """As `contracts.Store.recalled` says, for rows of one partition."""
    no = wanted[0] >> rows.SEQ_BITS
    here = [row for row in wanted if row >> rows.SEQ_BITS == no]
    whose = (no, *partition)
    of_it = f"WHERE row IN ({marks(here)}) AND {_OWNED}"
    asked: tuple[Asked, ...] = (
        (SELECT_EPISODE + of_it, (*here, *whose)),
        (SELECT_FACT + of_it, (*here, *whose)),
        (_EVIDENCE.format(rows=marks(here), owned=_OWNED), (*here, *whose)),
        (outdated(f"e.row IN ({marks(here)}) AND {_OWNED}"), (*here, *whose, *rows.row_range(no))),
    )
    episodes, facts, evidence, past = database.ask(partition.tenant, *asked)
    rests_on: dict[str | None, list[Evidence]] = {}
    for fact_id, episode_id, quote in evidence:
        rests_on.setdefault(rows.id_text(fact_id), []).append(Evidence(str(rows.id_text(episode_id)), quote))
    found: dict[int, Remembered] = {one.row: one for one in map(rows.episode_from, episodes)}
    id_place = rows.FACT_COLUMNS.index("id")
    for values in facts:
        fact = rows.fact_from(values, rests_on.get(rows.id_text(values[id_place]), ()))
        found[fact.row] = fact
    return found, {str(rows.id_text(key)) for (key,) in past}
