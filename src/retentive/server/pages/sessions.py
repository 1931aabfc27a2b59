"""Pages of conversations, and of a whole memory: in files out and in, and erased."""

from __future__ import annotations

from starlette.responses import Response

from retentive.errors import NotFound
from retentive.server.pages.visit import Visit
from retentive.server.problems import Refused

_DEAREST = 20  # memories shown by what they took


def listed(visit: Visit) -> Response:
    """The conversations that spoke last."""
    return visit.page("sessions.html", sessions=visit.mine("list_sessions", query={"limit": "200"}))


def one(visit: Visit) -> Response:
    """One conversation, its last messages oldest first."""
    known = visit.given("id")
    messages = visit.mine("session_messages", path={"id": known}, query={"limit": "500"})
    found = [one for one in visit.mine("list_sessions", query={"limit": "1000"}) if one.id == known]
    usage = visit.mine("session_usage", path={"id": known})
    dearest = [(one, _text(visit, one.memory_id)) for one in usage.memories[:_DEAREST]]
    session = found[0] if found else None
    return visit.page("session.html", id=known, session=session, messages=messages, usage=usage, dearest=dearest)


def _text(visit: Visit, memory_id: str | None) -> str:
    """A memory's words; empty where it is no longer there, or in another scope."""
    try:
        return visit.mine("get_memory", path={"id": memory_id}).text if memory_id else ""
    except NotFound:
        return ""


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


def to_erase(visit: Visit) -> Response:
    """What would go with all of it, before anything goes."""
    return visit.page("erase.html", report=visit.mine("forget_everything", query={"dry_run": "true"}))


def erased(visit: Visit) -> Response:
    """Erase all that is stored of a user or an agent, by whoever writes their name. Raises Refused (422)."""
    if visit.given("name") != visit.owner:
        raise Refused(422, "nothing was erased: write the name of the user or agent as it stands above")
    report = visit.mine("forget_everything", query={"verify": "true" if visit.given("verify") == "yes" else "false"})
    return visit.page("erase.html", report=report)
