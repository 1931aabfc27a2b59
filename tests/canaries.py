"""Words planted wherever words can come to lie, and the ways to forget them: what tests of erasing share."""

from __future__ import annotations

import gzip
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw

from retentive import Memory, ScopedMemory, Settings
from retentive.clock import new_id, now_us
from retentive.contracts import Usage
from retentive.contracts.ledger import Account
from retentive.lifecycle.archive import Archive
from retentive.results import ErasureReport
from retentive.types import AddFact, Fact, Partition, Status
from stubs import StubEmbedder

#: Where each is planted, and the word.
CANARIES = {
    "message": "aberquill",
    "message metadata": "belloworth",
    "message tags": "cinderfax",
    "tool arguments": "dorrimond",
    "speaker": "elverstane",
    "message id": "farrowmere",
    "session id": "grimbolt",
    "extracted fact": "hollowick",
    "session summary": "ivorstead",
    "stated fact": "jesperine",
    "earlier version": "kestrelby",
    "replaced fact": "lindermoor",
    "fact metadata": "morrowfen",
    "idempotency key": "netherwyn",
    "profile": "ormsgarth",
    "reason of a rejection": "pellanore",
    "reason of a failed job": "quenderby",
    "archive": "rosselwick",
    "edited mirror": "sunderlow",
    "ledger": "tamberlyn",
}
BATCH = {"batch": "b7", "tags": [CANARIES["message tags"]], "channel": CANARIES["message metadata"]}
#: What `forget` below goes by.
ROUTES = ("ids", "filter", "session", "project", "time", "everything")
#: What was never to be forgotten.
STAYS = {"The shed is painted green", "I play the cello on Sundays.", "The user plays the cello on Sundays."}


class Live:
    """A folder with a store, its archive, its mirrors and a log of all that is logged."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "memory.db"
        folder.mkdir(exist_ok=True)

    @contextmanager
    def opened(self) -> Iterator[Memory]:
        settings = Settings(
            retention=("expired=0d+archive", "episodes=keep"),
            upkeep=("verbatim=1",),
            mirror_dir=str(self.folder / "mirrors"),
            audit_reads=True,
            durable=False,
        )
        handler = logging.FileHandler(self.folder / "memory.db.log")
        logger = logging.getLogger("retentive")
        logger.addHandler(handler)
        try:
            with Memory.open(self.path, embedder=StubEmbedder(), settings=settings, background=False) as memory:
                yield memory
        finally:
            logger.removeHandler(handler)
            handler.close()

    def found(self) -> dict[str, list[str]]:
        """Each canary that is left, and in which files."""
        found: dict[str, list[str]] = {}
        for path in sorted(self.folder.rglob("*")):
            if path.is_file():
                data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
                for where, word in CANARIES.items():
                    if word.encode() in data.lower():
                        found.setdefault(where, []).append(path.name)
        return found


def plant(memory: Memory, live: Live) -> None:
    """Every canary in its place; whoever goes by a condition finds what belongs to it."""
    scope = memory.scope(user_id="alice", project_id="p7")
    session = f"talk-{CANARIES['session id']}"
    said = [
        {"role": "user", "content": f"I live in {CANARIES['extracted fact'].capitalize()}."},
        {"role": "user", "content": f"My notebook speaks of {CANARIES['message']}.", "id": CANARIES["message id"]},
        {"role": "tool", "content": f'{{"query": "{CANARIES["tool arguments"]}"}}', "type": "tool_call"},
        {"role": "user", "content": f"We decided on {CANARIES['session summary']}.", "name": CANARIES["speaker"]},
    ]
    scope.record([message | {"metadata": BATCH} for message in said], session)
    scope.end_session(session)
    memory.process()
    state(memory, scope, session)
    memory.scope(user_id="alice").remember("The shed is painted green")
    other = memory.scope(user_id="alice")
    other.record([{"role": "user", "content": "I play the cello on Sundays."}], "later")
    other.end_session("later")
    memory.consolidate()
    memory.retain()
    memory.rebuild(dry_run=False)
    memory.rebuild()
    memory.process()
    edit(live, memory)
    spoil_a_job(live)
    memory._backend.ledger.settle(  # noqa: SLF001  as a model's call would
        Account(scope.scope.partition, "extract", f"{session}-{CANARIES['ledger']}"), now_us(), Usage(5, 5), model="m"
    )


def state(memory: Memory, scope: ScopedMemory, session: str) -> None:
    """What is stated, changed, replaced, turned down and past its time."""

    def stated(text: str, **more: object) -> str:
        metadata = {"batch": "b7", "note": [CANARIES["fact metadata"]]}
        return scope.remember(text, session_id=session, metadata=metadata, **more).ids[0]  # type: ignore[arg-type]

    fact = stated(f"The cellar is called {CANARIES['earlier version']}", idempotency_key=CANARIES["idempotency key"])
    scope.update(fact, text=f"The cellar is called {CANARIES['stated fact']}")
    scope.remember(f"I prefer {CANARIES['replaced fact']} tea", session_id=session, metadata={"batch": "b7"})
    stated("I prefer green tea")
    stated(CANARIES["profile"], field="company")
    stated(f"The voucher says {CANARIES['archive']}", expires_at="2026-01-01T00:00:00Z")
    scope.record([{"role": "user", "content": "Actually I am allergic to nuts.", "metadata": BATCH}], session)
    scope.end_session(session)
    memory.process()
    attic = memory._backend.store.get(scope.scope.partition, [stated("The attic is damp")]).popitem()[1]  # noqa: SLF001
    assert isinstance(attic, Fact)
    waiting = replace(attic, id=new_id(), digest=b"another", status=Status.PENDING)  # as an extractor's would
    with memory._backend.store.transaction(scope.scope.partition) as transaction:  # noqa: SLF001
        transaction.apply([AddFact(waiting)], {waiting.id: ["attic", "damp"]})
    memory.review.reject(waiting.id, f"no: {CANARIES['reason of a rejection']}")


def edit(live: Live, memory: Memory) -> None:
    """A person adds a line to the mirror; the next run takes it up, with the rest of what is said."""
    (mirror,) = live.folder.glob("mirrors/*/*/user.md")
    text = mirror.read_text("utf-8")
    assert CANARIES["stated fact"] in text
    line = f"- The cellar is called {CANARIES['edited mirror']}"
    mirror.write_text(text.replace(f"- The cellar is called {CANARIES['stated fact']}", line), "utf-8")
    assert memory.process().errors == ()


def spoil_a_job(live: Live) -> None:
    connection = apsw.Connection(str(live.path))
    number = connection.execute("SELECT no FROM partition").get
    sql = "INSERT INTO job (kind, partition, payload, state, error) VALUES ('embed', ?, '{}', 'dead', ?)"
    connection.execute(sql, (number, f"ValueError: {CANARIES['reason of a failed job']}"))
    connection.close()


def archived(memory: Memory) -> list[str]:
    location = Path(memory.status().location)
    lines = Archive(location.with_name(f"{location.name}.archive")).lines(Partition("default", "user", "alice"))
    return [str(line["id"]) for line in lines]


def forget(route: str, memory: Memory) -> ErasureReport:
    """Forget every canary by one of the routes."""
    mine = memory.scope(user_id="alice")
    if route == "everything":
        return mine.forget_everything(verify=True)
    if route == "ids":
        items = mine.list(status=None, limit=1000).items
        chosen = [item.id for item in items if item.text not in STAYS and item.session_id != "later"]
        return mine.forget([*dict.fromkeys([*chosen, *archived(memory)])], verify=True)
    conditions: dict[str, dict[str, Any]] = {
        "filter": {"where": {"batch": "b7"}},
        "session": {"session_id": f"talk-{CANARIES['session id']}"},
        "project": {"of_project": "p7"},
        "time": {"since": "2020-01-01T00:00:00Z", "where": {"batch": "b7"}},
    }
    return mine.forget(**conditions[route], verify=True)
