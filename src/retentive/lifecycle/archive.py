"""Archives: what leaves the store by its age, as compressed JSON lines, one file for each partition.

A file is an export: `gunzip -c FILE | retentive import /dev/stdin` reads it. Each batch is a gzip member of its own,
on the disk before its memories leave the store; what a crash left unfinished at the end is cut off by the next batch.
Forgetting goes through the archive as well.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from retentive.contracts import Remembered, Store, Where
from retentive.errors import StoreDamaged, StoreFull
from retentive.lifecycle.portable import HEAD, memory_line, memory_of_line
from retentive.lifecycle.retention import Retention
from retentive.results import ErasurePlace
from retentive.types import Partition, SessionInfo

Line = Mapping[str, Any]
_READ_BYTES = 1 << 16


class Archive:
    """The archives of one store, in one folder; it is made with the first line.

    Who writes to one of a partition is in a transaction of that partition, so that nobody else does.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, partition: Partition) -> Path:
        """Where a partition's lines are. The name tells nothing of whose they are."""
        return self.folder / f"{partition.digest}.jsonl.gz"

    def add(self, partition: Partition, memories: Sequence[Remembered]) -> int:
        """Add memories; they are on the disk when it returns. Returns how many.

        Those of a batch that a crash interrupted before they left the store are there already.
        """
        path = self.path(partition)
        self.folder.mkdir(parents=True, exist_ok=True)
        end, last = 0, ""
        for end, last in _members(path):  # noqa: B007  the last one is wanted
            pass
        there = {json.loads(line).get("id") for line in last.splitlines()}
        lines = [memory_line(memory) for memory in memories if memory.id not in there]
        if lines:
            with path.open("r+b" if path.exists() else "xb") as file:
                file.truncate(end)
                file.seek(end)
                _write(file, lines if end else [HEAD, *lines])
        return len(lines)

    def has(self, partition: Partition) -> bool:
        """Whether there is anything of a partition, be it what a killed process left."""
        path = self.path(partition)
        return path.exists() or path.with_name(f"{path.name}.part").exists()

    def lines(self, partition: Partition) -> Iterator[Line]:
        """Every memory that was archived, oldest first."""
        for _, text in _members(self.path(partition)):
            try:
                yield from [line for line in map(json.loads, text.splitlines()) if "id" in line]
            except (ValueError, TypeError) as error:
                name = self.path(partition).name
                message = f"the archive {name!r} holds a line that is none: mend it, or move it away"
                raise StoreDamaged(message) from error

    def erase(self, partition: Partition, doomed: Callable[[Line], bool] | None = None) -> ErasurePlace:
        """Take out the lines that are doomed, with their bytes; all of a partition without a question asked.

        A line is a memory as an export writes it: `id`, `session_id`, `project_id`, `metadata` ... What is left is
        counted after looking. Raises StoreFull.
        """
        path = self.path(partition)
        path.with_name(f"{path.name}.part").unlink(missing_ok=True)  # what a killed process left of a rewrite
        if not path.exists():
            return ErasurePlace("archive", 0, 0)
        lines = list(self.lines(partition))
        kept = [] if doomed is None else [line for line in lines if not doomed(line)]
        if len(kept) < len(lines) or _is_torn(path):
            self._replace(path, kept)
        left = sum(doomed is None or doomed(line) for line in self.lines(partition))
        return ErasurePlace("archive", len(lines) - len(kept), left)

    def files(self) -> Iterator[Iterator[str]]:
        """The text of every file of the folder, of whichever partition, unpacked, in pieces."""
        for path in sorted(self.folder.glob("*.jsonl.gz*")):
            yield (text for _, text in _members(path))

    def rewrite(self, partition: Partition, cleaned: Callable[[Remembered], Remembered]) -> int:
        """Put every memory through `cleaned`; returns how many it changed. The old words leave with the old file."""
        path = self.path(partition)
        if not path.exists():
            return 0
        lines = list(self.lines(partition))
        memories = [memory_of_line(dict(line)) for line in lines]
        new = [json.loads(memory_line(cleaned(one))) for one in memories if not isinstance(one, SessionInfo)]
        changed = sum(1 for before, after in zip(lines, new, strict=True) if before != after)
        if changed or _is_torn(path):
            self._replace(path, new)
        return changed

    def _replace(self, path: Path, kept: Sequence[Line]) -> None:
        """Put a file with the lines that stay in the old one's place, or none where none stays."""
        if not kept:
            path.unlink()
            return
        unfinished = path.with_name(f"{path.name}.part")
        try:
            with unfinished.open("wb") as file:
                _write(file, [HEAD, *(json.dumps(line, ensure_ascii=False) for line in kept)])
        except OSError as error:
            unfinished.unlink(missing_ok=True)
            message = "no room to write the archive anew: nothing of it was changed; free some space and repeat"
            raise StoreFull(message) from error
        unfinished.replace(path)


def archive_beside(store: Store, retention: Retention) -> Archive | None:
    """The archives of a store: where the setting says, else beside its file; None for a store that is none."""
    if retention.folder is not None:
        return Archive(retention.folder)
    location = Path(store.status().location)
    return Archive(location.with_name(f"{location.name}.archive")) if location.is_file() else None


def matches(line: Line, where: Where) -> bool:
    """Whether a line has all these values, in its columns or in its metadata.

    >>> matches({"session_id": "s1", "metadata": {"channel": "mail"}}, {"channel": "mail", "session_id": "s1"})
    True
    """
    return all(line.get(name, line["metadata"].get(name)) == value for name, value in where.items())


def _write(file: IO[bytes], lines: Sequence[str]) -> None:
    """Lines as one more member; on the disk when it returns."""
    file.write(gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0))
    file.flush()
    os.fsync(file.fileno())


def _is_torn(path: Path) -> bool:
    """Whether a crash left the beginning of a batch at the end, which none of the lines tell of."""
    return path.stat().st_size > max((end for end, _ in _members(path)), default=0)


def _members(path: Path) -> Iterator[tuple[int, str]]:
    """Each whole member: the byte after it, and its text. An unfinished one at the end is left out."""
    if not path.exists():
        return
    with path.open("rb") as file:
        end, reader, parts = 0, zlib.decompressobj(wbits=31), []
        piece = file.read(_READ_BYTES)
        while piece:
            try:
                parts.append(reader.decompress(piece))
            except zlib.error:
                return
            rest = reader.unused_data
            if reader.eof:
                end = file.tell() - len(rest)
                yield end, b"".join(parts).decode()
                reader, parts = zlib.decompressobj(wbits=31), []
            piece = rest or file.read(_READ_BYTES)
