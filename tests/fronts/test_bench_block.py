"""`retentive bench block`: what it measures, of how many memories."""

from __future__ import annotations

import json
from collections.abc import Callable

from click.testing import Result


def test_blocks_are_timed_with_and_without_embedding(run: Callable[..., Result]) -> None:
    report = json.loads(run("bench", "block", "--memories", "45", "--blocks", "3", "--json").stdout)
    assert (report["memories"], report["blocks"], report["embedder"]) == (45, 3, "none")
    assert report["tokens"] > 20
    assert report["whole"]["p50_ms"] > 0
    assert report["own"]["p99_ms"] >= report["own"]["p50_ms"]
    shown = run("bench", "block", "--memories", "20", "--blocks", "2").stdout
    assert "2 blocks of one user with 20 memories" in shown
    assert "own part, embedding known" in shown
