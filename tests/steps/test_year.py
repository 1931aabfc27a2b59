"""The bench of a year says what it saw: here six weeks of it, enough for every job to run and for messages to go."""

from __future__ import annotations

from dataclasses import replace

from retentive import Settings
from retentive.bench import upkeep
from retentive.bench.year import run


def test_six_weeks_are_recalled_right_and_idle_days_cost_nothing() -> None:
    report = run(42, Settings(embedder="none"))
    probes = report.probes
    assert report.jobs_failed == 0
    assert probes.asked > 60
    assert probes.found == probes.asked
    assert (probes.replaced_shown, probes.forgotten_shown, report.forgotten_in_bytes) == (0, 0, 0)
    assert report.as_of_right == report.as_of_asked == 100
    assert (report.idle_days, report.idle_calls) == (2, 0)
    assert report.model_calls > 10
    assert "current facts recalled" in "\n".join(report.lines())


def test_the_spread_is_that_of_the_days_after_the_sixtieth() -> None:
    report = replace(run(1, Settings(embedder="none")), sizes=((0, 5), (60, 100), (61, 90), (62, 115)))
    assert report.spread == 0.15


def test_the_bench_of_upkeep_counts_what_was_merged_and_summarised() -> None:
    report = upkeep.run(200, 40, 10)
    assert (report.merged, report.summarised) == (100, 30)  # the last session of each user stays as it is
    assert len(report.peaks_kib) == 10
    assert "100 facts merged" in "\n".join(report.lines())
