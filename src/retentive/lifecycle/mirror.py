"""Mirrors: each user's profile and facts as `user.md` and `user.json` in a folder, for people to read and to edit.

Each file carries a seal, a hash of what was written. One whose seal is broken was edited: the edits are applied like
those of `retentive edit`, then both files are written anew. A file that cannot be read stays as it is, with the reason
in `user.notes.txt` beside it. One process at a time works on a folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

from retentive.contracts import Store
from retentive.document import Document, parse, parse_json, render, render_json
from retentive.errors import Conflict, DocumentError, InvalidInput
from retentive.lifecycle.edit import Editor, apply, document_of
from retentive.results import ErasurePlace, ErasureReport
from retentive.types import Partition
from retentive.whole_file import write_whole

#: Where the seal stands in either file.
_SEAL = re.compile(r'^(<!-- as of [0-9a-f]+ for [0-9a-f]+ written |  "written": ")([0-9a-f]{32})', re.MULTILINE)
_OPEN_SEAL = "0" * 32
_READERS: Mapping[str, Callable[[str], Document]] = {"user.md": parse, "user.json": parse_json}
_NOTES = "user.notes.txt"
_LOCK = ".retentive-lock"
_PLAIN_NAME = re.compile(r"[a-z0-9_-]{1,64}")
#: How long forgetting waits for another process that is at work in the folder.
_WAIT_S = 10.0
#: A hold so old is one of a process whose number another has now.
_STALE_S = 600.0
#: How long writing the mark takes at the most.
_MARKED_S = 1.0


def sealed(text: str) -> str:
    """The text with its seal set: the hash of it with an open one."""
    opened = _SEAL.sub(rf"\g<1>{_OPEN_SEAL}", text, count=1)
    digest = hashlib.blake2b(opened.encode(), digest_size=16).hexdigest()
    return _SEAL.sub(rf"\g<1>{digest}", text, count=1)


def is_sealed(text: str) -> bool:
    """Whether it is as it was written."""
    return _SEAL.search(text) is not None and sealed(text) == text


def folder_name(name: str) -> str:
    """A name of a folder that no two names share, on any file system.

    >>> folder_name("alice"), folder_name("../Alice")
    ('alice', '..%2FAlice~55324ac1')
    """
    if _PLAIN_NAME.fullmatch(name):
        return name
    return f"{quote(name, safe='')[:100]}~{hashlib.blake2b(name.encode(), digest_size=4).hexdigest()}"


@dataclass(frozen=True, slots=True)
class _Done:
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
            users = {one: count for one, count in self.store.revisions().items() if one.kind == "user"}
            for partition, revision in users.items():
                place = self._place(partition)
                if self._seen.get(partition) != (revision, *_stamps(place)):
                    done = self._mirror(partition, place)
                    stamps = tuple(_stamps(place))
                    noted += len(done.notes)
                    if all(_read(place / name) == content for name, content in done.contents.items()):
                        self._seen[partition] = (revision, *stamps)  # else somebody saved meanwhile: look again
            if self._users != users.keys():  # at the first look, and when somebody came or went
                self._remove_strangers({self._place(partition) for partition in users})
                self._users = set(users)
        return noted

    def forgotten(self, partition: Partition, report: ErasureReport) -> ErasureReport:
        """Take out of a user's mirror what was erased, and say what was found after looking."""
        if partition.kind != "user":
            return report
        place = self._place(partition)
        before = _contents(place)
        try:
            with self._locked(_WAIT_S) as ours:
                if ours and partition in self.store.revisions():
                    self._mirror(partition, place, at_once=True)
                elif ours:
                    _remove(place)
        except OSError:  # no room to write them anew: the next run does
            _remove(place)
        after = _contents(place)
        erased = sum(after.get(path) != text for path, text in before.items())
        gone = [one.encode() for one in (*report.ids, *report.derived)]
        still = [text for text in after.values() if any(one in text for one in gone)]
        left = len(still) if report.ids else len(after) if partition not in self.store.revisions() else 0
        return replace(report, places=(*report.places, ErasurePlace("mirrors", erased, left)))

    def files(self) -> Iterator[Path]:
        """Every file of the mirrors, of whichever user."""
        return iter(sorted(self.folder.glob("*/*/user.*")))

    # -- one user ------------------------------------------------------------------------------------------------------
    def _place(self, partition: Partition) -> Path:
        return self.folder / folder_name(partition.tenant) / folder_name(partition.owner)

    def _mirror(self, partition: Partition, place: Path, *, at_once: bool = False) -> _Done:
        """Apply the edits of a user's files, then write them. `at_once`: also over a file that cannot be read."""
        editor, notes, held = self.editor_for(partition), list[str](), set[str]()
        _clear_unfinished(place)
        before = {name: _read(place / name) for name in _READERS}
        for name, known in before.items():
            try:
                notes += self._take_up(editor, name, known)
            except (InvalidInput, Conflict) as error:
                held |= set() if at_once else {name}
                reason = "it was written anew: something had to be forgotten" if at_once else str(error)
                notes.append(f"{name} could not be read, nothing of it was applied: {reason}")
        document = document_of(editor)
        title = f"What is remembered of {partition.owner}"
        fresh = {"user.md": render(document, title, self.fields, seal=_OPEN_SEAL)}
        fresh["user.json"] = render_json(document, seal=_OPEN_SEAL)
        contents = {name: before[name] if name in held else sealed(text).encode() for name, text in fresh.items()}
        for name in fresh.keys() - held:
            _write(place / name, before[name], contents[name] or b"")
        if notes:
            _write(place / _NOTES, _read(place / _NOTES), ("\n".join(notes) + "\n").encode())
        elif at_once or any(known is not None and not _is_ours(known) for known in before.values()):
            (place / _NOTES).unlink(missing_ok=True)
        return _Done(contents, notes)

    @staticmethod
    def _take_up(editor: Editor, name: str, known: bytes | None) -> Iterator[str]:
        """Apply what a person changed in one file; yields what there is to say about it."""
        if known is None or _is_ours(known):
            return
        text = _decoded(known)
        key = f"mirror:{hashlib.blake2b(known, digest_size=16).hexdigest()}"
        report = apply(editor, _READERS[name](text), key=key)
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
        holder, age_s = _read(lock), _age_s(lock)
        if holder is None:
            return False
        return self.gone(holder.decode("utf-8", "replace")) or age_s > (_STALE_S if holder else _MARKED_S)

    def _remove_strangers(self, known: set[Path]) -> None:
        """Mirrors of users who were forgotten by a process that knew of no mirrors."""
        for path in self.folder.glob("*/*/user.md"):
            if path.parent not in known and b"\n<!-- as of " in (_read(path) or b""):
                _remove(path.parent)


# -- files -------------------------------------------------------------------------------------------------------------
def _read(path: Path) -> bytes | None:
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


def _is_ours(known: bytes) -> bool:
    return is_sealed(known.decode("utf-8", "replace"))


def _write(path: Path, before: bytes | None, content: bytes) -> None:
    """Put the content in the file's place, unless somebody saved something else since `before` was read."""
    if content == before or _read(path) != before:
        return
    _make_folder(path.parent.parent)
    _make_folder(path.parent)
    write_whole(path, [content.decode()])


def _make_folder(path: Path) -> None:
    """For nobody else to read: what is remembered is personal."""
    if not path.is_dir():
        path.mkdir(mode=0o700, parents=True, exist_ok=True)


def _stamps(place: Path) -> Iterator[object]:
    for name in _READERS:
        try:
            known = (place / name).stat()
        except FileNotFoundError:
            yield None
        else:
            yield known.st_mtime_ns, known.st_size, known.st_ino


def _contents(place: Path) -> dict[Path, bytes]:
    found = {path: _read(path) for path in place.glob("user.*")}
    return {path: content for path, content in found.items() if content is not None}


def _clear_unfinished(place: Path) -> None:
    """What a killed process left half written; nobody else writes while we hold the folder."""
    for path in place.glob("user.*.part"):
        path.unlink(missing_ok=True)


def _remove(place: Path) -> None:
    for path in place.glob("user.*"):
        path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # something of somebody else's is in it
        place.rmdir()
