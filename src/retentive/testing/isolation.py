"""No read and no write crosses a partition."""

from __future__ import annotations

import contextlib

from retentive.analyze import index_terms
from retentive.contracts import Listing
from retentive.errors import Conflict, NotFound
from retentive.lifecycle.portable import export_lines, import_lines
from retentive.memory import Memory
from retentive.redaction import RedactionPolicy
from retentive.results import Recall
from retentive.scoped import ScopedMemory
from retentive.testing.made import ALICE, EMBEDDER, STRANGERS, known, put, said, vectors_of
from retentive.testing.suite import Place, check
from retentive.types import PutSession, RetireFact, SessionInfo, SessionKey, Status

_TOPIC = "scope isolation"


@check(_TOPIC)
def reads_see_their_own_partition_only(place: Place) -> None:
    """No read shows another partition's memories, whatever ids, rows, sessions or filters it is given."""
    with place.backend() as backend:
        store = backend.store
        episode = said("The passport is in the drawer", source_id="m1", metadata={"kind": "note"})
        fact = known("Keeps the passport in the drawer", of=episode, field="location", evergreen=True)
        rows = put(store, ALICE, [episode, fact])
        with store.transaction(ALICE) as transaction:
            transaction.apply([PutSession(SessionInfo("s1", 1, 2))])
        for other in STRANGERS:
            put(store, other, [said("Something else", session_id="s9")])
            ids = [episode.id, fact.id]
            assert store.get(other, ids) == {}
            assert store.fetch(other, rows) == {}
            assert store.versions(other, fact.id) == []
            assert len(store.listing(other, Listing(status=None))) == 1
            assert store.always(other) == []
            assert store.sources(other, ids) == {}
            assert store.quotes(other, ids) == {}
            assert store.recalled(other, rows) == ({}, set())
            assert store.matching(other, {"kind": "note"}) == set()
            assert store.session(other, SessionKey("s1")) is None
            assert store.sessions(other, limit=10) == []
            assert store.session_episodes(other, "s1", limit=10) == []
            assert store.episodes_between(other, rows[0], rows[-1], SessionKey("s1")) == []
        assert set(store.get(ALICE, [episode.id, fact.id])) == {episode.id, fact.id}


@check(_TOPIC)
def an_index_holds_one_partition(place: Place) -> None:
    """What can be searched in a partition are its own rows, and vectors are put to its own rows only."""
    with place.backend() as backend:
        store, index = backend.store, backend.index
        store.set_embedder(EMBEDDER.name, EMBEDDER.dimension)
        mine = put(store, ALICE, [said("Tea in the tin")])
        theirs = put(store, STRANGERS[0], [said("Coffee in the jar")])
        index.put_vectors(ALICE, EMBEDDER.name, dict(zip(mine, vectors_of(["Tea in the tin"]), strict=True)))
        for partition, rows, word in ((ALICE, mine, "tea"), (STRANGERS[0], theirs, "coffee")):
            with index.snapshot(partition) as corpus:
                assert corpus.column("row").tolist() == rows
                assert len(corpus.postings(index_terms(word)[0])[0]) == 1
        assert index.without_vector(STRANGERS[0], 0, 1 << 62, EMBEDDER.name) == theirs
        assert index.without_vector(ALICE, 0, 1 << 62, EMBEDDER.name) == []
        assert index.token_states(STRANGERS[0], EMBEDDER.name, mine) == {}
        assert index.missing(EMBEDDER.name, after_row=0, limit=10) == {STRANGERS[0]: theirs}


@check(_TOPIC)
def writes_change_their_own_partition_only(place: Place) -> None:
    """A change that names another partition's fact is refused, and nothing of the transaction stands."""
    with place.backend() as backend:
        store = backend.store
        fact = known("Likes tea")
        put(store, ALICE, [fact])
        for other in STRANGERS:
            added = known("Likes coffee")
            with contextlib.suppress(Conflict), store.transaction(other) as transaction:
                transaction.apply([RetireFact(fact.id, 1, Status.REJECTED, "no", 1)])
                message = "a stranger's change was taken"
                raise AssertionError(message)
            assert store.get(other, [added.id]) == {}
            with store.transaction(other) as transaction:
                assert transaction.facts(id=fact.id) == []
                assert transaction.facts(digest=fact.digest) == []
            assert list(store.partitions()) == [ALICE]  # who changed nothing is not there
            assert all(one.erased == 0 for one in store.erase(other, [1, 2, 3]).places if one.place == "fact")
        (still,) = store.versions(ALICE, fact.id)
        assert still.status is Status.ACTIVE


def _found(mine: ScopedMemory) -> Recall:
    return mine.recall("where is the passport", k=10)


@check(_TOPIC)
def namesakes_are_strangers(place: Place) -> None:
    """A user, an agent of the same name and the same user of another tenant share nothing, by any verb."""
    with place.memory() as memory:
        user = memory.scope(user_id="twin", tenant="t1")
        others = (memory.scope(agent_id="twin", tenant="t1"), memory.scope(user_id="twin", tenant="t2"))
        (stored,) = user.remember("The passport of the twin", metadata={"kind": "paper"}).ids
        user.record([{"role": "user", "content": "The passport lies there", "id": "m1"}], session_id="s1")
        memory.process()
        for other in others:
            assert _found(other).hits == ()
            assert len(other.list(status=None)) == 0
            assert other.sessions() == []
            for call in (other.get, other.history, other.why, other.forget):
                try:
                    call(stored)
                except NotFound:
                    continue
                message = f"{call} found a stranger's memory"
                raise AssertionError(message)
            assert other.forget(where={"kind": "paper"}).ids == ()
            assert other.forget_everything().complete
        assert {hit.text for hit in _found(user)} == {"The passport of the twin", "The passport lies there"}


@check(_TOPIC)
def strangers_words_move_no_score(place: Place) -> None:
    """The same question in the same memories scores the same, whatever others have stored meanwhile."""
    with place.memory() as memory:
        mine = memory.scope(user_id="scored")
        for text in ("The passport is in the drawer", "Tea is in the tin"):
            mine.remember(text)
        memory.process()
        before = [(hit.text, hit.score) for hit in mine.recall("passport drawer", now="2040-01-01Z")]
        noise = memory.scope(user_id="noise")
        noise.record([{"role": "user", "content": "passport drawer " * 20}] * 20)
        memory.process()
        assert [(hit.text, hit.score) for hit in mine.recall("passport drawer", now="2040-01-01Z")] == before
        assert before


def _told_to(memory: Memory, agent_id: str | None, project_id: str | None, text: str) -> ScopedMemory:
    mine = memory.scope(user_id="alice", agent_id=agent_id, project_id=project_id)
    for words in (text, f"{text}, as I said"):
        mine.record([{"role": "user", "content": words}], session_id="main")
    return mine


@check(_TOPIC)
def sessions_of_one_name_are_kept_apart(place: Place) -> None:
    """Two agents, and two projects, of one user may call a session the same: each has its own, to its very end."""
    with place.memory() as memory:
        told = {
            one: _told_to(memory, *one, text)
            for one, text in {
                ("cook", None): "I live in Oslo",
                ("coach", None): "I run on Mondays",
                (None, "boats"): "The mast is of spruce",
                (None, None): "I like rain",
            }.items()
        }
        told["cook", None].end_session("main")
        memory.process()
        all_of_them = memory.scope(user_id="alice").sessions()
        assert {((one.agent_id, one.project_id), one.message_count) for one in all_of_them} == {
            (key, 2) for key in told
        }
        assert {(one.agent_id, one.state) for one in all_of_them if one.state != "open"} == {("cook", "ended")}
        summaries = {(one.agent_id, one.project_id): one.summary for one in all_of_them}
        assert ("Oslo" in (summaries["cook", None] or ""), "rain" in (summaries[None, None] or "")) == (True, True)
        assert not any("Oslo" in (text or "") for key, text in summaries.items() if key != ("cook", None))
        said_to_coach = [one for one in told["coach", None].session_messages("main") if "Mondays" in one.text]
        told["coach", None].forget(said_to_coach[0].id)
        left = {(one.agent_id, one.project_id): one.message_count for one in memory.scope(user_id="alice").sessions()}
        assert left == {key: 1 if key == ("coach", None) else 2 for key in told}


@check(_TOPIC)
def exports_keep_sessions_of_one_name_apart(place: Place) -> None:
    """What is exported of sessions of one name, and imported, is exported the same."""
    with place.backend() as backend:
        store = backend.store
        keys = [SessionKey("s1"), SessionKey("s1", "cook"), SessionKey("s1", "coach"), SessionKey("s1", None, "boats")]
        infos = [SessionInfo("s1", n, n, n, "ended", agent_id=keys[n][1], project_id=keys[n][2]) for n in range(4)]
        put(store, ALICE, [said(f"To {key}", agent_id=key.agent_id, project_id=key.project_id) for key in keys])
        with store.transaction(ALICE) as transaction:
            transaction.apply([PutSession(info) for info in infos])
            assert [transaction.session(key) for key in keys] == infos
        assert [store.session(ALICE, key) for key in keys] == infos
        assert {one.key for one in store.sessions_named(ALICE, "s1")} == set(keys)
        assert [one.text for one in store.session_episodes(ALICE, keys[1], limit=9)] == [f"To {keys[1]}"]
        assert len(store.session_episodes(ALICE, "s1", limit=9)) == len(keys)
        lines = list(export_lines(store, ALICE))
        store.erase(ALICE, None, lasting=False)
        import_lines(store, ALICE, lines, RedactionPolicy())
        assert list(export_lines(store, ALICE)) == lines


CHECKS = (
    sessions_of_one_name_are_kept_apart,
    exports_keep_sessions_of_one_name_apart,
    reads_see_their_own_partition_only,
    an_index_holds_one_partition,
    writes_change_their_own_partition_only,
    namesakes_are_strangers,
    strangers_words_move_no_score,
)
