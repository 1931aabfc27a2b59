"""The store of a folder of files: SQLite's own, which knows of the files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from retentive.backends.file.database import FileDatabase
from retentive.backends.sqlite.copying import SqliteStore
from retentive.contracts import StoreStatus
from retentive.contracts.files import KeepsFiles
from retentive.marked import Place
from retentive.types import Partition


class FileStore(SqliteStore, KeepsFiles):
    """Reads come from the index; every write is in the owner's file when it returns, or `late` says why not."""

    _db: FileDatabase

    @property
    def folder(self) -> Path:
        return self._db.folder

    def place(self, partition: Partition) -> Place:
        return self._db.place(partition)

    def is_current(self, partition: Partition) -> bool:
        return self._db.is_current(partition)

    def late(self, partition: Partition) -> str | None:
        return self._db.late(partition)

    def status(self, *, deep: bool = False) -> StoreStatus:
        found = super().status(deep=deep)
        late = self._db.placed() if deep else None
        return found if late is None else replace(found, problems=(*found.problems, late))

    def put_file(self, partition: Partition) -> None:
        self._db.put_file(partition)

    def forget_again(self) -> None:
        self.follow_erasures(anew=True)
