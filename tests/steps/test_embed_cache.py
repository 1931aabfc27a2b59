"""The cache of vectors: no text is embedded twice, no two models share a vector."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, cast

import numpy as np
import pytest

from retentive import Memory
from retentive.contracts import Embedder, Vectors
from retentive.errors import EmbedderMismatch, EmbedderUnavailable
from retentive.models.cache import CachedEmbedder


def unit(text: str) -> Vectors:
    vector = np.array([len(text), text.count("a"), 1], np.float32)
    return vector / np.linalg.norm(vector)


class Counting(Embedder):
    """Makes vectors of a text's length and vowels, and keeps what it was asked."""

    def __init__(self, name: str = "counting", *, tells_dimension: bool = True) -> None:
        self.name, self.dimension = name, 3 if tells_dimension else 0
        self.asked: list[tuple[str, list[str], float | None]] = []
        self.closed = self.down = False

    def embed(
        self,
        texts: Sequence[str],
        *,
        purpose: Literal["document", "query"] = "document",
        timeout_s: float | None = None,
    ) -> Vectors:
        if self.down:
            raise EmbedderUnavailable
        self.asked.append((purpose, list(texts), timeout_s))
        self.dimension = 3
        return np.stack([unit(text) for text in texts])

    def close(self) -> None:
        self.closed = True


class DictCache:
    """A VectorCache in a dict."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, bytes], bytes] = {}

    def get_many(self, model: str, digests: Sequence[bytes]) -> dict[bytes, bytes]:
        return {digest: self.rows[model, digest] for digest in digests if (model, digest) in self.rows}

    def put_many(self, model: str, rows: Mapping[bytes, bytes]) -> None:
        self.rows |= {(model, digest): row for digest, row in rows.items()}


def test_a_document_is_embedded_once_for_all_processes() -> None:
    inner, store = Counting(), DictCache()
    for _ in range(2):  # two embedders over one store are two processes
        vectors = CachedEmbedder(inner, store).embed(["fig", "kiwi", "fig"], timeout_s=7)
        np.testing.assert_array_equal(vectors, [unit("fig"), unit("kiwi"), unit("fig")])
    CachedEmbedder(inner, store).embed(["papaya", "kiwi"])
    assert inner.asked == [("document", ["fig", "kiwi"], 7), ("document", ["papaya"], None)]


def test_a_query_is_embedded_once_and_writes_nothing() -> None:
    inner, store = Counting(), DictCache()
    cached = CachedEmbedder(inner, store)
    for _ in range(3):
        np.testing.assert_array_equal(cached.embed(["kiwi"], purpose="query"), [unit("kiwi")])
    assert inner.asked == [("query", ["kiwi"], None)]
    assert store.rows == {}


def test_a_query_is_not_taken_for_a_document_of_the_same_words() -> None:
    """An embedder may make other vectors of the two."""
    inner, store = Counting(), DictCache()
    cached = CachedEmbedder(inner, store)
    cached.embed(["kiwi"], purpose="query")
    cached.embed(["kiwi"])
    cached.embed(["kiwi"], purpose="query")
    assert inner.asked == [("query", ["kiwi"], None), ("document", ["kiwi"], None)]


def test_two_models_never_share_a_vector() -> None:
    store = DictCache()
    CachedEmbedder(Counting("one"), store).embed(["kiwi"])
    other = Counting("two")
    CachedEmbedder(other, store).embed(["kiwi"])
    assert len(other.asked) == 1


def test_a_kept_vector_of_another_dimension_is_made_anew() -> None:
    inner, store = Counting(), DictCache()
    CachedEmbedder(inner, store).embed(["kiwi"])
    store.rows = {key: row[:-4] for key, row in store.rows.items()}
    np.testing.assert_array_equal(CachedEmbedder(inner, store).embed(["kiwi"]), [unit("kiwi")])
    assert len(inner.asked) == 2


def test_the_query_used_longest_ago_is_the_one_forgotten() -> None:
    inner = Counting()
    cached = CachedEmbedder(inner, DictCache(), memory_limit=2)
    for text in ("fig", "kiwi", "fig", "papaya", "fig", "kiwi"):
        cached.embed([text], purpose="query")
    assert [texts for _, texts, _ in inner.asked] == [["fig"], ["kiwi"], ["papaya"], ["kiwi"]]


def test_changing_a_result_changes_no_later_one() -> None:
    cached = CachedEmbedder(Counting(), DictCache())
    purposes: list[Literal["document", "query"]] = ["document", "document", "query", "query", "document"]
    for purpose in purposes:
        vectors = cached.embed(["kiwi"], purpose=purpose)
        np.testing.assert_array_equal(vectors, [unit("kiwi")])
        vectors[:] = 9


def test_a_cached_embedder_stands_for_the_one_within() -> None:
    inner = Counting(tells_dimension=False)
    cached = CachedEmbedder(inner, DictCache())
    assert (cached.name, cached.dimension) == ("counting", 0)
    cached.embed(["kiwi", "\ud800"])
    assert cached.dimension == 3
    assert cached.embed([]).shape == (0, 3)
    cached.close()
    assert inner.closed


def test_an_outage_is_passed_on_for_new_texts_alone() -> None:
    inner = Counting()
    cached = CachedEmbedder(inner, DictCache())
    cached.embed(["kiwi"], purpose="query")
    inner.down = True
    np.testing.assert_array_equal(cached.embed(["kiwi"], purpose="query"), [unit("kiwi")])
    with pytest.raises(EmbedderUnavailable):
        cached.embed(["kiwi", "fig"], purpose="query")


class Wrong(Counting):
    """Gives what its contract does not allow: `spoil` makes it of what is right."""

    def __init__(self, spoil: Callable[[Vectors, list[Vectors]], object]) -> None:
        super().__init__()
        self.spoil, self.token_dimension = spoil, 3

    def embed_tokens(
        self,
        texts: Sequence[str],
        *,
        purpose: Literal["document", "query"] = "document",
        timeout_s: float | None = None,
    ) -> tuple[Vectors, list[Vectors]]:
        vectors = self.embed(texts, purpose=purpose, timeout_s=timeout_s)
        return cast("tuple[Vectors, list[Vectors]]", self.spoil(vectors, [vectors for _ in texts]))


@pytest.mark.parametrize("purpose", ["document", "query"])
@pytest.mark.parametrize(
    "spoil",
    [
        lambda _vectors, _tokens: None,
        lambda vectors, _tokens: vectors,
        lambda vectors, tokens: (vectors[:-1], tokens),
        lambda vectors, tokens: (vectors, tokens[:-1]),
        lambda vectors, tokens: (vectors[:, :2], tokens),
        lambda _vectors, tokens: (None, tokens),
        lambda _vectors, tokens: (["a", "b"], tokens),
        lambda vectors, tokens: (vectors, [one[:, :2] for one in tokens]),
        lambda vectors, tokens: (vectors, ["a" for _ in tokens]),
    ],
)
def test_what_an_embedder_may_not_give_is_told_as_its_mistake(
    purpose: Literal["document", "query"], spoil: Callable[[Vectors, list[Vectors]], object]
) -> None:
    cached = CachedEmbedder(Wrong(spoil), DictCache())
    with pytest.raises(EmbedderMismatch, match="counting gave"):
        cached.embed_tokens(["one", "two"], purpose=purpose)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_none_says_nothing_and_spreads_nowhere(number: float) -> None:
    def spoil(vectors: Vectors, tokens: list[Vectors]) -> object:
        return np.concatenate([np.full((1, 3), number, np.float32), 1000 * vectors[1:]]).tolist(), [
            np.full((2, 3), number, np.float32),
            *(one.tolist() for one in tokens[1:]),
        ]

    vectors, tokens = CachedEmbedder(Wrong(spoil), DictCache()).embed_tokens(["one", "two"], purpose="query")
    assert not vectors[0].any()
    assert np.allclose(vectors[1], unit("two"), atol=1e-6), "of length 1, as every vector"
    assert [one.shape for one in tokens] == [(0, 3), (2, 3)]


def test_vectors_of_another_size_are_no_finished_work() -> None:
    embedder = Wrong(lambda vectors, tokens: (vectors[:, :2], tokens))
    with Memory.open(":memory:", embedder=embedder, background=False) as memory:
        memory.scope(user_id="alice").record([{"role": "user", "content": "The kettle is red."}])
        report = memory.process()
        assert (report.retried, report.waiting) == (1, 1)
        assert "EmbedderMismatch" in report.errors[0]
