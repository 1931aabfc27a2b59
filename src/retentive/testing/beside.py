"""What lies beside the memories: the audit, the ledger, a rebuild's tier, notes and what a store says of itself."""

from __future__ import annotations

from dataclasses import replace

from retentive.contracts import Backend
from retentive.contracts.audit import AuditQuery, verify
from retentive.contracts.keys import ApiKey
from retentive.contracts.ledger import HOUR_US, Account, Carried, UsageLimits
from retentive.contracts.models import Usage
from retentive.testing.made import ALICE, BOB, START_US, known, put, said
from retentive.testing.suite import Place, check
from retentive.types import AddEpisode, PutSession, RetireFact, SessionInfo, SessionKey, Status

_TOPIC = "audit, ledger and upkeep"


@check(_TOPIC)
def every_write_is_in_the_audit(place: Place) -> None:
    """Each write is entered with its actor, in its own transaction; the chain of hashes holds, also when cut off."""
    with place.backend() as backend:
        store, trail = backend.store.acting("key-7"), backend.audit
        episode, fact = said("Likes tea"), known("Likes tea")
        rows = put(store, ALICE, [episode, fact])
        with store.transaction(ALICE, verb="import") as transaction:
            transaction.apply([AddEpisode(said("More"))])
        store.erase(ALICE, rows[:1])
        entries = trail.entries(AuditQuery(partition=ALICE))
        assert [entry.verb for entry in entries] == ["forget", "import", "remember", "record"]
        assert {entry.actor for entry in entries} == {"key-7"}
        assert trail.entries(AuditQuery(partition=BOB)) == []
        assert [entry.verb for entry in trail.entries(AuditQuery(after_no=2, limit=1))] == ["import"]
        assert [entry.no for entry in trail.entries(AuditQuery(memory_id=fact.id))] == [entries[2].no]
        checked = verify(trail.links(), start=trail.start())
        assert (checked.entries, checked.problems) == (4, ())
        assert trail.cut(1 << 60, "key-7") == 4
        checked = verify(trail.links(), start=trail.start())
        assert (checked.entries, checked.problems) == (1, ())


@check(_TOPIC)
def spending_is_kept_and_limited(place: Place) -> None:
    """What a call may take is set aside if it fits, and counted once it took it; an erased owner's name goes."""
    with place.backend() as backend:
        ledger, now_us = backend.ledger, START_US
        put(backend.store, ALICE, [said("Hello")])
        account, most = Account(ALICE, "extract", "s1"), Usage(60, 40, cost=0.5)
        limits = UsageLimits(tokens=150, cost=10.0)
        assert ledger.reserve(account, now_us, most, limits)
        assert not ledger.reserve(account, now_us, most, limits)
        assert ledger.reserve(replace(account, partition=BOB), now_us + HOUR_US, most, limits)
        ledger.settle(account, now_us, Usage(30, 10, 5, 0.25), model="m", most=most)
        assert ledger.reserve(account, now_us, most, limits)
        (line,) = ledger.usage(("owner", "session", "operation", "model"))
        assert (line.key, line.calls, line.usage) == (("alice", "s1", "extract", "m"), 1, Usage(30, 10, 5, 0.25))
        assert ledger.usage((), partition=BOB) == []
        _carried_is_told(backend)
        _sessions_of_one_name_are_apart(backend)
        backend.store.erase(ALICE, None)
        assert ledger.carried(ALICE, SessionKey("s1")) == []
        assert [one.key for one in ledger.usage(("tenant", "owner", "session"))] == [("default", None, None)]


def _carried_is_told(backend: Backend) -> None:
    """What a session's prompts carried is summed by memory, and goes with a memory."""
    ledger, account, (kept, doomed) = backend.ledger, Account(ALICE, "chat", "s1"), (known("Likes tea"), known("A cat"))
    rows = put(backend.store, ALICE, [kept, doomed])
    with backend.store.transaction(ALICE) as transaction:
        transaction.apply([PutSession(SessionInfo("s1", START_US, START_US, 1))])
    block = [Carried(kept.id, 1, 9, 0.25), Carried(doomed.id, 1, 5), Carried(None, 1, 2)]
    for _ in range(2):
        ledger.settle(account, START_US, Usage(), model="m", carried=block)
    both = [Carried(kept.id, 2, 18, 0.5), Carried(doomed.id, 2, 10), Carried(None, 2, 4)]
    assert ledger.carried(ALICE, SessionKey("s1")) == both
    assert (ledger.carried(ALICE, SessionKey("s2")), ledger.carried(BOB, SessionKey("s1"))) == ([], [])
    backend.store.erase(ALICE, rows[1:])
    ledger.settle(account, START_US, Usage(), model="m", carried=block[1:2])  # a call that was under way meanwhile
    ledger.settle(replace(account, session_id="s9"), START_US, Usage(), model="m", carried=block)  # no such session
    left = [ledger.carried(ALICE, SessionKey(name)) for name in ("s1", "s9")]
    assert left == [[both[0], both[2]], []]


def _sessions_of_one_name_are_apart(backend: Backend) -> None:
    """Two agents may each have a session of a name: neither's sums are the other's."""
    cook, coach = (SessionKey("main", agent) for agent in ("cook", "coach"))
    begun = [SessionInfo("main", START_US, START_US, 1, agent_id=key.agent_id) for key in (cook, coach)]
    with backend.store.transaction(ALICE) as transaction:
        transaction.apply([PutSession(session) for session in begun])
    for key, tokens in ((cook, 5), (coach, 7)):
        took, account = Usage(tokens, 0), Account(ALICE, "chat", *key)
        backend.ledger.settle(account, START_US, took, model="m", carried=[Carried(None, 1, tokens)])
        of_session = backend.ledger.of_session(ALICE, key)
        assert (of_session.usage.prompt_tokens, of_session.block_tokens) == (tokens, tokens)
    lines = backend.ledger.usage(("session",), partition=ALICE)
    assert sorted(line.tokens for line in lines if line.key == ("main",)) == [5, 7]


@check(_TOPIC)
def a_rebuilt_tier_takes_the_place_of_the_old(place: Place) -> None:
    """A new tier is put in place in one step, unless somebody wrote meanwhile; the former one can be looked at."""
    with place.backend() as backend:
        store, tiers = backend.store, backend.tiers
        episode = said("I like tea")
        old, new = known("Likes tea", of=episode), known("Drinks tea", of=episode)
        (row, _) = put(store, ALICE, [episode, old])
        assert tiers.unread(ALICE) == [(row, SessionKey("s1"))]
        tiers.put_read(ALICE, {row: "[]", row + 9: "[]"})
        assert (tiers.read(ALICE), tiers.unread(ALICE)) == ({row: "[]"}, [])
        revision = tiers.revision(ALICE)
        terms = {new.text: ["drink"], old.text: ["like"]}
        assert not tiers.put(ALICE, revision - 1, [new], terms, keep="again")
        assert tiers.put(ALICE, revision, [new], terms, keep="again")
        assert set(store.get(ALICE, [old.id, new.id])) == {new.id}
        former = tiers.former(ALICE)
        assert former is not None
        assert ([one.id for one in former.facts], former.rebuild) == ([old.id], "again")
        assert former.facts[0].evidence == old.evidence
        store.erase(ALICE, [store.get(ALICE, [new.id])[new.id].row])
        assert tiers.forgotten(ALICE) == {episode.id: [(0, len(episode.text))]}
        with store.transaction(ALICE) as transaction:
            assert transaction.was_forgotten(new.evidence)
        tiers.drop_former(ALICE)
        assert tiers.former(ALICE) is None


@check(_TOPIC)
def api_keys_and_answers_are_kept(place: Place) -> None:
    """A key is found by its id with its digest, and ends; a request that is repeated gets the answer of the first."""
    with place.backend() as backend:
        keys = backend.keys
        if keys is None:
            return  # then nothing is served from this backend
        key = ApiKey("k1", "bot", "acme", ("read",), START_US, users=("alice",), rate_minute=60)
        keys.add(key, b"digest")
        assert keys.pepper() == keys.pepper()
        assert (keys.find("k1"), keys.find("k2")) == ((key, b"digest"), None)
        assert (keys.all("acme"), keys.all("other")) == ([key], [])
        assert keys.end("k1", START_US + 5)
        assert not keys.end("k2", START_US)
        assert [one.ended_us for one in keys.all()] == [START_US + 5]
        asked = ("k1", b"name", b"request", START_US)
        assert keys.begin_answer(*asked, stale_us=HOUR_US) is None
        keys.end_answer("k1", b"name", 201, "{}")
        again = keys.begin_answer(*asked, stale_us=HOUR_US)
        assert again is not None
        assert (again.request, again.status, again.body) == (b"request", 201, "{}")


@check(_TOPIC)
def a_store_tells_how_it_is(place: Place) -> None:
    """Counts, the embedder, notes and revisions are told; a sound store has no problem, looked at in depth."""
    with place.backend() as backend:
        store = backend.store
        assert store.embedder() is None
        store.set_embedder("stub", 256)
        episode, fact = said("Likes tea"), known("Likes tea")
        put(store, ALICE, [episode, fact])
        before = store.revisions()[ALICE]
        with store.transaction(ALICE) as transaction:
            transaction.apply([RetireFact(fact.id, 1, Status.REJECTED, "no", START_US)])
        assert store.revisions()[ALICE] > before
        with store.transaction(ALICE) as transaction:
            assert transaction.was_rejected(fact.digest)
        store.set_note("swept", "2026")
        store.set_note("swept", "2027")
        assert (store.note("swept"), store.note("other")) == ("2027", None)
        assert (store.partition_of(episode.id), store.partition_of("no id")) == (ALICE, None)
        status = store.status()
        assert (status.counts["episode"], status.counts["fact"], status.embedder) == (1, 1, "stub")
        assert status.problems == ()
        store.scrub()


@check(_TOPIC)
def a_sound_store_has_no_problem(place: Place) -> None:
    """After a day's work of every kind the deep check of the store finds nothing wrong."""
    with place.memory() as memory:
        mine = memory.scope(user_id="alice")
        with mine.session() as chat:
            chat.add("user", "I live in Oslo and I like tea.")
            chat.add("assistant", "Noted.")
        mine.remember("Lives in Bergen")
        (doomed,) = mine.remember("Has a cat").ids
        memory.process()
        mine.forget(doomed)
        memory.process()
        assert memory.doctor().problems == ()
        assert memory.doctor(fix=True).problems in {(), ("memories that wait for a vector without a job to make it",)}
        memory.process()
        assert memory.doctor().problems == ()


CHECKS = (
    every_write_is_in_the_audit,
    spending_is_kept_and_limited,
    a_rebuilt_tier_takes_the_place_of_the_old,
    api_keys_and_answers_are_kept,
    a_store_tells_how_it_is,
    a_sound_store_has_no_problem,
)
