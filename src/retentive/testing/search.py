"""Search: better scores first, and vectors of one model at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retentive.analyze import index_terms
from retentive.contracts import Embed, Vectors
from retentive.testing.made import ALICE, EMBEDDER, START_US, known, put, said, vectors_of
from retentive.testing.suite import Place, check
from retentive.testing.words import StubEmbedder
from retentive.types import RetireFact, Rewrite, Status


@check("score direction")
def better_scores_come_first(place: Place) -> None:
    """The memory that answers best is first, scores fall from hit to hit, and a floor keeps the worse ones out."""
    with place.memory() as memory:
        mine = memory.scope(user_id="alice")
        for text in ("The red invoice is in the blue drawer", "The red car is old", "Tea at four"):
            mine.remember(text)
        memory.process()
        hits = mine.recall("where is the red invoice", k=10).hits
        assert hits[0].text == "The red invoice is in the blue drawer"
        scores = [hit.score for hit in hits]
        assert scores == sorted(scores, reverse=True)
        assert scores[0] > 0
        floored = mine.recall("where is the red invoice", k=10, min_score=scores[0] - 1e-6)
        assert [hit.text for hit in floored] == [hits[0].text]
        assert floored.below_floor.count == len(hits) - 1


@check("score direction")
def equal_vectors_have_cosine_one(place: Place) -> None:
    """A vector comes back as it was put: its cosine with itself is 1, with others' less."""
    with place.backend() as backend:
        backend.store.set_embedder(EMBEDDER.name, EMBEDDER.dimension)
        texts = ["red wine", "red car", "tea"]
        rows = put(backend.store, ALICE, [said(text) for text in texts])
        vectors = vectors_of(texts)
        assert backend.index.without_vector(ALICE, rows[0], rows[-1], EMBEDDER.name) == rows
        given = dict(zip(rows, vectors, strict=True)) | {rows[-1] + 7: vectors[0]}
        backend.index.put_vectors(ALICE, EMBEDDER.name, given, {rows[0]: vectors[:2]})
        with backend.index.snapshot(ALICE) as corpus:
            cosines = corpus.vectors @ vectors[0]
            assert corpus.column("embedded").tolist() == [True] * 3
            assert abs(float(cosines[0]) - 1) < 0.001
            assert cosines[0] > cosines[1] > cosines[2] - 0.001
            docs, counts = corpus.postings(index_terms("red")[0])
            assert (docs.tolist(), counts.tolist()) == ([0, 1], [1.0, 1.0])
        states = backend.index.token_states(ALICE, EMBEDDER.name, rows)
        assert {row: len(state) for row, state in states.items()} == {rows[0]: 2 * EMBEDDER.dimension}


@check("score direction")
def an_index_is_made_anew_from_the_truth(place: Place) -> None:
    """Terms put again take the place of the old ones; a rewritten memory is found by its new words alone."""
    with place.backend() as backend:
        store = backend.store
        store.set_embedder(EMBEDDER.name, EMBEDDER.dimension)
        episode, fact = said("red wine"), known("red car")
        rows = put(store, ALICE, [episode, fact])
        backend.index.put_vectors(ALICE, EMBEDDER.name, dict(zip(rows, vectors_of(["a", "b"]), strict=True)))
        backend.index.put_terms(ALICE, {rows[0]: ["blue"], rows[1]: ["green"]})
        with backend.index.snapshot(ALICE) as corpus:
            assert [len(corpus.postings(word)[0]) for word in ("red", "blue", "green")] == [0, 1, 1]
            assert corpus.column("tier").tolist() == [0, 1]
        revision, _ = backend.index.changed(ALICE, 0)
        assert backend.index.changed(ALICE, revision) == (revision, [])
        changed = store.fetch(ALICE, rows)[rows[0]]
        with store.transaction(ALICE) as transaction:
            transaction.apply([Rewrite(changed)], {changed.id: ["white"]})
        later, touched = backend.index.changed(ALICE, revision)
        assert later > revision
        assert touched is None or rows[0] in touched
        with backend.index.snapshot(ALICE) as corpus:
            assert [len(corpus.postings(word)[0]) for word in ("blue", "white")] == [0, 1]
        assert backend.index.without_vector(ALICE, rows[0], rows[1], EMBEDDER.name) == rows[:1]


@check("score direction")
def vectors_of_two_models_never_mix(place: Place) -> None:
    """While the embedder is changed search stays with the old vectors; the change is one step and can be given up."""
    with place.backend() as backend:
        store, index = backend.store, backend.index
        new = StubEmbedder("other", 64)
        store.set_embedder(EMBEDDER.name, EMBEDDER.dimension)
        rows = put(store, ALICE, [said("red wine"), known("red car")])
        index.put_vectors(ALICE, EMBEDDER.name, dict(zip(rows, vectors_of(["red wine", "red car"]), strict=True)))
        assert not store.finish_reembed(_embed(new), 10)
        store.begin_reembed("other", 64)
        assert store.embedders()[:2] == ((EMBEDDER.name, EMBEDDER.dimension), ("other", 64))
        index.put_vectors(ALICE, "other", {rows[0]: new.embed(["red wine"])[0]})
        with index.snapshot(ALICE) as corpus:
            assert (corpus.model, corpus.vectors.shape[1]) == (EMBEDDER.name, EMBEDDER.dimension)
        assert not store.finish_reembed(_embed(new), 0)
        assert store.finish_reembed(_embed(new), 1)
        with index.snapshot(ALICE) as corpus:
            assert (corpus.model, corpus.vectors.shape) == ("other", (2, 64))
            assert bool(np.all(corpus.column("embedded")))
        while store.drop_former_vectors(1):
            pass
        assert store.status().counts["vector"] == 2
        assert store.embedders().coming is None


def _embed(embedder: StubEmbedder) -> Embed:
    def embed(texts: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        return embedder.embed_tokens(texts)

    return embed


@check("score direction")
def a_message_is_known_by_the_facts_drawn_from_it(place: Place) -> None:
    """The corpus says which facts that hold were drawn from which messages, as soon as they are stored."""
    with place.backend() as backend:
        store = backend.store
        store.set_embedder(EMBEDDER.name, EMBEDDER.dimension)
        message = said("As I said, the red car goes")
        put(store, ALICE, [said("Tea at four"), message])
        with backend.index.snapshot(ALICE) as corpus:
            assert not len(corpus.view(corpus.column("tier") == 0).lent)
        fact = known("Alice sells a red car", of=message)
        put(store, ALICE, [fact])
        for again in (False, True):
            if again:
                backend.index.forget(ALICE)
            with backend.index.snapshot(ALICE) as corpus:
                assert corpus.view(corpus.column("tier") == 0).lent.tolist() == [[2, 1]]
                assert not len(corpus.view(corpus.column("alive").copy()).lent)
        with store.transaction(ALICE) as transaction:
            transaction.apply([RetireFact(fact.id, fact.version, Status.SUPERSEDED, "sold", START_US)])
        with backend.index.snapshot(ALICE) as corpus:
            assert not len(corpus.view(corpus.column("tier") == 0).lent)


CHECKS = (
    a_message_is_known_by_the_facts_drawn_from_it,
    better_scores_come_first,
    equal_vectors_have_cosine_one,
    an_index_is_made_anew_from_the_truth,
    vectors_of_two_models_never_mix,
)
