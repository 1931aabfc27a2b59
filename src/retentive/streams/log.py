"""What a log must do, in one small class: read in order, commit what was dealt with, publish."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self


@dataclass(frozen=True, slots=True)
class Message:
    """What is sent. Messages with one key keep their order; `headers` say what is told about the value."""

    value: bytes
    key: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Record:
    """What was read. `position` is its place in the log: no other record ever has it; read again it has the same."""

    message: Message
    position: str


class Log(ABC):
    """One topic as a member of one group of readers, and any topic to write to. For one thread.

    Every failure to reach the log arrives as LogUnavailable, with the driver's error as its cause.
    """

    #: The topic that is read.
    topic: str

    @abstractmethod
    def read(self, *, limit: int, wait_s: float) -> list[Record]:
        """The next records, at most `limit`, in order by key; none when nothing came in `wait_s` seconds.

        A record that was read and not committed is read again: by this reader when it opens the log anew, or by another
        member of its group.
        """

    @abstractmethod
    def commit(self, records: Sequence[Record]) -> None:
        """These were dealt with, and all before them: the group does not read them again."""

    @abstractmethod
    def publish(self, topic: str, messages: Sequence[Message]) -> None:
        """Write messages in order; returns when the log has confirmed them all."""

    @abstractmethod
    def close(self) -> None:
        """Leave the group."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
