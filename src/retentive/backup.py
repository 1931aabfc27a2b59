"""Backups: a copy of the whole store in one sealed file, made while writers run, and put back whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
import zlib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from retentive import plugins
from retentive.checking import checked_path
from retentive.config import Settings
from retentive.contracts import Store
from retentive.errors import BackupDamaged, InvalidInput, StoreUnavailable
from retentive.given import checked_objects
from retentive.sealed import CHUNK_BYTES, read_sealed, write_sealed

#: Begins the part that holds the key of an encrypted copy; a plain one begins as SQLite files do.
_KEY_MARK = b"key of the copy: "


def backup(store: Store, path: str | Path, passphrase: str | None = None) -> int:
    """Write a backup of a store to `path`, which must not be there yet; returns its size in bytes."""
    target = checked_path(path, "the path of a backup").expanduser()
    _checked(passphrase)
    if target.exists():
        message = f"{target.name!r} is there already: choose another name, a backup replaces nothing"
        raise InvalidInput(message)
    with _scratch(target) as scratch:
        snapshot, sealed = scratch / "store", scratch / "sealed"
        key = store.snapshot(snapshot)
        if key is not None and passphrase is None:
            message = "the store is encrypted, its backup would not be: give a passphrase for it"
            raise InvalidInput(message)
        with sealed.open("wb") as file, snapshot.open("rb") as copy:
            parts = iter(lambda: copy.read(CHUNK_BYTES), b"")
            write_sealed(file, parts if key is None else chain([_KEY_MARK + key.encode()], parts), passphrase)
            _sync(file)
        sealed.rename(target)
    return target.stat().st_size


def restore(
    path: str | Path,
    url: str | Path,
    *,
    passphrase: str | None = None,
    replace: bool = False,
    erasures: str | Path | None = None,
    settings: Settings | None = None,
) -> None:
    """Make the store at `url` what it was when the backup at `path` was made.

    A store that holds memories is only replaced where `replace` says so. The file is read to its end, and what is in it
    checked, before anything of the store is changed. What was forgotten since the backup was made is forgotten again:
    the journal beside the store says what, or another store's, `erasures`, where the target has none.

    Raises BackupDamaged, WrongPassphrase, MissingExtra, InvalidInput, StoreError; then the store is what it was.
    """
    source = _file(path)
    checked_objects(settings=(settings, Settings))
    settings = settings or Settings.from_env()
    target = Path(plugins.path_of(str(url))).expanduser()
    with _scratch(target) as scratch:
        snapshot = scratch / "store"
        key = _unseal(source, snapshot, _checked(passphrase))
        backend = plugins.make_backend(str(url), settings)
        try:
            if not replace and any(True for _ in backend.store.partitions()):
                message = "the store holds memories: say that they are to be replaced, or name another store"
                raise InvalidInput(message)
            backend.store.install(snapshot, None if erasures is None else _file(erasures), key)
        finally:
            backend.store.close()


def _unseal(source: Path, snapshot: Path, passphrase: str | None) -> str | None:
    """Write what is sealed to a file; returns its key, where it is that of an encrypted store."""
    key = None
    try:
        with source.open("rb") as file, snapshot.open("wb") as copy:
            for part in read_sealed(file, passphrase):
                if copy.tell() == 0 and part.startswith(_KEY_MARK):
                    key = part.removeprefix(_KEY_MARK).decode()
                else:
                    copy.write(part)
            _sync(copy)
    except zlib.error as error:
        raise BackupDamaged from error
    return key


def _file(path: str | Path) -> Path:
    found = checked_path(path, "the path of a backup").expanduser()
    if not found.is_file():
        message = f"there is no file {found.name!r}"
        raise InvalidInput(message)
    return found


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _checked(passphrase: str | None) -> str | None:
    if passphrase == "":
        message = "the passphrase is empty: give one, or none for a backup that everybody can read"
        raise InvalidInput(message)
    return passphrase


@contextlib.contextmanager
def _scratch(target: Path) -> Iterator[Path]:
    """A folder beside `target` that only we may read and that goes again, with what is in it."""
    if not target.parent.is_dir():
        message = f"the folder of {target.name!r} does not exist: create it first"
        raise StoreUnavailable(message)
    with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as folder:
        yield Path(folder)
