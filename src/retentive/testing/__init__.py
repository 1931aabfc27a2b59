"""One conformance suite for every backend: what a store, its index and its queue must do, held against a real engine.

A backend's author says how an empty store is made, and runs the checks with pytest or without:

    import pytest
    from retentive import testing

    ENGINE = testing.Engine("mine", fresh=my_empty_store)       # a context manager that gives a URL

    @pytest.mark.parametrize("check", testing.CHECKS, ids=str)
    def test_my_backend(check):
        testing.run(check, ENGINE)

>>> from contextlib import nullcontext
>>> report = conformance(Engine("SQLite, in memory", lambda: nullcontext(":memory:"), shared=False), CHECKS[:2])
>>> report.failed
()
"""

from __future__ import annotations

from retentive.testing import beside, faults, forgetting, isolation, queue, search, texts, writing
from retentive.testing.suite import Check, Engine, Outcome, Place, Report, conformance, run
from retentive.testing.words import StubEmbedder

#: Every check, by topic.
CHECKS: tuple[Check, ...] = (
    *isolation.CHECKS,
    *writing.CHECKS,
    *faults.CHECKS,
    *forgetting.CHECKS,
    *search.CHECKS,
    *texts.CHECKS,
    *queue.CHECKS,
    *beside.CHECKS,
)

__all__ = [
    "CHECKS",
    "Check",
    "Engine",
    "Outcome",
    "Place",
    "Report",
    "StubEmbedder",
    "conformance",
    "run",
]
