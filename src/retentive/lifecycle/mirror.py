"""Mirrors: each user's profile and facts as `user.md` and `user.json` in a folder, for people to read and to edit.

Each file carries a seal, a hash of what was written. One whose seal is broken was edited: the edits are applied like
those of `retentive edit`, then both files are written anew. A file that cannot be read stays as it is, with the reason
in `user.notes.txt` beside it. One process at a time works on a folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from retentive.contracts import Store
from retentive.document import Document, parse, parse_json, render, render_json
from retentive.errors import Conflict, DocumentError, InvalidInput
from retentive.lifecycle.edit import Editor, apply, document_of
from retentive.marked import OPEN_SEAL, Place, folder_name, is_sealed, sealed
from retentive.results import ErasurePlace, ErasureReport
from retentive.types import Partition
from retentive.whole_file import write_whole

#: The ends of an owner's files that people edit, and who reads them; and that of what there is to say about the edits.
READERS: Mapping[str, Callable[[str], Document]] = {"md": parse, "json": parse_json}
NOTES = "notes.txt"
_LOCK = ".retentive-lock"
#: How long forgetting waits for another process that is at work in the folder.
_WAIT_S = 10.0
#: A hold so old is one of a process whose number another has now.
_STALE_S = 600.0
#: How long writing the mark takes at the most.
_MARKED_S = 1.0


@dataclass(frozen=True, slots=True)
class Done:
    """What the files of one user must hold now, and what there is to say about their edits."""

    contents: Mapping[str, bytes | None]
    notes: list[str]


@dataclass(slots=True)
class Mirrors:
    """The mirrors of one store. `mark` names this process, `gone` tells of a mark whether its process has ended."""

    folder: Path
    store: Store
    editor_for: Callable[[Partition], Editor]
    fields: tuple[str, ...]
    mark: str
    gone: Callable[[str], bool]
    ends: ClassVar[tuple[str, ...]] = (*READERS, NOTES)
    kinds: ClassVar[tuple[str, ...]] = ("user",)
    _seen: dict[Partition, tuple[object, ...]] = field(default_factory=dict)
    _users: set[Partition] | None = None

    def sync(self) -> int:
        """Take up what people edited and write what changed; nothing when another process is at it.

        Returns how many files hold edits that could not be read, or met with somebody else's, since the last time.
        """
        noted = 0
        with self._locked(0) as ours:
            if not ours:
                return 0
            users = {one: count for one, count in self.store.revisions().items() if one.kind in self.kinds}
            for partition, revision in users.items():
                place = self._place(partition)
                if self._seen.get(partition) != (revision, *self._stamps(place)):
                    done = self._mirror(partition, place)
                    stamps = tuple(self._stamps(place))
                    noted += len(done.notes)
                    if all(read(place.path(end)) == content for end, content in done.contents.items()):
                        self._seen[partition] = (revision, *stamps)  # else somebody saved meanwhile: look again
            if self._users != users.keys():  # at the first look, and when somebody came or went
                self._remove_strangers({self._place(partition) for partition in users})
                self._users = set(users)
        return noted

    def forgotten(self, partition: Partition, report: ErasureReport) -> ErasureReport:
        """Take out of a user's mirror what was erased, and say what was found after looking."""
        if partition.kind not in self.kinds:
            return report
        place = self._place(partition)
        before = self._contents(place)
        try:
            with self._locked(_WAIT_S) as ours:
                if ours and partition in self.store.revisions():
                    self._mirror(partition, place, at_once=True)
                elif ours:
                    self._remove(place)
        except OSError:  # no room to write them anew: the next run does
            self._remove(place)
        after = self._contents(place)
        erased = sum(after.get(path) != text for path, text in before.items())
        gone = [one.encode() for one in (*report.ids, *report.derived)]
        shown = [text for path, text in after.items() if path != place.path(NOTES)]  # which names what it could not do
        still = [text for text in shown if any(one in text for one in gone)]
        left = len(still) if report.ids else len(after) if partition not in self.store.revisions() else 0
        return replace(report, places=(*report.places, ErasurePlace("mirrors", erased, left)))

    def files(self) -> Iterator[Path]:
        """Every file of the mirrors, of whichever user."""
        return iter(sorted(self.folder.glob("*/*/user.*")))

    def _pages(self) -> Iterator[Place]:
        """Where there is a page, of whichever user."""
        return (Place(path.parent, path.stem) for path in self.folder.glob("*/*/user.md"))

    # -- one user ------------------------------------------------------------------------------------------------------
    def _beside(self, editor: Editor, place: Place, *, at_once: bool) -> list[str]:  # noqa: ARG002
        """Take up edits that lie elsewhere; returns what there is to say about them."""
        return []

    def _place(self, partition: Partition) -> Place:
        return Place(self.folder / folder_name(partition.tenant) / folder_name(partition.owner), "user")

    def _mirror(self, partition: Partition, place: Place, *, at_once: bool = False) -> Done:
        """Apply the edits of a user's files, then write them. `at_once`: also over a file that cannot be read."""
        editor, notes, held = self.editor_for(partition), list[str](), set[str]()
        self._clear_unfinished(place)
        before = {end: read(place.path(end)) for end in READERS if end in self.ends}
        for end, known in before.items():
            try:
                notes += self.take_up(editor, place.path(end).name, known, READERS[end])
            except (InvalidInput, Conflict) as error:
                held |= set() if at_once else {end}
                notes.append(unread(place.path(end).name, error, gone=at_once))
        notes += self._beside(editor, place, at_once=at_once)
        fresh = self._written_anew(editor, partition)
        contents = {end: before[end] if end in held else sealed(text).encode() for end, text in fresh.items()}
        for end in fresh.keys() - held:
            write(place.path(end), before[end], contents[end] or b"")
        if notes:
            write(place.path(NOTES), read(place.path(NOTES)), ("\n".join(notes) + "\n").encode())
        elif at_once or any(known is not None and not is_ours(known) for known in before.values()):
            place.path(NOTES).unlink(missing_ok=True)
        return Done(contents, notes)

    def _written_anew(self, editor: Editor, partition: Partition) -> dict[str, str]:
        """What the files hold now, by their ends."""
        document = document_of(editor)
        title = f"What is remembered of {partition.owner}"
        page = render(document, title, self.fields, seal=OPEN_SEAL)
        return {"md": page, "json": render_json(document, seal=OPEN_SEAL)}

    @staticmethod
    def take_up(editor: Editor, name: str, known: bytes | None, reader: Callable[[str], Document]) -> Iterator[str]:
        """Apply what a person changed in one file; yields what there is to say about it."""
        if known is None or is_ours(known):
            return
        text = _decoded(known)
        key = f"mirror:{hashlib.blake2b(known, digest_size=16).hexdigest()}"
        report = apply(editor, reader(text), key=key)
        yield from (f"{name}: {one} {reason}" for one, reason in report.clashes)

    # -- the folder ----------------------------------------------------------------------------------------------------
    @contextlib.contextmanager
    def _locked(self, wait_s: float) -> Iterator[bool]:
        """Hold the folder for this process; False when another one does. A dead process's hold is taken over."""
        _make_folder(self.folder)
        lock, until_s = self.folder / _LOCK, time.monotonic() + wait_s
        ours = self._taken(lock)
        while not ours and time.monotonic() < until_s:
            time.sleep(0.05)
            ours = self._taken(lock)
        try:
            yield ours
        finally:
            if ours:
                lock.unlink(missing_ok=True)

    def _taken(self, lock: Path) -> bool:
        try:
            with lock.open("x", encoding="utf-8") as file:
                file.write(self.mark)
        except FileExistsError:
            if self._is_left(lock):
                lock.unlink(missing_ok=True)
            return False
        except OSError:  # no room for the mark
            lock.unlink(missing_ok=True)
            raise
        return True

    def _is_left(self, lock: Path) -> bool:
        """Whether who holds the folder is gone; one who died before the mark was written left an empty hold."""
        holder, age_s = read(lock), _age_s(lock)
        if holder is None:
            return False
        return self.gone(holder.decode("utf-8", "replace")) or age_s > (_STALE_S if holder else _MARKED_S)

    def _remove_strangers(self, known: set[Place]) -> None:
        """Mirrors of users who were forgotten by a process that knew of no mirrors."""
        for place in list(self._pages()):
            if place not in known and b"\n<!-- as of " in (read(place.path("md")) or b""):
                self._remove(place)

    def _stamps(self, place: Place) -> Iterator[object]:
        yield from (stamp(place.path(end)) for end in READERS)

    def _contents(self, place: Place) -> dict[Path, bytes]:
        found = {place.path(end): read(place.path(end)) for end in self.ends}
        return {path: content for path, content in found.items() if content is not None}

    def _clear_unfinished(self, place: Place) -> None:
        """What a killed process left half written; nobody else writes while we hold the folder."""
        for path in (place.path(f"{end}.part") for end in self.ends):
            if path.exists():
                path.unlink()

    def _remove(self, place: Place) -> None:
        self._clear_unfinished(place)
        for end in self.ends:
            place.path(end).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # something of somebody else's is in it
            place.folder.rmdir()


# -- files -------------------------------------------------------------------------------------------------------------
def read(path: Path) -> bytes | None:
    """A file's bytes, or None."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _age_s(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _decoded(known: bytes) -> str:
    try:
        return known.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = "it is not UTF-8 text: save it in that encoding"
        raise DocumentError(message) from error


def is_ours(known: bytes) -> bool:
    """Whether nobody edited it."""
    return is_sealed(known.decode("utf-8", "replace"))


def write(path: Path, before: bytes | None, content: bytes) -> None:
    """Put the content in the file's place, unless somebody saved something else since `before` was read."""
    if content == before or read(path) != before:
        return
    _make_folder(path.parent.parent)
    _make_folder(path.parent)
    write_whole(path, [content.decode()], private=True)


def _make_folder(path: Path) -> None:
    """For nobody else to read: what is remembered is personal."""
    if not path.is_dir():
        path.mkdir(mode=0o700, parents=True, exist_ok=True)


def stamp(path: Path) -> object:
    """What is different when a file was written; None where there is none."""
    try:
        known = path.stat()
    except FileNotFoundError:
        return None
    return known.st_mtime_ns, known.st_size, known.st_ino


def unread(name: str, error: Exception, *, gone: bool) -> str:
    """What the notes say of a file that could not be read. gone: it was put out of the way."""
    reason = "it was written anew: something had to be forgotten" if gone else str(error)
    return f"{name} could not be read, nothing of it was applied: {reason}"
