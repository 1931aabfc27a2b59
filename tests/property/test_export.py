"""Whatever a scope holds, import(export(x)) holds the same: the second export is the first, byte for byte."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retentive import Memory, ScopedMemory
from retentive.clock import new_id
from retentive.models.embed_none import NoEmbedder
from retentive.remember import derived
from retentive.types import (
    CATEGORIES,
    AddEpisode,
    AddFact,
    Episode,
    Evidence,
    Fact,
    Partition,
    PutSession,
    SessionInfo,
    Status,
)

ALICE = Partition("default", "user", "alice")
WORDS = (
    "I",
    "live in",
    "Porto",
    "prefer",
    "tea",
    "not",
    "早报",
    "👩‍🔬",
    "\\n",
    "<b>",
    "=1",
    "naïve",
    "Ünï",
    '"',
    "\n",
    "a,b",
    "#",
)
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join).filter(str.strip)
names = st.none() | st.sampled_from(["bot", "blog", "ärger"])
moments = st.integers(-(10**15), 10**16)
maybe_moments = st.none() | moments
metadata = st.dictionaries(
    st.sampled_from(["n", "ü", "deep"]),
    st.none() | st.booleans() | st.integers(-999, 999) | st.lists(st.sampled_from(["x", 0.5])),
    max_size=2,
)


@st.composite
def episodes(draw: Any) -> Episode:
    return Episode(
        id=new_id(),
        text=draw(texts),
        timestamp_us=draw(moments),
        recorded_us=draw(moments),
        zone_min=draw(st.sampled_from([-570, 0, 480])),
        role=draw(st.sampled_from(["user", "assistant", "tool"])),
        name=draw(names),
        session_id=draw(st.sampled_from([None, "s1", "s2"])),
        agent_id=draw(names),
        project_id=draw(names),
        source_id=draw(st.none() | st.sampled_from(["m1", "m2"])),
        trust=draw(st.sampled_from(["user", "untrusted"])),
        quoted=draw(st.booleans()),
        metadata=draw(metadata),
    )


@st.composite
def facts(draw: Any, cited: list[Episode]) -> list[Fact]:
    """The versions of one fact: all but the last are retired."""
    first = Fact(
        id=new_id(),
        text=draw(texts),
        valid_from_us=draw(moments),
        recorded_us=draw(moments),
        category=draw(st.sampled_from(CATEGORIES)),
        field=draw(st.none() | st.sampled_from(["name", "location"])),
        confidence=draw(st.sampled_from([0.0, 0.25, 1.0])),
        evergreen=draw(st.booleans()),
        source=draw(st.sampled_from(["user", "web", "extracted:rules-1"])),
        agent_id=draw(names),
        session_id=draw(st.none() | st.just("s1")),
        valid_to_us=draw(maybe_moments),
        expires_us=draw(maybe_moments),
        seen_count=draw(st.integers(1, 9)),
        last_verified_us=draw(maybe_moments),
        reason=draw(st.none() | texts),
        supersedes_id=draw(st.none() | st.just(new_id())),
        superseded_by_id=draw(st.none() | st.just(new_id())),
        idempotency_key=draw(st.none() | st.just("k1")),
        evidence=tuple({Evidence(one.id, draw(texts)) for one in draw(st.lists(st.sampled_from(cited), max_size=2))})
        if cited
        else (),
        metadata=draw(metadata),
    )
    count = draw(st.integers(1, 3))
    last = draw(st.sampled_from(list(Status)))
    over = last not in {Status.ACTIVE, Status.DISPUTED, Status.PENDING}
    versions = [replace(first, version=n + 1, status=Status.SUPERSEDED, retired_us=draw(moments)) for n in range(count)]
    versions[-1] = replace(versions[-1], status=last, retired_us=draw(moments) if over else None)
    return [derived(version) for version in versions]


@st.composite
def stores(draw: Any) -> list[AddEpisode | AddFact | PutSession]:
    said = draw(st.lists(episodes(), max_size=4))
    known = draw(st.lists(facts(said), max_size=4))
    sessions = [
        SessionInfo(
            id=name,
            started_us=draw(moments),
            last_us=draw(moments),
            message_count=draw(st.integers(0, 5)),
            state=draw(st.sampled_from(["open", "ended"])),
            ended_us=draw(maybe_moments),
            summary=draw(st.none() | texts),
            summary_by=draw(st.none() | st.just("tiny-model")),
            owner=draw(st.none() | st.just("1@host")),
            touched_us=draw(moments),
        )
        for name in draw(st.sets(st.sampled_from(["s1", "s2", "s3"])))
    ]
    memories = [AddEpisode(one) for one in said] + [AddFact(version) for fact in known for version in fact]
    return [*draw(st.permutations(memories)), *(PutSession(session) for session in sessions)]


def opened() -> Memory:
    return Memory.open(":memory:", embedder=NoEmbedder(), background=False)


def filled(memory: Memory, changes: list[Any]) -> ScopedMemory:
    with memory._backend.store.transaction(ALICE) as transaction:  # noqa: SLF001  states no verb leads to are meant too
        transaction.apply(changes)
    return memory.scope(user_id="alice")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(stores())
def test_import_of_an_export_is_identity(changes: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder, opened() as one, opened() as two:
        first, second = Path(folder) / "one.jsonl", Path(folder) / "two.jsonl"
        filled(one, changes).export(first)
        there = two.scope(user_id="alice")
        there.import_(first)
        there.export(second)
        assert second.read_bytes() == first.read_bytes()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(stores())
def test_exports_to_look_at_are_written_for_whatever_there_is(changes: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder, opened() as memory:
        mine = filled(memory, changes)
        mine.export(Path(folder) / "all.md")
        mine.export(Path(folder) / "all.csv")
        memories = sum(not isinstance(change, PutSession) for change in changes)
        page = (Path(folder) / "all.md").read_text("utf-8")
        assert page.startswith("# What is remembered of alice\n")
        assert sum(line.startswith("- ") for line in page.splitlines()) <= memories
        assert "<b>" not in page.replace("\\<b\\>", "")
        assert mine.export(Path(folder) / "all.csv") == memories + 1
