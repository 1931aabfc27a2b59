"""Forgetting is killed -9 at twenty random points and asked for again: the store is as if nothing had happened.

The points are calls of the database driver and of whatever changes a file: some lie within the transaction, some
between it, the archive and the mirrors. The child is a fork: it dies as a killed process dies.
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

from canaries import CANARIES, Live, plant
from retentive import Memory
from retentive.lifecycle.archive import Archive

KILLS = 20
CHANGES_FILES = frozenset({"write", "truncate", "fsync", "flush", "replace", "unlink", "rename", "open"})
HOW: dict[str, Callable[[Memory], object]] = {
    "session": lambda memory: memory.scope(user_id="alice").forget(session_id=f"talk-{CANARIES['session id']}"),
    "project": lambda memory: memory.scope(user_id="alice").forget(of_project="p7"),
    "everything": lambda memory: memory.scope(user_id="alice").forget_everything(),
}


def seen(live: Live, memory: Memory) -> list[Any]:
    """Everything there is, in the store and beside it."""
    mine = memory.scope(user_id="alice")
    sessions = sorted((one.id, one.state, one.summary or "", one.message_count) for one in mine.sessions(100))
    archived = list(Archive(live.folder / "memory.db.archive").lines(mine.scope.partition))
    mirrors = {path.name: path.read_bytes() for path in live.folder.glob("mirrors/*/*/*")}
    assert [problem for problem in memory.doctor().problems if "gave up" not in problem] == []
    assert live.found() == {}
    return [
        mine.list(status=None, limit=1000).items,
        sessions,
        archived,
        mirrors,
        memory.usage(("session", "operation")),
    ]


def finished(live: Live, how: str) -> list[Any]:
    """Forgotten until the end, and what is there then."""
    with live.opened() as memory:
        HOW[how](memory)
        assert memory.process().errors == ()
        return seen(live, memory)


def in_child(live: Live, how: str, die_at: int) -> int:
    """Forget in a process that dies at its so many-th change; returns how many it made."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        calls = 0

        def count(_frame: FrameType, event: str, called: Any) -> None:
            nonlocal calls
            ours = type(getattr(called, "__self__", None)).__module__ == "apsw"
            if event == "c_call" and (ours or called.__name__ in CHANGES_FILES):
                calls += 1
                if calls == die_at:
                    os.kill(os.getpid(), signal.SIGKILL)

        with live.opened() as memory:
            sys.setprofile(count)
            HOW[how](memory)
            sys.setprofile(None)
        os.write(writing, str(calls).encode())
        os._exit(0)
    os.close(writing)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) == (die_at > 0)
    with os.fdopen(reading) as made:
        return int(made.read() or 0)


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    live = Live(tmp_path_factory.mktemp("planted") / "live")
    with live.opened() as memory:
        plant(memory, live)
    return live.folder


@pytest.mark.parametrize("how", HOW)
def test_killed_at_any_point_and_asked_again_is_as_if_never_killed(planted: Path, tmp_path: Path, how: str) -> None:
    def copied(name: str) -> Live:
        return Live(Path(shutil.copytree(planted, tmp_path / name)))

    calls = in_child(copied("counted"), how, 0)
    assert calls > KILLS
    expected = finished(copied("expected"), how)
    chance = random.Random(20261130)  # noqa: S311  the same points each time
    for die_at in chance.sample(range(1, calls), KILLS):
        live = copied(str(die_at))
        in_child(live, how, die_at)
        assert finished(live, how) == expected, f"killed at change {die_at} of {calls}"
