"""A backup is whole or refused, and so is what it is restored to."""

from __future__ import annotations

import contextlib
import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from click.testing import CliRunner

from retentive import Memory, ScopedMemory, restore
from retentive.backends.sqlite import copying
from retentive.cli import main
from retentive.errors import BackupDamaged, InvalidInput, StoreNewer, WrongPassphrase
from retentive.models.embed_none import NoEmbedder
from retentive.sealed import write_sealed

SECRET = "the marmot under the stairs"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory.db", embedder=NoEmbedder(), background=False) as opened:
        yield opened


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "monday.backup"


def texts(path: Path, user: str = "alice") -> list[str]:
    with Memory.open(path, embedder=NoEmbedder(), background=False) as memory:
        assert memory.doctor().problems == ()
        return sorted(item.text for item in memory.scope(user_id=user).list(limit=1000))


@pytest.mark.parametrize("passphrase", [None, "correct horse"])
def test_what_was_there_is_there_again(memory: Memory, kept: Path, tmp_path: Path, passphrase: str | None) -> None:
    mine = memory.scope(user_id="alice")
    mine.remember("Keeps bees")
    mine.export(tmp_path / "before.jsonl")
    size = memory.backup(kept, passphrase=passphrase)
    assert size == kept.stat().st_size
    restore(kept, tmp_path / "new.db", passphrase=passphrase)
    with Memory.open(tmp_path / "new.db", embedder=NoEmbedder(), background=False) as again:
        again.scope(user_id="alice").export(tmp_path / "after.jsonl")
    assert (tmp_path / "after.jsonl").read_bytes() == (tmp_path / "before.jsonl").read_bytes()
    assert sorted(file.name for file in tmp_path.iterdir() if file.name.startswith(".")) == []


def test_an_encrypted_backup_shows_nothing_and_opens_for_its_passphrase_alone(
    memory: Memory, kept: Path, tmp_path: Path
) -> None:
    memory.scope(user_id="alice").remember(SECRET)
    memory.backup(kept, passphrase="correct horse")
    assert SECRET.encode() not in kept.read_bytes()
    for wrong in ("correct horsf", None):
        with pytest.raises(WrongPassphrase):
            restore(kept, tmp_path / "new.db", passphrase=wrong)
    assert not (tmp_path / "new.db").exists()
    with pytest.raises(InvalidInput):
        memory.backup(tmp_path / "other.backup", passphrase="")


def test_nothing_is_replaced_unasked(memory: Memory, kept: Path, tmp_path: Path) -> None:
    mine = memory.scope(user_id="alice")
    mine.remember("Keeps bees")
    memory.backup(kept)
    with pytest.raises(InvalidInput):
        memory.backup(kept)
    mine.remember("Sold the hives in autumn", category="event")
    with pytest.raises(InvalidInput):
        restore(kept, tmp_path / "memory.db")
    assert len(mine.list().items) == 2
    restore(kept, tmp_path / "memory.db", replace=True)
    assert [item.text for item in mine.list()] == ["Keeps bees"]  # also for those who have it open


def test_an_open_store_forgets_what_it_read_before_a_restore(memory: Memory, kept: Path, tmp_path: Path) -> None:
    memory.scope(user_id="alice").remember("Keeps bees")
    memory.backup(kept)
    memory.scope(user_id="bob").remember("Plays the oboe")
    for user, query in (("alice", "bees"), ("bob", "oboe")):
        assert memory.scope(user_id=user).recall(query).hits
    restore(kept, tmp_path / "memory.db", replace=True)
    memory.scope(user_id="carol").remember("Collects stamps")  # would have had bob's number
    assert memory.scope(user_id="bob").recall("oboe").hits == ()
    assert memory.scope(user_id="carol").recall("oboe").hits == ()
    assert [hit.text for hit in memory.scope(user_id="alice").recall("bees").hits] == ["Keeps bees"]


def test_what_is_written_while_a_restore_begins_is_not_taken_for_what_it_brought(
    memory: Memory, kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, whole = memory.scope(user_id="alice"), copying._outdate  # noqa: SLF001  what others may write behind
    mine.remember("Keeps bees")
    memory.backup(kept)

    def outdate(copy: apsw.Connection, *counters: int) -> None:
        whole(copy, *counters)
        for user in ("alice", "erin"):
            write_thrice(memory.scope(user_id=user))

    monkeypatch.setattr(copying, "_outdate", outdate)
    restore(kept, tmp_path / "memory.db", replace=True)
    mine.remember("Likes tea")
    assert (found(mine, "tea"), found(mine, "bees"), found(mine, "marmot")) == (["Likes tea"], ["Keeps bees"], [])
    new = memory.scope(user_id="frank")  # who would have had erin's number
    new.remember("Likes tea")
    assert (found(new, "tea"), found(new, "marmot")) == (["Likes tea"], [])


def test_a_restore_to_before_the_first_memory_gives_no_number_out_again(
    memory: Memory, kept: Path, tmp_path: Path
) -> None:
    memory.backup(kept)
    mine, new = memory.scope(user_id="alice"), memory.scope(user_id="frank")
    write_thrice(mine)
    restore(kept, tmp_path / "memory.db", replace=True)
    new.remember("Likes tea")
    assert (found(new, "tea"), found(new, "marmot"), found(mine, "marmot")) == (["Likes tea"], [], [])


def write_thrice(mine: ScopedMemory) -> None:
    """And read it."""
    for place in ("stairs", "roof", "barn"):
        mine.remember(f"Has a marmot under the {place}")
    assert len(found(mine, "marmot")) == 3


def found(mine: ScopedMemory, word: str) -> list[str]:
    """What a recall finds by a word."""
    return [hit.text for hit in mine.recall(word).hits]


def test_a_backup_is_one_moment_while_others_write(memory: Memory, tmp_path: Path) -> None:
    over = threading.Event()
    mine = memory.scope(user_id="alice")

    def write() -> None:
        number = 0
        while not over.is_set():
            mine.record([{"role": "user", "content": f"pair {number} {side}"} for side in ("left", "right")])
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(5):
            memory.backup(tmp_path / f"{number}.backup")
    finally:
        over.set()
        writer.join()
    for number in range(5):
        restore(tmp_path / f"{number}.backup", tmp_path / f"{number}.db")
        found = texts(tmp_path / f"{number}.db")
        assert sum(text.endswith("left") for text in found) * 2 == len(found)


@pytest.mark.parametrize("passphrase", [None, "correct horse"])
def test_damage_is_found_before_anything_is_replaced(
    memory: Memory, kept: Path, tmp_path: Path, passphrase: str | None
) -> None:
    mine = memory.scope(user_id="alice")
    mine.remember("Keeps bees")
    memory.backup(kept, passphrase=passphrase)
    mine.remember("Sold the hives in autumn", category="event")
    whole = kept.read_bytes()
    pick = random.Random(7)  # noqa: S311  where to do damage
    damaged = [whole[: pick.randrange(len(whole))] for _ in range(6)] + [whole + b"x", b"", b"SQLite format 3\0"]
    for _ in range(6):
        place = pick.randrange(len(whole))
        damaged.append(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    for broken in damaged:
        kept.write_bytes(broken)
        with pytest.raises((BackupDamaged, WrongPassphrase)):
            restore(kept, tmp_path / "memory.db", passphrase=passphrase, replace=True)
    assert len(texts(tmp_path / "memory.db")) == 2


def test_chunks_in_another_order_are_damage(tmp_path: Path) -> None:
    with (tmp_path / "x").open("wb") as file:
        write_sealed(file, [os.urandom(1000), os.urandom(1000)])
    whole = (tmp_path / "x").read_bytes()
    head, length = whole[:35], (len(whole) - 35) // 2
    (tmp_path / "x").write_bytes(head + whole[35 + length :] + whole[35 : 35 + length])
    with pytest.raises(BackupDamaged):
        restore(tmp_path / "x", tmp_path / "new.db")


def test_a_foreign_or_newer_database_in_a_sealed_file_is_refused(memory: Memory, kept: Path, tmp_path: Path) -> None:
    memory.scope(user_id="alice").remember("Keeps bees")
    memory._backend.store.snapshot(tmp_path / "copy")  # noqa: SLF001  to change what is in it
    plain = bytearray((tmp_path / "copy").read_bytes())
    plain[60:64] = (999).to_bytes(4, "big")  # user_version in SQLite's file header
    with kept.open("wb") as file:
        write_sealed(file, [bytes(plain)])
    with pytest.raises(StoreNewer):
        restore(kept, tmp_path / "new.db")


RESTORE = """
import sys
from retentive import restore
print("ready", flush=True)
restore(sys.argv[1], sys.argv[2], replace=True)
"""


def test_a_killed_restore_leaves_the_old_store_or_the_new_one(memory: Memory, kept: Path, tmp_path: Path) -> None:
    mine = memory.scope(user_id="alice")
    mine.record([{"role": "user", "content": f"old note {number} " + "x" * 2000} for number in range(500)])
    memory.backup(kept)
    mine.forget_everything()
    mine.remember("Only this")
    memory.close()
    states = set()
    for number in range(8):
        target = tmp_path / f"{number}.db"
        target.write_bytes((tmp_path / "memory.db").read_bytes())
        with subprocess.Popen(
            [sys.executable, "-c", RESTORE, str(kept), str(target)], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.01 * number)
            process.kill()
        states.add(len(texts(target)))
    assert states <= {1, 500}


def test_the_command_line_backs_up_and_restores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETENTIVE_EMBEDDER", "none")
    store, kept = tmp_path / "memory.db", tmp_path / "m.backup"
    (tmp_path / "word").write_text("correct horse\n")
    run = CliRunner().invoke
    run(main, ["remember", "Keeps bees", "--user", "alice", "--store", str(store)], catch_exceptions=False)
    made = run(main, ["backup", str(kept), "--encrypt", "--store", str(store), "--json"], input="correct horse\n" * 2)
    assert json.loads(made.stdout)["encrypted"] is True
    assert "correct horse" not in made.output
    wrong = run(main, ["restore", str(kept), "--to", str(tmp_path / "new.db"), "--decrypt"], input="no\n")
    assert wrong.exit_code == 1
    done = run(
        main, ["restore", str(kept), "--to", str(tmp_path / "new.db"), "--passphrase-file", str(tmp_path / "word")]
    )
    assert done.exit_code == 0
    assert texts(tmp_path / "new.db") == ["Keeps bees"]
