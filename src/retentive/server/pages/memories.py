"""Pages of memories: all of them with filters, one with everything there is about it, and what a person does to it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from retentive.block import escape
from retentive.results import Item, Page, Recall
from retentive.server.pages.views import filled
from retentive.server.pages.visit import Visit
from retentive.types import CATEGORIES, KEPT_CATEGORIES, Status

_PAGE = 50
_AROUND = 2  # messages before and after the one that is cited
_LOOK_BACK = 1000  # messages of a session that are looked through for it


# -- all of them -------------------------------------------------------------------------------------------------------
def listed(visit: Visit) -> Response:
    """Memories, newest first, or those that answer a search best."""
    where = _where(visit)
    if visit.given("q"):
        found: Recall = visit.mine("recall", body=_search(visit, where))
        items, cursor, degraded = [hit.item for hit in found.hits], None, found.degraded
    else:
        page: Page = visit.mine("list_memories", query=_listing(visit, where))
        items, cursor, degraded = list(page.items), page.cursor, ()
    return visit.page(
        "memories.html",
        items=items,
        cursor=cursor,
        degraded=degraded,
        narrowed=bool(where) or any(visit.given(name) for name in ("q", "tier", "as_of", "status")),
        categories=KEPT_CATEGORIES,
        stated=CATEGORIES,
        statuses=[*map(str, Status), "any"],
    )


def _where(visit: Visit) -> dict[str, str]:
    """The conditions that the filters set; `key=value` is one on the metadata."""
    key, _, value = visit.given("meta").partition("=")
    named = {"category": visit.given("category"), "session_id": visit.given("session_id"), key.strip(): value.strip()}
    return filled({name: text for name, text in named.items() if name})


def _search(visit: Visit, where: dict[str, str]) -> dict[str, Any]:
    tier = visit.given("tier")
    asked = {"query": visit.given("q"), "k": _PAGE, "where": where or None, "as_of": visit.moment("as_of")}
    return filled(asked | {"tiers": [tier] if tier else ["semantic", "episodic"]})


def _listing(visit: Visit, where: dict[str, str]) -> dict[str, str]:
    asked = {name: visit.given(name) for name in ("tier", "status", "cursor")}
    asked |= {"as_of": visit.moment("as_of"), "where": json.dumps(where) if where else "", "limit": str(_PAGE)}
    return filled(asked)


def remembered(visit: Visit) -> Response:
    """Keep what a person states."""
    body = {name: visit.given(name) for name in ("text", "category", "field")}
    body["expires_at"] = visit.moment("expires_at")
    receipt = visit.mine("remember", body=filled(body | {"evergreen": visit.given("evergreen") == "yes"}))
    item = receipt.items[0]
    return visit.to(f"/memories/{item.id}", done=item.outcome) if item.id else visit.to("/memories", done=item.outcome)


# -- one -----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Line:
    """A message of a conversation; where it is cited, its text in three parts, the quote in the middle."""

    item: Item
    parts: tuple[str, str, str] | None = None


def one(visit: Visit) -> Response:
    """A memory: its words, what it rests on, its versions, and who did what to it."""
    why = visit.mine("why", path=visit.path)
    item: Item = why.item
    entries = ()
    if visit.may("audit"):
        entries = visit.ask("audit", query={"memory_id": item.id, "limit": "20"}).entries
    cited = why.evidence or ([(item.text, item)] if item.tier == "episodic" else [])
    return visit.page(
        "memory.html",
        item=item,
        conversations=[_conversation(visit, quote, episode) for quote, episode in cited],
        versions=why.versions,
        in_block=in_block if (in_block := escape(item.text)) != item.text else "",
        entries=entries,
        categories=CATEGORIES,
    )


def _conversation(visit: Visit, quote: str, episode: Item) -> list[Line]:
    if episode.session_id is None:
        return [_cited(quote, episode)]
    query = {"limit": str(_LOOK_BACK)}
    return around(visit.mine("session_messages", path={"id": episode.session_id}, query=query), quote, episode)


def around(messages: Sequence[Item], quote: str, episode: Item) -> list[Line]:
    """The message that is cited among those beside it; alone where the conversation went on for too long since."""
    place = next((place for place, message in enumerate(messages) if message.id == episode.id), None)
    if place is None:
        return [_cited(quote, episode)]
    near = messages[max(0, place - _AROUND) : place + _AROUND + 1]
    return [_cited(quote, message) if message.id == episode.id else Line(message) for message in near]


def _cited(quote: str, episode: Item) -> Line:
    return Line(episode, episode.text.partition(quote) if quote in episode.text else None)


def corrected(visit: Visit) -> Response:
    """Give a fact the words and marks that a person gives it: what differs from the version they saw."""
    item: Item = visit.mine("get_memory", path=visit.path)
    evergreen = visit.given("evergreen") == "yes"
    wanted = {"text": visit.given("text"), "category": visit.given("category"), "evergreen": evergreen}
    changes = {name: value for name, value in wanted.items() if value != (getattr(item, name) or "")}
    if not changes:
        return visit.to(visit.place, done="unchanged")
    visit.mine("update_memory", path=visit.path, body=changes, headers={"if-match": visit.given("version")})
    return visit.to(visit.place, done="corrected")


def to_forget(visit: Visit) -> Response:
    """What would go with it, before anything goes."""
    would = visit.mine("forget", body={"ids": [visit.path["id"]], "dry_run": True})
    return visit.page("forget.html", item=visit.mine("get_memory", path=visit.path), report=would)


def forgotten(visit: Visit) -> Response:
    """Erase it, and say what was looked into."""
    report = visit.mine("forget", body={"ids": [visit.path["id"]], "verify": visit.given("verify") == "yes"})
    return visit.page("forget.html", item=None, report=report)


# -- the profile ---------------------------------------------------------------------------------------------------
def profile(visit: Visit) -> Response:
    """The capped fields that are always in the prompt, and the facts that they come from."""
    facts = visit.mine("list_memories", query={"tier": "semantic", "limit": "1000"}).items
    return visit.page(
        "profile.html",
        names=visit.service.memory.settings.profile_fields,
        values=visit.mine("get_profile"),
        sources={fact.field: fact for fact in reversed(facts) if fact.field},
    )


def profile_set(visit: Visit) -> Response:
    """Set the fields that were changed; one that was emptied is no longer believed."""
    there: Mapping[str, str] = visit.mine("get_profile")
    names = visit.service.memory.settings.profile_fields
    changes = {name: visit.given(name) or None for name in names if visit.given(name) != there.get(name, "")}
    if changes:
        visit.mine("update_profile", body=changes)
    return visit.to("/profile", done="corrected" if changes else "unchanged")
