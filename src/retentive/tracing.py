"""OpenTelemetry spans, in a program that has set OpenTelemetry up; in any other nothing is loaded and nothing done.

A span says what was done, how long it took and how many memories were in it: no text, no id, no name of a user, and of
an error its type alone. This module never imports OpenTelemetry of its own accord: a program that traces has.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

_API = "opentelemetry.trace"
Told = Mapping[str, str | int | float | bool]
_Params = ParamSpec("_Params")
_Result = TypeVar("_Result")


@contextmanager
def span(name: str, told: Told, carrier: Mapping[str, str] | None = None) -> Iterator[Callable[[Told], object]]:
    """A span around what is done inside; what it yields adds to what the span tells.

    carrier: the headers of a request that is served here; their `traceparent` says what the span is a part of.

    >>> with span("retentive.recall", {}) as tell:
    ...     tell({"retentive.hits": 3})
    """
    provider = _provider()
    if provider is None:
        yield _untold
        return
    api = sys.modules[_API]
    more = {} if carrier is None else {"context": _context_in(carrier), "kind": api.SpanKind.SERVER}
    quiet = {"record_exception": False, "set_status_on_exception": False}  # an error's words may quote a text
    with _tracer(provider).start_as_current_span(name, attributes=told, **quiet, **more) as current:
        try:
            yield current.set_attributes
        except BaseException as error:
            current.set_attributes({"error.type": type(error).__name__})
            current.set_status(api.StatusCode.ERROR)
            raise


def traced(
    name: str, tell: Callable[[Any], Told]
) -> Callable[[Callable[_Params, _Result]], Callable[_Params, _Result]]:
    """A function in a span of this name, which tells `tell` of its result."""

    def around(function: Callable[_Params, _Result]) -> Callable[_Params, _Result]:
        @wraps(function)
        def inside(*args: _Params.args, **kwargs: _Params.kwargs) -> _Result:
            if _provider() is None:
                return function(*args, **kwargs)
            with span(name, {}) as told:
                result = function(*args, **kwargs)
                told(tell(result))
            return result

        return inside

    return around


def _provider() -> Any:
    """Who makes spans in this program; None where nobody does."""
    api: Any = sys.modules.get(_API)
    provider = None if api is None else api.get_tracer_provider()
    is_set = api is not None and not isinstance(provider, api.ProxyTracerProvider)  # the stand-in before one is set
    return provider if is_set else None


def _untold(_: Told) -> None:
    """Nobody listens."""


@lru_cache(maxsize=4)
def _tracer(provider: Any) -> Any:
    return provider.get_tracer("retentive")


def _context_in(carrier: Mapping[str, str]) -> Any:
    from opentelemetry.trace.propagation.tracecontext import (  # noqa: PLC0415  only in a program that traces
        TraceContextTextMapPropagator,
    )

    return TraceContextTextMapPropagator().extract(dict(carrier))
