"""Cases 24 and 43: a consolidation that goes wrong wipes nothing, and one that goes on for long grows nothing."""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path

from retentive import Memory, ScopedMemory, Settings
from retentive.errors import ModelBadReply
from retentive.models.embed_none import NoEmbedder
from retentive.statement.parse import _parsed
from simulated import ScriptedModel, say


def opened(path: Path, model: ScriptedModel | None = None) -> Memory:
    settings = Settings(upkeep=("verbatim=1", "batch=1"), durable=False)
    return Memory.open(path, embedder=NoEmbedder(), model=model, settings=settings, background=False)


def test_case_24_a_consolidation_of_bad_replies_wipes_nothing_and_is_not_called_done(tmp_path: Path) -> None:
    """A hundred sessions, a hundred replies that cannot be used, each in its own way: all is there, each is named."""
    bad = [
        {"sessions": [], "patterns": []},
        {"sessions": [{"session": "1", "summary": "", "quotes": []}], "patterns": []},
        {
            "sessions": [{"session": "1", "summary": "All done.", "quotes": [{"episode": "1", "quote": "status: ok"}]}],
            "patterns": [],
        },
        ModelBadReply("prose, where JSON was asked for"),
    ]
    model = ScriptedModel(lambda _: None)
    model.answer = lambda _: bad[model.calls % len(bad)]
    with opened(tmp_path / "m.db", model) as memory:
        mine = memory.scope(user_id="alice")
        for number in range(101):
            say(mine, f"I need the report on hive {number} by Friday.", session_id=f"s{number}")
        memory.process()
        before = mine.list(status=None, limit=1000)
        assert len(mine.list("semantic", limit=1000)) >= 100
        report = memory.consolidate()
        assert model.calls == len(report.errors) == 100
        assert report.summarised == 0
        assert mine.list(status=None, limit=1000) == before


def round_of(memory: Memory, mine: ScopedMemory, number: int) -> int:
    """Facts and sessions of one round, consolidated and gone again; returns the bytes Python holds then."""
    for place in range(40):
        mine.remember(f"Shelf {place} of round {number} holds jam")
        mine.remember(f"The shelf {place} of round {number} really holds jam")
    for place in range(10):
        say(mine, f"Talk {place} of round {number} was about the harvest.", session_id=f"{number}-{place}")
    report = memory.consolidate()
    assert (report.merged, report.summarised >= 9) == (40, True)
    mine.forget_everything()
    _parsed.cache_clear()  # bounded, and not full after so few rounds
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def test_case_43_consolidating_again_and_again_holds_on_to_nothing(tmp_path: Path) -> None:
    with opened(tmp_path / "m.db") as memory:
        mine = memory.scope(user_id="alice")
        tracemalloc.start()
        held = [round_of(memory, mine, number) for number in range(6)]
        tracemalloc.stop()
    assert held[-1] - held[2] < 250_000  # the first rounds fill caches of bounded size
