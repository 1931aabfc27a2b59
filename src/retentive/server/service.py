"""From a request to an answer: who calls, what it takes, one call of a verb in a thread, and what came of it."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from retentive.errors import Conflict, RetentiveError
from retentive.memory import Memory
from retentive.plain import plain
from retentive.server.access import Access, Caller
from retentive.server.guard import segment
from retentive.server.metrics import Metrics
from retentive.server.operations import Operations
from retentive.server.options import ServerOptions
from retentive.server.problems import Refused, from_error, problem
from retentive.server.reading import checked_body, checked_query, read_body
from retentive.server.repeats import once
from retentive.server.routing import JSON, Call, Route
from retentive.server.threads import Threads, TookTooLong
from retentive.tracing import span

_SHORT_BYTES = 1 << 16  # of a body that is read from anybody
_STALE_TIMES = 2  # so many answer time-outs after it began, a request without an answer has none any more


class Service:
    """An open store as the server's routes use it."""

    def __init__(self, memory: Memory, options: ServerOptions) -> None:
        self.memory, self.options = memory, options
        self.access, self.operations, self.metrics = Access(memory, options), Operations(), Metrics()
        self._threads = Threads(options.workers)

    def endpoint(self, routes: Mapping[str, Route]) -> Callable[[Request], Awaitable[Response]]:
        """What answers one path, by method."""

        async def answer(request: Request) -> Response:
            route = routes["GET" if request.method == "HEAD" else request.method]
            return await self.counted(route.path, request, lambda: self._answer(route, request))

        return answer

    async def counted(self, path: str, request: Request, answer: Callable[[], Awaitable[Response]]) -> Response:
        """The answer, or the problem in its place, entered in the metrics."""
        began_s = time.perf_counter()
        with span(f"{request.method} {path}", told(request.method, path), request.headers) as tell:
            try:
                response = await answer()
            except Refused as refused:
                response = problem(refused.status, refused.detail, refused.headers)
            except RetentiveError as error:
                response = from_error(error)
            except Exception:  # answered as 500 where the application ends
                self.metrics.count(request.method, path, 500, time.perf_counter() - began_s)
                raise
            tell({"http.response.status_code": response.status_code})
        self.metrics.count(request.method, path, response.status_code, time.perf_counter() - began_s)
        return response

    async def in_thread(self, run: Callable[[], Any]) -> Any:
        """What a plain function returns, run in a thread of the server. Raises Refused (503) when it takes long."""
        try:
            return await self._threads.run(run, timeout_s=self.options.answer_timeout_s)
        except TookTooLong as error:
            raise Refused(
                503,
                f"no answer within {self.options.answer_timeout_s:g} seconds; it may still be done: look, or repeat it "
                "with the same Idempotency-Key",
                {"retry-after": "5"},
            ) from error

    async def caller(self, request: Request, route: Route) -> Caller:
        """Who makes a request, before its body is read. Raises Refused."""
        caller = await self.in_thread(lambda: self._caller(request, route))
        assert isinstance(caller, Caller)  # noqa: S101  as `_caller` returns
        return caller

    def _caller(self, request: Request, route: Route) -> Caller:
        address = request.client.host if request.client else "unknown"
        return self.access.caller(request.headers.get("authorization"), address, route.right, operator=route.operator)

    async def _answer(self, route: Route, request: Request) -> Response:
        """Who calls is asked before the body is read; of a short one in the same thread, for half the waiting."""
        told = request.headers.get("content-length", "0")
        short = told.isdecimal() and int(told) <= _SHORT_BYTES and "transfer-encoding" not in request.headers
        caller = None if short else await self.caller(request, route)
        content = await read_body(request, self.options)

        def called() -> Response:
            return self._called(route, request, caller or self._caller(request, route), content)

        response = await self.in_thread(called)
        assert isinstance(response, Response)  # noqa: S101  as `called` returns
        return response

    def _called(self, route: Route, request: Request, caller: Caller, content: bytes) -> Response:
        query = checked_query(route, request.query_params.multi_items())
        body = checked_body(route, request.headers.get("content-type"), content, self.options.max_depth)
        path = {name: segment(part) for name, part in request.path_params.items()}
        call = Call(self.memory, caller, self.operations, path, query, body, request.headers)
        key = request.headers.get("idempotency-key")
        if key is None or not route.repeatable:
            return _respond(route, call)
        same = f"{request.method} {request.url.path}?{request.url.query}\n".encode() + content
        stale_s = _STALE_TIMES * self.options.answer_timeout_s
        return once(
            self.memory.keys.store, caller.actor, key, same, answer=lambda: _respond(route, call), stale_s=stale_s
        )


def _respond(route: Route, call: Call) -> Response:
    """One call of the route's verb, and its result as a response."""
    try:
        result = route.handler(call)
    except Conflict as error:
        if route.if_match and "if-match" in call.headers:
            raise Refused(412, str(error)) from error
        raise
    if isinstance(result, Response):
        return result
    if route.result is None:
        return Response(status_code=route.status)
    headers = {"etag": f'"{result.version}"'} if route.etag else None
    return Response(dumped(plain(result)), route.status, headers, media_type=JSON)


def told(method: str, path: str) -> dict[str, str]:
    """What a request's span tells, in the names that OpenTelemetry has for it; a path is its route's, without ids."""
    return {"http.request.method": method, "http.route": path}


def dumped(value: Any) -> bytes:
    """JSON as it is sent."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
