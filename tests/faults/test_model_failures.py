"""Sixteen ways in which a model fails, each over 200 messages: nothing is lost, nothing is silent, and it heals.

While the model fails, every message stays, and each job is done, waits, or is dead with its reason. When it is well
again, `requeue` brings what a model that never failed would have brought.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from model_endpoint import (
    Behaviour,
    Endpoint,
    Handler,
    Place,
    completion,
    echoes,
    endpoint,
    raw,
    refuses,
    reset,
    says,
    silent,
    slow,
)
from retentive import Memory, ScopedMemory, Settings
from retentive.extract.model import ModelExtractor
from retentive.models.openai_compatible import OpenAICompatibleModel
from retentive.results import ProcessReport
from stubs import StubEmbedder

MESSAGES = 200
LIKED = ["tea", "rye bread", "chess", "the sea", "jazz", "old maps", "rain", "bicycles", "moss", "lighthouses"]


def spoken(number: int) -> str:
    return f"By the way, I am very fond of {LIKED[number % 10]} number {number}, as you may know."


# -- what the model says -----------------------------------------------------------------------------------------------
def candidates(body: dict[str, Any]) -> list[dict[str, Any]]:
    """What a good model finds in the batch it was shown: one candidate a message, with the words that say it."""
    found = []
    for line in body["messages"][-1]["content"].splitlines():
        if not line.startswith("{"):
            continue  # the note on an answer that was refused
        shown = json.loads(line)
        liked = shown["text"].partition("fond of ")[2].partition(",")[0]
        found.append(
            {
                "episode": shown["episode"],
                "quote": f"I am very fond of {liked}",
                "text": f"The user is very fond of {liked}.",
                "category": "preference",
                "field": None,
                "confidence": 90,
                "importance": 50,
                "evergreen": False,
            }
        )
    return found


def answers(
    change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]] = list,
    shape: Callable[[str], str] = str,
    finish: str = "stop",
) -> Behaviour:
    def behave(handler: Handler, body: dict[str, Any]) -> None:
        text = json.dumps({"summary": "Talked about what they like.", "candidates": change(candidates(body))})
        handler.send(json.dumps(completion(shape(text), finish=finish)).encode())

    return behave


def nameless(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in item.items() if name != "quote"} for item in items]


def invented(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [item | {"episode": f"9{item['episode']}"} for item in items]


FAILURES: dict[str, Behaviour] = {
    "429": refuses(429, "Rate limit reached"),
    "429 with Retry-After": refuses(429, "Rate limit reached", Retry_After="7"),
    "500": refuses(500, "Internal error"),
    "timeout": silent,
    "reset": reset,
    "slow": slow,
    "empty": says(""),
    "refusal": says(None, refusal="I cannot help with that."),
    "prose": says("The user seems to like many things, above all tea and the sea."),
    "fences, cut off": answers(shape=lambda text: "```json\n" + text[:-20], finish="length"),
    "truncation before the first": answers(shape=lambda text: text[:60], finish="length"),
    "truncation after half": answers(shape=lambda text: text[: len(text) // 2], finish="length"),
    "wrong schema": answers(change=nameless),
    "10 MB": raw(b'{"choices": "' + b" " * 10_000_000),
    "non-UTF-8": raw(b'{"choices": [{"message": {"content": "\xff\xfe\xfa"}}]}'),
    "prompt echo": echoes,
}
#: What the client and the guard set right by themselves, and the share of the facts that comes of it.
MENDED: dict[str, tuple[Behaviour, float]] = {
    "fences": (answers(shape=lambda text: f"Here you are:\n```json\n{text}\n```"), 1.0),
    "prose around it": (answers(shape=lambda text: f"Sure! {text} Anything else?"), 1.0),
    "duplicates": (answers(change=lambda items: [*items, *items]), 1.0),
    "invented ids": (answers(change=invented), 0.0),
    "a bracket too few": (answers(shape=lambda text: text[:-1]), 1.0),
}


# -- the run -----------------------------------------------------------------------------------------------------------
@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes the hour pass that delayed jobs wait for; waits between attempts take no time."""
    passed = {"s": 0.0}
    real = time.monotonic
    monkeypatch.setattr("retentive.backends.sqlite.database.time.monotonic", lambda: real() + passed["s"])
    monkeypatch.setattr("retentive.models.http.time.sleep", lambda _: None)
    monkeypatch.setattr("retentive.jobs.MAX_ATTEMPTS", 2)

    def an_hour_later() -> None:
        passed["s"] += 3600

    return an_hour_later


@pytest.fixture
def server() -> Iterator[Endpoint]:
    with endpoint(answers()) as opened:
        yield opened


@pytest.fixture
def memory(
    tmp_path: Path,
    server: Endpoint,
    stub_embedder: StubEmbedder,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Iterator[Memory]:
    late = any(request.node.name.endswith(f"[{name}]") for name in ("timeout", "slow"))
    place = Place(server.url, "tiny", timeout_s=0.3 if late else 60, max_retries=0 if late else 1)
    model = OpenAICompatibleModel([place])
    extractor = ModelExtractor(model, timeout_s=60)
    monkeypatch.setattr("retentive.plugins.make_extractors", lambda *_, **__: lambda _account: extractor)
    settings = Settings(extractor="model", extract_every=10, durable=False)
    with Memory.open(tmp_path / "memory.db", embedder=stub_embedder, settings=settings, background=False) as opened:
        yield opened
    model.close()


def record(mine: ScopedMemory) -> None:
    for first in range(0, MESSAGES, 20):
        batch = [{"role": "user", "content": spoken(n), "id": f"m{n}"} for n in range(first, first + 20)]
        assert len(mine.record(batch, "s1").ids) == 20


def run(memory: Memory, clock: Callable[[], None]) -> list[ProcessReport]:
    """Hour by hour, until no job waits."""
    reports = [memory.process()]
    while reports[-1].waiting:
        assert len(reports) < 20
        clock()
        reports.append(memory.process())
    return reports


def facts(mine: ScopedMemory) -> dict[str, str]:
    """Every fact, with the words it stands on; they are words of its episode."""
    found = {}
    for item in mine.list("semantic", limit=1000):
        ((quote, episode),) = mine.why(item.id).evidence
        assert quote in episode.text
        found[item.text] = quote
    return found


EXPECTED = {f"The user is very fond of {LIKED[n % 10]} number {n}." for n in range(MESSAGES)}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_what_fails_is_kept_with_its_reason_and_heals(
    failure: Behaviour, memory: Memory, server: Endpoint, clock: Callable[[], None]
) -> None:
    mine = memory.scope(user_id="alice")
    server.script = [failure]
    record(mine)
    assert server.asked == []  # recording waits for no model
    reports = run(memory, clock)
    assert len(mine.list("episodic", limit=1000).items) == MESSAGES
    assert facts(mine) == {}
    assert sum(report.dead for report in reports) > 0
    reasons = [error for report in reports for error in report.errors]
    assert len(reasons) == sum(report.retried + report.dead for report in reports)
    assert all("Unavailable" in reason or "BadReply" in reason for reason in reasons)
    server.script = [answers()]
    assert memory.requeue() == sum(report.dead for report in reports)
    assert sum(report.dead for report in run(memory, clock)) == 0
    assert set(facts(mine)) == EXPECTED


@pytest.mark.parametrize(("behaviour", "share"), MENDED.values(), ids=MENDED)
def test_what_can_be_mended_is(
    behaviour: Behaviour, share: float, memory: Memory, server: Endpoint, clock: Callable[[], None]
) -> None:
    mine = memory.scope(user_id="alice")
    server.script = [behaviour]
    record(mine)
    reports = run(memory, clock)
    assert sum(report.dead + report.retried for report in reports) == 0
    found = set(facts(mine))
    assert found <= EXPECTED
    assert len(found) == share * MESSAGES
    assert len(mine.list("episodic", limit=1000).items) == MESSAGES


def test_a_good_model_is_asked_once_a_batch(memory: Memory, server: Endpoint, clock: Callable[[], None]) -> None:
    mine = memory.scope(user_id="alice")
    record(mine)
    run(memory, clock)
    assert set(facts(mine)) == EXPECTED
    assert len(server.asked) == MESSAGES // 10
    clock()
    memory.process()
    assert len(server.asked) == MESSAGES // 10  # an idle hour asks nothing
