"""What a check is, where it works, and what became of all of them on one engine."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Literal

from retentive.config import Settings
from retentive.contracts import Backend
from retentive.errors import RetentiveError
from retentive.memory import Memory
from retentive.plugins import make_backend
from retentive.testing.words import StubEmbedder

#: `held`; `declared`: the engine says that it does not do this, and why; `not shared`: needs a store that outlives its
#: handle; `failed`.
Outcome = Literal["held", "declared", "not shared", "failed"]
#: How long another process may take for what a check asks of it.
_CHILD_WAIT_S = 60.0


@dataclass(frozen=True, slots=True)
class Engine:
    """A backend as the suite sees it.

    fresh: makes an empty store and gives its URL, for as long as the context lasts.
    shared: the URL opens the same store again, in this and in other processes.
    lacks: names of checks that do not hold, each with what to know instead; they are reported, not run.
    bytes_of: everything the store at a URL keeps on disk, to look for what was forgotten; None where nobody can look.
    """

    name: str
    fresh: Callable[[], AbstractContextManager[str]]
    shared: bool = True
    lacks: Mapping[str, str] = field(default_factory=dict)
    bytes_of: Callable[[str], bytes] | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """An empty store to work in."""

    url: str
    bytes_of: Callable[[str], bytes] | None = None

    @contextmanager
    def backend(self) -> Iterator[Backend]:
        """The store as the core sees it: the three roles."""
        backend = make_backend(self.url, Settings())
        try:
            yield backend
        finally:
            backend.store.close()

    @contextmanager
    def memory(self) -> Iterator[Memory]:
        """The store as callers see it; jobs run when the check says `process()`."""
        with Memory.open(self.url, embedder=StubEmbedder(), settings=Settings(), background=False) as memory:
            yield memory

    def child(self, *what: str) -> subprocess.Popen[str]:
        """Another process that does one of the things of `retentive.testing.child` to the store."""
        command = [sys.executable, "-m", "retentive.testing.child", self.url, *what]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603  our own module

    def said_by(self, *what: str) -> list[str]:
        """What that process printed until it ended, one line each."""
        with self.child(*what) as child:
            try:
                return child.communicate(timeout=_CHILD_WAIT_S)[0].splitlines()
            finally:
                child.kill()


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must hold. `says` puts it in a sentence; `shared` ones need a store that outlives its handle."""

    topic: str
    name: str
    says: str
    call: Callable[[Place], None]
    shared: bool = False

    def __str__(self) -> str:
        return self.name


def check(topic: str, *, shared: bool = False) -> Callable[[Callable[[Place], None]], Check]:
    """Make a check of a function: its name is the check's, its docstring says what must hold."""

    def made(call: Callable[[Place], None]) -> Check:
        says = " ".join((call.__doc__ or "").split())
        return Check(topic, call.__name__, says, call, shared)

    return made


@dataclass(frozen=True, slots=True)
class Report:
    """What became of each check on an engine."""

    engine: Engine
    outcomes: Mapping[str, Outcome]

    @property
    def failed(self) -> tuple[str, ...]:
        """Names of the checks that failed."""
        return tuple(name for name, outcome in self.outcomes.items() if outcome == "failed")


def run(one: Check, engine: Engine) -> Outcome:
    """Run one check in an empty store of its own. Raises AssertionError, or what the backend raised, if it fails."""
    if one.name in engine.lacks:
        return "declared"
    if one.shared and not engine.shared:
        return "not shared"
    with engine.fresh() as url:
        one.call(Place(url, engine.bytes_of))
    return "held"


def conformance(engine: Engine, checks: Sequence[Check]) -> Report:
    """Run checks on an engine and say what became of each; what a failing one raised is printed."""
    outcomes: dict[str, Outcome] = {}
    for one in checks:
        try:
            outcomes[one.name] = run(one, engine)
        except (AssertionError, RetentiveError) as error:
            outcomes[one.name] = "failed"
            print(f"{engine.name}: {one.name} failed: {error}", file=sys.stderr)  # noqa: T201  a report's reader asks why
    return Report(engine, outcomes)
