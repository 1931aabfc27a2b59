"""A store that keeps a file for each owner, which people may read and edit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from retentive.marked import Place
from retentive.types import Partition


class KeepsFiles(ABC):
    """What such a store can do besides being one."""

    @property
    @abstractmethod
    def folder(self) -> Path:
        """Where the files of all owners lie."""

    @abstractmethod
    def place(self, partition: Partition) -> Place:
        """Where one owner's files lie; what the store writes itself ends in `json`."""

    @abstractmethod
    def is_current(self, partition: Partition) -> bool:
        """Whether the file is the one that was written last: nobody edited it, took it away or put another there."""

    @abstractmethod
    def late(self, partition: Partition) -> str | None:
        """What keeps the last commit from standing in the file, having tried once more; None where it stands there."""

    @abstractmethod
    def put_file(self, partition: Partition) -> None:
        """Write the file anew, whatever is there."""

    @abstractmethod
    def forget_again(self) -> None:
        """Forget all that was ever forgotten: a file may have come back that is older than an erasure."""
