"""The bytes of the store's file as they lie on disk, overwritten where no row stands.

`secure_delete` overwrites a row that is deleted. It does not overwrite the copy that stays behind when SQLite moves a
row to another page: that copy lies between a page's list of cells and its first cell, where no reader ever looks, and
may outlive the row by years. `wipe_gaps` zeroes those stretches in the file. They belong to no row, so a crash half-way
leaves a sound file.

Files are opened through SQLite's own VFS: on POSIX, closing a file by any other way would drop the locks SQLite holds.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import apsw

from retentive.errors import StoreUnavailable
from retentive.whole_file import plain_blocks

#: How a file begins that is not encrypted.
PLAIN = b"SQLite format 3\0"
_BLOCK_BYTES = 1 << 20
#: Type byte of a b-tree page -> bytes of its header. https://www.sqlite.org/fileformat2.html#b_tree_pages
_HEADER_BYTES = {2: 12, 5: 12, 10: 8, 13: 8}
_FILE_HEADER_BYTES = 100
#: From this page number on, the first byte of an overflow page could pass for a type byte.
_MOST_PAGES = 1 << 25


def opened(path: str, *, write: bool = False) -> apsw.VFSFile:
    """A file as SQLite opens it. Raises apsw.Error where it cannot be."""
    access = apsw.SQLITE_OPEN_READWRITE if write else apsw.SQLITE_OPEN_READONLY
    return apsw.VFSFile("", path, [access | apsw.SQLITE_OPEN_MAIN_DB, 0])


def head(path: str, size: int = 16) -> bytes:
    """The first bytes of a file, fewer where it is shorter."""
    file = opened(path)
    try:
        return file.xRead(min(size, Path(path).stat().st_size), 0)  # SQLite's own size of a file of one byte is 0
    finally:
        file.xClose()


def refuse_no_file(path: Path) -> None:
    """Raise StoreUnavailable for what can be no file of a store: opening a pipe would wait for ever."""
    try:
        known = path.stat() if path.exists() else None
    except PermissionError as error:
        message = f"the folder of {path.name!r} may not be entered: ask for the right to, or choose another path"
        raise StoreUnavailable(message) from error
    except (OSError, ValueError) as error:  # a name that is too long, a loop of links, half a surrogate pair
        message = f"no file can be called so: {getattr(error, 'strerror', None) or 'it cannot be written'}"
        raise StoreUnavailable(message) from error
    if known is not None and not stat.S_ISREG(known.st_mode) and not stat.S_ISDIR(known.st_mode):
        message = f"{path.name!r} is a device, a pipe or a socket: give the path of a file"
        raise StoreUnavailable(message)


def files(path: str, overlap: int, *, encrypted: bool) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Every file of a store, and what lies beside it under its name or as a log: name, and bytes in blocks.

    `-shm` is left out: it holds numbers of pages, and closing it would drop the locks of this process. So are the store
    and its log where they are encrypted: nobody could find anything in their bytes.
    """
    store = Path(path)
    for file in sorted(store.parent.iterdir()):
        ours = file.name.startswith(store.name) or file.suffix == ".log"
        if ours and file.is_file() and file.name != f"{store.name}-shm":
            through_sqlite = file.name in {store.name, f"{store.name}-wal"}
            if through_sqlite and encrypted:
                continue
            yield file.name, _blocks(str(file), overlap) if through_sqlite else plain_blocks(file, overlap)


def _blocks(path: str, overlap: int) -> Iterator[bytes]:
    file, size = opened(path), Path(path).stat().st_size
    try:
        for start in range(0, size, _BLOCK_BYTES):
            first = max(0, start - overlap)
            yield file.xRead(min(start + _BLOCK_BYTES, size) - first, first)
    finally:
        file.xClose()


def gap(page: memoryview, number: int) -> tuple[int, int] | None:
    """Where a b-tree page holds nothing, from its list of cells to its first cell; None for any other page.

    >>> empty_leaf = bytes([13, 0, 0, 0, 0, 2, 0, 0]).ljust(512, b"x")
    >>> gap(memoryview(empty_leaf), 2)
    (8, 512)
    """
    start = _FILE_HEADER_BYTES if number == 1 else 0
    header = _HEADER_BYTES.get(page[start])
    if header is None:
        return None
    cells = int.from_bytes(page[start + 3 : start + 5])
    first = start + header + 2 * cells
    last = int.from_bytes(page[start + 5 : start + 7]) or 65536
    return (first, last) if first <= last <= len(page) else None


def wipe_gaps(path: str, page_bytes: int) -> int | None:
    """Zero the gaps of every page; returns how many were not zero, None for a file too large to tell its pages apart.

    Only while the caller holds the write lock and the write-ahead log is empty, so that every page is the current one.
    """
    file = opened(path, write=True)
    try:
        total = file.xFileSize()
        if total // page_bytes >= _MOST_PAGES:
            return None
        wiped = 0
        for start in range(0, total, _BLOCK_BYTES):
            block = memoryview(file.xRead(min(_BLOCK_BYTES, total - start), start))
            for offset in range(0, len(block) - page_bytes + 1, page_bytes):
                page = block[offset : offset + page_bytes]
                found = gap(page, (start + offset) // page_bytes + 1)
                if found is not None and bytes(page[found[0] : found[1]]).strip(b"\0"):
                    file.xWrite(bytes(found[1] - found[0]), start + offset + found[0])
                    wiped += 1
        file.xSync(apsw.SQLITE_SYNC_FULL)
        return wiped
    finally:
        file.xClose()
