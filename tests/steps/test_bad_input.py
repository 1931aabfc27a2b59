"""Wrong input gets a typed error that says what to do, and nothing that was acknowledged is lost."""

from __future__ import annotations

import math
import os
import shutil
import stat
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import apsw
import pytest

from retentive import Memory, ScopedMemory, Settings
from retentive.errors import (
    Conflict,
    InvalidFilter,
    InvalidInput,
    InvalidScope,
    InvalidTimestamp,
    NotAStore,
    NotFound,
    RetentiveError,
    StoreClosed,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreNewer,
    StoreReadOnly,
    StoreUnavailable,
    TextTooLong,
)
from retentive.models.embed_none import NoEmbedder

Call = Callable[[ScopedMemory], object]


def message(content: object, **more: object) -> list[dict[str, object]]:
    return [{"role": "user", "content": content, **more}]


# -- calls -----------------------------------------------------------------------------------------------------------
WRONG: list[tuple[str, type[RetentiveError], str, Call]] = [
    # whose memory
    ("nobody", InvalidScope, "user_id", lambda mine: scope_of(mine)()),
    ("empty user", InvalidInput, "user_id", lambda mine: scope_of(mine)(user_id="")),
    ("blank user", InvalidInput, "user_id", lambda mine: scope_of(mine)(user_id=" \t")),
    ("everyone", InvalidInput, "user_id", lambda mine: scope_of(mine)(user_id="*")),
    ("NUL in user", InvalidInput, "user_id", lambda mine: scope_of(mine)(user_id="a\0b")),
    ("surrogate in agent", InvalidInput, "agent_id", lambda mine: scope_of(mine)(agent_id="\ud800")),
    ("number as user", InvalidInput, "string", lambda mine: scope_of(mine)(user_id=17)),
    ("list as tenant", InvalidInput, "tenant", lambda mine: scope_of(mine)(user_id="a", tenant=["a", "b"])),
    ("empty tenant", InvalidInput, "tenant", lambda mine: scope_of(mine)(user_id="a", tenant="")),
    ("long project", InvalidInput, "project_id", lambda mine: scope_of(mine)(user_id="a", project_id="x" * 257)),
    # time
    ("naive string", InvalidTimestamp, "zone", lambda mine: mine.record(message("x", timestamp="2026-08-18T09:00:00"))),
    ("naive datetime", InvalidTimestamp, "zone", lambda mine: mine.recall("x", since=datetime(2026, 8, 18))),  # noqa: DTZ001
    ("naive date", InvalidTimestamp, "zone", lambda mine: mine.recall("x", as_of="2026-08-18")),
    ("no time at all", InvalidTimestamp, "2026", lambda mine: mine.recall("x", until="yesterday")),
    ("seconds", InvalidTimestamp, "int", lambda mine: mine.remember("x", expires_at=1_787_014_800)),  # type: ignore[arg-type]
    ("month 13", InvalidTimestamp, "2026-13", lambda mine: mine.recall("x", now="2026-13-01T00:00:00Z")),
    ("empty time", InvalidTimestamp, "2026", lambda mine: mine.record(message("x", timestamp=""))),
    # text
    ("NUL", InvalidInput, "NUL", lambda mine: mine.remember("a\0b")),
    ("NUL in a message", InvalidInput, "NUL", lambda mine: mine.record(message("a\0b"))),
    ("NUL in metadata", InvalidInput, "NUL", lambda mine: mine.remember("x", metadata={"a": "\0"})),
    ("lone surrogate", InvalidInput, "surrogate", lambda mine: mine.remember("\ud83d")),
    ("lone surrogate in a message", InvalidInput, "surrogate", lambda mine: mine.record(message("smile \ude00"))),
    ("lone surrogate in metadata", InvalidInput, "surrogate", lambda mine: mine.remember("x", metadata={"\udfff": 1})),
    ("lone surrogate in a name", InvalidInput, "surrogate", lambda mine: mine.record(message("x", name="\ud800"))),
    ("empty", InvalidInput, "empty", lambda mine: mine.remember("")),
    ("blank", InvalidInput, "empty", lambda mine: mine.remember(" \n\t\u3000")),
    ("10 MB", TextTooLong, "split", lambda mine: mine.remember("x" * 10_000_000)),
    ("10 MB message", TextTooLong, "split", lambda mine: mine.record(message("早" * 3_400_000))),
    ("10 MB query", TextTooLong, "query", lambda mine: mine.recall("x" * 10_000_000)),
    ("10 MB metadata", InvalidInput, "metadata", lambda mine: mine.remember("x", metadata={"a": "x" * 10_000_000})),
    ("number as text", InvalidInput, "string", lambda mine: mine.remember(17)),  # type: ignore[arg-type]
    ("bytes as text", InvalidInput, "string", lambda mine: mine.remember(b"x")),  # type: ignore[arg-type]
    ("None as text", InvalidInput, "string", lambda mine: mine.remember(None)),  # type: ignore[arg-type]
    ("number as content", InvalidInput, "content", lambda mine: mine.record(message(17))),
    ("number as query", InvalidInput, "query", lambda mine: mine.recall(17)),  # type: ignore[arg-type]
    ("number as block query", InvalidInput, "query", lambda mine: mine.block(17)),  # type: ignore[arg-type]
    # fields
    ("unknown message field", InvalidInput, "'text'", lambda mine: mine.record([{"role": "user", "text": "x"}])),
    ("unknown category", InvalidInput, "identity", lambda mine: mine.remember("x", category="mood")),
    ("unknown field", InvalidInput, "timezone", lambda mine: mine.remember("x", field="shoe_size")),
    ("unknown profile field", InvalidInput, "timezone", lambda mine: mine.update_profile({"shoe_size": "44"})),
    ("long profile value", InvalidInput, "200", lambda mine: mine.update_profile({"name": "x" * 201})),
    ("empty profile value", InvalidInput, "name", lambda mine: mine.update_profile({"name": " "})),
    ("number in profile", InvalidInput, "name", lambda mine: mine.update_profile({"name": 17})),  # type: ignore[dict-item]
    ("NUL in profile", InvalidInput, "NUL", lambda mine: mine.update_profile({"name": "a\0b"})),
    ("profile is no dict", InvalidInput, "dict", lambda mine: mine.update_profile("name")),  # type: ignore[arg-type]
    ("no role", InvalidInput, "role", lambda mine: mine.record([{"role": None, "content": "x"}])),
    ("message is no dict", InvalidInput, "dict", lambda mine: mine.record(["x"])),  # type: ignore[list-item]
    ("one message alone", InvalidInput, "list", lambda mine: mine.record({"role": "user", "content": "x"})),  # type: ignore[arg-type]
    ("messages are a string", InvalidInput, "list", lambda mine: mine.record("x")),  # type: ignore[arg-type]
    ("messages are a number", InvalidInput, "list", lambda mine: mine.record(17)),  # type: ignore[arg-type]
    ("too many messages", InvalidInput, "split", lambda mine: mine.record(message("x") * 10_001)),
    ("one wrong among many", InvalidInput, "NUL", lambda mine: mine.record(message("x") * 50 + message("\0"))),
    ("confidence of 2", InvalidInput, "0 to 1", lambda mine: mine.remember("x", confidence=2)),
    ("confidence nan", InvalidInput, "0 to 1", lambda mine: mine.remember("x", confidence=math.nan)),
    ("confidence in words", InvalidInput, "0 to 1", lambda mine: mine.remember("x", confidence="high")),  # type: ignore[arg-type]
    ("metadata is a list", InvalidInput, "dict", lambda mine: mine.remember("x", metadata=["a"])),  # type: ignore[arg-type]
    ("metadata of objects", InvalidInput, "JSON", lambda mine: mine.remember("x", metadata={"a": object()})),
    ("metadata nan", InvalidInput, "JSON", lambda mine: mine.remember("x", metadata={"a": math.nan})),
    ("session is a number", InvalidInput, "session_id", lambda mine: mine.session(17)),  # type: ignore[arg-type]
    ("session with NUL", InvalidInput, "session_id", lambda mine: mine.record(message("x"), session_id="a\0")),
    ("messages of a wrong session", InvalidInput, "session_id", lambda mine: mine.session_messages("\ud800")),
    ("recall in a session list", InvalidInput, "session_id", lambda mine: mine.recall("x", session_id=["s1"])),  # type: ignore[arg-type]
    # numbers
    ("k of -1", InvalidInput, "k must", lambda mine: mine.recall("x", k=-1)),
    ("k of 0", InvalidInput, "k must", lambda mine: mine.recall("x", k=0)),
    ("k of 1.5", InvalidInput, "k must", lambda mine: mine.recall("x", k=1.5)),  # type: ignore[arg-type]
    ("k of True", InvalidInput, "k must", lambda mine: mine.recall("x", k=True)),
    ("k of a million", InvalidInput, "k must", lambda mine: mine.recall("x", k=1_000_000)),
    ("k in a block", InvalidInput, "k must", lambda mine: mine.block("x", k=-5)),
    ("k in a block without query", InvalidInput, "k must", lambda mine: mine.block(k=-5)),
    ("episodes of -1", InvalidInput, "episodes", lambda mine: mine.block("x", episodes=-1)),
    ("episodes in words", InvalidInput, "episodes", lambda mine: mine.block("x", episodes="all")),  # type: ignore[arg-type]
    ("limit of -1", InvalidInput, "limit", lambda mine: mine.list(limit=-1)),
    ("limit of 0", InvalidInput, "limit", lambda mine: mine.sessions(limit=0)),
    ("budget of -1", InvalidInput, "budget", lambda mine: mine.recall("x", budget_tokens=-1)),
    ("budget of 0", InvalidInput, "budget", lambda mine: mine.block("x", budget_tokens=0)),
    ("floor in words", InvalidInput, "min_score", lambda mine: mine.recall("x", min_score="high")),  # type: ignore[arg-type]
    ("floor nan", InvalidInput, "min_score", lambda mine: mine.recall("x", min_score=math.nan)),
    # lists and filters
    ("no tiers", InvalidInput, "tiers", lambda mine: mine.recall("x", tiers=[])),
    ("tiers None", InvalidInput, "tiers", lambda mine: mine.recall("x", tiers=None)),  # type: ignore[arg-type]
    ("unknown tier", InvalidInput, "episodic", lambda mine: mine.recall("x", tiers=["working"])),  # type: ignore[list-item]
    ("a list as tier", InvalidInput, "tiers", lambda mine: mine.recall("x", tiers=[["semantic"]])),  # type: ignore[list-item]
    ("unknown tier to list", InvalidInput, "episodic", lambda mine: mine.list("facts")),  # type: ignore[arg-type]
    ("unknown status", InvalidInput, "active", lambda mine: mine.list(status="deleted")),
    ("a list as status", InvalidInput, "active", lambda mine: mine.list(status=["active"])),  # type: ignore[arg-type]
    ("empty filter", InvalidFilter, "where", lambda mine: mine.list(where={})),
    ("operator", InvalidFilter, r"\$or", lambda mine: mine.list(where={"$or": [{"a": 1}]})),
    ("nested operator", InvalidFilter, "plain", lambda mine: mine.list(where={"a": {"$ne": 1}})),
    ("list in a filter", InvalidFilter, "plain", lambda mine: mine.recall("x", where={"a": [1, 2]})),
    ("None in a filter", InvalidFilter, "plain", lambda mine: mine.recall("x", where={"a": None})),
    ("wildcard", InvalidFilter, "plain", lambda mine: mine.forget(where={"a": "*"})),
    ("empty value", InvalidFilter, "plain", lambda mine: mine.forget(where={"a": ""})),
    ("filter is a string", InvalidFilter, "dict", lambda mine: mine.list(where="a = 1")),  # type: ignore[arg-type]
    ("filter is a list", InvalidFilter, "dict", lambda mine: mine.list(where=[("a", 1)])),  # type: ignore[arg-type]
    ("surrogate in a filter", InvalidFilter, "surrogate", lambda mine: mine.list(where={"a": "\ud800"})),
    ("surrogate as a filter's name", InvalidFilter, "surrogate", lambda mine: mine.recall("x", where={"\ud800": 1})),
    ("huge number in a filter", InvalidFilter, "plain", lambda mine: mine.list(where={"a": 2**70})),
    ("cursor of one's own", InvalidInput, "cursor", lambda mine: mine.list(cursor="next please")),
    ("empty cursor", InvalidInput, "cursor", lambda mine: mine.list(cursor="")),
    ("negative cursor", InvalidInput, "cursor", lambda mine: mine.list(cursor="-5")),
    ("cursor is a number", InvalidInput, "cursor", lambda mine: mine.list(cursor=17)),  # type: ignore[arg-type]
    # ids
    ("get nothing", NotFound, "scope", lambda mine: mine.get("")),
    ("get no id", NotFound, "scope", lambda mine: mine.get("'; DROP TABLE fact; --")),
    ("get a number", NotFound, "scope", lambda mine: mine.get(17)),  # type: ignore[arg-type]
    ("get an unknown id", NotFound, "scope", lambda mine: mine.get(str(uuid4()))),
    ("history of no id", NotFound, "scope", lambda mine: mine.history("\ud800")),
    ("why no id", NotFound, "scope", lambda mine: mine.why("nothing")),
    ("update no id", NotFound, "no current fact", lambda mine: mine.update("nothing", text="changed")),
    ("update an empty id", NotFound, "no current fact", lambda mine: mine.update("", text="changed")),
    ("update an unknown id", NotFound, "no current fact", lambda mine: mine.update(str(uuid4()), text="changed")),
    ("update None", NotFound, "no current fact", lambda mine: mine.update(None, text="changed")),  # type: ignore[arg-type]
    ("forget nothing named", InvalidInput, "forget_everything", lambda mine: mine.forget()),
    ("forget both ways", InvalidInput, "ids", lambda mine: mine.forget("x", where={"a": 1})),
    ("forget no id", NotFound, "nothing was forgotten|scope", lambda mine: mine.forget(["nothing"])),
    ("forget a number", InvalidInput, "id", lambda mine: mine.forget(17)),  # type: ignore[arg-type]
    ("messages of no session", NotFound, "session", lambda mine: mine.session_messages("none")),
    # files
    ("import nothing", RetentiveError, "file", lambda mine: mine.import_("/no/such/file.jsonl")),
    ("import a folder", RetentiveError, "file", lambda mine: mine.import_(os.curdir)),
    ("export into nowhere", RetentiveError, "folder", lambda mine: mine.export("/no/such/folder/all.jsonl")),
]


def scope_of(mine: ScopedMemory) -> Callable[..., object]:
    """The scope method of the memory that this scope came from."""
    return lambda **names: Memory.scope(_memories[id(mine)], **names)


_memories: dict[int, Memory] = {}


@pytest.fixture
def holding(memory: Memory, mine: ScopedMemory) -> Iterator[tuple[ScopedMemory, list[str]]]:
    """A scope with acknowledged memories in it."""
    ids = mine.remember("Prefers tea", evergreen=True, metadata={"a": 1}).ids
    ids += mine.record([{"role": "user", "content": "Some tea please", "id": "m1"}], session_id="s1").ids
    _memories[id(mine)] = memory
    yield mine, ids
    del _memories[id(mine)]


@pytest.mark.parametrize(("error", "says", "call"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_it_is_refused_by_type_with_what_to_do_and_nothing_changes(
    memory: Memory,
    holding: tuple[ScopedMemory, list[str]],
    error: type[RetentiveError],
    says: str,
    call: Call,
) -> None:
    mine, ids = holding
    before = [mine.get(one) for one in ids]
    with pytest.raises(error, match=says) as caught:
        call(mine)
    assert isinstance(caught.value, RetentiveError)
    assert str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    assert [mine.get(one) for one in ids] == before
    assert len(mine.list(status=None)) == len(ids)
    assert memory.pending() == 2


def test_a_budget_too_small_for_one_item_says_so(mine: ScopedMemory) -> None:
    mine.remember("Prefers the long way round " * 40, evergreen=True)
    for budget_tokens in (1, 20, 60):
        with pytest.raises(InvalidInput, match="budget_tokens"):
            mine.block(budget_tokens=budget_tokens)
    assert "long way" in mine.block(budget_tokens=2000).text


def test_without_memories_no_budget_is_too_small(mine: ScopedMemory) -> None:
    assert mine.block("anything", budget_tokens=1).text == ""


def test_a_wrong_version_is_a_conflict_and_changes_nothing(mine: ScopedMemory) -> None:
    fact = mine.remember("Prefers tea").ids[0]
    mine.update(fact, text="Prefers green tea", version=1)
    with pytest.raises(Conflict, match="read it again"):
        mine.update(fact, text="Prefers coffee", version=1)
    assert mine.get(fact).text == "Prefers green tea"


def test_the_log_is_never_changed(mine: ScopedMemory) -> None:
    episode = mine.record(message("Some tea please")).ids[0]
    with pytest.raises(NotFound, match="log"):
        mine.update(episode, text="Some coffee please")
    assert mine.get(episode).text == "Some tea please"


def test_a_closed_memory_says_so(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path / "memory.db", embedder=NoEmbedder(), background=False)
    mine = memory.scope(user_id="alice")
    mine.remember("Prefers tea")
    memory.close()
    for call in (lambda: mine.remember("x"), lambda: mine.recall("x"), mine.list, memory.process, memory.status):
        with pytest.raises(StoreClosed, match="open it again"):
            call()
    memory.close()


# -- stores ----------------------------------------------------------------------------------------------------------
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


@pytest.mark.parametrize("content", [b"Dear diary,\n", b"\x00" * 4096, b"SQLite format 4\x00" * 300, b"x", b"PK\x03\x04"])
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
    "pragmas", [(), ("application_id = 252006674",), ("journal_mode = WAL",), ("user_version = 1",), ("page_size = 512",)]
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


@pytest.mark.parametrize("url", ["postgresql://localhost/memory", "mysql://x", "http://x/y.db"])
def test_a_backend_that_is_not_there_is_named(url: str) -> None:
    with pytest.raises(RetentiveError, match=url.split(":", maxsplit=1)[0]):
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


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
@pytest.mark.parametrize("what", ["file", "folder", "both"])
def test_a_read_only_store_is_refused_and_loses_nothing(tmp_path_factory: pytest.TempPathFactory, what: str) -> None:
    folder = Path(tmp_path_factory.mktemp("open")) / "store"
    folder.mkdir(mode=0o755)
    for parent in (folder.parent, folder.parent.parent, folder.parent.parent.parent):
        parent.chmod(parent.stat().st_mode | stat.S_IXOTH | stat.S_IROTH)
    store = folder / "memory.db"
    kept(store)
    before = files(folder)
    store.chmod(0o444 if what in {"file", "both"} else 0o666)
    folder.chmod(0o555 if what in {"folder", "both"} else 0o777)
    done = subprocess.run([sys.executable, "-c", UNPRIVILEGED, str(store)], capture_output=True, text=True, check=False)
    folder.chmod(0o755)
    store.chmod(0o644)
    assert done.returncode == 0, done.stderr
    kind, _, says = done.stdout.partition(" ")
    assert kind in {StoreReadOnly.__name__, StoreUnavailable.__name__}
    assert "writ" in says
    assert {name: content for name, content in files(folder).items() if name == "memory.db"} == before
    assert texts(store) == ["Prefers tea"]


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="POSIX permissions")
def test_an_unreadable_store_is_a_typed_error(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = Path(tmp_path_factory.mktemp("closed"))
    for parent in (folder, folder.parent, folder.parent.parent):
        parent.chmod(parent.stat().st_mode | stat.S_IXOTH | stat.S_IROTH)
    kept(folder / "memory.db")
    (folder / "memory.db").chmod(0o000)
    command = [sys.executable, "-c", UNPRIVILEGED, str(folder / "memory.db")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(("StoreUnavailable", "StoreReadOnly"))


def test_a_store_without_room_refuses_and_keeps_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
        with pytest.raises(StoreFull, match="free some space"):
            for number in range(1000):
                acknowledged += mine.remember(f"Note {number} {'x' * 3000}").ids
        with pytest.raises(StoreFull):
            mine.record(message("y" * 100_000))
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
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
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
    with pytest.raises((StoreDamaged, StoreError), match=r"damaged|doctor"):
        with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
            for _ in range(2):
                memory.scope(user_id="alice").list(limit=1000)
                memory.scope(user_id="alice").recall("note")
                memory.scope(user_id="alice").remember("more")
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
