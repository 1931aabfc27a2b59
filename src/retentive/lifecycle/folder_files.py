"""The files of a store that is a folder: the page beside each owner's JSON, and people's edits of either taken up.

An edited JSON file is put aside by whoever finds it, under a name of its own, and the store writes its own anew. Files
of owners that the store does not know, as after its index was lost or in a copied folder, are taken in whole.
"""

from __future__ import annotations

import errno
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from retentive.contracts.files import KeepsFiles
from retentive.document import Document, Line, parse_json, render
from retentive.errors import Conflict, ImportFailed, InvalidInput
from retentive.lifecycle.edit import Editor, document_of, line_of
from retentive.lifecycle.mirror import NOTES, READERS, Done, Mirrors, read, stamp, unread
from retentive.lifecycle.portable import HEAD, import_lines
from retentive.marked import OPEN_SEAL, Place
from retentive.redaction import RedactionPolicy
from retentive.types import Partition, Scope

_LISTS = ("sessions", "history", "facts", "episodes")


@dataclass(kw_only=True)
class FolderFiles(Mirrors):
    """The files of a store that keeps files; `keeper` is that store."""

    keeper: KeepsFiles
    policy: RedactionPolicy
    ends: ClassVar[tuple[str, ...]] = ("md", NOTES)
    kinds: ClassVar[tuple[str, ...]] = ("user", "agent")

    def sync(self) -> int:
        """As in mirrors, having taken in the files of owners that the store does not know."""
        return self._take_in() + super().sync()

    def files(self) -> Iterator[Path]:
        """What lies beside the store's own files."""
        found = [path for end in ("*.md", f"*.{NOTES}") for path in self._glob(end)]
        return iter(sorted(found))

    # -- one owner -----------------------------------------------------------------------------------------------------
    def _place(self, partition: Partition) -> Place:
        return self.keeper.place(partition)

    def _stamps(self, place: Place) -> Iterator[object]:
        yield from (stamp(path) for path in (*(place.path(end) for end in READERS), *_aside(place)))

    def _contents(self, place: Place) -> dict[Path, bytes]:
        found = {path: read(path) for path in (place.path("json"), *_aside(place))}
        return super()._contents(place) | {path: content for path, content in found.items() if content is not None}

    def _mirror(self, partition: Partition, place: Place, *, at_once: bool = False) -> Done:
        target = place.path("json")
        late = self.keeper.late(partition)
        if late is not None:  # an older file, which nobody edited
            raise OSError(errno.EIO, late)
        known = read(target)
        if known is not None and not self.keeper.is_current(partition):
            digest = hashlib.blake2b(known, digest_size=4).hexdigest()
            target.replace(target.with_name(f"{place.stem} (edited {digest}).json"))
        edits = _aside(place)
        done = super()._mirror(partition, place, at_once=at_once)
        if edits and not done.notes:
            place.path(NOTES).unlink(missing_ok=True)
        if not target.exists():
            self.keeper.put_file(partition)
        return done

    def _beside(self, editor: Editor, place: Place, *, at_once: bool) -> list[str]:
        notes: list[str] = []
        for path in _aside(place):
            try:
                notes += self.take_up(editor, path.name, read(path), partial(_document, editor))
            except (InvalidInput, Conflict) as error:
                notes.append(unread(path.name, error, gone=at_once))
                if not at_once:
                    continue
            path.unlink()
        return notes

    def _written_anew(self, editor: Editor, partition: Partition) -> dict[str, str]:
        title = f"What is remembered of {partition.owner}"
        return {"md": render(document_of(editor), title, self.fields, seal=OPEN_SEAL)}

    def _remove(self, place: Place) -> None:
        super()._remove(place)
        for path in _aside(place):
            path.unlink()

    # -- the folder ----------------------------------------------------------------------------------------------------
    def _pages(self) -> Iterator[Place]:
        return (Place(path.parent, path.stem) for path in self._glob("*.md"))

    def _glob(self, pattern: str) -> Iterator[Path]:
        yield from self.folder.glob(pattern)
        yield from self.folder.glob(f"tenant@*/{pattern}")

    def _take_in(self) -> int:
        """Import the files of unknown owners; returns how many could not be read."""
        known = {self._place(partition).path("json") for partition in self.store.revisions()}
        found = [path for path in self._glob("*.json") if path not in known and " (edited " not in path.name]
        noted = 0
        for path in found:
            if b'"retentive-memory"' in (read(path) or b""):
                noted += self._take_in_one(path)
        if found:
            self.keeper.forget_again()
        return noted

    def _take_in_one(self, path: Path) -> int:
        notes = Place(path.parent, path.stem).path(NOTES)
        try:
            whole = json.loads(path.read_text("utf-8"))
            scope = Scope(whole.get("user"), whole.get("agent"), tenant=whole["tenant"])
            partition = scope.partition
            if self._place(partition).path("json") != path:
                return 0  # a copy under another name
            import_lines(self.store, partition, list(_lines(whole)), self.policy)
        except (ValueError, KeyError, TypeError, AttributeError, InvalidInput, ImportFailed) as error:
            notes.write_text(f"{unread(path.name, error, gone=False)}\n", "utf-8")
            return 1
        notes.unlink(missing_ok=True)
        return 0


def _aside(place: Place) -> list[Path]:
    return sorted(place.folder.glob(f"{place.stem} (edited *).json"))


def _lines(whole: dict[str, Any]) -> Iterator[str]:
    """A file as an export: what was written by the store; what a person added is an edit, and comes after."""
    yield HEAD
    objects = [one for name in _LISTS for one in whole[name] if name == "sessions" or one.get("recorded_us")]
    for one in sorted(objects, key=lambda one: one.get("row", 0)):
        yield json.dumps(one | ({"row": 0} if "row" in one else {}))


def _document(editor: Editor, text: str) -> Document:
    """What a person made of a file. A line that nobody touched is the one that the store shows."""
    document = parse_json(text)
    return replace(document, lines=tuple(_as_shown(editor, line) for line in document.lines))


def _as_shown(editor: Editor, line: Line) -> Line:
    if line.id is None:
        return line
    stored = {fact.version: fact for fact in editor.store.versions(editor.partition, line.id)}
    fact = stored.get(line.version)
    if fact is None:
        return line
    if line.text != fact.text.removeprefix(f"{fact.field}: ").strip():
        return line if line.field is None else replace(line, text=line_of(replace(fact, text=line.text)).text)
    shown = line_of(fact)
    return shown if (shown.section, shown.field) == (line.section, line.field) else line
