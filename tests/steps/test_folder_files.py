"""A store that is a folder: one JSON file a user, a page beside it, and what people do to them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from retentive import Memory, ScopedMemory, Settings
from retentive.backup import restore
from retentive.errors import ConfigError, StoreUnavailable
from retentive.marked import is_sealed
from retentive.models.embed_none import NoEmbedder

Opened = Callable[..., Memory]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
def opened(folder: Path) -> Iterator[Opened]:
    memories: list[Memory] = []

    def open_(**settings: str) -> Memory:
        known = Settings(**settings)  # type: ignore[arg-type]
        memories.append(Memory.open(f"file:{folder}/", embedder=NoEmbedder(), settings=known, background=False))
        return memories[-1]

    yield open_
    for memory in memories:
        memory.close()


@pytest.fixture
def memory(opened: Opened) -> Memory:
    return opened()


@pytest.fixture
def mine(memory: Memory) -> ScopedMemory:
    mine = memory.scope(user_id="alice")
    mine.update_profile({"name": "Alice"})
    mine.record([{"role": "user", "content": "I met Bo in Lyon", "id": "m1"}], session_id="s1")
    mine.remember("Prefers tea", category="preference")
    return mine


def whole(folder: Path, name: str = "alice") -> dict[str, list[dict[str, str]]]:
    read: dict[str, list[dict[str, str]]] = json.loads((folder / f"{name}.json").read_text("utf-8"))
    return read


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def facts(mine: ScopedMemory) -> set[str]:
    return {item.text for item in mine.list("semantic")}


def test_a_write_is_in_the_users_file_when_it_returns(memory: Memory, mine: ScopedMemory, folder: Path) -> None:
    known = whole(folder)
    assert [(one["field"], one["text"]) for one in known["profile"]] == [("name", "Alice")]
    assert [one["text"] for one in known["facts"]] == ["Prefers tea"]
    assert [(one["text"], one["source_id"]) for one in known["episodes"]] == [("I met Bo in Lyon", "m1")]
    assert [one["id"] for one in known["sessions"]] == ["s1"]
    mine.remember("Lives in Bergen")
    mine.remember("Lives in Oslo")
    assert [one["text"] for one in whole(folder)["profile"]] == ["Alice", "Lives in Oslo"]
    assert "Lives in Bergen" in [one["text"] for one in whole(folder)["history"]]
    memory.process()
    for path in (folder, folder / "alice.json", folder / "alice.md"):
        assert path.stat().st_mode & 0o077 == 0


def test_the_files_alone_make_the_store_anew(opened: Opened, memory: Memory, mine: ScopedMemory, folder: Path) -> None:
    memory.scope(agent_id="bot").remember("Speaks plainly")
    memory.scope(user_id="Åsa", tenant="acme").remember("Likes rye bread")
    mine.export(folder.parent / "before.jsonl")
    memory.close()
    shutil.rmtree(folder / ".retentive")
    again = opened()
    again.scope(user_id="alice").export(folder.parent / "after.jsonl")
    assert folder.parent.joinpath("after.jsonl").read_bytes() == folder.parent.joinpath("before.jsonl").read_bytes()
    assert facts(again.scope(agent_id="bot")) == {"Speaks plainly"}
    assert facts(again.scope(user_id="Åsa", tenant="acme")) == {"Likes rye bread"}
    assert again.scope(user_id="alice").recall("tea").hits


def test_edits_of_the_json_are_taken_up(memory: Memory, mine: ScopedMemory, folder: Path) -> None:
    mine.remember("Lives in Oslo")
    known = whole(folder)
    known["profile"][0]["text"] = "Alicia"
    known["profile"][1]["text"] = "Lives in Turin"
    known["facts"][0]["text"] = "Prefers coffee"
    known["facts"].append({"text": "Plays the oud"})
    (folder / "alice.json").write_text(json.dumps(known), "utf-8")
    assert memory.process().errors == ()
    assert facts(mine) == {"name: Alicia", "location: Turin", "Prefers coffee", "Plays the oud"}
    assert is_sealed((folder / "alice.json").read_text("utf-8"))
    assert "- Plays the oud" in (folder / "alice.md").read_text("utf-8")
    assert sorted(path.name for path in folder.glob("*")) == [".retentive", "alice.json", "alice.md"]


def test_edits_of_the_page_are_taken_up(memory: Memory, mine: ScopedMemory, folder: Path) -> None:
    memory.process()
    edit(folder / "alice.md", "Prefers tea", "Prefers coffee")
    assert memory.process().errors == ()
    assert "Prefers coffee" in facts(mine)
    assert [one["text"] for one in whole(folder)["facts"]] == ["Prefers coffee"]


def test_an_edit_outlives_a_write_that_comes_first(memory: Memory, mine: ScopedMemory, folder: Path) -> None:
    edit(folder / "alice.json", '"text": "Prefers tea"', '"text": "Prefers coffee"')
    mine.remember("Has a cat named Miso", category="relationship")
    assert [one["text"] for one in whole(folder)["facts"]] == ["Prefers tea", "Has a cat named Miso"]
    memory.process()
    assert facts(mine) == {"name: Alice", "Prefers coffee", "Has a cat named Miso"}


def test_a_file_that_cannot_be_read_stays_and_it_is_said_why(
    opened: Opened, memory: Memory, mine: ScopedMemory, folder: Path
) -> None:
    edit(folder / "alice.json", '"format": "retentive-memory"', '"format": retentive-memory')
    assert "notes.txt" in memory.process().errors[0]
    (aside,) = folder.glob("alice (edited *).json")
    assert "could not be read" in (folder / "alice.notes.txt").read_text("utf-8")
    mine.remember("Plays the oud")
    assert "Plays the oud" in {one["text"] for one in whole(folder)["facts"]}
    text = aside.read_text("utf-8").replace('"format": retentive-memory', '"format": "retentive-memory"')
    aside.write_text(text.replace('"text": "Prefers tea"', '"text": "Prefers water"'), "utf-8")
    opened()  # looks at once
    assert facts(mine) == {"name: Alice", "Prefers water", "Plays the oud"}
    assert sorted(path.name for path in folder.glob("*")) == [".retentive", "alice.json", "alice.md"]


def test_what_is_forgotten_leaves_every_file(memory: Memory, mine: ScopedMemory, folder: Path) -> None:
    (doomed,) = mine.remember("The vault is behind the glimmerdeep painting").ids
    memory.process()
    edit(folder / "alice.json", '"format": "retentive-memory"', '"format": retentive-memory')
    memory.process()
    report = mine.forget(doomed, verify=True)
    assert report.complete, report
    kept = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert b"glimmerdeep" not in kept
    assert b"Prefers tea" in kept
    mine.forget_everything()
    assert [path.name for path in folder.glob("*")] == [".retentive"]


def test_an_old_file_does_not_bring_back_what_was_forgotten(
    opened: Opened, memory: Memory, mine: ScopedMemory, folder: Path
) -> None:
    old = (folder / "alice.json").read_bytes()
    mine.forget_everything()
    memory.close()
    (folder / "alice.json").write_bytes(old)
    again = opened()
    assert facts(again.scope(user_id="alice")) == set()
    assert b"Prefers tea" not in b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_a_file_taken_away_or_put_back_is_written_anew(memory: Memory, mine: ScopedMemory, folder: Path) -> None:
    old = (folder / "alice.json").read_bytes()
    mine.remember("Plays the oud")
    for there in (None, old):
        (folder / "alice.json").unlink()
        if there is not None:
            (folder / "alice.json").write_bytes(there)
        memory.process()
        assert "Plays the oud" in {one["text"] for one in whole(folder)["facts"]}
        assert "Plays the oud" in facts(mine)


def test_what_was_committed_is_put_in_its_place_by_the_next(
    opened: Opened, memory: Memory, mine: ScopedMemory, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(
            "retentive.backends.file.database.FileDatabase._settle", lambda _: None
        )  # died behind the commit
        mine.remember("Plays the oud")
    assert "Plays the oud" not in {one["text"] for one in whole(folder)["facts"]}
    memory.close()
    opened()
    assert "Plays the oud" in {one["text"] for one in whole(folder)["facts"]}
    assert list((folder / ".retentive").glob("*.new*")) == []


def test_handles_that_write_at_once_lose_nothing_of_the_file(opened: Opened, folder: Path) -> None:
    handles = [opened().scope(user_id="alice") for _ in range(3)]

    def write(number: int) -> None:
        handles[number % 3].remember(f"Keeps note {number} on shelf {number}")

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(write, range(24)))
    assert {one["text"] for one in whole(folder)["facts"]} == facts(handles[0])
    assert len(facts(handles[0])) == 24


def test_a_backup_is_put_back_into_the_files(
    opened: Opened, memory: Memory, mine: ScopedMemory, folder: Path, tmp_path: Path
) -> None:
    before = whole(folder)
    memory.backup(tmp_path / "monday.backup")
    mine.remember("Plays the oud")
    memory.scope(user_id="bob").remember("Likes cars")
    memory.close()
    restore(tmp_path / "monday.backup", f"file:{folder}/", replace=True)
    assert whole(folder) == before
    assert [path.name for path in folder.glob("*.json")] == ["alice.json"]
    assert facts(opened().scope(user_id="alice")) == {"name: Alice", "Prefers tea"}


def test_what_cannot_be_a_folder_is_said(opened: Opened, folder: Path) -> None:
    folder.write_text("mine", "utf-8")
    with pytest.raises(StoreUnavailable, match="give the path of a folder"):
        opened()
    folder.unlink()
    with pytest.raises(ConfigError, match="MIRROR_DIR"):
        opened(mirror_dir=str(folder))


def test_a_write_whose_file_cannot_be_put_in_place_says_so_and_is_made_up_for(folder: Path, opened: Opened) -> None:
    mine = opened().scope(user_id="alice")
    mine.remember("Prefers tea")
    file = folder / "alice.json"
    file.unlink()
    file.mkdir()  # as another program's folder, a full disk or a lost right would be in the way
    for receipt in (
        mine.remember("Plays the oud"),
        mine.record([{"role": "user", "content": "I met Bo in Lyon"}]),
        mine.update_profile({"tone": "brief"}),
    ):
        (item,) = receipt.items
        assert item.outcome == "stored"
        assert "not yet in the file" in (item.reason or "")
    memory = opened()  # which a file that is late does not keep from opening
    again = memory.scope(user_id="alice")
    assert {item.text for item in again.list("semantic")} == {"Prefers tea", "Plays the oud", "tone: brief"}
    assert any("not yet in the file" in problem for problem in memory.doctor().problems)
    assert any("not yet in the file" in error for error in memory.process().errors)
    assert again.remember("Prefers tea").items[0].outcome == "duplicate"
    file.rmdir()
    memory.process()
    assert {one["text"] for one in whole(folder)["facts"]} >= {"Prefers tea", "Plays the oud"}
    assert memory.doctor().problems == ()
    assert again.remember("Keeps bees").items[0].reason is None
    assert not list((folder / ".retentive").glob("*.new*"))


def test_an_older_file_that_is_late_is_no_edit(folder: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = opened()
    mine = memory.scope(user_id="alice")
    (tea,) = mine.remember("Prefers tea").ids
    memory.process()
    with monkeypatch.context() as patched:
        plain = Path.replace

        def refused(path: Path, target: Path) -> Path:
            if path.suffix == ".new":
                raise PermissionError(13, "Permission denied")
            return plain(path, target)

        patched.setattr(Path, "replace", refused)
        assert "Permission denied" in (mine.update(tea, text="Prefers coffee").items[0].reason or "")
        assert memory.process().errors
    memory.process()
    assert [item.text for item in mine.list("semantic")] == ["Prefers coffee"]
    assert not list(folder.glob("*(edited*"))
    assert whole(folder)["facts"][0]["text"] == "Prefers coffee"
