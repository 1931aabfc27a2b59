"""The commands of upkeep print what their jobs did, as lines and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from click.testing import Result

from retentive.clock import duration_us, now_us, simulated

Run = Callable[..., Result]


def test_retain_lists_first_and_then_does(run: Run) -> None:
    run("record", "Nice weather over Zanzibrook.", "--session", "s")
    later_us = now_us() + duration_us("40d")
    with simulated(lambda: later_us):
        run("process")
        listed = run("retain", "--dry-run").stdout
        assert "older than its kind is kept" in listed
        assert "1 would be erased" in listed
        assert "Zanzibrook" in run("list").stdout
        assert json.loads(run("retain", "--json").stdout)["erased"] == 1
        assert "Zanzibrook" not in run("list", "--status", "any").stdout


def test_consolidate_says_what_it_did(run: Run) -> None:
    run("remember", "The deploy key lives in the vault")
    run("remember", "Deploy key really lives in vault")
    assert run("consolidate").stdout.startswith("0 sessions summarised, 1 facts merged")
    assert json.loads(run("consolidate", "--json").stdout)["merged"] == 0


def test_verify_says_what_it_did(run: Run) -> None:
    run("remember", "Prefers window seats", "--category", "preference")
    later_us = now_us() + duration_us("400d")
    with simulated(lambda: later_us):
        assert run("verify").stdout.startswith("1 facts are stale: 0 confirmed, 0 superseded, 0 disputed")
        assert json.loads(run("verify", "--json").stdout)["stale"] == 0


def test_a_retention_that_cannot_be_read_is_one_line_on_stderr(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETENTIVE_RETENTION", "episodes=soon")
    result = run("retain", code=1)
    assert "'episodes=soon' cannot be used" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_the_usage_of_a_session_names_its_memories(run: Run) -> None:
    run("record", "Nice weather over Zanzibrook.", "--session", "s")
    lines = run("usage", "--session", "s").stdout.splitlines()
    assert lines == ["s: 0 calls, 0 tokens of prompts, 0 of answers", "memory: 0 tokens"]
    assert json.loads(run("usage", "--session", "s", "--json").stdout)["memories"] == []
    assert "no session" in run("usage", "--session", "t", code=1).stderr
