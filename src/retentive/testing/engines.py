"""The engines that the suite runs on, and how an empty store of each is made."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path

from retentive.testing.suite import Engine

FILE, FOLDER, MEMORY = "SQLite, in a file", "Files, in a folder", "SQLite, in memory"
POSTGRES = "Postgres with pgvector"
#: What a Postgres store does otherwise.
POSTGRES_LACKS: Mapping[str, str] = {
    "no_byte_of_it_is_on_disk": (
        "What is forgotten leaves every table, and its dead rows leave their pages before `forget` returns (VACUUM); "
        "the report says so. The free space of those pages, the server's log and its backups are the server's: they "
        "keep the bytes until they are overwritten, and only its administrator can look."
    ),
}


@contextmanager
def empty_file() -> Iterator[str]:
    """A folder for one store's file and what lies beside it."""
    with tempfile.TemporaryDirectory(prefix="retentive-suite-") as folder:
        yield f"sqlite:///{folder}/memory.db"


def files_beside(url: str) -> bytes:
    """All bytes in the folder of a store's file."""
    folder = Path(url.removeprefix("sqlite:///")).parent
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


@contextmanager
def empty_folder() -> Iterator[str]:
    """A folder for a store of files."""
    with tempfile.TemporaryDirectory(prefix="retentive-suite-") as folder:
        yield f"file:{folder}/memory/"


def files_in(url: str) -> bytes:
    """All bytes of a store of files, its index included."""
    folder = Path(url.removeprefix("file:"))
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


EMBEDDED = (
    Engine(FILE, empty_file, bytes_of=files_beside),
    Engine(FOLDER, empty_folder, bytes_of=files_in),
    Engine(MEMORY, lambda: nullcontext(":memory:"), shared=False),
)


@contextmanager
def engines() -> Iterator[tuple[Engine, ...]]:
    """All of them, servers included, while the context lasts. Raises MissingExtra without a server to start."""
    from retentive.testing.postgres import server  # noqa: PLC0415  its driver is an extra

    with server() as started:
        yield (*EMBEDDED, Engine(POSTGRES, started.empty_store, lacks=POSTGRES_LACKS))
