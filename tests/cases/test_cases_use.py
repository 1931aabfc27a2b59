"""CASES 44 to 46: any loop or none, evidence for everything, and ids said in one way."""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import json
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from retentive import AsyncMemory, Memory, ScopedMemory, Session
from retentive.aio import AsyncScopedMemory
from retentive.aio_session import AsyncSession
from retentive.errors import InvalidFilter, InvalidScope
from retentive.models.embed_none import NoEmbedder
from stubs import StubEmbedder

# -- 44: loops -------------------------------------------------------------------------------------------------------
#: What only the classes themselves call.
INNER = {"block_beside", "record_as", "end_session", "resume"}


def opened(store: Path) -> Coroutine[Any, Any, AsyncMemory]:
    return AsyncMemory.open(store, embedder=StubEmbedder(), background=True)


def test_case_44_sync_calls_inside_a_running_loop(tmp_path: Path) -> None:
    async def work() -> str:
        with Memory.open(tmp_path / "memory.db", embedder=StubEmbedder(), background=True) as memory:
            mine = memory.scope(user_id="alice")
            with mine.session("s1") as chat:
                chat.add("user", "The passport is in the blue drawer")
                await asyncio.sleep(0)
                prompt = chat.system_prompt(query="passport")
            memory.process()
            assert mine.recall("passport").hits
            return prompt

    assert "blue drawer" in asyncio.run(work())


def test_case_44_one_async_memory_from_two_loops_one_after_the_other(tmp_path: Path) -> None:
    memory = asyncio.run(opened(tmp_path / "memory.db"))
    mine = memory.scope(user_id="alice")
    for number in range(3):
        receipt = asyncio.run(mine.remember(f"Note {number} of the passport"))
        assert receipt.items[0].outcome == "stored"

    async def read() -> int:
        async with await mine.session() as chat:
            await chat.add("user", "where is the passport?")
        return len(await mine.recall("passport", k=10))

    assert asyncio.run(read()) == 4
    asyncio.run(memory.close())


def test_case_44_one_async_memory_from_two_loops_at_once(tmp_path: Path) -> None:
    memory = asyncio.run(opened(tmp_path / "memory.db"))
    gate = threading.Barrier(2)
    failures: list[Exception] = []

    async def work(name: str) -> None:
        mine = memory.scope(user_id="alice")
        gate.wait()
        await asyncio.gather(*(mine.remember(f"Note {number} by {name}") for number in range(20)))
        await asyncio.gather(*(mine.recall(f"note {number}") for number in range(20)))

    def loop(name: str) -> None:
        try:
            asyncio.run(work(name))
        except Exception as error:  # noqa: BLE001  whatever it is, it fails the test below
            failures.append(error)

    threads = [threading.Thread(target=loop, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(asyncio.run(memory.scope(user_id="alice").list(limit=1000))) == 40
    asyncio.run(memory.close())


def test_case_44_the_loop_goes_on_while_memory_works(tmp_path: Path) -> None:
    """A call that waits for the writer's lock blocks its thread, not the loop."""

    async def work() -> int:
        ticks = 0
        async with await opened(tmp_path / "memory.db") as memory:
            mine = memory.scope(user_id="alice")
            waiting = asyncio.ensure_future(asyncio.gather(*(mine.remember(f"Note {n}") for n in range(30))))
            while not waiting.done():
                await asyncio.sleep(0)
                ticks += 1
            await waiting
        return ticks

    assert asyncio.run(work()) > 1


async def life_of_a_memory_async(folder: Path) -> dict[str, Any]:
    async with await AsyncMemory.open(folder / "async.db", embedder=StubEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice", project_id="p")
        fact = (await mine.remember("Prefers tea", metadata={"by": "form"})).ids[0]
        await mine.update(fact, text="Prefers green tea")
        await mine.update_profile({"name": "Alice"})
        await mine.record([{"role": "user", "content": "Some tea please", "id": "m1"}], session_id="s1")
        await memory.process()
        await mine.export(folder / "async.jsonl")
        found = {
            "recall": [(hit.text, hit.source_ids) for hit in await mine.recall("tea")],
            "block": (await mine.block("tea")).text,
            "profile": await mine.profile(),
            "list": [item.text for item in await mine.list(where={"by": "form"})],
            "history": [item.text for item in await mine.history(fact)],
            "why": (await mine.why(fact)).item.text,
            "sessions": [session.id for session in await mine.sessions()],
            "messages": [item.text for item in await mine.session_messages("s1")],
            "pending": await memory.pending(),
            "problems": (await memory.doctor()).problems,
        }
        await mine.forget(fact)
        found["left"] = len(await mine.list())
        await mine.forget_everything()
        found["import"] = len((await mine.import_(folder / "async.jsonl")).items)
        return found


def life_of_a_memory(folder: Path) -> dict[str, Any]:
    with Memory.open(folder / "sync.db", embedder=StubEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice", project_id="p")
        fact = mine.remember("Prefers tea", metadata={"by": "form"}).ids[0]
        mine.update(fact, text="Prefers green tea")
        mine.update_profile({"name": "Alice"})
        mine.record([{"role": "user", "content": "Some tea please", "id": "m1"}], session_id="s1")
        memory.process()
        mine.export(folder / "sync.jsonl")
        found = {
            "recall": [(hit.text, hit.source_ids) for hit in mine.recall("tea")],
            "block": mine.block("tea").text,
            "profile": mine.profile(),
            "list": [item.text for item in mine.list(where={"by": "form"})],
            "history": [item.text for item in mine.history(fact)],
            "why": mine.why(fact).item.text,
            "sessions": [session.id for session in mine.sessions()],
            "messages": [item.text for item in mine.session_messages("s1")],
            "pending": memory.pending(),
            "problems": memory.doctor().problems,
        }
        mine.forget(fact)
        found["left"] = len(mine.list())
        mine.forget_everything()
        found["import"] = len(mine.import_(folder / "sync.jsonl").items)
        return found


def test_case_44_every_async_verb_does_what_the_sync_one_does(tmp_path: Path) -> None:
    """The whole life of a memory, in both colours, comes to the same."""
    assert asyncio.run(life_of_a_memory_async(tmp_path)) == life_of_a_memory(tmp_path)


def public(kind: type) -> dict[str, Any]:
    return {name: value for name, value in inspect.getmembers(kind) if name[0] != "_" and name not in INNER}


def bare(signature: inspect.Signature) -> list[tuple[str, object, object]]:
    given = signature.parameters.values()
    return [(p.name, p.kind, "a function" if inspect.isfunction(p.default) else p.default) for p in given]


@pytest.mark.parametrize(
    ("sync", "asynchronous"), [(Memory, AsyncMemory), (ScopedMemory, AsyncScopedMemory), (Session, AsyncSession)]
)
def test_case_44_async_has_the_same_names_signatures_and_results(sync: type, asynchronous: type) -> None:
    ours, theirs = public(sync), public(asynchronous)
    assert set(ours) <= set(theirs)
    for name, value in ours.items():
        if not callable(value):
            continue
        mine, yours = inspect.signature(value), inspect.signature(theirs[name])
        assert bare(mine) == bare(yours), name
        assert str(mine.return_annotation).replace("'", "") == str(yours.return_annotation).replace(
            "Async", ""
        ).replace("'", ""), name


# -- 45: which message produced this memory? -------------------------------------------------------------------------
def cited(tmp_path: Path, quote: str) -> Path:
    """An export in which a fact rests on a message: how extraction will leave it."""
    with Memory.open(tmp_path / "source.db", embedder=NoEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        message = {"role": "user", "content": f"By the way, {quote}, you know.", "id": "msg-17"}
        episode = mine.record([message], session_id="s1").ids[0]
        mine.remember(f"User says: {quote}")
        mine.export(tmp_path / "plain.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "plain.jsonl").read_text("utf-8").splitlines()]
    for line in lines:
        if line.get("kind") == "fact":
            line |= {"evidence": [[episode, quote]], "session_id": "s1"}
    cited = tmp_path / "cited.jsonl"
    cited.write_text("\n".join(json.dumps(line) for line in lines) + "\n", "utf-8")
    return cited


@pytest.mark.parametrize("quote", ["my sister Ingrid lives in Oslo", "我住在上海", "a 'quoted' \"quote\" </x>"])
def test_case_45_every_way_to_a_fact_names_its_message(
    memory: Memory, mine: ScopedMemory, tmp_path: Path, quote: str
) -> None:
    mine.import_(cited(tmp_path, quote))
    memory.process()
    episode = mine.list("episodic").items[0]
    fact = mine.list("semantic").items[0]
    hit = next(hit for hit in mine.recall(quote) if hit.id == fact.id)
    for found in (fact, hit, hit.item, mine.get(fact.id), mine.history(fact.id)[-1], mine.why(fact.id).item):
        assert found.session_id == "s1"
        assert found.source_ids == ("msg-17",)
        assert found.episode_ids == (episode.id,)
    assert mine.get(fact.id).quotes == (quote,)
    assert [(words, source.id) for words, source in mine.why(fact.id).evidence] == [(quote, episode.id)]
    assert quote in mine.why(fact.id).evidence[0][1].text
    assert "msg-17" in mine.block(quote).source_ids
    assert [item.text for item in mine.session_messages("s1")] == [episode.text]


def test_case_45_a_message_names_itself(mine: ScopedMemory) -> None:
    stored = mine.record([{"role": "user", "content": "Pay the rent", "id": "m/1"}], session_id="s1").ids[0]
    hit = mine.recall("rent").hits[0]
    assert (hit.source_ids, hit.episode_ids, hit.session_id) == (("m/1",), (stored,), "s1")
    assert mine.why(stored).item.source_ids == ("m/1",)
    assert mine.block("rent").source_ids == ("m/1",)


def test_case_45_a_fact_goes_with_the_only_message_it_rests_on(mine: ScopedMemory, tmp_path: Path) -> None:
    mine.import_(cited(tmp_path, "my sister Ingrid lives in Oslo"))
    episode = mine.list("episodic").items[0].id
    assert mine.forget(episode).complete
    assert len(mine.list(status=None)) == 0


# -- 46: ids in one way everywhere -----------------------------------------------------------------------------------
FILTERED: list[Callable[[ScopedMemory, dict[str, Any]], object]] = [
    lambda mine, where: mine.recall("tea", where=where),
    lambda mine, where: mine.list(where=where),
    lambda mine, where: mine.forget(where=where),
]


@pytest.mark.parametrize("call", FILTERED, ids=["recall", "list", "forget"])
@pytest.mark.parametrize("word", ["user_id", "agent_id", "project_id", "tenant", "user", "agent", "project"])
@pytest.mark.parametrize("value", ["alice", "bob"])
def test_case_46_whose_memory_is_never_said_in_a_filter(
    mine: ScopedMemory, call: Callable[[ScopedMemory, dict[str, Any]], object], word: str, value: str
) -> None:
    mine.remember("Prefers tea")
    with pytest.raises(InvalidFilter, match="scope"):
        call(mine, {word: value})
    assert len(mine.list()) == 1


@pytest.mark.parametrize("kind", [ScopedMemory, AsyncScopedMemory])
def test_case_46_no_verb_takes_a_scope_of_its_own(kind: type) -> None:
    for name, verb in public(kind).items():
        if callable(verb):
            taken = set(inspect.signature(verb).parameters)
            assert not taken & {"user_id", "agent_id", "project_id", "tenant", "scope", "filters", "namespace"}, name


def test_case_46_the_scope_takes_them_the_same_way_for_all_verbs() -> None:
    for kind in (Memory, AsyncMemory):
        assert list(inspect.signature(kind.scope).parameters)[1:5] == ["user_id", "agent_id", "project_id", "tenant"]


@pytest.mark.parametrize("key", ["user_id", "tenant", "agent_id"])
def test_case_46_in_metadata_an_id_is_only_data(memory: Memory, mine: ScopedMemory, key: str) -> None:
    stored = mine.remember("Prefers tea", metadata={key: "bob"}).ids
    stored += mine.record([{"role": "user", "content": "tea again", "metadata": {key: "bob"}}]).ids
    assert {item.id for item in mine.list()} == set(stored)
    assert mine.get(stored[0]).metadata == {key: "bob"}
    for other in ({"user_id": "bob"}, {"user_id": "alice", "tenant": "bob"}, {"agent_id": "bob"}):
        assert len(memory.scope(**other).list(status=None)) == 0
        assert memory.scope(**other).recall("tea").hits == ()


@pytest.mark.parametrize("message", [{"user_id": "bob"}, {"session_id": "s2"}, {"agent_id": "bob"}])
def test_case_46_a_message_takes_no_ids_but_its_own(mine: ScopedMemory, message: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="unknown message field"):
        mine.record([{"role": "user", "content": "tea"} | message])
    assert len(mine.list()) == 0


def test_case_46_without_anyone_there_is_no_memory(memory: Memory) -> None:
    for nobody in ({}, {"project_id": "p"}, {"tenant": "t"}):
        with pytest.raises(InvalidScope, match="user_id or an agent_id"):
            memory.scope(**nobody)
    assert dataclasses.astuple(memory.scope(agent_id="bot").scope) == (None, "bot", None, "default")
