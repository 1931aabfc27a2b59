"""Files that appear whole or not at all, whatever happens to the process that writes them; and their bytes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

_BLOCK_BYTES = 1 << 20


def write_whole(target: Path, pieces: Iterable[str], *, encoding: str = "utf-8", private: bool = False) -> int:
    """Write pieces of text beside the target and put them in its place; returns how many there were.

    What a killed process left unfinished is overwritten by the next to write the same file. private: for its owner's
    eyes alone, whatever the folder lets others see.
    """
    unfinished = target.with_name(target.name + ".part")
    count = 0
    opener = _opened_privately if private else None
    with open(unfinished, "w", encoding=encoding, newline="", opener=opener) as file:
        for piece in pieces:
            file.write(piece)
            count += 1
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(target)
    return count


def _opened_privately(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def plain_blocks(path: Path, overlap: int) -> Iterator[bytes]:
    """A file's bytes in blocks, each beginning with the last `overlap` bytes of the one before; none if it is gone."""
    try:
        with path.open("rb") as file:
            tail = b""
            while block := file.read(_BLOCK_BYTES):
                yield tail + block
                tail = (tail + block)[-overlap:]
    except FileNotFoundError:
        return
