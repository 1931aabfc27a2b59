"""Nothing acknowledged is lost: processes killed at any moment, and many processes on one file."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from retentive import Memory
from retentive.backends.sqlite.database import Database
from retentive.errors import StoreError
from retentive.memory import ScopedMemory
from retentive.models.embed_none import NoEmbedder
from retentive.testing.words import StubEmbedder

WRITER = str(Path(__file__).with_name("writer.py"))
KILLS = 100


def start_writer(store: Path, name: str, count: int | None = None) -> subprocess.Popen[str]:
    """A writer process whose acknowledgements we read."""
    command = [sys.executable, WRITER, str(store), name, *([str(count)] if count else [])]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def stored_ids(mine: ScopedMemory) -> set[str]:
    """Ids of everything in the scope."""
    found: set[str] = set()
    cursor = None
    while True:
        page = mine.list(status=None, limit=1000, cursor=cursor)
        found |= {item.id for item in page}
        cursor = page.cursor
        if cursor is None:
            return found


@pytest.mark.timeout(900)
def test_a_hundred_kills_lose_nothing_acknowledged(tmp_path: Path) -> None:
    """A writer is killed -9 a hundred times, after a random wait; each id it ever printed is still there."""
    store = tmp_path / "memory.db"
    chance = random.Random(20261130)  # noqa: S311  the same waits each time
    acknowledged: list[str] = []
    for kill in range(KILLS):
        writer = start_writer(store, f"w{kill}")
        assert writer.stdout is not None
        acknowledged.append(writer.stdout.readline().strip())  # it runs: from here on any moment is fair
        time.sleep(chance.uniform(0, 0.12))
        writer.kill()
        rest, _ = writer.communicate(timeout=30)
        acknowledged += [line for line in rest.split("\n")[:-1] if line]
        if kill % 10 == 9:
            with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
                assert set(acknowledged) <= stored_ids(memory.scope(user_id="shared"))
    with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
        memory.process()
        assert set(acknowledged) <= stored_ids(memory.scope(user_id="shared"))
        assert memory.doctor().problems == ()
        ended = memory.scope(user_id="shared").sessions(limit=1000)
        assert {session.state for session in ended} == {"ended"}
    assert len(acknowledged) > 2 * KILLS


@pytest.mark.timeout(300)
def test_eight_processes_and_readers_share_one_file(tmp_path: Path) -> None:
    """8 x 200 writes while others read: no error, no loss, and each reader sees ever more."""
    store = tmp_path / "memory.db"
    Memory.open(store, embedder=NoEmbedder(), background=False).close()
    writers = [start_writer(store, f"p{number}", 200) for number in range(8)]
    seen: list[list[int]] = [[], []]
    failures: list[BaseException] = []
    stop = threading.Event()

    def read(counts: list[int]) -> None:
        try:
            with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
                mine = memory.scope(user_id="shared")
                while not stop.wait(0.1):
                    mine.recall("which note does the writer keep?", k=10)
                    counts.append(memory.status().counts["episode"])
        except BaseException as error:  # noqa: BLE001  whatever it is, it fails the test below
            failures.append(error)

    readers = [threading.Thread(target=read, args=(counts,)) for counts in seen]
    for reader in readers:
        reader.start()
    outputs = [writer.communicate(timeout=280)[0].split() for writer in writers]
    stop.set()
    for reader in readers:
        reader.join()
    assert failures == []
    assert [writer.returncode for writer in writers] == [0] * 8
    assert [len(output) for output in outputs] == [200] * 8
    with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
        assert {one for output in outputs for one in output} == stored_ids(memory.scope(user_id="shared"))
        assert memory.doctor().problems == ()
    for counts in seen:
        assert counts == sorted(counts)
        assert len(counts) > 1


def test_sixteen_threads_share_one_memory(tmp_path: Path) -> None:
    """16 threads write and read through one Memory: every write is there, once."""
    with Memory.open(tmp_path / "memory.db", embedder=NoEmbedder(), background=False) as memory:
        ids: list[str] = []

        def work(name: int) -> None:
            mine = memory.scope(user_id="shared")
            for number in range(25):
                ids.extend(mine.remember(f"Thread {name} keeps note {number}").ids)
                assert mine.recall(f"note {number} of thread {name}").hits

        threads = [threading.Thread(target=work, args=(name,)) for name in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(ids) == len(set(ids)) == 16 * 25
        assert set(ids) == stored_ids(memory.scope(user_id="shared"))


def test_a_power_cut_before_vectors_are_on_disk_leaves_them_to_be_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What jobs derive is not flushed: wherever the log ends behind a record, the store is whole and catches up."""
    store, log = tmp_path / "memory.db", tmp_path / "memory.db-wal"
    cuts: list[int] = []
    with Memory.open(store, embedder=StubEmbedder(), background=False) as memory:
        memory.scope(user_id="a").record([{"role": "user", "content": "My boat lies in Ghent."}])
        flushed = log.stat().st_size
        memory.process()
        cuts = [*range(flushed, log.stat().st_size, 4096 + 24), log.stat().st_size]
        image, written = store.read_bytes(), log.read_bytes()
    assert len(cuts) > 3
    monkeypatch.setattr("retentive.memory.is_gone", lambda _: True)  # whoever held the job went with the power
    for cut in cuts:
        after = tmp_path / f"cut{cut}.db"
        after.write_bytes(image)
        after.with_name(f"{after.name}-wal").write_bytes(written[:cut])
        with Memory.open(after, embedder=StubEmbedder(), background=False) as memory:
            memory.process()
            found = memory.scope(user_id="a").recall("Where does my boat lie?")
            assert [hit.text for hit in found] == ["My boat lies in Ghent."]
            assert found.degraded == ()
            assert memory.doctor().problems == ()


def test_only_what_is_derived_is_not_waited_for(tmp_path: Path) -> None:
    levels = []
    database = Database(str(tmp_path / "memory.db"))
    for derived in (False, True, True, False):
        with database.write(shared=True, derived=derived) as connection:
            levels.append(connection.pragma("synchronous"))
    with pytest.raises(StoreError, match="inside a write"), database.write(), database.write(derived=True):
        pass
    with database.write() as connection:
        levels.append(connection.pragma("synchronous"))
    database.close()
    assert levels == [2, 1, 1, 2, 2]


def test_a_record_does_not_join_a_commit_that_is_not_waited_for(tmp_path: Path) -> None:
    """A thread that derives and one that records, in turn: the record opens a commit of its own."""
    levels = []
    database = Database(str(tmp_path / "memory.db"))

    def record() -> None:
        with database.write(shared=True) as connection:
            levels.append(connection.pragma("synchronous"))

    with database.write(shared=True, derived=True) as connection:
        connection.execute("INSERT INTO setting VALUES ('made', 'again')")
        waiting = threading.Thread(target=record)
        waiting.start()
        time.sleep(0.05)  # it waits for its turn now, and would share the commit
    waiting.join()
    database.close()
    assert levels == [2]
