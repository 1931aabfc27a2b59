"""A second semantic tier beside the one in use: what a rebuild reads and puts in place. No search ever sees it.

The shadow is not facts but what an extractor drew from each episode: facts are made of it when they are looked at or
put in place, from what is known at that moment. So what is forgotten meanwhile cannot be in it, and no reader has to
keep it apart.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retentive.types import Fact, Partition, SessionKey

#: Start and end of words in an episode's text.
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Former:
    """The facts that a rebuild took out, as they stood, its name, and the row given last when it did."""

    facts: Sequence[Fact]
    rebuild: str
    last_row: int


class Tiers(ABC):
    """Keeps what a rebuild needs. Erasing memories erases what was drawn from them here too."""

    @abstractmethod
    def unread(self, partition: Partition) -> list[tuple[int, SessionKey]]:
        """Row and session of every whole episode of the log that the rebuild has not read yet, in order."""

    @abstractmethod
    def put_read(self, partition: Partition, found: Mapping[int, str]) -> None:
        """Keep what was drawn from episodes, by row, in one commit; of one erased meanwhile nothing is kept."""

    @abstractmethod
    def read(self, partition: Partition) -> dict[int, str]:
        """What was drawn from the episodes read so far, by row, in order."""

    @abstractmethod
    def forgotten(self, partition: Partition) -> dict[str, list[Span]]:
        """Words whose facts were forgotten, by episode: no fact may rest on them again."""

    @abstractmethod
    def keep_forgotten(self, partition: Partition, words: Mapping[str, Sequence[Span]]) -> None:
        """Take over such words from another store, of episodes that are here."""

    @abstractmethod
    def clear(self, partition: Partition) -> None:
        """Drop what was read."""

    @abstractmethod
    def revision(self, partition: Partition) -> int:
        """A number that every write to the partition raises."""

    @abstractmethod
    def put(
        self,
        partition: Partition,
        revision: int,
        tier: Sequence[Fact],
        terms: Mapping[str, Sequence[str]],
        *,
        keep: str | None,
    ) -> bool:
        """Make these, every version, the facts of the partition, in one transaction; False if it was written to since.

        `terms` are the index terms by text. A version that is there keeps its row, another goes to the row it names or
        to a new one. What was read is dropped. keep: the facts that are there become the former ones, under this
        rebuild's name; None drops these.
        """

    @abstractmethod
    def former(self, partition: Partition) -> Former | None:
        """The facts that were there before the last rebuild, or None."""

    @abstractmethod
    def drop_former(self, partition: Partition) -> None:
        """Drop the former facts: they cannot be put back any more."""
