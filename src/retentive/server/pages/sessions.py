"""Pages of conversations, and of taking a memory along: what was said, in files out and in."""

from __future__ import annotations

from starlette.responses import Response

from retentive.server.pages.visit import Visit


def listed(visit: Visit) -> Response:
    """The conversations that spoke last."""
    return visit.page("sessions.html", sessions=visit.mine("list_sessions", query={"limit": "200"}))


def one(visit: Visit) -> Response:
    """One conversation, its last messages oldest first."""
    known = visit.given("id")
    messages = visit.mine("session_messages", path={"id": known}, query={"limit": "500"})
    found = [one for one in visit.mine("list_sessions", query={"limit": "1000"}) if one.id == known]
    return visit.page("session.html", id=known, session=found[0] if found else None, messages=messages)


def ended(visit: Visit) -> Response:
    """End it: what it was about is said in the background."""
    known = visit.given("id")
    visit.mine("end_session", path={"id": known})
    return visit.to("/session", id=known, done="ended")


def transfer(visit: Visit) -> Response:
    """Export and import."""
    return visit.page("transfer.html", receipt=None)


def exported(visit: Visit) -> Response:
    """All that is stored, every version, as a file."""
    response: Response = visit.mine("export")
    response.headers["content-disposition"] = 'attachment; filename="memories.jsonl"'
    return response


def imported(visit: Visit) -> Response:
    """Take in an export, all of it or nothing."""
    return visit.page("transfer.html", receipt=visit.mine("import", body=visit.given("lines")))
