"""One visit of a page: who comes, what was asked and sent, and the verbs, called as REST calls them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response

from retentive.server.access import Caller
from retentive.server.app import ROUTES
from retentive.server.pages.views import Views, filled
from retentive.server.problems import Refused
from retentive.server.reading import checked_query, refuse_misfit
from retentive.server.routing import SCOPE, Call
from retentive.server.service import Service
from retentive.types import Partition

_BY_NAME = {route.name: route for route in ROUTES}
_WITHOUT_ZONE = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?")


@dataclass(frozen=True, slots=True)
class Visit:
    """What a page is made from. `token` is for its forms, `place` its own path; `form` is what one of them sent."""

    service: Service
    caller: Caller
    views: Views
    place: str
    path: Mapping[str, str]
    query: Mapping[str, str]
    token: str
    form: Mapping[str, str] | None = None

    # -- the verbs ---------------------------------------------------------------------------------------------------
    def may(self, name: str) -> bool:
        """Whether this visitor may call a verb, by its name in the REST table."""
        route = _BY_NAME[name]
        try:
            self.service.access.check(self.caller, route.right, operator=route.operator)
        except Refused:
            return False
        return True

    def ask(
        self,
        name: str,
        *,
        path: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Call a verb with the rights, the checks and the handler of its REST route. Raises Refused, RetentiveError."""
        route = _BY_NAME[name]
        self.service.access.check(self.caller, route.right, operator=route.operator)
        asked = checked_query(route, list((query or {}).items()))
        if route.body is not None:
            refuse_misfit(body, route.body)
        call = Call(self.service.memory, self.caller, self.service.operations, path or {}, asked, body, headers or {})
        return route.handler(call)

    def mine(self, name: str, *, query: Mapping[str, str] | None = None, **more: Any) -> Any:
        """Call a verb of the memory that this page is about."""
        return self.ask(name, query={**self.scope, **(query or {})}, **more)

    # -- whose memory ------------------------------------------------------------------------------------------------
    @property
    def scope(self) -> dict[str, str]:
        """Whose memory the page is about, as its address says."""
        return {name: self.query[name] for name in SCOPE if self.query.get(name)}

    @property
    def owner(self) -> str:
        """The user, or the agent where there is none."""
        return self.scope.get("user_id") or self.scope.get("agent_id", "")

    def owners(self) -> list[Partition]:
        """Whose memory this visitor may choose from, as far as they may know."""
        if self.caller.key is not None and self.caller.key.users:
            return [Partition(self.caller.tenant, "user", user) for user in self.caller.key.users]
        found: list[Partition] = self.ask("list_owners") if self.may("list_owners") else []
        return found

    # -- what was given ----------------------------------------------------------------------------------------------
    def given(self, name: str) -> str:
        """A field of the form, or of the query, without space around it; empty where there is none."""
        return (self.query if self.form is None else self.form).get(name, "").strip()

    def moment(self, name: str) -> str:
        """A field that holds a time; what a date picker gives has no zone and means UTC."""
        text = self.given(name)
        return f"{text}Z" if _WITHOUT_ZONE.fullmatch(text) else text

    # -- answers -----------------------------------------------------------------------------------------------------
    def href(self, path: str, **query: Any) -> str:
        """The address of a page about the same memory."""
        asked = filled({**self.scope, **query})
        return f"{path}?{urlencode(asked)}" if asked else path

    def here(self, **query: Any) -> str:
        """The address of this page with some of its query changed."""
        return self.href(self.place, **{**self.query, **query})

    def page(self, template: str, code: int = 200, **values: Any) -> Response:
        """A page from its template."""
        return self.views.page(template, code, visit=self, **values)

    def to(self, path: str, **query: Any) -> Response:
        """Off to another page: what was sent is not sent again on reload."""
        return RedirectResponse(self.href(path, **query), 303)
