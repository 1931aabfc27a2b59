"""Pages of the people responsible: what waits for their word, who may call, and who did what."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from retentive.server.pages.views import filled
from retentive.server.pages.visit import Visit
from retentive.types import RIGHTS


# -- review ------------------------------------------------------------------------------------------------------------
def waiting(visit: Visit) -> Response:
    """Facts that wait for a person."""
    return visit.page("review.html", waiting=visit.ask("list_pending", query={"limit": "100"}))


def decided(visit: Visit) -> Response:
    """Let one count, as it is or in a person's words, or take it out with the reason."""
    path = {"id": visit.given("id")}
    if visit.given("decision") == "reject":
        visit.ask("reject", path=path, body={"why": visit.given("why") or "turned down by a person"})
    else:
        words = visit.given("text")
        visit.ask("approve", path=path, body={"text": words} if words != visit.given("was") else {})
    done = "rejected" if visit.given("decision") == "reject" else "approved"
    return visit.to("/review", done=done)


# -- keys --------------------------------------------------------------------------------------------------------------
def keys(visit: Visit) -> Response:
    """Every key of the tenant there ever was."""
    return _keys(visit)


def _keys(visit: Visit, made: Any = None) -> Response:
    return visit.page("keys.html", keys=visit.ask("list_keys")[::-1], rights=RIGHTS, made=made)


def changed(visit: Visit) -> Response:
    """Make, rotate or revoke a key. The text of a new one is on the page that answers, and nowhere after it."""
    action, path = visit.given("action"), {"id": visit.given("id")}
    if action == "revoke":
        visit.ask("revoke_key", path=path)
        return visit.to("/keys", done="revoked")
    if action == "rotate":
        return _keys(visit, visit.ask("rotate_key", path=path, body={}))
    rate, users = visit.given("rate_minute"), visit.given("users").split(",")
    body: dict[str, Any] = {
        "name": visit.given("name"),
        "rights": [right for right in RIGHTS if visit.given(f"right_{right}")],
        "users": [user.strip() for user in users if user.strip()],
        "expires_at": visit.moment("expires_at"),
        "rate_minute": int(rate) if rate.isascii() and rate.isdecimal() else rate,
    }
    return _keys(visit, visit.ask("create_key", body=filled(body)))


# -- audit -------------------------------------------------------------------------------------------------------------
def audit(visit: Visit) -> Response:
    """Who did what to which memories, newest first; and whether that was tampered with, where that is asked."""
    asked = {name: visit.given(name) for name in ("actor", "verb", "memory_id", "user_id", "agent_id", "cursor")}
    asked |= {"since": visit.moment("since"), "until": visit.moment("until"), "limit": "100"}
    head = visit.given("head")
    check = visit.ask("audit_verify", query=filled({"head": head})) if visit.given("verify") else None
    return visit.page("audit.html", page=visit.ask("audit", query=filled(asked)), check=check)
