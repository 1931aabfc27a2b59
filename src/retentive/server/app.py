"""The ASGI application: routes, health, metrics and the guard around them."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.routing import Route as Path

from retentive.given import checked_object, checked_objects
from retentive.memory import Memory
from retentive.server import admin_routes, memory_routes, metrics
from retentive.server.changes_route import changes_route
from retentive.server.chat_route import ChatGateway
from retentive.server.guard import Guard
from retentive.server.openapi import document
from retentive.server.options import ServerOptions
from retentive.server.problems import problem
from retentive.server.routing import JSON, Route
from retentive.server.service import Service, dumped

if TYPE_CHECKING:
    from retentive.server.mcp_route import McpEndpoint

#: Every verb over HTTP: the one table that routes, checks and the OpenAPI document are made of.
ROUTES: tuple[Route, ...] = (*memory_routes.ROUTES, *admin_routes.ROUTES)

_METRICS = Route("GET", "/metrics", "metrics", "For Prometheus.", "admin", lambda _: None, None, operator=True)
#: What makes a path be there that a server may lack.
_NOT_THERE = {
    "/v1/chat/completions": "the gateway needs a model: set RETENTIVE_MODEL_URL and RETENTIVE_MODEL_NAME",
    "/v1/models": "the gateway needs a model: set RETENTIVE_MODEL_URL and RETENTIVE_MODEL_NAME",
    "/mcp": "MCP needs the extra: pip install 'retentive[mcp]'",
}
_OPENED = ("GET", "PUT", "POST", "PATCH", "DELETE")


def create_app(memory: Memory, options: ServerOptions | None = None, *, more: Sequence[BaseRoute] = ()) -> Starlette:
    """An ASGI application over an open store.

    Args:
        memory: the store; its owner closes it after the application ended.
        options: whom it answers, and the limits.
        more: further routes, such as pages; they see the guard, and authenticate by `app.state.service`.

    >>> with Memory.open(":memory:", background=False) as memory:
    ...     app = create_app(memory)
    >>> "/v1/recall" in {route.path for route in app.routes}
    True
    """
    checked_object("memory", memory, Memory)
    checked_objects(options=(options, ServerOptions))
    options = options or ServerOptions()
    service = Service(memory, options)
    middleware = [Middleware(Guard, options=options)]
    if options.allow_origins:
        cors = partial(
            CORSMiddleware,
            allow_origins=options.allow_origins,
            allow_methods=_OPENED,
            allow_headers=("Authorization", "Content-Type", "Idempotency-Key", "If-Match"),
            expose_headers=("ETag", "Retry-After"),
        )
        middleware.append(Middleware(cors))
    mcp = _mcp(service)
    gateway = ChatGateway(service) if memory.settings.model_url and memory.settings.model_name else None
    app = Starlette(
        routes=[
            *_paths(service),
            *_health(service),
            changes_route(service),
            *([mcp.route()] if mcp else []),
            *(gateway.routes() if gateway else []),
            *more,
        ],
        middleware=middleware,
        lifespan=lambda _: _living(mcp, gateway),
        exception_handlers={HTTPException: _http_problem, Exception: _unexpected},
    )
    app.router.redirect_slashes = False
    app.state.service = service
    return app


@asynccontextmanager
async def _living(mcp: McpEndpoint | None, gateway: ChatGateway | None) -> AsyncIterator[None]:
    """What has to run while the application does."""
    async with mcp.running() if mcp else nullcontext():
        yield
    if gateway is not None:
        gateway.close()


def _mcp(service: Service) -> McpEndpoint | None:
    """What answers MCP clients, where the extra `mcp` is installed."""
    try:
        from retentive.server.mcp_route import McpEndpoint  # noqa: PLC0415  an extra
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"mcp", "mcp_types"}:
            raise
        return None
    return McpEndpoint(service)


def _table(service: Service) -> tuple[Route, ...]:
    """The table of routes, as the settings have it."""
    return memory_routes.with_profile(ROUTES, service.memory.settings)


def _paths(service: Service) -> list[Path]:
    """One path a line of the table, with all its methods."""
    by_path = itertools.groupby(sorted(_table(service), key=lambda route: route.path), lambda route: route.path)
    found = []
    for path, routes in by_path:
        methods: Mapping[str, Route] = {route.method: route for route in routes}
        found.append(Path(path, service.endpoint(methods), methods=list(methods)))
    return sorted(found, key=lambda route: "{" in route.path)  # a fixed name before a variable one


def _health(service: Service) -> list[Path]:
    description = dumped(document(_table(service)))

    async def live(_: Request) -> Response:
        return Response(dumped({"status": "ok"}), media_type=JSON)

    async def ready(request: Request) -> Response:
        return await service.counted(request.url.path, request, lambda: _ready(service))

    async def described(_: Request) -> Response:
        return Response(description, media_type=JSON)

    async def measured(request: Request) -> Response:
        return await service.counted(_METRICS.path, request, lambda: _measured(service, request))

    return [
        Path("/health/live", live),
        Path("/health/ready", ready),
        Path("/healthz", ready),
        Path("/v1/openapi.json", described),
        Path("/metrics", measured),
    ]


async def _ready(service: Service) -> Response:
    """The store answers, and how many jobs wait; where the store is only a key, or this machine, is told."""
    told = {"status": "ok", "jobs_waiting": await service.in_thread(service.memory.pending)}
    if service.options.is_local:
        told["store"] = (await service.in_thread(service.memory.status)).location
    return Response(dumped(told), media_type=JSON)


async def _measured(service: Service, request: Request) -> Response:
    await service.caller(request, _METRICS)
    gauges = {"jobs_waiting": float(await service.in_thread(service.memory.pending))}
    if service.memory.beside is not None:
        gauges |= {f"vector_index_{name}": value for name, value in service.memory.beside.measures().items()}
    return Response(service.metrics.text(gauges), media_type=metrics.MEDIA_TYPE)


async def _http_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  as it is registered
    return problem(error.status_code, _what_to_do(error, request.url.path), error.headers)


def _what_to_do(error: HTTPException, path: str) -> str:
    """The detail of a request that no route takes."""
    if error.status_code == HTTPStatus.NOT_FOUND:
        return _NOT_THERE.get(path, "there is no such path: see /v1/openapi.json")
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        return "this path takes another method: see /v1/openapi.json"
    return error.detail


async def _unexpected(_: Request, error: Exception) -> Response:  # noqa: ARG001  its words may be private
    return problem(500, "something went wrong in the server: its log says where")
