"""The schedule: what is due is done once, by whichever worker, and whom nobody hears from costs no call of a model."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from retentive import Memory, Settings
from retentive.clock import simulated
from simulated import Days, ScriptedModel, say
from stubs import StubEmbedder


@pytest.fixture
def days() -> Iterator[Days]:
    clock = Days()
    with simulated(clock):
        yield clock


def opened(path: Path, *upkeep: str, model: ScriptedModel | None = None) -> Memory:
    settings = Settings(upkeep=upkeep, durable=False)
    return Memory.open(path, embedder=StubEmbedder(), model=model, settings=settings, background=False)


def test_each_job_is_due_at_its_own_interval_and_the_store_remembers(tmp_path: Path, days: Days) -> None:
    due = []
    for day in range(15):
        with opened(tmp_path / "m.db", "retain=2d", "consolidate=off") as memory:  # another worker each day
            memory.scope(user_id="alice").record([{"role": "user", "content": f"Day {day}."}])
            due.append(memory.schedule())
            assert memory.schedule() == 0
            assert memory.process().errors == ()
        days.pass_(1)
    assert due == [2, 0, 1, 0, 1, 0, 1, 1, 1, 0, 1, 0, 1, 0, 2]  # retain every second day, verify every seventh


def test_a_clock_that_was_set_back_puts_off_nothing(tmp_path: Path, days: Days) -> None:
    with opened(tmp_path / "m.db", "verify=off", "consolidate=off") as memory:
        days.pass_(3000)
        memory.scope(user_id="alice").record([{"role": "user", "content": "Said with a clock years ahead."}])
        assert memory.schedule() == 1
        days.pass_(-2999)
        assert memory.schedule() == 1
        assert memory.schedule() == 0


def test_whom_nobody_hears_from_is_asked_nothing(tmp_path: Path, days: Days) -> None:
    model = ScriptedModel(lambda _: {"sessions": [], "patterns": []})
    with opened(tmp_path / "m.db", "retain=off", "verbatim=1", model=model) as memory:
        mine = memory.scope(user_id="alice")
        for number in range(3):
            say(mine, f"Talk {number}.", session_id=f"s{number}")
        days.pass_(2)
        memory.process()
        assert memory.schedule() == 0
        assert model.calls == 0
        say(mine, "Back again.", session_id="s9")
        assert memory.schedule() == 2
        memory.process()
        assert model.calls == 1


def test_a_worker_with_a_schedule_does_the_upkeep(tmp_path: Path, days: Days) -> None:
    with opened(tmp_path / "m.db", "verbatim=1") as memory:
        mine = memory.scope(user_id="alice")
        say(mine, "The printer is broken again.", session_id="old")
        say(mine, "Thanks.", session_id="new")
        rounds = iter(range(60))  # it is asked before each group of jobs as well
        memory.work(lambda: next(rounds, None) is None, 0.01, schedule=True)
        assert memory.pending() == 0
        assert [item.session_id for item in mine.list("semantic", where={"category": "summary"})] == ["old"]
        days.pass_(1)
        stopping = threading.Event()
        stopping.set()
        memory.work(stopping.is_set, 0.01, schedule=True)
        assert memory.pending() == 0
