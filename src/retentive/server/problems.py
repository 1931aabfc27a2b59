"""Errors as problem details (RFC 9457): one table from our error classes to what HTTP calls them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.responses import JSONResponse

from retentive import errors
from retentive.models.schema import Schema

MEDIA_TYPE = "application/problem+json"

#: The first class that fits, from the narrow to the wide.
STATUS: tuple[tuple[type[errors.RetentiveError], int], ...] = (
    (errors.TextTooLong, 422),
    (errors.InvalidInput, 422),
    (errors.ImportFailed, 422),
    (errors.ConfigError, 422),
    (errors.MissingExtra, 501),
    (errors.NotFound, 404),
    (errors.Conflict, 409),
    (errors.EmbedderMismatch, 409),
    (errors.LimitReached, 429),
    (errors.StoreBusy, 503),
    (errors.StoreUnavailable, 503),
    (errors.StoreReadOnly, 503),
    (errors.StoreClosed, 503),
    (errors.StoreFull, 507),
    (errors.ModelUnavailable, 503),
    (errors.EmbedderUnavailable, 503),
    (errors.ModelError, 502),
    (errors.RetentiveError, 500),
)

SCHEMA: Schema = {
    "type": "object",
    "description": "RFC 9457 problem details.",
    "properties": {
        "type": {"type": "string", "description": "Which problem it is: a URN that stays the same."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What is wrong, and what to do about it."},
    },
    "required": ["type", "title", "status", "detail"],
}


class Refused(Exception):
    """A request that never reached a verb: the status, why, and headers that belong to it."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers = status, detail, headers


def status_of(error: errors.RetentiveError) -> int:
    """The HTTP status of an error of ours.

    >>> status_of(errors.InvalidScope()), status_of(errors.NotFound()), status_of(errors.StoreBusy())
    (422, 404, 503)
    """
    return next(status for kind, status in STATUS if isinstance(error, kind))


def from_error(error: errors.RetentiveError) -> JSONResponse:
    """The answer to a request whose verb raised an error of ours."""
    status = status_of(error)
    wait_s = getattr(error, "retry_after_s", None)
    headers = {"retry-after": str(int(wait_s or 1))} if status in {429, 503} else None
    return problem(status, str(error), headers, name=_kebab(type(error).__name__))


def problem(
    status: int, detail: str, headers: Mapping[str, str] | None = None, *, name: str | None = None
) -> JSONResponse:
    """A problem document."""
    title = HTTPStatus(status).phrase
    body: dict[str, Any] = {
        "type": f"urn:retentive:{name or _kebab(title)}",
        "title": title,
        "status": status,
        "detail": detail,
    }
    return JSONResponse(body, status, dict(headers or {}), media_type=MEDIA_TYPE)


def _kebab(name: str) -> str:
    """A name as part of a URN.

    >>> _kebab("StoreBusy"), _kebab("Not Found")
    ('store-busy', 'not-found')
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[^A-Za-z]+", "-", name).lower()
