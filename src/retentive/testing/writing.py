"""Writes: all or nothing, each once, in order, and the errors that say what went wrong."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from retentive.contracts import Listing, Store
from retentive.errors import Conflict, EmbedderMismatch, IdempotencyConflict, RetentiveError, StoreClosed
from retentive.lifecycle.portable import export_lines, import_lines
from retentive.redaction import RedactionPolicy
from retentive.testing.made import ALICE, BOB, EMBEDDER, START_US, known, put, said, vectors_of
from retentive.testing.suite import Place, check
from retentive.types import (
    AddFact,
    ConfirmFact,
    Evidence,
    Fact,
    NewJob,
    PutSession,
    RetireFact,
    SessionInfo,
    SessionKey,
    Status,
)

_THREADS, _WRITES = 8, 10


def raised(kind: type[RetentiveError], call: Callable[[], object]) -> bool:
    """Whether a call ends in this error; any other passes."""
    try:
        call()
    except kind:
        return True
    return False


@check("all or nothing")
def a_failed_transaction_leaves_nothing(place: Place) -> None:
    """What was written before an error is not there after it: no memory, no index entry, no session, no job."""
    with place.backend() as backend:
        store = backend.store
        put(store, ALICE, [said("Before")])
        episode = said("Half")
        with contextlib.suppress(KeyError), store.transaction(ALICE) as transaction:
            transaction.apply([AddFact(known("Half a fact", of=episode)), PutSession(SessionInfo("s1", 1, 2))])
            transaction.enqueue(NewJob("embed", {"first_row": 1}))
            raise KeyError
        assert [one.text for one in store.listing(ALICE, Listing(status=None))] == ["Before"]
        assert store.session(ALICE, SessionKey("s1")) is None
        assert backend.queue.depth()["ready"] == 0
        with backend.index.snapshot(ALICE) as corpus:
            assert corpus.size == 1


@check("all or nothing")
def a_transaction_sees_its_own_changes(place: Place) -> None:
    """Inside a write what it wrote is there; others see it, whole, with the commit."""
    with place.backend() as backend:
        store = backend.store
        episode = said("Likes tea", source_id="m1")
        put(store, ALICE, [episode])
        fact = known("Likes tea", of=episode, idempotency_key="k1", field="diet", attribute="drink", subject="user")
        with store.transaction(ALICE) as transaction:
            (row,) = transaction.apply([AddFact(fact)], {fact.id: ["tea"]})
            assert transaction.last_row == row
            for asked in ({"id": fact.id}, {"digest": fact.digest}, {"field": "diet"}, {"idempotency_key": "k1"}):
                assert [one.id for one in transaction.facts(**asked)] == [fact.id]
            assert transaction.facts(id="no id") == []
            assert transaction.has_episodes([episode.id])
            assert not transaction.has_episodes([episode.id, fact.id])
            assert [one.id for one in transaction.said_before("m1", "s1")] == [episode.id]
            assert transaction.said_before("m1", None) == []
            assert not transaction.was_rejected(fact.digest)
        (stored,) = store.versions(ALICE, fact.id)
        assert stored.evidence == (Evidence(episode.id, "Likes tea"),)
        assert stored.row == row


@check("idempotency")
def the_same_again_is_kept_once(place: Place) -> None:
    """A key, a message's own id and the same words twice: one memory; a key with other words is refused."""
    with place.memory() as memory:
        mine = memory.scope(user_id="alice")
        first = mine.remember("Likes tea", idempotency_key="k1")
        again = mine.remember("Likes tea", idempotency_key="k1")
        assert again.ids == first.ids
        assert again.items[0].outcome == "duplicate"
        for other in ({"text": "Likes coffee"}, {"text": "Likes tea", "evergreen": True}):
            assert raised(IdempotencyConflict, partial(mine.remember, idempotency_key="k1", **other))
        message = {"role": "user", "content": "Good morning", "id": "m1"}
        recorded = [mine.record([message], session_id="s1") for _ in range(2)]
        assert recorded[1].ids == recorded[0].ids
        assert mine.remember("Likes tea").items[0].outcome == "duplicate"
        assert len(mine.list(status=None)) == 2


@check("idempotency")
def an_export_comes_back_as_it_was(place: Place) -> None:
    """What is exported and imported into an empty scope is exported the same; imported twice, it is there once."""
    with place.backend() as backend:
        store = backend.store
        episode = said("I moved to Oslo in May", source_id="m1", metadata={"n": 1.0, "ok": True, "what": "早"})
        evidence = tuple(Evidence(episode.id, quote) for quote in ("May", "in May", "Oslo", "to Oslo", "I"))
        old = known("Lives in Bergen", confidence=0.1 + 0.2, evidence=evidence)
        new = known("Lives in Oslo", of=episode, supersedes_id=old.id, evergreen=True)
        put(store, ALICE, [episode, old, new])
        with store.transaction(ALICE) as transaction:
            gone = RetireFact(old.id, 1, Status.SUPERSEDED, "moved", START_US * 2, START_US, superseded_by_id=new.id)
            transaction.apply([gone, PutSession(SessionInfo("s1", START_US, START_US, 1, "ended"))])
        lines = list(export_lines(store, ALICE))
        store.erase(ALICE, None, lasting=False)
        for outcome in ("stored", "duplicate"):
            receipt = import_lines(store, ALICE, lines, RedactionPolicy())
            assert {item.outcome for item in receipt.items} == {outcome}
        assert list(export_lines(store, ALICE)) == lines


@check("idempotency")
def evidence_counts_once(place: Place) -> None:
    """The same message confirms a fact once, however often a job is repeated."""
    with place.backend() as backend:
        store = backend.store
        first, second = said("Likes tea"), said("Tea, please")
        fact = known("Likes tea", of=first)
        put(store, ALICE, [first, second, fact])
        for _ in range(2):
            with store.transaction(ALICE) as transaction:
                transaction.apply([ConfirmFact(fact.id, 1, START_US, (Evidence(second.id, second.text),))])
        (stored,) = store.versions(ALICE, fact.id)
        assert stored.seen_count == 2
        assert {one.episode_id for one in stored.evidence} == {first.id, second.id}


@check("errors")
def errors_are_ours(place: Place) -> None:
    """A stale version, a taken id, another model's vectors and a closed store each raise the error that says so."""
    with place.backend() as backend:
        store = backend.store
        store.set_embedder(EMBEDDER.name, EMBEDDER.dimension)
        fact = known("Likes tea")
        (row,) = put(store, ALICE, [fact])

        def retire(version: int) -> None:
            with store.transaction(ALICE) as transaction:
                transaction.apply([RetireFact(fact.id, version, Status.REJECTED, "no", START_US)])

        assert raised(Conflict, lambda: retire(2))
        assert raised(Conflict, lambda: put(store, BOB, [fact]))
        other = {row: vectors_of(["tea"])[0]}
        assert raised(EmbedderMismatch, lambda: backend.index.put_vectors(ALICE, "another", other))
        retire(1)
        assert raised(Conflict, lambda: retire(1))
    assert raised(StoreClosed, lambda: store.get(ALICE, [fact.id]))
    assert raised(StoreClosed, lambda: put(store, ALICE, [fact]))


@check("many at once")
def threads_share_a_handle(place: Place) -> None:
    """Eight threads write and read through one handle: every write is there once, in rows of its own."""
    with place.backend() as backend:
        store = backend.store
        facts = [[known(f"Thread {name} keeps {number}") for number in range(_WRITES)] for name in range(_THREADS)]

        def write(own: list[Fact]) -> None:
            for fact in own:
                (row,) = put(store, ALICE, [fact])
                assert store.fetch(ALICE, [row])[row].id == fact.id
                with backend.index.snapshot(ALICE) as corpus:
                    assert row in corpus.column("row")

        with ThreadPoolExecutor(_THREADS) as pool:
            list(pool.map(write, facts))  # raises what a thread raised
        assert _ids(store) == {fact.id for own in facts for fact in own}


def _ids(store: Store) -> set[str]:
    found = store.listing(ALICE, Listing(status=None, limit=1000))
    assert len({one.row for one in found}) == len(found)
    return {one.id for one in found}


@check("many at once")
def sessions_are_kept_in_order(place: Place) -> None:
    """Sessions come back newest first, page by page; those nobody ended are told to a worker."""
    with place.backend() as backend:
        store = backend.store
        infos = [SessionInfo(f"s{n}", START_US + n, START_US + n, state="ended" if n else "open") for n in range(5)]
        with store.transaction(ALICE) as transaction:
            transaction.apply([PutSession(info) for info in infos])
            assert transaction.session(SessionKey("s3")) == infos[3]
            assert transaction.session(SessionKey("none")) is None
        put(store, ALICE, [said(f"Message {n}", session_id="s1") for n in range(4)])
        assert store.sessions(ALICE, limit=2) == [infos[4], infos[3]]
        assert store.sessions(ALICE, limit=9, before_us=START_US + 2) == [infos[1], infos[0]]
        assert store.open_sessions() == [(ALICE, infos[0])]
        assert store.open_sessions(infos[0].touched_us) == []
        assert store.open_sessions(infos[0].touched_us + 1) == [(ALICE, infos[0])]
        assert [one.text for one in store.session_episodes(ALICE, "s1", limit=2)] == ["Message 2", "Message 3"]


CHECKS = (
    a_failed_transaction_leaves_nothing,
    a_transaction_sees_its_own_changes,
    the_same_again_is_kept_once,
    an_export_comes_back_as_it_was,
    evidence_counts_once,
    errors_are_ours,
    threads_share_a_handle,
    sessions_are_kept_in_order,
)
