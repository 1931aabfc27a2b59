"""A process that stops in the middle of writing a mirror, says so, and waits to be killed.

python mirror_writer.py STORE FOLDER WHICH: it stops at the WHICH-th file it writes.
"""

from __future__ import annotations

import os
import sys
import time

from retentive import Memory, Settings
from retentive.models.embed_none import NoEmbedder

real_fsync = os.fsync


def main(store: str, folder: str, which: int) -> None:
    """Remember something and mirror it."""
    written = 0

    def fsync(handle: int) -> None:
        nonlocal written
        written += 1
        if written == which:
            print("writing", flush=True)  # noqa: T201  read by whoever kills us
            time.sleep(60)
        real_fsync(handle)

    os.fsync = fsync
    settings = Settings(mirror_dir=folder, durable=False)
    memory = Memory.open(store, embedder=NoEmbedder(), settings=settings, background=False)
    memory.scope(user_id="alice").remember(f"Keeps the note of writer {which}")
    memory.process()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
