"""Each job of upkeep is killed -9 at twenty random points and run again: the store is as if nothing had happened.

The points are calls of the database driver, so that some lie within a transaction, some between two, some beside the
archive's writes. The child is a fork: it dies as a killed process dies.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from retentive import Memory, ScopedMemory, Settings
from retentive.clock import simulated
from retentive.lifecycle.archive import Archive
from simulated import BEGAN_US, DAY_US, say
from stubs import StubEmbedder

KILLS = 20
RETENTION = ("episodes=30d+archive", "category:event=10d", "expired=5d", "max_facts=30")
UPKEEP = ("verbatim=2", "batch=3", "budget=1000")
LATER_US = BEGAN_US + 40 * DAY_US


def opened(path: Path) -> Memory:
    settings = Settings(retention=RETENTION, upkeep=UPKEEP, durable=False)
    return Memory.open(path, embedder=StubEmbedder(), settings=settings, background=False)


def fill(path: Path) -> None:
    """Ten days of talk, with something for each job to do."""
    moment = {"us": BEGAN_US}
    with simulated(lambda: moment["us"]), opened(path) as memory:
        mine = memory.scope(user_id="alice")
        for day in range(10):
            say(
                mine,
                f"We decided to use plan {day} for the garden. It rained over hill number {day}.",
                "Can you export the invoices as CSV?",
                f"We definitely decided to use plan {day // 2} for the garden.",
                session_id=f"s{day}",
            )
            mine.remember(f"Fence {day} is still to be painted", category="open_thread")
            mine.remember(f"Visited castle number {day}", category="event")
            mine.remember(f"The key of shed {day} is blue")
            mine.remember(f"Key of the shed {day} really is blue")
            memory.process()
            moment["us"] += DAY_US


def seen(memory: Memory, mine: ScopedMemory, archive: Archive) -> list[Any]:
    """Everything there is, but for the ids that differ from run to run."""
    items = mine.list(status=None, limit=10_000)
    facts = sorted(
        (one.tier, one.text, one.status, one.category or "", one.seen_count, sorted(one.quotes), one.retired_at or "")
        for one in items
    )
    sessions = sorted((one.id, one.state, one.summary or "") for one in mine.sessions(100))
    archived = sorted(str(line["text"]) for line in archive.lines(mine.scope.partition))
    assert memory.doctor().problems == ()
    return [facts, sessions, archived]


def finished(path: Path, job: str) -> list[Any]:
    """The job, run until its end, and what is there then."""
    with simulated(lambda: LATER_US), opened(path) as memory:
        getattr(memory, job)()
        memory.process()
        archive = Archive(path.with_name(f"{path.name}.archive"))
        return seen(memory, memory.scope(user_id="alice"), archive)


def in_child(path: Path, job: str, die_at: int) -> int:
    """Run the job in a process that dies at its so many-th call of the driver; returns how many calls it made."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        calls = 0

        def count(_frame: FrameType, event: str, called: Any) -> None:
            nonlocal calls
            if event == "c_call" and type(getattr(called, "__self__", None)).__module__ == "apsw":
                calls += 1
                if calls == die_at:
                    os.kill(os.getpid(), signal.SIGKILL)

        with simulated(lambda: LATER_US), opened(path) as memory:
            sys.setprofile(count)
            getattr(memory, job)()
            sys.setprofile(None)
        os.write(writing, str(calls).encode())
        os._exit(0)
    os.close(writing)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) == (die_at > 0)
    with os.fdopen(reading) as made:
        return int(made.read() or 0)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("filled") / "m.db"
    fill(path)
    return path


@pytest.mark.parametrize("job", ["retain", "consolidate", "verify"])
def test_killed_at_any_point_and_run_again_is_as_if_never_killed(job: str, copied: Callable[[], Path]) -> None:
    calls = in_child(copied(), job, 0)
    assert calls > KILLS
    before = finished(copied(), "process")
    expected = finished(copied(), job)
    assert expected != before  # there is something to do
    chance = random.Random(20261130)  # noqa: S311  the same points each time
    for die_at in chance.sample(range(1, calls), KILLS):
        path = copied()
        in_child(path, job, die_at)
        assert finished(path, job) == expected, f"{job} killed at call {die_at} of {calls}"


@pytest.fixture
def copied(filled: Path, tmp_path: Path) -> Callable[[], Path]:
    """Makes a copy of the filled store, each in a folder of its own."""
    made: list[Path] = []

    def copy() -> Path:
        folder = tmp_path / str(len(made))
        folder.mkdir()
        made.append(Path(shutil.copy(filled, folder / "m.db")))
        return made[-1]

    return copy
