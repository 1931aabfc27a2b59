"""The index of a folder of files, and each owner's file kept to it.

A transaction renders the files of those it changed into `.retentive`, as new files that are on disk before it commits;
its settings name the seal of each. The commit decides: a new file that the settings name takes its place, any other
goes. So a process may be killed at any point: what was committed is put in its place by the next one to write or open,
what was not leaves nothing. Only who holds the index's write lock touches the files, so an older one never follows a
newer.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import apsw

from retentive.backends.file.user_file import rendered
from retentive.backends.sqlite.database import Database
from retentive.errors import RetentiveError, StoreError, StoreFull, StoreUnavailable
from retentive.marked import Place, folder_name, is_sealed, seal_of
from retentive.sql.database import EVERYONE, Connection, fetch, put_setting, setting
from retentive.types import Partition
from retentive.whole_file import plain_blocks, write_whole

_HIDDEN = ".retentive"
_INDEX = "index.db"
_DEFAULT_TENANT = "default"
#: In the place of a seal: the file goes.
_GONE = "gone"

#: Partition and revision by number.
_Revisions = Mapping[int, tuple[Partition, int]]


class FileDatabase(Database):
    """A SQLite store in `folder/.retentive`, each of whose commits is in the owners' files when it returns."""

    def __init__(self, folder: Path, *, durable: bool = True) -> None:
        self.folder = folder.expanduser().absolute()
        self._hidden = self.folder / _HIDDEN
        try:
            for folder_made in (self.folder, self._hidden):  # for nobody else to read: it is personal
                folder_made.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            message = f"the folder {str(folder)!r} cannot be made ({error.strerror}): give the path of a folder"
            raise StoreUnavailable(message) from error
        super().__init__(str(self._hidden / _INDEX), durable=durable)
        self.placed()

    def place(self, partition: Partition) -> Place:
        """Users of the default tenant lie in the folder itself; no owner's own name has an @."""
        name = folder_name(partition.owner)
        stem = name if partition.kind == "user" else f"{partition.kind}@{name}"
        plain = partition.tenant == _DEFAULT_TENANT
        return Place(self.folder if plain else self.folder / f"tenant@{folder_name(partition.tenant)}", stem)

    # -- writing -----------------------------------------------------------------------------------------------------
    @contextlib.contextmanager
    def write(
        self,
        tenant: str = EVERYONE,
        *,
        shared: bool = False,  # noqa: ARG002  each commit has files of its own,
        derived: bool = False,  # noqa: ARG002  of which it decides: it must be on disk with them
    ) -> Iterator[apsw.Connection]:
        with super().write(tenant) as connection:
            before = _revisions(connection)
            yield connection
            staged = self._stage(connection, before)
        if staged:
            self.placed()  # it is committed, whatever comes of this: who asks `late` is told

    def receive(self, copy: apsw.Connection, copying: Callable[[apsw.Connection, apsw.Connection], None]) -> None:
        with super().read() as connection:
            before = _revisions(connection)
        super().receive(copy, copying)
        with super().write() as connection:
            connection.execute("DELETE FROM setting WHERE name LIKE 'file %'")  # the copy's files are not ours
            self._stage(connection, {-no: known for no, known in before.items()})  # all are new, or gone
        self.placed()

    def put_file(self, partition: Partition) -> None:
        """Write an owner's file anew, whatever is there."""
        target = self.place(partition).path("json")
        with super().write() as connection:
            known = {no: one for no, one in _revisions(connection).items() if one[0] == partition}
            put_setting(connection, _name(self._relative(target)), "")
            self._stage_all(connection, known)
            target.unlink(missing_ok=True)
        self._settle()

    def is_current(self, partition: Partition) -> bool:
        """Whether the file is the one that was written last."""
        target = self.place(partition).path("json")
        with self.read() as connection:
            expected = setting(connection, _name(self._relative(target)))
        return target.exists() and seal_of(target.read_text("utf-8", "replace")) == (expected or "").partition(" ")[0]

    def _stage(self, connection: Connection, before: _Revisions) -> bool:
        """Render who was changed and note who is gone; whether there was any."""
        after = _revisions(connection)
        changed = {no: known for no, known in after.items() if before.get(no) != known}
        here = {known[0] for known in after.values()}
        gone = [known[0] for known in before.values() if known[0] not in here]
        staged = self._stage_all(connection, changed)
        for partition in gone:
            self._note(connection, self._relative(self.place(partition).path("json")), _GONE, "")
        return staged or bool(gone)

    def _stage_all(self, connection: Connection, changed: _Revisions) -> bool:
        staged = False
        for no, (partition, revision) in changed.items():
            relative = self._relative(self.place(partition).path("json"))
            text = rendered(connection, partition, no) if revision else ""
            seal = seal_of(text)
            if seal is not None and setting(connection, _name(relative)) != f"{seal} {relative}":
                self._note(connection, relative, seal, text)
                staged = True
        return staged

    def _note(self, connection: Connection, relative: str, seal: str, text: str) -> None:
        try:
            write_whole(self._hidden / f"{_key(relative)}-{seal}.new", [text], private=True)
        except OSError as error:
            full = error.errno in {errno.ENOSPC, errno.EDQUOT}
            message = f"the file of a user cannot be written ({error.strerror}); nothing was changed"
            raise StoreFull if full else StoreError(message) from error
        put_setting(connection, _name(relative), f"{seal} {relative}")

    def _relative(self, target: Path) -> str:
        return target.relative_to(self.folder).as_posix()

    # -- putting in place --------------------------------------------------------------------------------------------
    def placed(self) -> str | None:
        """Put what was committed in its place; where that cannot be done now, why, and that it will be."""
        try:
            self._settle()
        except (OSError, RetentiveError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            return f"stored, but not yet in the file people read ({why}): the next write, job or opening puts it there"
        return None

    def late(self, partition: Partition) -> str | None:
        """What keeps the last commit from standing in an owner's file, having tried once more."""
        key = _key(self._relative(self.place(partition).path("json")))
        return self.placed() if any(self._hidden.glob(f"{key}-*.new")) else None

    def _settle(self) -> None:
        """Put what was committed in its place. Raises OSError where that cannot be done now."""
        if not any(self._hidden.glob("*.new*")):
            return
        with super().write() as connection:
            for path in sorted(self._hidden.glob("*.new*")):
                key, _, seal = path.name.removesuffix(".new").partition("-")
                expected, _, relative = (setting(connection, f"file {key}") or "").partition(" ")
                if seal != expected:  # not committed, or not the last
                    path.unlink()
                elif seal == _GONE:
                    (self.folder / relative).unlink(missing_ok=True)
                    connection.execute("DELETE FROM setting WHERE name = ?", (f"file {key}",))
                    path.unlink()
                else:
                    target = self.folder / relative
                    target.parent.mkdir(mode=0o700, exist_ok=True)
                    set_aside(target)
                    path.replace(target)

    # -- what lies here ------------------------------------------------------------------------------------------------
    def files(self, overlap: int) -> Iterator[tuple[str, Iterator[bytes]]]:
        yield from super().files(overlap)
        owners = (*self.folder.glob("*.json"), *self.folder.glob("tenant@*/*.json"), *self._hidden.glob("*.new*"))
        yield from ((path.name, plain_blocks(path, overlap)) for path in sorted(owners))


def set_aside(target: Path) -> None:
    """Keep what a person wrote into a file, under a name of its own, for whoever reads edits."""
    if not target.exists():
        return
    known = target.read_bytes()
    if not is_sealed(known.decode("utf-8", "replace")):
        digest = hashlib.blake2b(known, digest_size=4).hexdigest()
        target.replace(target.with_name(f"{target.stem} (edited {digest}).json"))


def _revisions(connection: Connection) -> _Revisions:
    found = fetch(connection, "SELECT no, revision, tenant, kind, owner FROM partition ORDER BY no")
    return {no: (Partition(*whose), revision) for no, revision, *whose in found}


def _key(relative: str) -> str:
    return hashlib.blake2b(relative.encode(), digest_size=8).hexdigest()


def _name(relative: str) -> str:
    return f"file {_key(relative)}"
