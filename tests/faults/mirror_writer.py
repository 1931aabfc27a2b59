"""A process that stops at one step of writing mirrors, says so, and waits to be killed.

python mirror_writer.py STORE FOLDER STEP: a step is a flush of a file, a file put in its place, or a file taken away.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any

from retentive import Memory, Settings
from retentive.models.embed_none import NoEmbedder


def main(store: str, folder: str, last: int) -> None:
    """Take up what was edited, remember something, and mirror it."""
    steps = 0

    def stopping(call: Callable[..., Any]) -> Callable[..., Any]:
        def step(*args: Any, **kwargs: Any) -> Any:
            nonlocal steps
            steps += 1
            if steps == last:
                print("stopped", flush=True)  # noqa: T201  read by whoever kills us
                time.sleep(60)
            return call(*args, **kwargs)

        return step

    settings = Settings(mirror_dir=folder, durable=False)
    memory = Memory.open(store, embedder=NoEmbedder(), settings=settings, background=False)
    memory.scope(user_id="alice").remember("Keeps a note of the writer")
    os.fsync, os.replace, os.unlink = stopping(os.fsync), stopping(os.replace), stopping(os.unlink)
    memory.process()
    print("done", flush=True)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
