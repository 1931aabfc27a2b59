"""Pages of the store as a whole: an overview, its jobs, its upkeep and its settings."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from starlette.responses import Response

from retentive.config import Settings
from retentive.redaction import redact
from retentive.server.pages.visit import Visit

#: What may open something in a URL: a password before the host, a value of the query that is named so.
_IN_PLACE = re.compile(r"(?<=://)([^/:\s]*):\S*@")
_IN_QUERY = re.compile(r"([?&][^=&\s]*(?:pass|secret|token|key)[^=&\s]*=)[^&\s]*", re.IGNORECASE)
_UPKEEP = ("process", "retain", "consolidate", "verify", "doctor", "rescan")


def overview(visit: Visit) -> Response:
    """Whose memory there is, and what asks for attention."""
    operator = visit.may("status")
    return visit.page(
        "overview.html",
        owners=visit.owners(),
        status=visit.ask("status") if operator else None,
        dead=visit.ask("list_dead_jobs") if operator else [],
        waiting=visit.ask("list_pending", query={"limit": "100"}) if visit.may("list_pending") else [],
        spent=visit.ask("usage", query={"by": "tenant"}) if visit.may("usage") else [],
    )


def jobs(visit: Visit) -> Response:
    """What waits, what gave up and why, and upkeep to start."""
    return visit.page(
        "jobs.html",
        status=visit.ask("status"),
        pending=visit.service.memory.pending(),
        dead=visit.ask("list_dead_jobs", query={"limit": "100"}),
        kinds=_UPKEEP,
    )


def started(visit: Visit) -> Response:
    """Give jobs that gave up another chance, or start upkeep in the background."""
    kind = visit.given("kind")
    if kind == "requeue":
        return visit.to("/jobs", done="requeued", count=visit.ask("requeue").count)
    return visit.to(f"/operations/{visit.ask('start_operation', body={'kind': kind}).id}")


def operation(visit: Visit) -> Response:
    """How far background work is."""
    return visit.page("operation.html", operation=visit.ask("get_operation", path=visit.path))


def settings(visit: Visit) -> Response:
    """Every setting as it is in force; what could open something is not shown."""
    status = visit.ask("status")
    return visit.page("settings.html", settings=shown_settings(visit.service.memory.settings), status=status)


def shown_settings(given: Settings) -> list[tuple[str, str, bool]]:
    """Name, value and whether it differs from the default; keys say only that they are set.

    >>> shown_settings(Settings(url="postgresql://ann:hunter2@db/x?sslpassword=abc"))[0]
    ('url', 'postgresql://ann:***@db/x?sslpassword=***', True)
    """
    plain = Settings()
    values = {field.name: getattr(given, field.name) for field in fields(given)}
    return [(name, _shown(name, value), value != getattr(plain, name)) for name, value in values.items()]


def _shown(name: str, value: Any) -> str:
    if name.endswith("_key"):
        return "set, not shown" if value else "not set"
    if value is None or value == ():
        return "–"
    text = ", ".join(value) if isinstance(value, tuple) else str(value)
    return redact(_IN_QUERY.sub(r"\1***", _IN_PLACE.sub(r"\1:***@", text))).text
