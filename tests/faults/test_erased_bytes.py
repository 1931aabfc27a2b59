"""No byte of what was forgotten in the store's files, also where SQLite leaves copies of rows that it moved."""

from __future__ import annotations

import random
from pathlib import Path

import apsw

from retentive import Memory
from retentive.clock import new_id
from retentive.models.embed_none import NoEmbedder
from retentive.remember import derived
from retentive.types import AddFact, Evidence, Fact, Partition


def traces(folder: Path, word: bytes) -> int:
    """How often a word stands in the files of a folder."""
    return sum(path.read_bytes().count(word) for path in folder.iterdir())


def test_rows_that_moved_between_pages_leave_no_copy_behind(tmp_path: Path) -> None:
    chance = random.Random(5)  # noqa: S311  the same rows each time
    with Memory.open(tmp_path / "m.db", embedder=NoEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        doomed = []
        for number in range(400):
            word = "canaryword" if chance.random() < 0.5 else "plainword"
            name = f"{chance.getrandbits(40):x}-{word}"
            message = {"role": "user", "content": f"{word} {number} " + "x " * chance.randrange(200), "id": name}
            stored = mine.record([message], session_id=name)
            doomed += stored.ids if word == "canaryword" else []
        chance.shuffle(doomed)
        for start in range(0, len(doomed), 40):
            assert mine.forget(doomed[start : start + 40]).complete
        assert traces(tmp_path, b"canaryword") == 0
        assert memory.doctor().problems == ()
        assert len(mine.list(limit=1000)) == 400 - len(doomed)


def test_an_erasure_whose_process_died_is_ended_when_the_store_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with Memory.open(path, embedder=NoEmbedder(), background=False) as memory:
        memory.scope(user_id="alice").remember("Likes tea")
    connection = apsw.Connection(str(path))
    page_bytes, pages = connection.pragma("page_size"), connection.pragma("page_count")
    connection.execute("INSERT OR REPLACE INTO setting VALUES ('wiped', 'due')")
    connection.close()
    data = bytearray(path.read_bytes())
    leaf = next(
        n for n in range(1, pages) if data[n * page_bytes] in {10, 13} and not any(data[n * page_bytes + 1 :][:4])
    )
    data[leaf * page_bytes + 100 : leaf * page_bytes + 110] = b"canaryword"  # as SQLite leaves it
    path.write_bytes(data)
    with Memory.open(path, embedder=NoEmbedder(), background=False) as memory:
        assert traces(tmp_path, b"canaryword") == 0
        assert memory.doctor().problems == ()
        assert [item.text for item in memory.scope(user_id="alice").list()] == ["Likes tea"]


def test_the_reasons_of_failed_jobs_and_the_ledger_name_nothing_that_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with Memory.open(path, embedder=NoEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        gone = mine.record([{"role": "user", "content": "The vault is open"}], session_id="canaryword").ids
        mine.remember("Likes tea")
        connection = apsw.Connection(str(path))
        connection.execute("UPDATE job SET state = 'dead', error = 'ValueError: canaryword'")
        number = connection.execute("SELECT no FROM partition WHERE owner = 'alice'").get
        row = f"1, 'default', {number}, 'canaryword', '', '', 'extract', 'm', 1, 0, 5, 5, 0, 0, 0, 0, 0"
        connection.execute(f"INSERT INTO usage VALUES ({row})")  # noqa: S608
        connection.close()
        assert mine.forget(gone).complete
        assert traces(tmp_path, b"canaryword") == 0
        assert [spent.tokens for spent in memory.usage(())] == [10]


def test_a_fact_outlives_a_message_only_if_the_others_say_all_of_it(memory: Memory, tmp_path: Path) -> None:
    mine = memory.scope(user_id="alice")
    said = ["I play the cello", "Again: I play the cello!", "My sailing boat is called canaryword"]
    ids = mine.record([{"role": "user", "content": text} for text in said]).ids
    with memory._backend.store.transaction(Partition("default", "user", "alice")) as transaction:  # noqa: SLF001
        for text, cited in (("Plays the cello", ids[:2]), ("Plays the cello, sails canaryword", ids)):
            evidence = tuple(Evidence(one, said[ids.index(one)]) for one in cited)
            fact = derived(Fact(id=new_id(), text=text, valid_from_us=1, recorded_us=1, evidence=evidence))
            transaction.apply([AddFact(fact)])
    assert mine.forget([ids[0], ids[2]]).complete
    assert [item.text for item in mine.list(tier="semantic")] == ["Plays the cello"]
    assert traces(tmp_path, b"canaryword") == 0
