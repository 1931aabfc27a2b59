"""`retentive bench writes`: what it measures, beside what."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from click.testing import Result


def test_groups_are_timed_beside_a_bare_insert_of_the_same_texts(run: Callable[..., Result]) -> None:
    report = json.loads(run("bench", "writes", "--rows", "1000", "--group", "300", "--json").stdout)
    assert report["plan"] == {"rows": 1000, "group": 300, "seed": 7}
    assert 0 < report["rows_per_s"] < report["bare_rows_per_s"]
    assert report["times"] == pytest.approx(report["bare_rows_per_s"] / report["rows_per_s"])
    shown = run("bench", "writes", "--rows", "1000", "--group", "1000").stdout
    assert "in groups of 1,000, each group one durable commit" in shown
