"""Whichever upkeep runs in whatever order: what facts rest on stays readable, what is held stays."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from retentive import Memory, ScopedMemory, Settings
from retentive.clock import simulated
from retentive.models.embed_none import NoEmbedder
from simulated import Days, say

SAID = [
    "I live in Porto.",
    "I live in Rome now. The harbour was loud.",
    "I like rye bread very much.",
    "I really like rye bread very much.",
    "Can you export the invoices as CSV?",
    "We decided to use Postgres for the ledger.",
    "We definitely decided to use Postgres for the ledger.",
    "The printer on floor three is broken.",
]
STEPS = st.one_of(
    st.tuples(st.just("say"), st.sampled_from(SAID)),
    st.tuples(st.just("hold"), st.sampled_from(SAID)),
    st.tuples(st.just("remember"), st.sampled_from(SAID)),
    st.tuples(st.just("pass"), st.sampled_from(["1", "20", "200"])),
    st.tuples(st.sampled_from(["retain", "consolidate", "verify"]), st.just("")),
)


def cited(mine: ScopedMemory) -> set[tuple[str, str]]:
    """What current facts cite, but for summaries, which have a time of their own."""
    items = [one for one in mine.list("semantic", limit=1000) if one.category != "summary"]
    return {pair for one in items for pair in zip(one.episode_ids, one.quotes, strict=True)}


def step(memory: Memory, mine: ScopedMemory, days: Days, asked: tuple[str, str], number: int) -> None:
    """One step, and what must hold across it."""
    before, (what, which) = cited(mine), asked
    if what == "say":
        say(mine, which, session_id=f"s{number}")
    elif what == "hold":
        say(mine, which, session_id=f"s{number}", metadata={"audit_hold": True})
    elif what == "remember":
        mine.remember(which)
    elif what == "pass":
        days.pass_(int(which))
    else:
        memory.process()
        before = cited(mine)
        getattr(memory, what)()
        if what == "consolidate":
            assert before <= cited(mine)
        if what == "retain":
            assert before == cited(mine)  # no limit on these facts: they stay, with all they rest on
            again = memory.retain()
            assert (again.erased, again.quoted, again.expired) == (0, 0, 0)
    memory.process()


@settings(max_examples=25, deadline=None)
@given(st.lists(STEPS, min_size=4, max_size=14))
def test_upkeep_in_any_order_loses_nothing_that_facts_rest_on(steps: list[tuple[str, str]]) -> None:
    days = Days()
    options = Settings(durable=False, upkeep=("verbatim=1",))
    with simulated(days), TemporaryDirectory() as folder:
        path = Path(folder) / "m.db"
        with Memory.open(path, embedder=NoEmbedder(), settings=options, background=False) as memory:
            mine = memory.scope(user_id="alice")
            held: set[str] = set()
            for number, asked in enumerate(steps):
                step(memory, mine, days, asked, number)
                held |= {item.id for item in mine.list("episodic", limit=1000) if item.metadata.get("audit_hold")}
            episodes = {item.id: item for item in mine.list("episodic", limit=1000)}
            assert held <= set(episodes)
            for one in mine.list("semantic", status=None, limit=1000):
                for quote, episode in mine.why(one.id).evidence:
                    assert quote in episode.text
                assert len(mine.why(one.id).evidence) == len(one.quotes)
            assert memory.doctor().problems == ()
