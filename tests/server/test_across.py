"""What a plugin raises is a failure and nothing else, whichever border between threads and coroutines it crosses."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest
from mcp import Client
from starlette.testclient import TestClient

from retentive import AsyncMemory, Memory, ScopedMemory
from retentive.contracts import Embedder
from retentive.mcp.server import Reach, make_server
from retentive.mcp.table import memory_tools
from retentive.models.embed_none import NoEmbedder
from retentive.results import ProcessReport
from retentive.server.operations import Operations
from retentive.types import RIGHTS
from retentive.worker import Background

CROSSING = [StopIteration, StopAsyncIteration, GeneratorExit, asyncio.CancelledError, SystemExit, KeyboardInterrupt]
raising = pytest.mark.parametrize("kind", CROSSING, ids=lambda kind: kind.__name__)


def _raise(kind: type[BaseException], *says: str) -> Callable[..., NoReturn]:
    def verb(*_: object, **__: object) -> NoReturn:
        raise kind(*says)

    return verb


@raising
def test_over_http_it_is_a_500_at_once_and_the_server_goes_on(
    alice: TestClient, monkeypatch: pytest.MonkeyPatch, kind: type[BaseException]
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(ScopedMemory, "recall", _raise(kind))
        answer = alice.post("/v1/recall", json={"query": "tea"})
    assert (answer.status_code, answer.json()["type"]) == (500, "urn:retentive:internal-server-error")
    assert alice.post("/v1/recall", json={"query": "tea"}).status_code == 200
    assert 'route="/v1/recall",method="POST",status="500"} 1' in alice.get("/metrics", params={}).text


@raising
def test_an_async_caller_is_told_and_does_not_wait_for_ever(
    monkeypatch: pytest.MonkeyPatch, kind: type[BaseException]
) -> None:
    async def ask() -> None:
        async with await AsyncMemory.open(":memory:", embedder=NoEmbedder(), background=False) as memory:
            monkeypatch.setattr(ScopedMemory, "recall", _raise(kind))
            await asyncio.wait_for(memory.scope(user_id="alice").recall("tea"), 30)

    with pytest.raises(RuntimeError, match=kind.__name__):
        asyncio.run(ask())


@raising
def test_a_tool_that_raises_it_fails_and_the_next_call_is_answered(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, kind: type[BaseException]
) -> None:
    async def calls() -> Any:
        server = make_server(lambda _: Reach(memory.scope(user_id="alice"), RIGHTS, memory_tools()))
        async with Client(server) as client:
            with monkeypatch.context() as broken:
                broken.setattr(ScopedMemory, "recall", _raise(kind))
                with pytest.raises(Exception, match=r".") as refused:
                    await client.call_tool("search_memories", {"query": "tea"})
            assert not isinstance(refused.value, CROSSING[0])
            return await client.call_tool("search_memories", {"query": "tea"})

    assert not asyncio.run(calls()).is_error


@raising
def test_a_job_that_dies_of_it_is_kept_with_its_reason(tmp_path: Path, kind: type[BaseException]) -> None:
    class Broken(Embedder):
        name, dimension = "broken", 4

        embed = _raise(kind)

    reports: list[ProcessReport] = []
    with Memory.open(tmp_path / "m.db", embedder=Broken(), background=False) as memory:
        memory.scope(user_id="alice").remember("Likes tea")
        worker = threading.Thread(target=lambda: reports.append(memory.process()))
        worker.start()
        worker.join()
    assert [report.retried for report in reports] == [1]
    assert kind.__name__ in reports[0].errors[0]


@pytest.mark.parametrize("kind", [*CROSSING, OSError], ids=lambda kind: kind.__name__)
def test_the_thread_of_background_jobs_outlives_it(kind: type[BaseException]) -> None:
    rounds, ran = [kind], threading.Event()

    def run(*_: object) -> ProcessReport:
        if rounds:
            raise rounds.pop()
        ran.set()
        return ProcessReport()

    background = Background(run)
    background.wake()
    assert ran.wait(30)
    background.stop()


@pytest.mark.parametrize("kind", [*CROSSING, ZeroDivisionError], ids=lambda kind: kind.__name__)
def test_an_operation_that_dies_of_it_has_failed(kind: type[BaseException], caplog: pytest.LogCaptureFixture) -> None:
    operations = Operations()
    started = operations.start("verify", _raise(kind, "canaryword"))
    for thread in threading.enumerate():
        if thread.name == "retentive-operation":
            thread.join()
    ended = operations.get(started.id)
    assert (ended.state, ended.error) == ("failed", "something went wrong in the server: its log says where")
    assert f"died of {kind.__name__}" in caplog.text
    assert "in verb" in caplog.text
    assert "canaryword" not in caplog.text
