"""A store on a disk that is full: memories are forgotten there all the same.

python full_disk.py FOLDER HOW: FOLDER is a small file system of its own, HOW says what is forgotten, and whether in the
process that met the full disk or in one that opens the store then.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import sys
from pathlib import Path

from retentive import Memory, Settings
from retentive.errors import StoreFull
from retentive.results import ErasureReport
from stubs import StubEmbedder

WORD = "canaryville"


def opened(folder: Path) -> Memory:
    settings = Settings(mirror_dir=str(folder / "mirrors"), retention=("expired=0d+archive",))
    return Memory.open(folder / "memory.db", embedder=StubEmbedder(), settings=settings, background=False)


def fill(memory: Memory) -> None:
    """Sessions of alice's, an archived fact and bob's own."""
    mine = memory.scope(user_id="alice")
    for number in range(150):
        told = f"I live in {WORD} number {number}. {'The story goes on and on. ' * 20}"
        mine.record([{"role": "user", "content": told}], f"s{number % 5}")
    for number in range(5):
        mine.end_session(f"s{number}")
        mine.remember(f"Voucher {number} of {WORD}", expires_at="2026-01-01T00:00:00Z", session_id=f"s{number}")
    memory.scope(user_id="bob").remember("Plays the oboe")
    memory.process()
    memory.retain()
    memory.process()


def fill_disk(folder: Path) -> None:
    """Until nothing more can be written."""
    handle = os.open(folder / "ballast", os.O_WRONLY | os.O_CREAT)
    with contextlib.suppress(OSError):
        while True:
            os.write(handle, bytes(4096))
    os.close(handle)


def in_bytes(folder: Path) -> list[str]:
    def content(path: Path) -> bytes:
        return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()

    return [one.name for one in folder.rglob("*") if one.is_file() and WORD.encode() in content(one).lower()]


def forgotten(memory: Memory, how: str) -> ErasureReport:
    mine = memory.scope(user_id="alice")
    if how.startswith("everything"):
        return mine.forget_everything()
    return mine.forget(session_id="s1")


def main(folder: Path, how: str) -> None:
    with opened(folder) as memory:
        fill(memory)
    memory = opened(folder)
    fill_disk(folder)
    try:
        for number in range(1000):
            memory.scope(user_id="alice").remember(f"Another note, number {number} {'and on ' * 20}")
    except StoreFull:
        pass
    else:
        raise AssertionError
    if "reopened" in how:
        memory.close()
        memory = opened(folder)
    report = forgotten(memory, how)
    assert report.complete, report
    assert memory.doctor().problems == ()
    left = memory.scope(user_id="alice").list(status=None, limit=1000)
    if how.startswith("everything"):
        assert in_bytes(folder) == []
        assert len(left) == 0
    else:
        assert {item.session_id for item in left} >= {"s0", "s2", "s3", "s4"}
        assert "s1" not in {item.session_id for item in left}
    assert [item.text for item in memory.scope(user_id="bob").list()] == ["Plays the oboe"]
    memory.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
