"""A store with rows of every kind, from SQLite to Postgres and back: every export is the same, byte for byte.

Also when runs are killed, and while somebody writes.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import numpy as np
import pytest

from retentive import Memory, ScopedMemory, Settings
from retentive.contracts.ledger import Account, Carried
from retentive.contracts.models import Usage
from retentive.lifecycle.portable import export_lines
from retentive.migrate import migrate
from retentive.plugins import make_backend
from retentive.testing.made import known, put
from retentive.testing.postgres import Server
from retentive.types import NewJob, Partition, Status
from stubs import StubEmbedder

_OWNERS = (("default", "user", "alice"), ("default", "agent", "alice"), ("acme", "user", "Zoë ö/ü"))
_SENTENCES = (
    "I live in {place} now.",
    "My sister is called {name}.",
    "I prefer {thing} over everything else.",
    "早上我喜欢喝{thing}。",
    "أحب {thing} كثيرا.",
    "Мне нравится {thing} в городе {place}.",
    "“{thing}” — 100% 'quoted'\tand\nbroken; -- <b>{name}</b> 🧵\u200d🪡",
    "We decided to use {thing} for the ledger.",
)
_WORDS = {
    "place": ("Porto", "Uppsala", "Sucre", "Dili"),
    "name": ("Ines", "Bo", "Ngozi"),
    "thing": ("oolong", "linen", "maté", "rye"),
}


def opened(url: str) -> Memory:
    return Memory.open(url, embedder=StubEmbedder(), background=False)


def owned(memory: Memory, tenant: str, kind: str, owner: str, **narrow: str) -> ScopedMemory:
    user, agent = (owner, None) if kind == "user" else (None, owner)
    return memory.scope(user, narrow.pop("agent_id", agent), tenant=tenant, **narrow)


def talk(mine: ScopedMemory, chance: random.Random, sessions: int = 12) -> None:
    for session in range(sessions):
        messages = []
        for number in range(chance.randint(3, 14)):
            said = chance.choice(_SENTENCES).format(**{name: chance.choice(some) for name, some in _WORDS.items()})
            zone = chance.choice(("Z", "+05:45", "-03:00"))
            messages.append(
                {
                    "role": chance.choice(("user", "user", "assistant", "tool")),
                    "name": chance.choice((None, "Zoë", "Bo")),
                    "content": said,
                    "timestamp": f"2026-0{1 + session % 9}-11T09:{number:02}:00.123456{zone}",
                    "id": f"{session}-{number}",
                    "metadata": {
                        "n": number,
                        "x": number / 7,
                        "on": number % 2 == 0,
                        "tags": ["早", None, {"a": 1e-9}],
                    },
                }
            )
        told = [{name: value for name, value in message.items() if value is not None} for message in messages]
        mine.record(told, session_id=f"s{session}")
        if session % 3:
            mine.end_session(f"s{session}")


def lived(memory: Memory, mine: ScopedMemory, chance: random.Random) -> None:
    """Facts of every status, versions, a profile, things forgotten, a rebuild put in place and one under way."""
    talk(mine, chance)
    memory.process()
    mine.update_profile({"name": "Zoë", "timezone": "GMT+8"})
    (city,) = mine.remember("I live in Oslo", confidence=0.7, idempotency_key="k1", metadata={"early": "早"}).ids
    mine.update(city, text="I live in Bergen", confidence=1 / 3)
    mine.remember("I live in Tromsø")
    mine.remember("I live in Cusco", source="web")
    mine.remember("Never calls before nine", evergreen=True, category="constraint")
    mine.remember("Has a voucher", expires_at="2026-01-02T00:00:00Z")
    mine.remember("Has a ticket", expires_at="2099-01-02T00:00:00Z", session_id="s1")
    mine.update_profile({"tone": "brief"})
    mine.update_profile({"tone": None})
    mine.record([{"role": "user", "content": "My vault is in Glimmerdeep."}], session_id="s2")
    mine.end_session("s2")
    memory.process()
    mine.forget([item.id for item in mine.list("semantic", limit=1000) if "vault" in item.text])
    mine.forget(mine.list("episodic", limit=5).items[-1].id)
    mine.forget(session_id="s4")
    mine.record([{"role": "user", "content": "I live in Pécs."}], session_id="s-open")


def of_every_kind(url: str) -> None:
    """At least one row in every table that there is."""
    chance = random.Random(11)  # noqa: S311  what is said
    with opened(url) as memory:
        for owner in _OWNERS:
            lived(memory, owned(memory, *owner), chance)
        narrow = owned(memory, *_OWNERS[0], agent_id="clerk", project_id="novel")
        narrow.remember("Likes short chapters")
        narrow.record([{"role": "user", "content": "The chapter is late."}], session_id="s-narrow")
        memory.process()
        memory.rebuild(dry_run=False)
        memory.retain()
        memory.rebuild()
        narrow.remember("Owns a boat")
        narrow.apply_document("\n".join(line for line in narrow.document().split("\n") if "a boat" not in line))
        memory.keys.create("website", tenant="acme")
    with closing((backend := make_backend(url, Settings())).store) as store:
        alice = Partition(*_OWNERS[0])  # type: ignore[arg-type]
        fact = store.always(alice)[0]
        account = Account(alice, "chat", "s1")
        backend.ledger.settle(account, 0, Usage(9, 1), model="m", carried=[Carried(fact.id, 1, 9)])
        backend.keys.begin_answer("key", b"name", b"request", 0, stale_us=1)
        states = {fact.row: np.eye(3, 4, dtype=np.float32)}
        vector = StubEmbedder().embed([fact.text])[0]
        backend.index.put_vectors(alice, StubEmbedder().name, {fact.row: vector}, states)
        put(store, alice, [known("Owes 40 euros", status=Status.PENDING, reason="a subject of weight")])
        with store.transaction(alice) as transaction:
            transaction.enqueue(NewJob("embed", {"first_row": fact.row, "last_row": fact.row}))


def exports(url: str) -> dict[Partition, str]:
    with closing((backend := make_backend(url, Settings())).store) as store:
        return {one: "\n".join(export_lines(backend.store, one)) for one in store.partitions()}


def tables(path: str) -> dict[str, int]:
    with closing(apsw.Connection(path)) as plain:
        names = [name for (name,) in plain.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {name: plain.execute(f"SELECT count(*) FROM {name}").get for name in names}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = str(tmp_path_factory.mktemp("whole") / "here.db")
    of_every_kind(url)
    return url


@pytest.fixture
def there(postgres: Server) -> Iterator[str]:
    with postgres.empty_store() as url:
        yield url


def test_the_fixture_has_rows_of_every_kind(here: str) -> None:
    assert {name for name, count in tables(here).items() if not count} <= {"sqlite_sequence", "sqlite_stat1"}
    statuses = {json.loads(line).get("status") for text in exports(here).values() for line in text.split("\n")}
    assert statuses >= {"active", "superseded", "disputed", "pending", "rejected", "expired", None}


def test_there_and_back_every_export_is_the_same(here: str, there: str, tmp_path: Path) -> None:
    back = str(tmp_path / "back.db")
    one, two = migrate(here, there), migrate(there, back)
    assert (one.differing, two.differing) == (0, 0)
    assert one.memories == two.memories > 300
    found = exports(here)
    assert len(found) == 3
    assert found == exports(there) == exports(back)
    came, left = tables(back), tables(here)
    for table in ("episode", "fact", "evidence", "session", "entry", "token_state", "forgotten"):
        assert came[table] == left[table] > 0, table
    for table in ("usage", "carried", "api_key", "answered", "former_fact", "shadow"):  # which the module says
        assert came[table] == 0, table
    asked = []
    for url in (here, there, back):
        with opened(url) as memory:
            mine = owned(memory, *_OWNERS[0])
            hits = mine.recall("where do I live?", k=20, now="2040-01-01Z").hits
            asked.append([(hit.id, hit.score) for hit in hits])
            assert memory.doctor().problems == ()
    assert len(asked[0]) == 20
    assert asked[0] == asked[1] == asked[2]


def test_killed_in_the_middle_and_written_to_meanwhile(here: str, there: str, tmp_path: Path) -> None:
    here = shutil.copy(here, tmp_path)
    whole, stop = sum(text.count("\n") for text in exports(here).values()), threading.Event()

    def write() -> None:
        with opened(here) as memory:
            for number in range(1000):
                mine = owned(memory, *_OWNERS[number % 3])
                kept, gone = (mine.remember(f"{word} {number} is in the yard").ids[0] for word in ("Crate", "Shelf"))
                mine.update(kept, text=f"Crate {number} is in the cellar")
                mine.forget(gone)
                memory.process()
                if stop.wait(0.05):
                    return

    def held() -> int:
        with closing((backend := make_backend(there, Settings())).store) as store:
            return sum(sum(1 for _ in export_lines(backend.store, one)) for one in store.partitions())

    command = [sys.executable, "-m", "retentive.cli", "migrate", "--from", here, "--to", there]
    writer = threading.Thread(target=write)
    writer.start()
    try:
        for share in (0.2, 0.6):
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
                while run.poll() is None and held() < whole * share:
                    time.sleep(0.02)
                run.kill()
        migrate(here, there)
    finally:
        stop.set()
        writer.join()
    assert migrate(here, there).differing == 0
    assert exports(here) == exports(there)
