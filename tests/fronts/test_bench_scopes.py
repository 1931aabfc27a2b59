"""`retentive bench scopes`: what it measures, beside what, and that large scopes find what the whole would."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from click.testing import Result


def test_scopes_are_timed_beside_the_floor(run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retentive.bench.scopes.LARGE", 600)  # from here on it is held against a search of the whole
    options = ("--memories", "300", "--memories", "900", "--queries", "25")
    small, large = json.loads(run("bench", "scopes", *options, "--json").stdout)["scopes"]
    assert (small["memories"], large["memories"]) == (300, 900)
    assert small["found"] == large["found"] == 1.0
    assert small["same"] is None
    assert large["same"] > 0.9
    assert large["times"] == pytest.approx(large["recall"]["p50_ms"] / large["floor"]["p50_ms"])
    assert large["floor"]["p50_ms"] > max(large["product"]["p50_ms"], large["full_text"]["p50_ms"])
    assert "900" in run("bench", "scopes", "--memories", "900", "--queries", "20").stdout
