"""What an embedder, a token counter, a language model and an extractor must do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from retentive.types import Episode

Vectors = NDArray[np.float32]


class StoredEmbedders(NamedTuple):
    """Name and dimension of the embedder a store is searched with, and of the one that is to take its place.

    former: whether vectors of an earlier one are still to be dropped.
    """

    serving: tuple[str, int] | None
    coming: tuple[str, int] | None
    former: bool


class Embedder(ABC):
    """Turns text into vectors. `name` stands in every stored row; vectors of two names are never compared."""

    name: str
    dimension: int
    #: The numbers of one token state; 0 for an embedder that gives none.
    token_dimension: int = 0
    #: Of an embedder of two models: how many numbers are the first one's. The others are the second one's but for the
    #: last, which makes the length 1. Each part of a document is as long as the other, or zeros where that model has
    #: nothing to say; a query has one part. Parts are compared with their like: the first where both have it.
    split: int = 0

    @abstractmethod
    def embed(
        self,
        texts: Sequence[str],
        *,
        purpose: Literal["document", "query"] = "document",
        timeout_s: float | None = None,
    ) -> Vectors:
        """Return (n, dimension) float32, each row of length 1, or all zeros where the model knows nothing of the text.

        Raises EmbedderUnavailable when it cannot answer now, EmbedderMismatch when it answers with another shape.
        """

    def embed_tokens(
        self,
        texts: Sequence[str],
        *,
        purpose: Literal["document", "query"] = "document",
        timeout_s: float | None = None,
    ) -> tuple[Vectors, list[Vectors]]:
        """Return the vectors of `embed` and, from the same pass, the token states of each text, (tokens, d) float32.

        A document's states have length 1; a query's are as long as the token matters, and these lengths sum to 1, so
        that the sum over a query's tokens of the best inner product with a document's is at most 1 (ColBERT's MaxSim,
        Khattab and Zaharia 2020). A text has no states, (0, d), where the model knows none of its words. An embedder
        without token states, with `token_dimension` 0, gives none for any text: this is what happens here.

        Raises as `embed` does.
        """
        vectors = self.embed(texts, purpose=purpose, timeout_s=timeout_s)
        return vectors, [np.zeros((0, self.token_dimension), np.float32) for _ in texts]

    def embed_second(self, texts: Sequence[str]) -> Vectors:
        """The second model's part of queries' vectors, (n, dimension), zeros elsewhere; of two models only."""
        return np.zeros((len(texts), self.dimension), np.float32)

    def close(self) -> None:  # noqa: B027  most embedders hold nothing open
        """Let go of what is held open."""


class VectorCache(Protocol):
    """Keeps what an embedder said of a text, so that no text is embedded twice."""

    def get_many(self, model: str, digests: Sequence[bytes]) -> dict[bytes, bytes]:
        """The kept vectors (float32 bytes) of those digests that are known."""

    def put_many(self, model: str, rows: Mapping[bytes, bytes]) -> None:
        """Keep vectors by digest."""


class TokenCounter(ABC):
    """Counts the tokens of a text as a language model would."""

    name: str

    @abstractmethod
    def count(self, text: str) -> int:
        """The number of tokens, never under the true one by more than 5 %."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one model call took, as the endpoint counted it. `cost` is in US dollars, None where it is not known."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer: `data` is the JSON value that fits the schema asked for, `text` what was said."""

    data: Any
    text: str
    usage: Usage
    model: str


class Model(ABC):
    """A language model. Every call has a deadline and bounded retries, and ends in a Reply or a ModelError."""

    name: str

    @abstractmethod
    def complete(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1024,
        timeout_s: float = 60.0,
    ) -> Reply:
        """Ask for an answer, with `schema` for a JSON value that fits it.

        Raises ModelUnavailable (outage, rate limit, refusal: keep the work and try later) or ModelBadReply (it
        answered, but not with what was asked for).
        """

    def close(self) -> None:  # noqa: B027  most models hold nothing open
        """Let go of what is held open."""


class Reranker(ABC):
    """Looks at a query and each candidate together: slower than an arm and surer of few."""

    name: str

    @abstractmethod
    def rerank(self, query: str, texts: Sequence[str], *, timeout_s: float) -> Sequence[float]:
        """How well each text answers the query, from 0 to 1, in the order of the texts.

        Raises RerankerUnavailable when there is no answer within `timeout_s`, or none that can be used.
        """

    def close(self) -> None:  # noqa: B027  most rerankers hold nothing open
        """Let go of what is held open."""


# -- extraction ------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Candidate:
    """What an extractor believes an episode says. `quote` stands in the episode word for word, or it is refused."""

    text: str
    episode_id: str
    quote: str
    category: str = "other"
    field: str | None = None
    confidence: float = 0.7
    importance: float = 0.5
    evergreen: bool = False
    valid_from_us: int | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """What came of a batch: candidates to reconcile, a line on what it was about, and what was refused, by reason."""

    candidates: tuple[Candidate, ...] = ()
    summary: str | None = None
    refused: Mapping[str, int] = dataclass_field(default_factory=dict)
    usage: Usage | None = None


class Extractor(ABC):
    """Turns episodes into candidates. `version` stands in each fact's provenance: the same version, the same facts."""

    version: str

    @abstractmethod
    def extract(self, episodes: Sequence[Episode]) -> Extraction:
        """Candidates of a batch of about ten episodes of one session, oldest first."""
