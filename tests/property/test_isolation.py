"""No read crosses a partition: random tenants, users, agents and projects, and whatever a caller puts into a call."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retentive import Memory, ScopedMemory
from retentive.errors import ImportFailed, NotFound, RetentiveError
from retentive.results import Item, Recall
from stubs import StubEmbedder

TENANTS = ["default", "acme", "acme'; --", "*acme", "ACME"]
USERS = [None, "alice", "Alice", "alice ", "alice%", "al_ce", "bob", "早", "user_id=bob", "../bob", "$ne"]
AGENTS = [None, "bot", "alice", "bob"]
PROJECTS = [None, "blog", "shop", "%"]
WORDS = ["passport", "drawer", "invoice", "早报", "tea"]

scopes = st.tuples(
    st.sampled_from(TENANTS), st.sampled_from(USERS), st.sampled_from(AGENTS), st.sampled_from(PROJECTS)
).filter(lambda names: names[1] is not None or names[2] is not None)
Names = tuple[str, str | None, str | None, str | None]


class World:
    """Every scope has memories that carry its own mark, so that one look at a text tells whose it is."""

    def __init__(self, url: str) -> None:
        self.memory = Memory.open(url, embedder=StubEmbedder(), background=False)
        self.places: list[tuple[Names, list[str], str]] = []
        self.by_mark: dict[str, Names] = {}
        for number, tenant in enumerate(TENANTS):
            for user in USERS:
                agent = AGENTS[(number + USERS.index(user)) % 4] or ("bot" if user is None else None)
                self.fill((tenant, user, agent, PROJECTS[(number + 2 * USERS.index(user)) % 4]))
        self.memory.process()

    def mine(self, names: Names) -> ScopedMemory:
        return self.memory.scope(tenant=names[0], user_id=names[1], agent_id=names[2], project_id=names[3])

    def fill(self, names: Names) -> None:
        mine = self.mine(names)
        mark = f"mark{len(self.by_mark)}q"
        self.by_mark[mark] = names
        ids = []
        for place, word in enumerate(WORDS):
            ids += mine.remember(f"The {word} {place} of {mark}", metadata={"word": word, "user_id": "bob"}).ids
            said = {"role": "user", "content": f"Where is the {word}? {mark}", "id": f"m{place}", "name": mark}
            ids += mine.record([said], session_id="s1").ids
        ids += mine.update_profile({"name": mark}).ids
        ids += mine.remember(f"Always {mark}", evergreen=True).ids
        cursor = mine.list(limit=2).cursor
        assert cursor
        self.places.append((names, ids, cursor))

    def visible(self, reader: Names) -> set[str]:
        """Marks a reader may see: its own partition, where agent and project fit."""

        def partition(names: Names) -> tuple[str, str, str | None]:
            return (names[0], "user", names[1]) if names[1] is not None else (names[0], "agent", names[2])

        return {
            mark
            for mark, names in self.by_mark.items()
            if partition(names) == partition(reader)
            and (reader[2] is None or names[2] in {None, reader[2]})
            and (reader[3] is None or names[3] in {None, reader[3]})
        }


@pytest.fixture(scope="module", params=["memory", "postgres"])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    """The same world in each engine that keeps partitions apart by means of its own."""
    stores = (
        request.getfixturevalue("postgres").empty_store() if request.param == "postgres" else nullcontext(":memory:")
    )
    with stores as url:
        made = World(url)
        yield made
        made.memory.close()


def hostile_text() -> st.SearchStrategy[str]:
    return st.one_of(
        st.sampled_from(WORDS),
        st.sampled_from(
            ["*", "%", "' OR 1=1 --", "mark0q", "user_id:bob", '"', "passport OR 1", "$or", "..", "\0", "\ud800"]
        ),
        st.integers(0, 54).map(lambda number: f"mark{number}q passport"),
        st.text(max_size=20),
    )


def hostile_filter() -> st.SearchStrategy[Any]:
    names = st.sampled_from(
        [
            "user_id",
            "tenant",
            "$or",
            "$where",
            "word",
            "name",
            "session_id",
            "role",
            "row",
            "id",
            "partition",
            "1=1 OR text",
            "*",
        ]
    )
    values = st.one_of(
        st.sampled_from(
            ["bob", "*", "%", "", None, [], ["bob", "alice"], {"$ne": "x"}, True, 1, "s1", "passport", "1 OR 1=1"]
        ),
        hostile_text(),
    )
    return st.one_of(
        st.none(), st.dictionaries(names, values, max_size=3), st.lists(values, max_size=2), hostile_text()
    )


def no_error(call: Callable[[], Any]) -> Any:
    """The answer, or None where the call was refused: by one of our own errors, never another."""
    try:
        return call()
    except RetentiveError:
        return None


def told(answer: Any) -> str:
    """Everything an answer holds, as text to look for marks in."""
    return "" if answer is None else repr(answer)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(reader=scopes, query=hostile_text(), where=hostile_filter(), other=st.integers(0, 54), data=st.data())
def test_nothing_foreign_is_ever_read(  # noqa: PLR0917  hypothesis gives them by name
    world: World, reader: Names, query: str, where: Any, other: int, data: st.DataObject
) -> None:
    mine = world.mine(reader)
    _, foreign_ids, foreign_cursor = world.places[other]
    one = data.draw(st.sampled_from(foreign_ids))
    cursor = data.draw(st.sampled_from([foreign_cursor, "0", "f" * 16, f"{int(foreign_cursor, 16) + 10**9:x}"]))
    session = data.draw(st.sampled_from(["s1", "s2", "%", "s1' OR '1'='1"]))
    answers = [
        no_error(lambda: mine.recall(query, k=100, where=where)),
        no_error(lambda: mine.recall(query, k=100, session_id=session, as_of="2999-01-01Z")),
        no_error(lambda: mine.list(where=where, limit=1000)),
        no_error(lambda: mine.list(status=None, limit=1000, cursor=cursor)),
        no_error(lambda: mine.get(one)),
        no_error(lambda: mine.history(one)),
        no_error(lambda: mine.why(one)),
        no_error(lambda: mine.session_messages(session)),
        no_error(mine.sessions),
        no_error(mine.profile),
        no_error(lambda: mine.block(query, k=100, budget_tokens=20_000)),
        mine.session("s1").messages,
    ]
    allowed = world.visible(reader)
    text = "\n".join(map(told, answers))
    for mark in world.by_mark:
        if mark not in allowed:
            assert mark not in text, f"{mark} of {world.by_mark[mark]} seen by {reader}"


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(reader=scopes, where=hostile_filter(), other=st.integers(0, 54), data=st.data())
def test_nothing_foreign_is_ever_changed(
    world: World, reader: Names, where: Any, other: int, data: st.DataObject
) -> None:
    """Only foreign memories are aimed at, in one world for all tries, and every one must survive."""
    names, ids, _ = world.places[other]
    if set(world.visible(reader)) & {mark for mark, owner in world.by_mark.items() if owner == names}:
        return
    mine, theirs = world.mine(reader), world.mine(names)
    before = [theirs.get(one) for one in ids]
    one = data.draw(st.sampled_from(ids))
    with pytest.raises(NotFound):
        mine.update(one, text="changed by a stranger")
    with pytest.raises(NotFound):
        mine.forget([one])
    with pytest.raises(NotFound):
        mine.forget([*ids])
    assert [theirs.get(one) for one in ids] == before
    if where and not world.visible(reader):
        no_error(lambda: mine.forget(where=where))
    assert [theirs.get(one) for one in ids] == before


def pages(mine: ScopedMemory, cursor: str | None, limit: int) -> list[Item]:
    found: list[Item] = []
    while True:
        page = mine.list(status=None, limit=limit, cursor=cursor)
        found += page.items
        cursor = page.cursor
        if cursor is None:
            return found


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(reader=scopes, start=st.integers(0, 54), limit=st.integers(1, 7))
def test_paging_on_from_a_foreign_cursor_stays_at_home(world: World, reader: Names, start: int, limit: int) -> None:
    mine = world.mine(reader)
    home = {item.id for item in mine.list(status=None, limit=1000)}
    assert {item.id for item in pages(mine, None, limit)} == home
    assert {item.id for item in pages(mine, world.places[start][2], limit)} <= home


def test_same_names_in_another_kind_or_tenant_are_strangers(world: World) -> None:
    user = world.memory.scope(user_id="twin", tenant="t1")
    agent = world.memory.scope(agent_id="twin", tenant="t1")
    elsewhere = world.memory.scope(user_id="twin", tenant="t2")
    stored = user.remember("The passport of the twin").ids[0]
    for stranger in (agent, elsewhere):
        assert stranger.recall("passport").hits == ()
        assert len(stranger.list(status=None)) == 0
        with pytest.raises(NotFound):
            stranger.get(stored)
        assert stranger.forget_everything().complete
    assert user.get(stored).text == "The passport of the twin"


def test_a_strangers_words_move_no_score(world: World) -> None:
    def scored(mine: ScopedMemory) -> Recall:
        return mine.recall("passport drawer", now="2040-01-01Z")

    one = world.memory.scope(user_id="scored")
    one.remember("The passport is in the drawer")
    one.remember("Tea is in the tin")
    world.memory.process()
    before = [(hit.text, hit.score) for hit in scored(one)]
    two = world.memory.scope(user_id="noise")
    two.record([{"role": "user", "content": "passport drawer " * 50}] * 50)
    world.memory.process()
    assert [(hit.text, hit.score) for hit in scored(one)] == before


def test_an_agents_scope_neither_erases_nor_resumes_what_is_anothers(world: World) -> None:
    """Within one user: what another agent's scope may not see, it may not touch."""
    first = world.memory.scope(user_id="carol", agent_id="first")
    second = world.memory.scope(user_id="carol", agent_id="second")
    stored = first.remember("Prefers tea", metadata={"kind": "drink"}).ids[0]
    first.update_profile({"tone": "brief"})
    with first.session("shared-name") as chat:
        chat.add("user", "A word to the first agent")
    assert second.forget(where={"kind": "drink"}).ids == ()
    assert second.session("shared-name").messages == []
    second.update_profile({"tone": None})
    for call in (lambda: second.update(stored, text="Prefers coffee"), lambda: second.forget(stored)):
        with pytest.raises(NotFound):
            call()
    assert first.get(stored).text == "Prefers tea"
    assert first.profile() == {"tone": "brief"}
    assert first.session("shared-name").messages[0]["content"] == "A word to the first agent"


def test_an_export_holds_its_own_partition_only(world: World, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("export")
    for names, ids, _ in world.places[::11]:
        world.mine(names).export(folder / "one.jsonl")
        lines = [json.loads(line) for line in (folder / "one.jsonl").read_text("utf-8").splitlines()]
        exported = {line["id"] for line in lines if line.get("kind") in {"fact", "episode"}}
        assert exported >= set(ids)
        partition_marks = world.visible((names[0], names[1], None if names[1] else names[2], None))
        text = json.dumps(lines)
        assert all(mark not in text for mark in world.by_mark if mark not in partition_marks)


def test_an_import_takes_nothing_from_anyone(world: World, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Ids that are in the store under another owner are refused; the owner keeps everything."""
    file = tmp_path_factory.mktemp("import") / "one.jsonl"
    names, ids, _ = world.places[0]
    owner = world.mine(names)
    before = [owner.get(one) for one in ids]
    owner.export(file)
    thief = world.memory.scope(user_id="mallory", tenant=names[0])
    with pytest.raises(ImportFailed, match="another scope"):
        thief.import_(file)
    assert len(thief.list(status=None)) == 0
    assert [owner.get(one) for one in ids] == before
