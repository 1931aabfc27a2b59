"""Encryption at rest: nothing readable on the disk, and never a key that is silently ignored.

`make cipher-test` runs these with the driver that can encrypt; with the ordinary one all but a few are skipped.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import apsw
import pytest

from retentive import Memory, Settings, restore
from retentive.backends.sqlite.cipher import change_key, unlock
from retentive.errors import ConfigError, InvalidInput, MissingExtra, NotAStore, WrongKey
from stubs import StubEmbedder

WORD = "canaryword"
KEY = 'it\'s the "old" oak; by the lake'
CAN_ENCRYPT = hasattr(apsw, "mc_version")
needs_cipher = pytest.mark.skipif(
    not CAN_ENCRYPT and os.environ.get("CIPHER_TESTS") != "required", reason="this driver cannot encrypt"
)


def opened(path: Path, key: str | None = KEY) -> Memory:
    settings = Settings(store_key=key, durable=False)
    return Memory.open(path, embedder=StubEmbedder(), settings=settings, background=False)


def filled(path: Path, key: str | None = KEY) -> Path:
    with opened(path, key) as memory:
        mine = memory.scope(user_id="alice")
        with mine.session("s1") as chat:
            chat.add("user", f"I live in {WORD.capitalize()}.", name="Alice")
        mine.remember(f"The cellar is called {WORD}", metadata={"note": WORD})
        mine.remember("Plays the oboe")
        memory.process()
    return path


def traces(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file() and WORD.encode() in path.read_bytes().lower()]


def decrypted(path: Path, folder: Path) -> bytes:
    """The pages of an encrypted store as they would lie in a plain one."""
    copy = Path(shutil.copy(path, folder / "decrypted.db"))
    connection = apsw.Connection(str(copy))
    unlock(connection, KEY)
    connection.execute("PRAGMA journal_mode = DELETE").fetchall()
    change_key(connection, None)
    connection.close()
    return copy.read_bytes().lower()


# -- with any driver ---------------------------------------------------------------------------------------------------
@pytest.mark.skipif(CAN_ENCRYPT, reason="this driver can encrypt")
def test_a_driver_that_would_ignore_the_key_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(MissingExtra, match="apsw-sqlite3mc"):
        opened(tmp_path / "m.db")
    assert not (tmp_path / "m.db").exists() or (tmp_path / "m.db").stat().st_size == 0


def test_a_key_is_for_one_file_and_no_setting_shows_it(tmp_path: Path) -> None:
    for url in (f"file:{tmp_path / 'folder'}", "postgresql://nowhere/store"):
        with pytest.raises(ConfigError, match="STORE_KEY"):
            Memory.open(url, embedder=StubEmbedder(), settings=Settings(store_key=KEY))
    assert KEY not in repr(Settings(store_key=KEY))
    with Memory.open(":memory:", embedder=StubEmbedder(), settings=Settings(store_key=KEY), background=False) as memory:
        assert memory.status().counts["fact"] == 0


# -- with the one that can ---------------------------------------------------------------------------------------------
@needs_cipher
def test_nothing_is_readable_on_the_disk_and_all_of_it_with_the_key(tmp_path: Path) -> None:
    with opened(tmp_path / "m.db") as memory:
        mine = memory.scope(user_id="alice")
        mine.remember(f"The cellar is called {WORD}")
        assert traces(tmp_path) == []  # in the log either
        assert "encrypted" in memory.status().engine
    assert not (tmp_path / "m.db").read_bytes().startswith(b"SQLite format 3")
    with opened(tmp_path / "m.db") as memory:
        assert memory.doctor().problems == ()
        assert WORD in memory.scope(user_id="alice").recall("what is the cellar called?").hits[0].text


@needs_cipher
def test_a_wrong_key_or_none_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    path = filled(tmp_path / "m.db")
    before = path.read_bytes()
    with pytest.raises(WrongKey):
        opened(path, "another key")
    with pytest.raises(NotAStore, match="STORE_KEY"):
        opened(path, None)
    assert path.read_bytes() == before
    plain = filled(tmp_path / "plain.db", None)
    with pytest.raises(WrongKey, match="not encrypted"):
        opened(plain)
    rubbish = tmp_path / "rubbish.db"
    rubbish.write_bytes(os.urandom(8192))
    with pytest.raises(WrongKey):
        opened(rubbish)


@needs_cipher
@pytest.mark.parametrize("everything", [False, True])
def test_what_is_forgotten_leaves_the_encrypted_pages_too(tmp_path: Path, *, everything: bool) -> None:
    path = filled(tmp_path / "m.db")
    assert WORD.encode() in decrypted(path, tmp_path)
    with opened(path) as memory:
        mine = memory.scope(user_id="alice")
        gone = [item.id for item in mine.list(status=None) if WORD in item.text.lower()]
        report = mine.forget_everything() if everything else mine.forget(gone)
        assert report.complete
        assert memory.doctor().problems == ()
        assert [item.text for item in mine.list()] == ([] if everything else ["Plays the oboe"])
    assert WORD.encode() not in decrypted(path, tmp_path)


@needs_cipher
@pytest.mark.parametrize(("before", "after"), [(KEY, KEY), (KEY, "another"), (KEY, None), (None, KEY)])
def test_backups_go_from_any_key_to_any_other(tmp_path: Path, before: str | None, after: str | None) -> None:
    path = filled(tmp_path / "m.db", before)
    with opened(path, before) as memory:
        if before is not None:
            with pytest.raises(InvalidInput, match="passphrase"):
                memory.backup(tmp_path / "open.backup")
            assert memory._backend.store.snapshot(tmp_path / "snapshot")  # noqa: SLF001
            assert traces(tmp_path) == []
        memory.backup(tmp_path / "monday.backup", passphrase="correct horse")
        gone = [item.id for item in memory.scope(user_id="alice").list(status=None) if item.text == "Plays the oboe"]
        memory.scope(user_id="alice").forget(gone)
    new = tmp_path / "elsewhere" / "new.db"
    new.parent.mkdir()
    settings, journal = Settings(store_key=after), f"{path}.erasures"
    restore(tmp_path / "monday.backup", new, passphrase="correct horse", settings=settings, erasures=journal)
    assert traces(new.parent) == ([] if after else ["new.db"])
    with opened(new, after) as memory:
        assert memory.doctor().problems == ()
        texts = {item.text for item in memory.scope(user_id="alice").list()}
        assert f"The cellar is called {WORD}" in texts
        assert "Plays the oboe" not in texts
