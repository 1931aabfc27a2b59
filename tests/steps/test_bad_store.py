"""A store that cannot be used gets a typed error that says what to do; what was acknowledged before is still there."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from retentive import Memory, Settings
from retentive.errors import (
    ConfigError,
    InvalidInput,
    NotAStore,
    RetentiveError,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreNewer,
    StoreReadOnly,
    StoreUnavailable,
)
from retentive.models.embed_none import NoEmbedder


def kept(store: Path, text: str = "Prefers tea") -> None:
    """A store with one acknowledged fact."""
    with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
        memory.scope(user_id="alice").remember(text)


def texts(store: Path) -> list[str]:
    with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
        assert memory.doctor().problems == ()
        return [item.text for item in memory.scope(user_id="alice").list()]


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def opening(store: Path | str) -> None:
    Memory.open(store, embedder=NoEmbedder(), background=False).close()


@pytest.mark.parametrize(
    "content", [b"Dear diary,\n", b"\x00" * 4096, b"SQLite format 4\x00" * 300, b"x", b"PK\x03\x04"]
)
def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "diary.txt").write_bytes(content)
    with pytest.raises(NotAStore, match="choose another path"):
        opening(tmp_path / "diary.txt")
    assert files(tmp_path) == {"diary.txt": content}


def foreign(path: Path, *pragmas: str) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    for pragma in pragmas:
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('theirs')")
    return connection


@pytest.mark.parametrize(
    "pragmas",
    [(), ("application_id = 252006674",), ("journal_mode = WAL",), ("user_version = 1",), ("page_size = 512",)],
)
def test_someone_elses_database_is_left_as_it_is(tmp_path: Path, pragmas: tuple[str, ...]) -> None:
    foreign(tmp_path / "theirs.db", *pragmas).close()
    before = files(tmp_path)
    with pytest.raises(NotAStore, match="choose another path"):
        opening(tmp_path / "theirs.db")
    assert files(tmp_path) == before


def test_someone_elses_crashed_database_keeps_its_wal(tmp_path: Path) -> None:
    """What another program left in its write-ahead log is not ours to fold in."""
    (tmp_path / "live").mkdir()
    (tmp_path / "crashed").mkdir()
    live = foreign(tmp_path / "live" / "theirs.db", "journal_mode = WAL")
    for name in ("theirs.db", "theirs.db-wal"):
        shutil.copy(tmp_path / "live" / name, tmp_path / "crashed" / name)
    live.close()
    before = files(tmp_path / "crashed")
    with pytest.raises(NotAStore):
        opening(tmp_path / "crashed" / "theirs.db")
    after = files(tmp_path / "crashed")
    assert {name: after[name] for name in before} == before
    connection = apsw.Connection(str(tmp_path / "crashed" / "theirs.db"))
    assert connection.execute("SELECT text FROM note").get == "theirs"
    connection.close()


@pytest.mark.parametrize("version", [2, 99, 2_000_000])
def test_a_newer_store_is_refused_and_left_as_it_is(tmp_path: Path, version: int) -> None:
    kept(tmp_path / "memory.db")
    connection = apsw.Connection(str(tmp_path / "memory.db"))
    known = connection.pragma("user_version")
    connection.pragma("user_version", known + version)
    connection.close()
    before = files(tmp_path)["memory.db"]
    with pytest.raises(StoreNewer, match=r"pip install -U retentive") as caught:
        opening(tmp_path / "memory.db")
    assert str(known + version) in str(caught.value)
    assert files(tmp_path)["memory.db"] == before
    connection = apsw.Connection(str(tmp_path / "memory.db"))
    connection.pragma("user_version", known)
    connection.close()
    assert texts(tmp_path / "memory.db") == ["Prefers tea"]


@pytest.mark.parametrize("path", ["no/such/folder/memory.db", "."])
def test_a_path_that_cannot_be_says_what_to_do(tmp_path: Path, path: str) -> None:
    with pytest.raises(StoreUnavailable, match=r"create|give the path"):
        opening(tmp_path / path)
    assert files(tmp_path) == {}


@pytest.mark.parametrize(
    ("url", "named"),
    [("postgresql://localhost:1/memory", "Postgres"), ("mysql://x", "mysql"), ("http://x/y.db", "http")],
)
def test_a_backend_that_is_not_there_is_named(url: str, named: str) -> None:
    with pytest.raises(RetentiveError, match=named):
        opening(url)


UNPRIVILEGED = """
import os, sys
from retentive import Memory
from retentive.errors import RetentiveError
from retentive.models.embed_none import NoEmbedder
with Memory.open(":memory:", embedder=NoEmbedder(), background=False) as memory:  # all is loaded while we may read it
    memory.scope(user_id="alice").remember("Warm")
if os.getuid() == 0:
    os.setgid(65534), os.setuid(65534)
try:
    with Memory.open(sys.argv[1], embedder=NoEmbedder(), background=False) as memory:
        print(memory.scope(user_id="alice").remember("Written where it cannot be"))
except RetentiveError as error:
    print(type(error).__name__, error)
"""


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that everybody may enter; those of pytest's own are closed again whenever another run of it begins."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def as_nobody(store: Path) -> str:
    """What a process without rights of its own is told when it opens a store and writes to it."""
    done = subprocess.run([sys.executable, "-c", UNPRIVILEGED, str(store)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
@pytest.mark.parametrize("what", ["file", "folder", "both"])
def test_a_read_only_store_is_refused_and_loses_nothing(public: Path, what: str) -> None:
    folder = public / "store"
    folder.mkdir(mode=0o755)
    store = folder / "memory.db"
    kept(store)
    before = files(folder)["memory.db"]
    store.chmod(0o444 if what in {"file", "both"} else 0o666)
    folder.chmod(0o555 if what in {"folder", "both"} else 0o777)
    kind, _, says = as_nobody(store).partition(" ")
    folder.chmod(0o755)
    store.chmod(0o644)
    assert kind in {StoreReadOnly.__name__, StoreUnavailable.__name__}
    assert "writ" in says
    assert files(folder)["memory.db"] == before
    assert texts(store) == ["Prefers tea"]


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="POSIX permissions")
def test_an_unreadable_store_is_a_typed_error(public: Path) -> None:
    kept(public / "memory.db")
    (public / "memory.db").chmod(0o000)
    assert as_nobody(public / "memory.db").startswith(("StoreUnavailable", "StoreReadOnly"))


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="POSIX permissions")
@pytest.mark.parametrize("name", ["memory.db", "new.db"])
def test_a_store_in_a_folder_that_may_not_be_entered_is_said_to_be_in_one(public: Path, name: str) -> None:
    (public / "closed" / "in").mkdir(parents=True)
    kept(public / "closed" / "in" / "memory.db")
    (public / "closed").chmod(0o600 if os.getuid() else 0o700)
    says = as_nobody(public / "closed" / "in" / name)
    (public / "closed").chmod(0o700)
    assert says.startswith(f"StoreUnavailable the folder of {name!r} may not be entered")


def test_a_store_without_room_refuses_and_keeps_what_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite says 'full' as it would on a full disk; what was acknowledged before is there, and after."""
    real = apsw.Connection

    def small(*args: Any, **kwargs: Any) -> apsw.Connection:
        connection = real(*args, **kwargs)
        connection.execute("PRAGMA max_page_count = 100")
        return connection

    monkeypatch.setattr("retentive.backends.sqlite.database.apsw.Connection", small)
    acknowledged: list[str] = []
    with Memory.open(tmp_path / "memory.db", embedder=NoEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        with pytest.raises(StoreFull, match="free some space"):  # noqa: PT012  it is full at some point of many
            for number in range(1000):
                acknowledged += mine.remember(f"Note {number} {'x' * 3000}").ids
        with pytest.raises(StoreFull):
            mine.record([{"role": "user", "content": "y" * 100_000}])
        assert 10 < len(acknowledged) < 1000
        assert {item.id for item in mine.list(limit=1000)} == set(acknowledged)
        assert mine.forget(acknowledged[:5]).complete
        assert mine.remember("Room again").items[0].outcome == "stored"
    monkeypatch.undo()
    assert len(texts(tmp_path / "memory.db")) == len(acknowledged) - 5 + 1


NO_ROOM = """
import resource, sys
from retentive import Memory
from retentive.errors import StoreError
from retentive.models.embed_none import NoEmbedder
memory = Memory.open(sys.argv[1], embedder=NoEmbedder(), background=False)
mine = memory.scope(user_id="alice")
resource.setrlimit(resource.RLIMIT_FSIZE, (800_000, 800_000))
try:
    for number in range(1000):
        print(mine.remember(f"Note {number} " + "x" * 3000).ids[0], flush=True)
except StoreError as error:
    print("refused:", type(error).__name__, error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX limits")
def test_a_file_that_may_not_grow_loses_nothing_acknowledged(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    done = subprocess.run([sys.executable, "-c", NO_ROOM, str(store)], capture_output=True, text=True, check=False)
    *acknowledged, refused = done.stdout.splitlines()
    assert refused.startswith("refused:"), done.stderr
    assert "space" in refused
    assert len(acknowledged) > 5
    with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
        assert memory.doctor().problems == ()
        stored = {item.id for item in memory.scope(user_id="alice").list(limit=1000)}
    assert stored >= set(acknowledged)
    assert len(stored) == len(acknowledged)


def use(store: Path) -> None:
    """Read all and write some."""
    with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        mine.list(limit=1000)
        mine.recall("note")
        mine.remember("more")


@pytest.mark.parametrize("first_page", [1, 4])
def test_a_damaged_store_is_a_typed_error_or_reported(tmp_path: Path, first_page: int) -> None:
    store = tmp_path / "memory.db"
    for number in range(20):
        kept(store, f"Note {number} {'x' * 2000}")
    content = bytearray(store.read_bytes())
    content[4096 * first_page : 4096 * (first_page + 12)] = b"\xa5" * (4096 * 12)
    store.write_bytes(content)
    try:
        with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
            problems = memory.doctor().problems
    except StoreDamaged as error:
        problems = (str(error),)
    assert problems
    with pytest.raises(StoreDamaged, match="doctor"):
        use(store)
    assert bytes(content[: 4096 * first_page])[:16] == store.read_bytes()[:16]


def test_settings_given_in_code_are_checked_at_the_call(tmp_path: Path) -> None:
    with Memory.open(
        tmp_path / "memory.db", embedder=NoEmbedder(), settings=Settings(budget_tokens=-1), background=False
    ) as memory:
        memory.scope(user_id="alice").remember("Prefers tea", evergreen=True)
        with pytest.raises(InvalidInput, match="budget_tokens"):
            memory.scope(user_id="alice").block()


def test_an_error_names_no_driver(tmp_path: Path) -> None:
    """What a caller catches is ours; the driver's exception is its cause."""
    code = textwrap.dedent(
        """
        import apsw, sys
        from retentive import Memory
        from retentive.errors import RetentiveError
        from retentive.models.embed_none import NoEmbedder
        memory = Memory.open(sys.argv[1], embedder=NoEmbedder(), background=False)
        other = apsw.Connection(sys.argv[1])
        other.execute("DROP TABLE entry")
        for call in (lambda m: m.remember("x"), lambda m: m.recall("x"), lambda m: m.block("x")):
            try:
                call(memory.scope(user_id="alice"))
            except RetentiveError as error:
                assert isinstance(error.__cause__, apsw.Error), error
                print("typed")
        """
    )
    kept(tmp_path / "memory.db")
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "memory.db")], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["typed"] * 3, done.stderr


@pytest.mark.parametrize("damage", [b"\xff\xfe garbage\n", b'{"salt": "00"}\n{"at_us": 1}\n', b"[]\n[]\n"])
def test_a_damaged_journal_of_erasures_is_told_and_nothing_serves_what_was_forgotten(
    tmp_path: Path, damage: bytes
) -> None:
    path = tmp_path / "memory.db"
    with Memory.open(path, embedder=NoEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        mine.forget(mine.remember("Likes tea").ids)
    journal = tmp_path / "memory.db.erasures"
    whole = journal.read_bytes()
    journal.write_bytes(damage)
    with pytest.raises(StoreDamaged, match="what was forgotten"):
        Memory.open(path, embedder=NoEmbedder(), background=False)
    journal.unlink()
    journal.mkdir()
    with pytest.raises(StoreUnavailable, match="cannot be read"):
        Memory.open(path, embedder=NoEmbedder(), background=False)
    journal.rmdir()
    journal.write_bytes(whole)
    with Memory.open(path, embedder=NoEmbedder(), background=False) as memory:
        assert len(memory.scope(user_id="alice").list(status=None)) == 0


def test_a_damaged_archive_is_told_and_nothing_is_forgotten_by_halves(tmp_path: Path) -> None:
    settings = Settings(retention=("episodes=30d+archive",))
    path = tmp_path / "memory.db"
    with Memory.open(path, embedder=NoEmbedder(), settings=settings, background=False) as memory:
        mine = memory.scope(user_id="alice")
        (kept,) = mine.remember("Likes tea").ids
        archive = tmp_path / "memory.db.archive" / f"{mine.scope.partition.digest}.jsonl.gz"
        archive.parent.mkdir()
        archive.write_bytes(gzip.compress(b"no line of ours\n"))
        with pytest.raises(StoreDamaged, match="archive"):
            mine.forget(kept)
        assert mine.get(kept).text == "Likes tea"


@pytest.mark.parametrize("kind", ["pipe", "device", "long name", "loop"])
def test_what_is_no_file_is_told_at_once(tmp_path: Path, kind: str) -> None:
    path = {"pipe": tmp_path / "p", "device": Path("/dev/null"), "loop": tmp_path / "l"}.get(
        kind, tmp_path / ("x" * 300)
    )
    if kind == "pipe":
        os.mkfifo(path)
    if kind == "loop":
        path.symlink_to(path)
    with pytest.raises(StoreUnavailable):
        Memory.open(path, embedder=NoEmbedder(), background=False)


def test_an_empty_key_is_no_key(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="empty"):
        Memory.open(tmp_path / "memory.db", embedder=NoEmbedder(), settings=Settings(store_key=""), background=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")
def test_a_store_that_was_opened_before_a_fork_is_refused_in_the_child(tmp_path: Path) -> None:
    said, told = os.pipe()
    with Memory.open(tmp_path / "memory.db", embedder=NoEmbedder(), background=False) as memory:
        child = os.fork()
        if child == 0:
            try:
                memory.status()
            except StoreError as error:
                os.write(told, str(error).encode())
            os._exit(0)
        os.waitpid(child, 0)
        memory.status()
    os.close(told)
    with os.fdopen(said) as heard:
        assert "open it again in the child" in heard.read()
