"""A user's memory as two files: written after changes, taken back when edited, gone when it is forgotten."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from retentive import Memory, ScopedMemory, Settings
from retentive.marked import folder_name, is_sealed
from retentive.models.embed_none import NoEmbedder

WRITER = str(Path(__file__).parents[1] / "faults" / "mirror_writer.py")
#: A flush and a change of place for each of the two files, old notes taken away, and the hold given back.
STEPS = 6
Opened = Callable[..., Memory]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "mirrors"


@pytest.fixture
def opened(tmp_path: Path, folder: Path) -> Iterator[Opened]:
    """Opens the same store, with mirrors or without."""
    memories: list[Memory] = []

    def open_(*, mirrors: bool = True) -> Memory:
        settings = Settings(mirror_dir=str(folder) if mirrors else None)
        path = tmp_path / "memory.db"
        memories.append(Memory.open(path, embedder=NoEmbedder(), settings=settings, background=False))
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
    mine.remember("Prefers tea", category="preference")
    mine.remember("Has a cat named Miso", category="relationship")
    assert memory.process().errors == ()
    return mine


@pytest.fixture
def place(folder: Path) -> Path:
    return folder / "default" / "alice"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def facts(mine: ScopedMemory) -> set[str]:
    return {item.text for item in mine.list("semantic")}


def test_both_files_are_written_after_a_change_and_only_then(memory: Memory, mine: ScopedMemory, place: Path) -> None:
    assert sorted(path.name for path in place.iterdir()) == ["user.json", "user.md"]
    assert "- Prefers tea <!-- " in (place / "user.md").read_text("utf-8")
    whole = json.loads((place / "user.json").read_text("utf-8"))
    assert [(one["field"], one["text"]) for one in whole["profile"]] == [("name", "Alice")]
    assert {one["text"] for one in whole["facts"]} == {"Prefers tea", "Has a cat named Miso"}
    assert place.stat().st_mode & 0o077 == 0
    before = [path.stat().st_mtime_ns for path in sorted(place.iterdir())]
    memory.process()
    assert [path.stat().st_mtime_ns for path in sorted(place.iterdir())] == before
    mine.remember("Plays the oud")
    memory.process()
    assert "Plays the oud" in (place / "user.md").read_text("utf-8")


def test_an_edit_of_either_file_is_taken_up_and_shown_in_both(memory: Memory, mine: ScopedMemory, place: Path) -> None:
    edit(place / "user.md", "Prefers tea", "Prefers coffee")
    memory.process()
    whole = json.loads((place / "user.json").read_text("utf-8"))
    assert "Prefers coffee" in {one["text"] for one in whole["facts"]}
    whole["facts"] = [one for one in whole["facts"] if "Miso" not in one["text"]] + [{"text": "Plays the oud"}]
    (place / "user.json").write_text(json.dumps(whole), "utf-8")
    assert memory.process().errors == ()
    assert facts(mine) == {"name: Alice", "Prefers coffee", "Plays the oud"}
    page = (place / "user.md").read_text("utf-8")
    assert "oud" in page
    assert "Miso" not in page
    assert all(is_sealed(path.read_text("utf-8")) for path in place.iterdir())
    assert {entry.verb for entry in memory.audit(actor="mirror")} == {"update", "reject", "remember"}


def test_an_edit_made_while_nobody_ran_is_found_by_the_next_to_open(
    opened: Opened, mine: ScopedMemory, place: Path
) -> None:
    edit(place / "user.md", "Prefers tea", "Prefers coffee")
    opened().process()
    assert "Prefers coffee" in facts(mine)


def test_edits_in_two_places_are_both_kept_and_it_is_said(memory: Memory, mine: ScopedMemory, place: Path) -> None:
    tea = next(item for item in mine.list("semantic") if item.text == "Prefers tea")
    mine.update(tea.id, text="Prefers milk")
    edit(place / "user.md", "Prefers tea", "Prefers coffee")
    edit(place / "user.json", "Prefers tea", "Prefers water")
    assert "notes.txt" in memory.process().errors[0]
    both = {item.text: item.status for item in mine.list("semantic") if item.category == "preference"}
    assert both == dict.fromkeys(("Prefers milk", "Prefers coffee", "Prefers water"), "disputed")
    assert "both are kept" in (place / "user.notes.txt").read_text("utf-8")
    assert memory.process().errors == ()


def test_what_cannot_be_read_stays_until_it_is_mended(memory: Memory, mine: ScopedMemory, place: Path) -> None:
    edit(place / "user.md", "- Prefers tea", "Prefers a very particular tea")
    written = (place / "user.md").read_bytes()
    mine.remember("Plays the oud")
    assert "notes.txt" in memory.process().errors[0]
    assert (place / "user.md").read_bytes() == written
    assert "begin what is to be remembered" in (place / "user.notes.txt").read_text("utf-8")
    assert "Plays the oud" in (place / "user.json").read_text("utf-8")
    assert "Prefers tea" in facts(mine)
    edit(place / "user.md", "Prefers a very", "- Prefers a very")
    memory.process()
    assert facts(mine) >= {"Prefers a very particular tea", "Plays the oud"}
    assert not (place / "user.notes.txt").exists()


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"{}"])
def test_a_file_that_lost_its_content_takes_nothing_away(
    memory: Memory, mine: ScopedMemory, place: Path, content: bytes
) -> None:
    before = facts(mine)
    for name in ("user.md", "user.json"):
        (place / name).write_bytes(content)
    memory.process()
    assert facts(mine) == before
    (place / "user.md").unlink()
    memory.process()
    assert is_sealed((place / "user.md").read_text("utf-8"))
    assert facts(mine) == before


def test_edits_applied_twice_add_nothing_twice(memory: Memory, mine: ScopedMemory, place: Path) -> None:
    """As when a process dies after applying them and before writing the files anew."""
    tea = next(item for item in mine.list("semantic") if item.text == "Prefers tea")
    mine.update(tea.id, text="Prefers milk")
    edit(place / "user.md", "Prefers tea", "Prefers coffee")
    edit(place / "user.md", "## Event\n", "## Event\n- Moved to Porto\n")
    edited = (place / "user.md").read_bytes()
    memory.process()
    before = [(item.id, item.text, item.version, item.seen_count) for item in mine.list("semantic")]
    (place / "user.md").write_bytes(edited)
    memory.process()
    assert [(item.id, item.text, item.version, item.seen_count) for item in mine.list("semantic")] == before


# -- forgetting ------------------------------------------------------------------------------------------------------
def test_what_is_forgotten_is_out_of_the_files_at_once(mine: ScopedMemory, place: Path) -> None:
    edit(place / "user.md", "- Prefers tea", "not readable: Prefers tea")
    tea = next(item for item in mine.list("semantic") if item.text == "Prefers tea")
    report = mine.forget(tea.id)
    assert [(one.erased, one.left) for one in report.places if one.place == "mirrors"] == [(2, 0)]
    assert report.complete
    assert all(b"tea" not in path.read_bytes() for path in place.iterdir())
    assert b"Miso" in (place / "user.md").read_bytes()


def test_notes_on_an_edit_of_what_is_forgotten_are_no_trace_of_it(mine: ScopedMemory, place: Path) -> None:
    (tea,) = [item.id for item in mine.list("semantic") if item.text == "Prefers tea"]
    edit(place / "user.md", "Prefers tea", "Prefers green tea")
    assert mine.forget(tea, verify=True).complete
    assert not any("tea" in path.read_text("utf-8") for path in place.iterdir())


def test_forgetting_everything_takes_the_files(mine: ScopedMemory, place: Path) -> None:
    report = mine.forget_everything()
    assert [(one.erased, one.left) for one in report.places if one.place == "mirrors"] == [(2, 0)]
    assert not place.exists()


def test_a_process_that_knew_of_no_mirrors_is_made_up_for(opened: Opened, mine: ScopedMemory, folder: Path) -> None:
    opened().scope(user_id="bob").remember("Plays chess")
    opened().process()
    bystander = folder / "default" / "notes"
    bystander.mkdir()
    (bystander / "user.md").write_text("my own notes", "utf-8")
    opened(mirrors=False).scope(user_id="alice").forget_everything()
    opened().process()
    assert sorted(path.name for path in (folder / "default").iterdir()) == ["bob", "notes"]
    assert facts(mine) == set()


def test_a_worker_notices_who_was_forgotten_elsewhere(
    opened: Opened, memory: Memory, mine: ScopedMemory, place: Path
) -> None:
    opened(mirrors=False).scope(user_id="alice").forget_everything()
    assert place.exists()
    memory.process()
    assert not place.exists()
    mine.remember("Plays the oud")
    memory.process()
    assert "Plays the oud" in (place / "user.md").read_text("utf-8")


# -- who writes ------------------------------------------------------------------------------------------------------
def test_names_share_no_folder_and_leave_none() -> None:
    names = ["alice", "Alice", "ALICE", "..", "../x", "a/b", "a%2Fb", "x" * 256, "x" * 255, "早报", "a b"]
    made = [folder_name(name) for name in names]
    assert len({name.lower() for name in made}) == len(names)
    assert all(Path(name).name == name and name not in {".", ".."} and len(name) <= 120 for name in made)


def test_one_process_at_a_time(memory: Memory, mine: ScopedMemory, folder: Path, place: Path) -> None:
    lock = folder / ".retentive-lock"
    lock.write_text("elsewhere:1", "utf-8")
    mine.remember("Plays the oud")
    memory.process()
    assert b"oud" not in (place / "user.md").read_bytes()
    lock.unlink()
    memory.process()
    assert b"oud" in (place / "user.md").read_bytes()


def test_a_process_that_died_before_it_left_its_mark_holds_nobody_up(
    memory: Memory, mine: ScopedMemory, folder: Path, place: Path
) -> None:
    lock = folder / ".retentive-lock"
    lock.touch()
    os.utime(lock, (0, 1_700_000_000))
    mine.remember("Plays the oud")
    memory.process()
    memory.process()
    assert b"oud" in (place / "user.md").read_bytes()


@pytest.mark.parametrize("step", range(1, STEPS + 2))
def test_a_process_killed_at_any_step_is_made_up_for(
    opened: Opened, mine: ScopedMemory, tmp_path: Path, place: Path, step: int
) -> None:
    """Each file is whole at any moment, and the next run leaves what an uninterrupted one would have left."""
    edit(place / "user.md", "Prefers tea", "Prefers coffee")
    edit(place / "user.md", "## Event\n", "## Event\n- Moved to Porto\n")
    command = [sys.executable, WRITER, str(tmp_path / "memory.db"), str(tmp_path / "mirrors"), str(step)]
    writer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    assert writer.stdout.readline() == ("stopped\n" if step <= STEPS else "done\n")
    writer.kill()
    writer.communicate()
    assert (place / "user.md").read_text("utf-8").endswith("<!-- end -->\n")
    assert is_sealed((place / "user.json").read_text("utf-8"))
    memory = opened()
    memory.process()  # takes the dead one's hold
    memory.process()
    assert facts(mine) == {
        "name: Alice",
        "Prefers coffee",
        "Has a cat named Miso",
        "Moved to Porto",
        "Keeps a note of the writer",
    }
    assert {item.seen_count for item in mine.list("semantic")} == {1}
    assert sorted(path.name for path in place.iterdir()) == ["user.json", "user.md"]
    assert all(is_sealed(path.read_text("utf-8")) for path in place.iterdir())


def test_a_folder_that_cannot_be_written_is_said_and_stops_no_job(opened: Opened, folder: Path) -> None:
    folder.write_text("a file in its place", "utf-8")
    memory = opened()
    memory.scope(user_id="alice").remember("Prefers tea")
    report = memory.process()
    assert report.done == 1
    assert report.errors[0].startswith("mirrors: ")
