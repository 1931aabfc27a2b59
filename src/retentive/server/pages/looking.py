"""Pages that look as an agent does: recall with its trace, the block for the prompt, beliefs in time, the graph."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from retentive.clock import optional_us
from retentive.results import Item, Recall
from retentive.server.pages import drawing
from retentive.server.pages.graph import graph_of
from retentive.server.pages.views import filled
from retentive.server.pages.visit import Visit
from retentive.server.problems import Refused
from retentive.types import CATEGORIES

_SHOWN = 60  # facts of a timeline
_GRAPHED = 400  # facts that a graph is drawn from


def _whole(visit: Visit, name: str) -> int | None:
    """A field that holds a whole number. Raises Refused (422)."""
    text = visit.given(name)
    if text and not (text.isascii() and text.isdecimal()):
        raise Refused(422, f"{name} is a whole number, not {text[:20]!r}")
    return int(text) if text else None


# -- recall --------------------------------------------------------------------------------------------------------
def recalled(visit: Visit) -> Response:
    """What a query finds, how each score came about, and what it costs in the prompt."""
    found: Recall | None = visit.mine("recall", body=_query(visit)) if visit.given("q") else None
    trace: Any = None if found is None else found.trace
    return visit.page(
        "recall.html",
        found=found,
        trace=trace,
        bars=drawing.score_bars(trace) if trace else [],
        arms=drawing.arms_of(trace) if trace else [],
        tokens=sum(hit["tokens"] for hit in trace["hits"]) if trace else 0,
        categories=CATEGORIES,
    )


def _query(visit: Visit) -> dict[str, Any]:
    tier, category = visit.given("tier"), visit.given("category")
    body: dict[str, Any] = {"query": visit.given("q"), "explain": True}
    body |= {name: _whole(visit, name) for name in ("k", "budget_tokens")}
    body |= {name: visit.moment(name) for name in ("since", "until", "as_of", "known_at", "now")}
    body |= {"tiers": [tier] if tier else None, "where": {"category": category} if category else None}
    return filled(body)


# -- block ---------------------------------------------------------------------------------------------------------
def block(visit: Visit) -> Response:
    """The text that goes into the prompt, its stable and its volatile part told apart."""
    body = {"query": visit.given("q"), "tag": visit.given("tag")}
    numbers = {name: _whole(visit, name) for name in ("budget_tokens", "k", "episodes")}
    return visit.page("block.html", block=visit.mine("block", body=filled(body | numbers)))


# -- beliefs in time -----------------------------------------------------------------------------------------------
def timeline(visit: Visit) -> Response:
    """What was believed when: each fact from when it was learnt to when it was given up; and all of one moment."""
    as_of, known_at, query = visit.moment("as_of"), visit.moment("known_at"), visit.given("q")
    facts = visit.mine("list_memories", query={"tier": "semantic", "status": "any", "limit": str(_SHOWN)}).items
    then: list[Item] | None = None
    profile: dict[str, str] = {}
    if query and (as_of or known_at):
        body = {"query": query, "as_of": as_of, "known_at": known_at, "tiers": ["semantic"], "k": 20}
        then = [hit.item for hit in visit.mine("recall", body=filled(body)).hits]
    elif as_of:
        then = visit.mine("list_memories", query={"tier": "semantic", "as_of": as_of, "limit": "100"}).items
        profile = visit.mine("get_profile", query={"as_of": as_of})
    return visit.page(
        "timeline.html",
        lines=drawing.life_lines(facts, optional_us(as_of or None)),
        then=then,
        profile=profile,
    )


# -- graph ---------------------------------------------------------------------------------------------------------
def graph(visit: Visit) -> Response:
    """Whom and what the facts name, and how they hang together."""
    facts = visit.mine("list_memories", query={"tier": "semantic", "limit": str(_GRAPHED)}).items
    return visit.page("graph.html", graph=graph_of(visit.owner, facts), facts=len(facts))
