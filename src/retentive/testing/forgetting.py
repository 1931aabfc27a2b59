"""Forget leaves nothing, and time travel shows what was true then."""

from __future__ import annotations

import base64
from dataclasses import replace

from retentive.contracts import Listing, Store
from retentive.lifecycle.portable import export_lines
from retentive.testing.made import ALICE, BOB, EMBEDDER, HOUR_US, START_US, known, put, said, vectors_of
from retentive.testing.suite import Place, check
from retentive.types import STALE, AddFact, Fact, NewJob, PutSession, RetireFact, SessionInfo, SessionKey, Status

_FORGOTTEN = "Glimmerdeep"


def _no_word_of(store: Store, word: str) -> bool:
    return not any(word in line for line in export_lines(store, ALICE))


@check("forget leaves nothing")
def forgetting_takes_what_was_derived(place: Place) -> None:
    """A message goes with the facts that rest on it alone, their versions, vectors, quotes and index entries."""
    with place.backend() as backend:
        store = backend.store
        store.set_embedder(EMBEDDER.name, EMBEDDER.dimension)
        doomed, stays = said(f"My vault is in {_FORGOTTEN}"), said("I like tea")
        fact, other = known(f"The vault is in {_FORGOTTEN}", of=doomed), known("Likes tea", of=stays)
        rows = put(store, ALICE, [doomed, stays, fact, other])
        vectors = dict(zip(rows, vectors_of([one.text for one in (doomed, stays, fact, other)]), strict=True))
        backend.index.put_vectors(ALICE, EMBEDDER.name, vectors, {rows[0]: vectors_of(["vault"])})
        with store.transaction(ALICE) as transaction:
            for first, last in ((rows[0], rows[0]), (rows[0], rows[-1])):
                transaction.enqueue(NewJob("embed", {"first_row": first, "last_row": last}))
        places = {one.place: one for one in store.erase(ALICE, [rows[0]]).places}
        assert all(one.left == 0 for one in places.values())
        assert (places["episode"].erased, places["fact"].erased, places["vector"].erased) == (1, 1, 2)
        (job,) = backend.queue.claim("w", limit=9, lease_s=60)  # what waits for those that stay
        assert job.payload["last_row"] == rows[-1]
        assert set(store.get(ALICE, [doomed.id, stays.id, fact.id, other.id])) == {stays.id, other.id}
        assert store.versions(ALICE, fact.id) == []
        assert backend.index.token_states(ALICE, EMBEDDER.name, rows) == {}
        with backend.index.snapshot(ALICE) as corpus:
            assert corpus.column("row")[corpus.column("alive")].tolist() == [rows[1], rows[3]]
        assert _no_word_of(store, _FORGOTTEN)


@check("forget leaves nothing")
def forgetting_everything_takes_the_partition(place: Place) -> None:
    """All of one owner goes, with sessions and jobs; the others stay, and what is said later has a new beginning."""
    with place.backend() as backend:
        store = backend.store
        job = NewJob("embed", {"first_row": 1})
        for partition in (ALICE, BOB):
            put(store, partition, [said(f"I live in {_FORGOTTEN}")], [job])
            with store.transaction(partition) as transaction:
                transaction.apply([PutSession(SessionInfo("s1", 1, 2, summary=_FORGOTTEN))])
        assert all(one.left == 0 for one in store.erase(ALICE, None).places)
        assert list(store.partitions()) == [BOB]
        assert store.listing(ALICE, Listing(status=None)) == []
        assert store.sessions(ALICE, limit=10) == []
        assert [one.partition for one in backend.queue.claim("w", limit=9, lease_s=60)] == [BOB]
        (row,) = put(store, ALICE, [said("Hello again")])
        with backend.index.snapshot(ALICE) as corpus:
            assert corpus.column("row").tolist() == [row]
        assert len(store.listing(BOB, Listing())) == 1


@check("forget leaves nothing", shared=True)
def no_byte_of_it_is_on_disk(place: Place) -> None:
    """After `forget` and the close of the store, none of its words is found in what the store keeps on disk."""
    word = base64.b32encode(b"forgotten for good").decode().rstrip("=")
    with place.memory() as memory:
        mine = memory.scope(user_id="alice")
        kept = mine.remember("Likes tea").ids
        doomed = mine.remember(f"The vault is in {word}").ids
        mine.record([{"role": "user", "content": f"We met in {word}"}], session_id="s1")
        memory.process()
        assert mine.forget(doomed).complete
        assert mine.forget([hit.id for hit in mine.recall(word) if word in hit.text]).complete
        assert set(kept) <= {item.id for item in mine.list(status=None)}
    assert place.bytes_of is not None
    assert word.encode() not in place.bytes_of(place.url)


@check("forget leaves nothing")
def the_same_words_outlive_one_of_their_messages(place: Place) -> None:
    """A fact that two messages say stays when one is forgotten; with the second it goes."""
    with place.backend() as backend:
        store = backend.store
        first, second = said("I like tea"), said("I like tea")
        fact = known("I like tea", of=first)
        fact = replace(fact, evidence=(*fact.evidence, *known("x", of=second).evidence))
        rows = put(store, ALICE, [first, second, fact])
        store.erase(ALICE, rows[:1])
        assert store.quotes(ALICE, [first.id, second.id]) == {second.id: [second.text]}
        assert fact.id in store.get(ALICE, [fact.id])
        store.erase(ALICE, rows[1:2])
        assert store.get(ALICE, [fact.id]) == {}


@check("forget leaves nothing")
def a_dry_run_says_what_would_go_and_changes_nothing(place: Place) -> None:
    """What would go, derived memories too, is told before: nothing is changed by it, and just that goes then."""
    with place.backend() as backend:
        store = backend.store
        doomed, stays = said(f"My vault is in {_FORGOTTEN}"), said("I like tea")
        fact = known(f"The vault is in {_FORGOTTEN}", of=doomed)
        rows = put(store, ALICE, [doomed, stays, fact])
        before = list(export_lines(store, ALICE))
        told = store.erase(ALICE, rows[:1], dry_run=True)
        assert list(export_lines(store, ALICE)) == before
        erased = store.erase(ALICE, rows[:1])
        assert sorted(told.ids) == sorted(erased.ids) == sorted([doomed.id, fact.id])
        assert {(one.place, one.erased) for one in told.places} <= {(one.place, one.erased) for one in erased.places}


@check("forget leaves nothing")
def what_loses_a_part_is_counted_anew(place: Place) -> None:
    """A session that loses a message is summarised anew; a fact said in two sessions is of the one that is left."""
    with place.backend() as backend:
        store = backend.store
        first, second = (replace(said("I like tea"), session_id=name) for name in ("s1", "s2"))
        other = replace(said("And coffee"), session_id="s1")
        fact = replace(known("I like tea", of=first), session_id="s1", seen_count=2)
        fact = replace(fact, evidence=(*fact.evidence, *known("x", of=second).evidence))
        rows = put(store, ALICE, [first, other, second, fact])
        with store.transaction(ALICE) as transaction:
            ended = SessionInfo("s1", 1, 2, message_count=2, state="ended", summary=_FORGOTTEN)
            transaction.apply([PutSession(ended), PutSession(replace(ended, id="s2", message_count=1))])
        assert all(one.left == 0 for one in store.erase(ALICE, rows[:1]).places)
        left, untouched = store.session(ALICE, SessionKey("s1")), store.session(ALICE, SessionKey("s2"))
        assert left is not None
        assert untouched is not None
        assert (left.message_count, left.state, left.summary, untouched.summary) == (1, "ending", None, _FORGOTTEN)
        (kept,) = store.versions(ALICE, fact.id)
        assert (kept.seen_count, kept.session_id) == (1, "s2")
        assert [one.kind for one in backend.queue.claim("w", limit=9, lease_s=60)] == ["end_session"]


def _moved(store: Store) -> tuple[Fact, Fact]:
    """Bergen until the tenth hour, then Oslo, known from the twelfth on."""
    old = known("Lives in Bergen", field="location")
    new = replace(known("Lives in Oslo", field="location"), id=old.id, version=2)
    at_us, known_us = START_US + 10 * HOUR_US, START_US + 12 * HOUR_US
    new = replace(new, valid_from_us=at_us, recorded_us=known_us)
    put(store, ALICE, [old])
    with store.transaction(ALICE) as transaction:
        retired = RetireFact(old.id, 1, Status.SUPERSEDED, "moved", known_us, at_us, superseded_by_id=old.id)
        transaction.apply([retired, AddFact(new)], {new.id: ["oslo"]})
    return old, new


@check("time travel")
def a_moment_shows_what_was_true_then(place: Place) -> None:
    """Every version stays; lists and the profile of a moment show what was true, and believed, at it."""
    with place.backend() as backend:
        store = backend.store
        old, new = _moved(store)
        versions = store.versions(ALICE, old.id)
        assert [(one.version, one.text) for one in versions] == [(1, old.text), (2, new.text)]
        assert store.get(ALICE, [old.id])[old.id].text == new.text
        for hour, expected in ((1, []), (5, [old.text]), (11, [old.text]), (13, [new.text])):
            moment = START_US + hour * HOUR_US
            assert [one.text for one in store.listing(ALICE, Listing(as_of_us=moment))] == expected, hour
            assert [one.text for one in store.always(ALICE, moment)] == expected, hour
        assert [one.text for one in store.always(ALICE)] == [new.text]
        with store.transaction(ALICE) as transaction:
            assert [one.version for one in transaction.facts(field="location")] == [2]


@check("time travel")
def lists_tell_states_apart(place: Place) -> None:
    """A list shows what is asked for: a status, a time that is over, a filter's value in its own type, a page."""
    with place.backend() as backend:
        store = backend.store
        facts = [
            known("Plain", metadata={"n": 1, "word": "早"}),
            known("Real", metadata={"n": 1.0}),
            known("True", metadata={"n": True}),
            known("Text", metadata={"n": "1"}),
            known("Over", expires_us=START_US),
            known("Waits", status=Status.PENDING),
            known("Is it still so?", reason=STALE),
            known("Doubted", status=Status.DISPUTED),
            known("For the bot", agent_id="bot", category="preference"),
        ]
        put(store, ALICE, facts)

        def listed(query: Listing) -> list[str]:
            return [one.text for one in store.listing(ALICE, replace(query, oldest_first=True))]

        for number, name in ((1, "Plain"), (1.0, "Real"), (True, "True"), ("1", "Text")):
            assert listed(Listing(where={"n": number})) == [name]
        assert listed(Listing(where={"n": 1, "word": "早"})) == ["Plain"]
        assert listed(Listing(where={"category": "preference"})) == ["For the bot"]
        assert listed(Listing(where={"role": "user"})) == []
        assert listed(Listing(status="expired")) == ["Over"]
        assert listed(Listing(status="pending")) == ["Waits"]
        assert "Doubted" in listed(Listing())
        assert "For the bot" not in listed(Listing(agent_id="other"))
        assert listed(Listing(status=None, limit=2)) == ["Plain", "Real"]
        second = store.listing(ALICE, Listing(status=None, limit=1, oldest_first=True))[0].row
        assert listed(Listing(status=None, limit=1, after_row=second)) == ["Real"]
        assert [fact.text for _, fact in store.pending(limit=5)] == ["Waits", "Is it still so?"]
        assert [fact.text for _, fact in store.pending(limit=1)] == ["Waits"]
        assert len(store.matching(ALICE, {"n": True})) == 1


CHECKS = (
    forgetting_takes_what_was_derived,
    forgetting_everything_takes_the_partition,
    no_byte_of_it_is_on_disk,
    the_same_words_outlive_one_of_their_messages,
    a_dry_run_says_what_would_go_and_changes_nothing,
    what_loses_a_part_is_counted_anew,
    a_moment_shows_what_was_true_then,
    lists_tell_states_apart,
)
