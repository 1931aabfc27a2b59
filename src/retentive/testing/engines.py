"""The engines that the conformance suite runs on, and how an empty store of each is made."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from retentive.testing.suite import Engine


@contextmanager
def empty_file() -> Iterator[str]:
    """A folder for one store's file and what lies beside it."""
    with tempfile.TemporaryDirectory(prefix="retentive-suite-") as folder:
        yield f"sqlite:///{folder}/memory.db"


def files_beside(url: str) -> bytes:
    """All bytes in the folder of a store's file."""
    folder = Path(url.removeprefix("sqlite:///")).parent
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


ENGINES = (
    Engine("SQLite, in a file", empty_file, bytes_of=files_beside),
    Engine("SQLite, in memory", lambda: nullcontext(":memory:"), shared=False),
)
