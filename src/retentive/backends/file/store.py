"""The store of a folder of files: SQLite's own, which knows of the files."""

from __future__ import annotations

from pathlib import Path

from retentive.backends.file.database import FileDatabase
from retentive.backends.sqlite.copying import SqliteStore
from retentive.contracts.files import KeepsFiles
from retentive.marked import Place
from retentive.types import Partition


class FileStore(SqliteStore, KeepsFiles):
    """Reads come from the index; every write is in the owner's file when it returns."""

    _db: FileDatabase

    @property
    def folder(self) -> Path:
        return self._db.folder

    def place(self, partition: Partition) -> Place:
        return self._db.place(partition)

    def is_current(self, partition: Partition) -> bool:
        return self._db.is_current(partition)

    def put_file(self, partition: Partition) -> None:
        self._db.put_file(partition)

    def forget_again(self) -> None:
        self.follow_erasures(anew=True)
