"""What a backend must do: three roles over one place.

Store: the truth, one SQL database, where a transaction is all or nothing. Index: derived from the store and rebuilt
from it. Queue: the store's outbox, filled by the same transactions. Every driver error arrives as a `retentive.errors`
type with the driver's as its cause.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from retentive.contracts.beside import Beside
from retentive.contracts.models import StoredEmbedders, Vectors
from retentive.corpus import Corpus
from retentive.errors import ConfigError
from retentive.results import ErasurePlace
from retentive.types import Change, Episode, Evidence, Fact, NewJob, Partition, SessionInfo, SessionKey, Tier

Remembered = Episode | Fact
#: Texts to their vectors and token states, as `Embedder.embed_tokens` gives them.
Embed = Callable[[Sequence[str]], tuple[Vectors, list[Vectors]]]
Where = Mapping[str, str | int | float | bool]


@dataclass(frozen=True, slots=True)
class EmbedderChange:
    """A change of the embedder under way: to which, and how many of the memories have its vector."""

    model: str
    dimension: int
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """What `doctor` and `/health` say of a store; `problems` is empty when it is sound."""

    url: str
    location: str
    schema_version: int
    engine: str
    embedder: str | None
    counts: Mapping[str, int]
    problems: tuple[str, ...] = ()
    reembedding: EmbedderChange | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """What to list: `after_row` starts the next page; newest first unless `oldest_first`.

    as_of_us: what was true, and believed, at that moment, in place of a `status`.
    """

    tier: Tier | None = None
    status: str | None = "active"
    where: Where | None = None
    agent_id: str | None = None
    project_id: str | None = None
    limit: int = 100
    after_row: int | None = None
    oldest_first: bool = False
    as_of_us: int | None = None


@dataclass(frozen=True, slots=True)
class Erased:
    """What an erasure took: the ids of all that went, derived ones too, and each place counted after looking."""

    ids: tuple[str, ...] = ()
    places: tuple[ErasurePlace, ...] = ()


class Transaction(ABC):
    """One write to one partition: it sees its own changes, and is all or nothing."""

    @abstractmethod
    def apply(self, changes: Sequence[Change], terms: Mapping[str, Sequence[str]] | None = None) -> list[int]:
        """Apply changes in order; return the new row of each AddEpisode and AddFact, 0 for the others.

        `terms` gives the index terms of what is added, by id: the text index changes in the same transaction.
        """

    @abstractmethod
    def enqueue(self, job: NewJob) -> None:
        """Put a job in the outbox; it becomes visible with the commit."""

    @abstractmethod
    def facts(
        self,
        *,
        id: str | None = None,  # noqa: A002  the column's name, as in every call of the interface
        digest: bytes | None = None,
        field: str | None = None,
        subject: str | None = None,
        attribute: str | None = None,
        idempotency_key: str | None = None,
        limit: int = 50,
    ) -> list[Fact]:
        """Current facts of the partition that match all that is given, newest first.

        `idempotency_key` also finds facts that are no longer current.
        """

    @property
    @abstractmethod
    def last_row(self) -> int:
        """The row given last in this partition."""

    @abstractmethod
    def fetch(self, rows: Sequence[int]) -> dict[int, Remembered]:
        """Memories by row, as they stand now; what was erased meanwhile is not there."""

    @abstractmethod
    def quotes(self, episode_ids: Sequence[str]) -> dict[str, list[str]]:
        """What `Store.quotes` says, as it is now."""

    @abstractmethod
    def has_episodes(self, ids: Sequence[str]) -> bool:
        """Whether every one of these episodes is still in the partition."""

    @abstractmethod
    def was_forgotten(self, evidence: Sequence[Evidence]) -> bool:
        """Whether all these words once spoke for a fact that was forgotten while their episode stayed."""

    @abstractmethod
    def was_rejected(self, digest: bytes) -> bool:
        """Whether a person rejected a fact of this digest."""

    @abstractmethod
    def said_before(self, source_id: str, session_id: str | None) -> list[Episode]:
        """Stored episodes with the caller's own message id in that session."""

    @abstractmethod
    def session(self, key: SessionKey) -> SessionInfo | None:
        """The session, or None."""


class Store(ABC):
    """The truth. Reads see only the partition they name."""

    @abstractmethod
    def acting(self, actor: str) -> Store:
        """The same store, whose writes are entered in the audit as this actor's."""

    @abstractmethod
    def transaction(self, partition: Partition, *, verb: str | None = None) -> AbstractContextManager[Transaction]:
        """Begin a write: commits on leaving, rolls back on an exception. Writers of one store wait for each other.

        What it changes is entered in the audit, each change by its own name or all of them as `verb`. A partition that
        is not there comes to be by a change alone: not by a job.
        """

    def together(self) -> AbstractContextManager[None]:
        """Make one commit, where the store can, of what this thread derives inside and of the jobs that it ends.

        From the first write on others wait, so nothing slow stands behind it.
        """
        return nullcontext()

    @abstractmethod
    def get(self, partition: Partition, ids: Sequence[str]) -> dict[str, Remembered]:
        """Memories by id, facts in their newest version; unknown and foreign ids are simply not there."""

    @abstractmethod
    def fetch(self, partition: Partition, rows: Sequence[int]) -> dict[int, Remembered]:
        """Memories by row."""

    @abstractmethod
    def recalled(self, partition: Partition, rows: Sequence[int]) -> tuple[dict[int, Remembered], set[str]]:
        """The same, and the ids of those episodes from which facts were drawn that have all been superseded since."""

    @abstractmethod
    def listing(self, partition: Partition, query: Listing) -> list[Remembered]:
        """Memories in order of recording."""

    @abstractmethod
    def versions(self, partition: Partition, fact_id: str) -> list[Fact]:
        """All versions of one fact, oldest first."""

    @abstractmethod
    def always(self, partition: Partition, as_of_us: int | None = None) -> list[Fact]:
        """Current facts with a profile field or marked evergreen, in a stable order (by row); or those of a moment."""

    @abstractmethod
    def sources(self, partition: Partition, episode_ids: Sequence[str]) -> dict[str, str]:
        """Episode id -> the caller's own message id, where there is one."""

    @abstractmethod
    def quotes(
        self, partition: Partition, episode_ids: Sequence[str], *, without: AbstractSet[str] = frozenset()
    ) -> dict[str, list[str]]:
        """Episode id -> the words of it that facts cite, of whatever status; only those that are cited.

        without: ids of facts that do not count.
        """

    @abstractmethod
    def matching(self, partition: Partition, where: Where) -> set[int]:
        """Rows of either tier whose columns and metadata equal every value of `where`."""

    @abstractmethod
    def sessions(self, partition: Partition, *, limit: int, before_us: int | None = None) -> list[SessionInfo]:
        """The sessions that spoke last, newest first."""

    @abstractmethod
    def session(self, partition: Partition, key: SessionKey) -> SessionInfo | None:
        """One session, or None."""

    @abstractmethod
    def sessions_named(self, partition: Partition, session_id: str) -> list[SessionInfo]:
        """The sessions of this name, of whatever agent and project."""

    @abstractmethod
    def session_episodes(self, partition: Partition, session: SessionKey | str, *, limit: int) -> list[Episode]:
        """The last `limit` episodes of a session, or of all of one name, oldest first."""

    @abstractmethod
    def episodes_between(
        self, partition: Partition, first_row: int, last_row: int, session: SessionKey
    ) -> list[Episode]:
        """The episodes of a session in a range of rows, oldest first."""

    @abstractmethod
    def open_sessions(self, quiet_since_us: int | None = None) -> list[tuple[Partition, SessionInfo]]:
        """Sessions nobody has ended, of all partitions: what a worker looks through after a crash.

        quiet_since_us: of those that no process holds, only such as no message has come to since.
        """

    @abstractmethod
    def erase(
        self,
        partition: Partition,
        rows: Sequence[int] | None,
        *,
        lasting: bool = True,
        archived: Sequence[str] = (),
        dry_run: bool = False,
    ) -> Erased:
        """Erase memories with all that was derived from them; None erases the whole partition. Bytes too.

        lasting: an older copy of the store, put in its place, forgets them again before it serves. archived: ids of
        others that it is to forget as well. dry_run: say what would go, and change nothing.
        """

    def fold(self) -> None:  # noqa: B027  most stores see to it themselves
        """Do in the background what writers would else have to: fold a log that has grown long."""

    def make_room(self) -> None:  # noqa: B027  most stores set none aside
        """Give back what space is set aside beside the store: the disk is full, and something is to be erased."""

    def files(self, overlap: int) -> Iterator[tuple[str, Iterator[bytes]]]:  # noqa: ARG002
        """Every file the store lies in, or that lies beside it: its name, and its bytes in blocks that overlap."""
        return iter(())

    @abstractmethod
    def scrub(self) -> None:
        """Leave no byte of what was deleted or overwritten: caches of vectors, logs and free pages included."""

    @abstractmethod
    def snapshot(self, path: Path) -> str | None:
        """Copy the whole store to a new file while writers go on; returns the copy's own key if it is encrypted."""

    @abstractmethod
    def install(self, path: Path, erasures: Path | None = None, key: str | None = None) -> None:
        """Put a snapshot in the store's place, all or nothing, without what was forgotten since it was made.

        erasures: another store's journal of what was forgotten, for a place that has none. key: the snapshot's own.
        Raises StoreDamaged, StoreNewer for what is no snapshot.
        """

    @abstractmethod
    def partitions(self) -> Iterator[Partition]:
        """Every partition, for jobs that visit all. Never shown to callers of a scope."""

    @abstractmethod
    def revisions(self) -> dict[Partition, int]:
        """Every partition with a number that each write to its memories raises, for jobs that follow changes."""

    @abstractmethod
    def pending(self, *, limit: int) -> list[tuple[Partition, Fact]]:
        """Facts that wait for a person, or that count and are `STALE`, of all partitions, oldest first."""

    @abstractmethod
    def partition_of(self, memory_id: str) -> Partition | None:
        """Whose memory an id is: for operators, never for callers of a scope."""

    @abstractmethod
    def embedders(self) -> StoredEmbedders:
        """Whose vectors the store holds."""

    def embedder(self) -> tuple[str, int] | None:
        """Name and dimension of the embedder the store is searched with, or None before the first."""
        return self.embedders().serving

    @abstractmethod
    def set_embedder(self, name: str, dimension: int) -> None:
        """Say whose vectors the store holds, before the first of them."""

    @abstractmethod
    def begin_reembed(self, name: str, dimension: int) -> None:
        """From now on the store takes vectors of this embedder as well; search stays with the present one.

        Another change under way is given up; with the present embedder's own name, that is all.
        """

    @abstractmethod
    def finish_reembed(self, embed: Embed, last_few: int) -> bool:
        """Search with the next embedder from now on, in one transaction; False where more than a few lack its vector.

        Those few are embedded inside the transaction, so that writers who never pause cannot put it off for ever.
        """

    @abstractmethod
    def drop_former_vectors(self, limit: int) -> int:
        """Drop about so many vectors of embedders that are of no use any more; returns how many were dropped."""

    @abstractmethod
    def note(self, name: str) -> str | None:
        """What the store was told to remember for background work under a name, or None. Never text of a memory."""

    @abstractmethod
    def set_note(self, name: str, value: str) -> None:
        """Remember it, in the place of what was noted under that name."""

    @abstractmethod
    def status(self, *, deep: bool = False) -> StoreStatus:
        """Where the store is and how it is; `deep` checks every page and every index entry."""

    @abstractmethod
    def close(self) -> None:
        """Close all connections; waits for no one."""


class Index(ABC):
    """Derived from the store: text terms and vectors by row."""

    @abstractmethod
    def snapshot(self, partition: Partition) -> AbstractContextManager[Corpus]:
        """What can be searched in a partition, up to date with the last commit. Do not keep it past the block.

        All its vectors are of the store's present embedder, which `Corpus.model` names. It was told which facts that
        hold were drawn from which messages (`Corpus.draw`), unless it is a large one, of which only parts are scored.
        """

    def damaged(self) -> Mapping[Partition, Sequence[int]]:
        """Rows whose terms or vector reading could make nothing of since this was last asked, to be made anew."""
        return {}

    @abstractmethod
    def changed(self, partition: Partition, since_revision: int) -> tuple[int, list[int] | None]:
        """The partition's revision, 0 for one that is not there, and the rows changed since; None: look at all of them.

        What feeds an index that lies elsewhere. Rows are noted by the transaction that changes them.
        """

    def ask(self, beside: Beside) -> None:  # noqa: ARG002
        """Have the nearest of large scopes found by an index beside the store. Raises ConfigError where none can be."""
        message = "the index of this store asks no other one: name the store alone"
        raise ConfigError(message)

    def forget(self, partition: Partition) -> int:  # noqa: ARG002
        """Keep nothing of a partition in this process; returns how many were kept of it or of such as are gone."""
        return 0

    @abstractmethod
    def put_terms(self, partition: Partition, terms: Mapping[int, Sequence[str]]) -> None:
        """Replace the terms of rows: how the text index is rebuilt."""

    @abstractmethod
    def put_vectors(
        self,
        partition: Partition,
        model: str,
        vectors: Mapping[int, Vectors],
        tokens: Mapping[int, Vectors] | None = None,
    ) -> None:
        """Put vectors of rows, and their token states where there are any; a row erased meanwhile is left out."""

    def token_states(self, partition: Partition, model: str, wanted: Sequence[int]) -> dict[int, bytes]:  # noqa: ARG002
        """The packed token states (`corpus.pack_tokens`) of those rows that have any; an index may keep none."""
        return {}

    @abstractmethod
    def without_vector(self, partition: Partition, first_row: int, last_row: int, model: str) -> list[int]:
        """Rows in the range that have no vector of this model."""

    @abstractmethod
    def missing(self, model: str, *, after_row: int, limit: int) -> dict[Partition, list[int]]:
        """The next `limit` rows of the whole store, from `after_row` on, that have no vector of this model."""
