"""Token states: made in the same pass as the vector, kept by row, read for candidates, gone with what was forgotten."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import apsw
import numpy as np
import pytest

from retentive import Memory
from retentive.models.embed_local import LocalEmbedder
from retentive.models.embed_none import NoEmbedder
from retentive.types import Partition

TEXTS = ["Her cello teacher moved to Lisbon", "The dentist called about Tuesday", "We had pancakes for breakfast"]


@pytest.fixture(scope="module")
def local() -> LocalEmbedder:
    return LocalEmbedder()


@pytest.fixture
def store(tmp_path: Path, local: LocalEmbedder) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory.db", embedder=local, background=False) as memory:
        yield memory


def rows_in(path: Path) -> int:
    with apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY) as connection:
        found: int = connection.execute("SELECT count(*) FROM token_state").get
    return found


# -- the embedder ----------------------------------------------------------------------------------------------------
def test_vectors_are_those_of_embed(local: LocalEmbedder) -> None:
    np.testing.assert_allclose(local.embed_tokens(TEXTS)[0], local.embed(TEXTS), atol=1e-6)


def test_a_document_has_a_state_of_length_one_for_each_piece(local: LocalEmbedder) -> None:
    _, (states, *_) = local.embed_tokens(TEXTS)
    assert states.shape == (len(local.pieces(TEXTS[0])), local.token_dimension)
    np.testing.assert_allclose(np.linalg.norm(states, axis=1), 1, atol=1e-5)


def test_the_lengths_of_a_query_s_states_sum_to_one_and_content_is_longest(local: LocalEmbedder) -> None:
    _, (states,) = local.embed_tokens(["where is the cello"], purpose="query")
    lengths = np.linalg.norm(states, axis=1)
    assert lengths.sum() == pytest.approx(1, abs=1e-4)
    assert lengths.argmax() >= 3  # a piece of 'cello'


def test_a_text_says_the_same_alone_and_in_a_batch(local: LocalEmbedder) -> None:
    together = local.embed_tokens([*TEXTS, "a much longer text " * 20])[1][0]
    np.testing.assert_allclose(together, local.embed_tokens(TEXTS[:1])[1][0], atol=0.05)


@pytest.mark.parametrize("query", ["flimwoggle snorptang", "xqzt blorf of the wug", "qwertzuiop"])
def test_a_query_of_made_up_words_has_no_states(local: LocalEmbedder, query: str) -> None:
    vectors, (states,) = local.embed_tokens([query], purpose="query")
    assert vectors.any()
    assert states.shape == (0, local.token_dimension)


@pytest.mark.parametrize(
    "query", ["metformin", "chihuahua news", "who am I", "flimwoggle the dentist", "Krankenversicherung"]
)
def test_a_query_with_one_real_word_has_states(local: LocalEmbedder, query: str) -> None:
    assert len(local.embed_tokens([query], purpose="query")[1][0])


def test_a_language_the_model_does_not_know_has_none(local: LocalEmbedder) -> None:
    assert local.embed_tokens(["我的猫叫咪咪"])[1][0].shape == (0, local.token_dimension)


def test_an_embedder_without_states_gives_none() -> None:
    vectors, states = NoEmbedder().embed_tokens(["a", "b"])
    assert vectors.shape == (2, 1)
    assert [len(own) for own in states] == [0, 0]


# -- the store -------------------------------------------------------------------------------------------------------
def test_states_take_part_in_recall(store: Memory) -> None:
    mine = store.scope(user_id="alice")
    mine.record([{"role": "user", "content": text} for text in TEXTS], session_id="s")
    store.process()
    best = mine.recall("which musical instrument does she learn?").hits[0]
    assert best.text == TEXTS[0]
    assert best.parts["tokens"] > 0
    assert sum(best.parts.values()) == pytest.approx(best.score, rel=1e-5)


def test_forgetting_takes_the_states_along(store: Memory, tmp_path: Path) -> None:
    mine = store.scope(user_id="alice")
    ids = mine.record([{"role": "user", "content": text} for text in TEXTS], session_id="s").ids
    store.process()
    assert rows_in(tmp_path / "memory.db") == len(TEXTS)
    mine.forget(ids[0])
    assert rows_in(tmp_path / "memory.db") == len(TEXTS) - 1
    mine.forget_everything()
    assert rows_in(tmp_path / "memory.db") == 0


def test_states_of_another_user_are_not_given_out(store: Memory) -> None:
    index = store._backend.index  # noqa: SLF001  the contract is the index's own
    alice, bob = store.scope(user_id="alice"), store.scope(user_id="bob")
    alice.record([{"role": "user", "content": TEXTS[0]}], session_id="s")
    bob.record([{"role": "user", "content": TEXTS[1]}], session_id="s")
    store.process()
    with index.snapshot(alice.scope.partition) as corpus:
        rows = corpus.column("row").tolist()
    assert set(index.token_states(alice.scope.partition, LocalEmbedder().name, rows)) == set(rows)
    assert index.token_states(bob.scope.partition, LocalEmbedder().name, rows) == {}


def test_states_are_read_once_until_they_change(store: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever changes them: here a second process, as it were."""
    mine, query = store.scope(user_id="alice"), "the cello teacher, the dentist and the pancakes"
    mine.record([{"role": "user", "content": text} for text in TEXTS], session_id="s")
    store.process()
    asked: list[int] = []
    index, read = type(store._backend.index), store._backend.index.token_states  # noqa: SLF001  the contract is the index's own

    def counted(_: object, partition: Partition, model: str, wanted: Sequence[int]) -> Mapping[int, bytes]:
        asked.extend(wanted)
        return read(partition, model, wanted)

    monkeypatch.setattr(index, "token_states", counted)
    first = mine.recall(query)
    assert len(asked) == len(TEXTS)
    assert mine.recall(query).hits == first.hits
    assert len(asked) == len(TEXTS)
    with Memory.open(tmp_path / "memory.db", embedder=LocalEmbedder(), background=False) as other:
        row, vector = asked[0], np.ones(LocalEmbedder().dimension, np.float32)
        states = {row: np.zeros((0, 0), np.float32)}
        other._backend.index.put_vectors(mine.scope.partition, LocalEmbedder().name, {row: vector}, states)  # noqa: SLF001
    mine.recall(query)
    assert asked[len(TEXTS) :] == [row]


def test_another_embedder_s_states_are_dropped(store: Memory, tmp_path: Path) -> None:
    store.scope(user_id="alice").remember(TEXTS[0])
    store.process()
    store.close()
    with Memory.open(tmp_path / "memory.db", embedder=NoEmbedder(), background=False, change_embedder=True) as memory:
        memory.process()
        assert rows_in(tmp_path / "memory.db") == 0
