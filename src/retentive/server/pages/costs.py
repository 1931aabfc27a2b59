"""The page of meters: what model calls took, in tokens and money, by what one asks for."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.responses import Response

from retentive.clock import format_us, now_us
from retentive.contracts.ledger import HOUR_US, USAGE_KEYS, Spent
from retentive.server.pages import drawing
from retentive.server.pages.visit import Visit

_HOURS = 48
_CHART_HEIGHT = 60


def usage(visit: Visit) -> Response:
    """Totals, the last hours, and a table by what is chosen."""
    by = visit.given("by") or "operation"
    rows: list[Spent] = visit.ask("usage", query={"by": by})
    by_hour: list[Spent] = visit.ask("usage", query={"by": "hour"})
    hours = hourly(by_hour, now_us())
    limits = visit.service.memory.settings
    return visit.page(
        "usage.html",
        by=by,
        keys=USAGE_KEYS,
        rows=sorted(rows, key=lambda row: -row.tokens),
        calls=sum(row.calls for row in rows),
        failed=sum(row.failed for row in rows),
        tokens=sum(row.tokens for row in rows),
        cached=sum(row.usage.cached_tokens for row in rows),
        cost=_together(rows),
        hours=hours,
        columns=drawing.columns([tokens for _, tokens in hours], _CHART_HEIGHT),
        this_hour=hours[-1][1],
        this_cost=_together([row for row in by_hour if row.key[0] == hours[-1][0]]) or 0.0,
        limit_tokens=limits.limit_tokens_hour,
        limit_cost=limits.limit_cost_hour,
    )


def hourly(spent: Sequence[Spent], now: int) -> list[tuple[str, int]]:
    """Tokens of each of the last hours, oldest first, also of those in which nothing was spent."""
    known = {row.key[0]: row.tokens for row in spent}
    this = now // HOUR_US * HOUR_US
    hours = [format_us(this - ago * HOUR_US) for ago in reversed(range(_HOURS))]
    return [(hour, known.get(hour, 0)) for hour in hours]


def _together(rows: Sequence[Spent]) -> float | None:
    """The cost of those whose price is known; None where no price is."""
    known = [row.usage.cost for row in rows if row.usage.cost is not None]
    return sum(known) if known else None
