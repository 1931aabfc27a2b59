"""Spans: around what takes time, a part of the caller's trace, without a word of anybody's."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from starlette.testclient import TestClient

from retentive import Memory, ScopedMemory
from retentive.errors import InvalidInput
from retentive.server.app import create_app

CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    """Where a program that traces would find the spans."""
    provider, exporter = TracerProvider(shutdown_on_exit=False), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    yield exporter
    provider.shutdown()


def named(spans: InMemorySpanExporter, name: str) -> ReadableSpan:
    """The last span of a name."""
    return [one for one in spans.get_finished_spans() if one.name == name][-1]


def test_the_verbs_say_how_much_was_in_them_and_nothing_of_it(
    spans: InMemorySpanExporter, memory: Memory, mine: ScopedMemory
) -> None:
    mine.record(
        [{"role": "user", "content": "I moved to Zanzibrook."}, {"role": "assistant", "content": "Noted."}], "s"
    )
    mine.end_session("s")
    memory.process()
    block = mine.block("Where is Zanzibrook?")
    assert named(spans, "retentive.record").attributes == {"retentive.messages": 2}
    recall, built = named(spans, "retentive.recall"), named(spans, "retentive.block")
    assert (recall.attributes or {})["retentive.hits"]
    assert built.attributes == {"retentive.memories": len(block.ids), "retentive.tokens": block.tokens}
    assert recall.parent is not None
    assert recall.parent.span_id == built.context.span_id
    done = [one.attributes or {} for one in spans.get_finished_spans() if one.name == "retentive.process"]
    assert {"embed", "extract", "end_session"} <= {one["retentive.kind"] for one in done}
    whole = "".join(one.to_json() for one in spans.get_finished_spans())
    assert "Zanzibrook" not in whole
    assert "alice" not in whole


def test_of_an_error_its_type_is_told(spans: InMemorySpanExporter, mine: ScopedMemory) -> None:
    with pytest.raises(InvalidInput):
        mine.record([{"role": "user", "content": "Fine", "timestamp": "next Zanzibrook"}])
    failed = named(spans, "retentive.record")
    assert (failed.status.status_code, failed.status.description, failed.events) == (StatusCode.ERROR, None, ())
    assert failed.attributes == {"error.type": "InvalidTimestamp"}


def test_a_request_is_a_part_of_its_callers_trace(spans: InMemorySpanExporter, memory: Memory) -> None:
    with TestClient(create_app(memory), base_url="http://127.0.0.1:8377", headers={"traceparent": CALLER}) as client:
        asked = client.post("/v1/recall", params={"user_id": "alice"}, json={"query": "Zanzibrook"})
        client.get("/v1/memories/0192f0c1-0000-7000-8000-000000000000", params={"user_id": "alice"})
    assert asked.status_code == 200
    request, recall = named(spans, "POST /v1/recall"), named(spans, "retentive.recall")
    assert f"{request.context.trace_id:032x}" == CALLER.split("-")[1]
    assert request.parent is not None
    assert f"{request.parent.span_id:016x}" == CALLER.split("-")[2]
    assert recall.parent is not None
    assert recall.parent.span_id == request.context.span_id  # in another thread
    missing = named(spans, "GET /v1/memories/{id}")
    assert missing.attributes == {
        "http.request.method": "GET",
        "http.route": "/v1/memories/{id}",
        "http.response.status_code": 404,
    }
    whole = "".join(one.to_json() for one in spans.get_finished_spans())
    assert "Zanzibrook" not in whole
    assert "alice" not in whole


def test_without_opentelemetry_nothing_is_loaded(mine: ScopedMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "opentelemetry.trace")
    mine.record([{"role": "user", "content": "I moved to Zanzibrook."}])
    assert len(mine.recall("Zanzibrook")) == 1
    assert "opentelemetry.trace" not in sys.modules
