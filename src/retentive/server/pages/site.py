"""The site: from a request to a visit, from what it came to to a page; signing in and out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route as Path

from retentive.errors import RetentiveError
from retentive.server.access import Caller
from retentive.server.pages.signed_in import LASTS_S, SignedIn
from retentive.server.pages.views import Views
from retentive.server.pages.visit import Visit
from retentive.server.problems import Refused, status_of
from retentive.server.reading import decoded, read_body
from retentive.server.service import Service

_MOST_FIELDS = 100
Handler = Callable[[Visit], Response]


@dataclass(frozen=True, slots=True)
class Page:
    """One page: what shows it and what its forms do. scoped: it is about one user's or agent's memory."""

    path: str
    get: Handler
    post: Handler | None = None
    scoped: bool = False


class Site:
    """What all pages share: the templates, and who signed in."""

    def __init__(self) -> None:
        self.views, self.signed_in = Views(), SignedIn()

    def route(self, page: Page) -> Path:
        """A page among the routes of an application, which has the service in its state."""

        async def answer(request: Request) -> Response:
            service: Service = request.app.state.service
            return await service.counted(page.path, request, lambda: self._answer(service, page, request))

        return Path(page.path, answer, methods=["GET"] if page.post is None else ["GET", "POST"])

    def signing(self) -> list[Path]:
        """The ways in and out, and the files that pages load: no key is needed for them."""

        async def answer(request: Request) -> Response:
            service: Service = request.app.state.service
            return await service.counted(request.url.path, request, lambda: self._sign(service, request))

        async def file(request: Request) -> Response:
            return self.views.file(request.path_params["name"])

        return [
            Path("/sign-in", answer, methods=["GET", "POST"]),
            Path("/sign-out", answer, methods=["POST"]),
            Path("/static/{name}", file),
        ]

    # -- a page ------------------------------------------------------------------------------------------------------
    async def _answer(self, service: Service, page: Page, request: Request) -> Response:
        try:
            caller = await self._caller(service, request)
        except Refused as refused:
            if refused.status != 401:
                return self.views.page("problem.html", refused.status, refused=refused, visit=None)
            self.signed_in.end(_cookie(request))
            wanted = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            return RedirectResponse(f"/sign-in?next={quote(wanted, safe='')}", 303)
        visit = self._visit(service, caller, request)
        try:
            if request.method == "POST":
                visit = replace(visit, form=await self._form(service, request))
            response = await service.in_thread(lambda: _shown(page, visit))
            assert isinstance(response, Response)  # noqa: S101  as every handler returns
        except RetentiveError as error:
            return visit.page("problem.html", status_of(error), refused=Refused(status_of(error), str(error)))
        except Refused as refused:
            return visit.page("problem.html", refused.status, refused=refused)
        return response

    async def _caller(self, service: Service, request: Request) -> Caller:
        key = self.signed_in.key(_cookie(request))
        return await _known(service, request, None if key is None else f"Bearer {key}")

    def _visit(self, service: Service, caller: Caller, request: Request) -> Visit:
        query = {name: value for name, value in request.query_params.items() if value.strip()}
        token = self.signed_in.token(_cookie(request))
        return Visit(service, caller, self.views, request.url.path, request.path_params, query, token)

    async def _form(self, service: Service, request: Request) -> dict[str, str]:
        """The fields of a form. Raises Refused: 403 for one that this site did not make for this visitor."""
        text = decoded(await read_body(request, service.options))
        try:
            fields = dict(parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS))
        except ValueError as error:
            raise Refused(400, "that is no form of this site") from error
        if not self.signed_in.is_token(_cookie(request), fields.pop("token", "")):
            raise Refused(403, "this form is out of date: go back, load its page again and send it once more")
        return {name: value.replace("\r\n", "\n") for name, value in fields.items()}

    # -- in and out --------------------------------------------------------------------------------------------------
    async def _sign(self, service: Service, request: Request) -> Response:
        cookie = _cookie(request)
        then = _local(request.query_params.get("next", "/"))
        try:
            if request.method == "GET":
                return self._sign_in_page(request, then)
            form = await self._form(service, request)
            if request.url.path == "/sign-out":
                self.signed_in.end(cookie)
                response: Response = RedirectResponse("/sign-in", 303)
                response.delete_cookie(_cookie_name(request))
                return response
            key = form.get("key", "").strip()
            await _known(service, request, f"Bearer {key}")
        except Refused as refused:
            wrong = "That is no valid API key." if refused.status == 401 else refused.detail
            return self._sign_in_page(request, then, refused.status, wrong)
        self.signed_in.end(cookie)
        response = RedirectResponse(then, 303)
        response.set_cookie(
            _cookie_name(request),
            self.signed_in.begin(key),
            max_age=LASTS_S,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return response

    def _sign_in_page(self, request: Request, then: str, status: int = 200, wrong: str = "") -> Response:
        token = self.signed_in.token(_cookie(request))
        return self.views.page("sign_in.html", status, visit=None, token=token, then=then, wrong=wrong)


async def _known(service: Service, request: Request, authorization: str | None) -> Caller:
    """Who comes, by the same rules as over REST. Raises Refused."""
    address = request.client.host if request.client else "unknown"
    found = await service.in_thread(lambda: service.access.caller(authorization, address, None, operator=False))
    assert isinstance(found, Caller)  # noqa: S101  as `Access.caller` returns
    return found


def _shown(page: Page, visit: Visit) -> Response:
    """What a page comes to; one about somebody's memory asks whose, where its address does not say."""
    if page.scoped and not (visit.scope.keys() & {"user_id", "agent_id"}):
        owners = visit.owners()
        if len(owners) == 1 and visit.form is None:
            return visit.to(visit.place, **visit.query, **{f"{owners[0].kind}_id": owners[0].owner})
        return visit.page("whose.html", owners=owners)
    if visit.form is not None and page.post is not None:
        return page.post(visit)
    return page.get(visit)


def _cookie_name(request: Request) -> str:
    """Cookies do not tell ports apart: two servers of one machine would sign each other out."""
    return f"retentive-{request.url.port or 0}"


def _cookie(request: Request) -> str | None:
    return request.cookies.get(_cookie_name(request))


def _local(path: str) -> str:
    """Where to go after signing in: a place of this site, or its front.

    >>> _local("/audit?verb=forget"), _local("//evil.example"), _local("https://evil.example")
    ('/audit?verb=forget', '/', '/')
    """
    is_local = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable() and "\\" not in path
    return path if is_local else "/"
