"""A recall's trace as tables: a column a hit, a line an arm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from retentive.cli.output import printable, short, table

#: Hits beside each other in one table; more go into the next one.
_COLUMNS = 6


def trace_lines(trace: Mapping[str, Any]) -> list[str]:
    """What was looked for, then the hits' scores arm by arm; nothing of a trace that is not there.

    A cell has the arm's own score, from 0 to 1, and the part it has in the hit's: score times share times decay.
    """
    if not trace:
        return []
    return ["", *_query_lines(trace), *_hit_tables(trace), *_left_out(trace)]


def _query_lines(trace: Mapping[str, Any]) -> Iterator[str]:
    for name, found in (
        ("words", [f"{word['text']} {word['weight']:g}" for word in trace["words"]]),
        ("names", trace["names"]),
        ("days", trace["days"]),
    ):
        if found:
            yield f"{name}: {', '.join(printable(one) for one in found)}"
    waiting = f", {trace['waiting_for_vector']} without a vector yet" if trace["waiting_for_vector"] else ""
    yield f"in view: {trace['in_view']}{waiting}; ages counted from {trace['now']}"


def _hit_tables(trace: Mapping[str, Any]) -> Iterator[str]:
    hits = trace["hits"]
    for start in range(0, len(hits), _COLUMNS):
        part = hits[start : start + _COLUMNS]
        head = ["ARM", "SHARE", *(f"{place}." for place in range(start + 1, start + len(part) + 1))]
        yield ""
        yield from table(head, _rows(trace["shares"], part))


def _rows(shares: Mapping[str, float], hits: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    for arm in sorted(shares, key=lambda name: -shares[name]):
        cells = [hit["arms"].get(arm) for hit in hits]
        yield [arm, f"{shares[arm]:.2f}", *(f"{c['score']:.2f} > {c['part']:.3f}" if c else "-" for c in cells)]
    yield ["decay", "", *(f"x {hit['decay']:.3f}" for hit in hits)]
    for name, key in (("repeats", "mmr_penalty"), ("outdated", "outdated")):
        if any(hit[key] for hit in hits):
            yield [name, "", *(f"-{hit[key]:.3f}" if hit[key] else "-" for hit in hits)]
    yield ["score", "", *(f"{hit['score']:.3f}" for hit in hits)]
    yield ["tokens", "", *(str(hit["tokens"]) for hit in hits)]
    yield ["ahead by", "", *(_ahead(hit["runner_up"]) for hit in hits)]


def _ahead(runner_up: Mapping[str, Any] | None) -> str:
    """By how much the next one is behind, and the arm that makes the difference."""
    return "-" if runner_up is None else f"{runner_up['behind']:.3f} {runner_up['arm'] or ''}".rstrip()


def _left_out(trace: Mapping[str, Any]) -> Iterator[str]:
    rows = [(short(one["id"]), f"{one['score']:.3f}", one["why"]) for one in trace["left_out"]]
    if rows:
        yield ""
        yield from table(("LEFT OUT", "SCORE", "WHY"), rows)
