"""A store that is a folder, killed at every step of putting its files in place.

The child is a fork: it dies as a killed process dies.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from retentive import Memory
from retentive.models.embed_none import NoEmbedder

#: More than there are: the last child dies of none.
MOST_STEPS = 40


def opened(folder: Path) -> Memory:
    return Memory.open(f"file:{folder}/", embedder=NoEmbedder(), background=False)


def dying_at(step: int, act: Callable[[], None]) -> str:
    """What a fork said that does this and is killed at its n-th flush, change of place or removal of a file."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        count = 0

        def counting(call: Callable[..., Any]) -> Callable[..., Any]:
            def counted(*given: Any, **more: Any) -> Any:
                nonlocal count
                count += 1
                if count == step:
                    os.kill(os.getpid(), signal.SIGKILL)
                return call(*given, **more)

            return counted

        os.fsync, os.replace, os.unlink = map(counting, (os.fsync, os.replace, os.unlink))
        act()
        os.write(writing, b"done")
        os.kill(os.getpid(), signal.SIGKILL)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said.decode()


def in_file(folder: Path, name: str) -> set[str]:
    path = folder / f"{name}.json"
    return {one["text"] for one in json.loads(path.read_text("utf-8"))["facts"]} if path.exists() else set()


def in_store(memory: Memory, name: str) -> set[str]:
    return {item.text for item in memory.scope(user_id=name).list("semantic")}


def test_file_and_store_agree_whenever_a_write_is_killed(tmp_path: Path) -> None:
    for step in range(1, MOST_STEPS):
        folder = tmp_path / str(step)
        with opened(folder) as memory:
            memory.scope(user_id="alice").remember("Likes tea")

        def write(folder: Path = folder) -> None:
            with opened(folder) as memory:
                memory.scope(user_id="alice").remember("Plays the oud")
                memory.scope(user_id="bob").remember("Likes cars")

        said = dying_at(step, write)
        with opened(folder) as memory:
            for name, first, second in (("alice", {"Likes tea"}, "Plays the oud"), ("bob", set[str](), "Likes cars")):
                assert in_store(memory, name) == in_file(folder, name), step
                assert first <= in_store(memory, name) <= first | {second}, step
                assert said != "done" or second in in_store(memory, name)
            assert memory.doctor().problems == ()
        assert not list((folder / ".retentive").glob("*.new*")), step
        if said == "done":
            return
    raise AssertionError


def test_nothing_forgotten_is_in_a_file_whenever_forgetting_is_killed(tmp_path: Path) -> None:
    for step in range(1, MOST_STEPS):
        folder = tmp_path / str(step)
        with opened(folder) as memory:
            mine = memory.scope(user_id="alice")
            mine.remember("Likes tea")
            (doomed,) = mine.remember("The vault is behind the glimmerdeep painting").ids
            memory.process()

        def forget(folder: Path = folder, doomed: str = doomed) -> None:
            with opened(folder) as memory:
                memory.scope(user_id="alice").forget(doomed)

        said = dying_at(step, forget)
        with opened(folder) as memory:
            memory.process()
            there = "glimmerdeep" in " ".join(in_store(memory, "alice"))
        found = [path for path in folder.rglob("*") if path.is_file() and b"glimmerdeep" in path.read_bytes()]
        assert there or not found, (step, found)
        if said == "done":
            assert not there
            return
    raise AssertionError
