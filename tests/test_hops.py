"""From a public call to its SQL: four hops at the most. A hop is a step from one file of the package into another."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import pytest

import retentive

PACKAGE = Path(retentive.__file__).parent
MAX_HOPS = 4
#: What passes a call on as it is, and the brackets of a transaction: a reader takes no step into them.
SEEN_THROUGH = {"tracing.py", "again.py", "across.py", "backends/sqlite/turns.py"}


class Place(NamedTuple):
    """Where the calls are made: an open store, a scope in it and a fact there."""

    memory: retentive.Memory
    mine: retentive.ScopedMemory
    fact_id: str


CALLS: dict[str, Callable[[Place], Any]] = {
    "record": lambda at: at.mine.record([{"role": "user", "content": "We discussed billing"}], "s1"),
    "remember": lambda at: at.mine.remember("I live in Paris"),
    "recall": lambda at: at.mine.recall("where do I live?"),
    "block": lambda at: at.mine.block("where do I live?"),
    "profile": lambda at: at.mine.profile(),
    "update_profile": lambda at: at.mine.update_profile({"name": "Alice"}),
    "get": lambda at: at.mine.get(at.fact_id),
    "list": lambda at: at.mine.list(),
    "update": lambda at: at.mine.update(at.fact_id, text="I live in Rome"),
    "history": lambda at: at.mine.history(at.fact_id),
    "why": lambda at: at.mine.why(at.fact_id),
    "forget": lambda at: at.mine.forget(at.fact_id),
    "process": lambda at: at.memory.process(),
    "doctor": lambda at: at.memory.doctor(),
}


def files_passed(frame: FrameType | None) -> tuple[str, ...]:
    """The package's files on the stack, outermost first; calls within one file count once."""
    names = []
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(PACKAGE):
            name = path.relative_to(PACKAGE).as_posix()
            names += [name] if name not in SEEN_THROUGH else []
        frame = frame.f_back
    return tuple(name for name, _ in groupby(reversed(names)))


@contextmanager
def watched_statements() -> Iterator[set[tuple[str, ...]]]:
    """By which files each statement was reached that the driver ran meanwhile, in this thread."""
    paths: set[tuple[str, ...]] = set()

    def note(frame: FrameType, event: str, called: Any) -> None:
        if (
            event == "c_call"
            and called.__name__ in {"execute", "executemany"}
            and type(called.__self__).__module__ == "apsw"
        ):
            paths.add(files_passed(frame))

    sys.setprofile(note)
    try:
        yield paths
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize("verb", CALLS)
def test_the_way_to_the_sql_is_short(memory: retentive.Memory, mine: retentive.ScopedMemory, verb: str) -> None:
    place = Place(memory, mine, mine.remember("I live in Berlin").ids[0])
    with watched_statements() as paths:
        CALLS[verb](place)
    assert paths, f"{verb} ran no statement: is the driver still apsw?"
    assert {path for path in paths if len(path) - 1 > MAX_HOPS} == set()
