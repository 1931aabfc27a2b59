"""Cases 38 and 39: writes wait for no model, and what a model may take in an hour has a hard limit that can be seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.test_model_failures import answers
from model_endpoint import Endpoint, endpoint, refuses
from retentive import Memory, Settings
from retentive.errors import ConfigError
from stubs import StubEmbedder


def opened(folder: Path, server: Endpoint, **more: object) -> Memory:
    """A store whose facts are drawn by a model at a scripted endpoint."""
    settings = Settings(extractor="model", model_url=server.url, model_name="tiny", durable=False, **more)  # type: ignore[arg-type]  plain names
    return Memory.open(folder / "m.db", embedder=StubEmbedder(), settings=settings, background=False)


def talk(memory: Memory, user: str, first: int, messages: int = 10) -> None:
    """One session of likings."""
    said = [f"By the way, I am very fond of tea number {n}, as you may know." for n in range(first, first + messages)]
    memory.scope(user_id=user).record([{"role": "user", "content": text} for text in said], session_id=f"s{first}")


def test_case_38_recording_asks_no_model_and_a_batch_asks_it_once(tmp_path: Path) -> None:
    """Ten messages are one call, made by the job; an idle store makes none."""
    with (
        endpoint(answers()) as server,
        opened(tmp_path, server) as memory,
    ):
        talk(memory, "alice", 0)
        assert server.asked == []
        memory.process()
        assert len(server.asked) == 1
        assert len(memory.scope(user_id="alice").list("semantic")) == 10
        memory.process()
        assert len(server.asked) == 1


def test_case_39_usage_is_told_apart_and_a_limit_stops_the_calls(tmp_path: Path) -> None:
    """Past the limit nothing is asked, nothing is lost, and the reason is visible."""
    with (
        endpoint(answers()) as server,
        opened(tmp_path, server, limit_tokens_hour=12_000) as memory,
    ):
        for first in range(0, 400, 10):
            talk(memory, "alice", first)
        report = memory.process()
        asked = len(server.asked)
        assert 0 < asked < 40
        assert any("limit" in error.lower() for error in report.errors)
        assert report.waiting > 0
        spent = memory.usage(by=("session", "operation"))
        assert sum(line.calls for line in spent) == asked
        assert {line.key[1] for line in spent} == {"extract"}
        assert sum(line.tokens for line in memory.usage(by=())) <= 12_000
        assert len(memory.scope(user_id="alice").list("episodic", limit=1000)) == 400


def test_case_39_a_money_limit_needs_prices(tmp_path: Path) -> None:
    """Without prices nobody knows what a call costs: said when it is asked, with nothing lost."""
    with (
        endpoint(answers()) as server,
        opened(tmp_path, server, limit_cost_hour=1.0) as memory,
    ):
        talk(memory, "alice", 0)
        report = memory.process()
        assert "prices" in " ".join(report.errors)
        assert server.asked == []


def test_the_model_extractor_needs_an_endpoint(tmp_path: Path) -> None:
    """A missing setting is named at the start."""
    with pytest.raises(ConfigError, match="RETENTIVE_MODEL_URL"):
        Memory.open(tmp_path / "m.db", embedder=StubEmbedder(), settings=Settings(extractor="model"))


def test_case_22_the_next_endpoint_answers_when_the_first_is_down(tmp_path: Path) -> None:
    """A chain of two by settings alone: the first refuses every call, and nothing is lost or late."""
    with (
        endpoint(refuses(503, "down")) as down,
        endpoint(answers()) as server,
        opened(tmp_path, down, model_fallback_url=server.url) as memory,
    ):
        talk(memory, "alice", 0)
        report = memory.process()
        assert report.errors == ()
        assert len(down.asked) > 0
        assert len(memory.scope(user_id="alice").list("semantic")) == 10
