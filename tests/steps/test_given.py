"""What takes an object says so when it is given something else, with what to give instead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from retentive import Memory, Settings, redact, restore, tools
from retentive.errors import InvalidInput
from retentive.migrate import migrate
from retentive.models.embed_none import NoEmbedder
from retentive.server.app import create_app
from retentive.sheets.sync import sync
from retentive.streams.ingest import ingest
from retentive.streams.relay import relay

Call = Callable[[Memory, Any], object]


#: The argument, what its error names, and a call that gives it something wrong.
TAKERS: list[tuple[str, str, Call]] = [
    ("embedder", "Embedder", lambda _, wrong: Memory.open(":memory:", embedder=wrong)),
    ("model", "Model", lambda _, wrong: Memory.open(":memory:", model=wrong)),
    ("reranker", "HttpReranker", lambda _, wrong: Memory.open(":memory:", reranker=wrong)),
    ("settings", r"Settings\(", lambda _, wrong: Memory.open(":memory:", settings=wrong)),
    ("background", "true or false", lambda _, wrong: Memory.open(":memory:", background=wrong)),
    ("embedder", "Embedder", lambda memory, wrong: memory.reembed(embedder=_no_name(wrong))),
    ("progress", "Callable", lambda memory, wrong: memory.reembed(progress=wrong)),
    ("scope", r"memory\.scope", lambda memory, wrong: memory.audit(scope=wrong)),
    ("scope", r"memory\.scope", lambda memory, wrong: memory.rebuild(scope=wrong)),
    ("scope", r"memory\.scope", lambda memory, wrong: memory.rebuild_restore(scope=wrong)),
    ("extractor", "rules", lambda memory, wrong: memory.rebuild(extractor=_no_name(wrong))),
    ("progress", "Callable", lambda memory, wrong: memory.rebuild(progress=wrong)),
    ("stop", "asked between batches", lambda memory, wrong: memory.work(stop=wrong)),
    ("policy", "RedactionPolicy", lambda _, wrong: redact("text", policy=wrong)),
    ("text", "string", lambda _, wrong: redact(_no_name(wrong))),
    ("settings", r"Settings\(", lambda _, wrong: restore(__file__, "memory.db", settings=wrong)),
    ("settings", r"Settings\(", lambda _, wrong: migrate("a.db", "b.db", settings=wrong)),
    ("progress", "Callable", lambda _, wrong: migrate("a.db", "b.db", progress=wrong)),
    ("mine", r"memory\.scope", lambda _, wrong: tools.call(wrong, "get_memory_block", {})),
    ("memory", r"Memory\.open", lambda _, wrong: create_app(wrong)),
    ("options", "ServerOptions", create_app),
    ("memory", r"Memory\.open", lambda _, wrong: sync(wrong, wrong)),
    ("memory", r"Memory\.open", lambda _, wrong: ingest(wrong, wrong)),
    ("source", "open_log", ingest),
    ("target", "open_log", lambda _, wrong: relay(wrong, wrong)),
]


def _no_name(wrong: Any) -> Any:
    """A name is what these take as well, so that a number is given in its place."""
    return 5 if isinstance(wrong, str) else wrong


@pytest.fixture
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty one, which a call that goes too far writes to."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("name", "says", "call"), TAKERS, ids=[f"{i}-{one[0]}" for i, one in enumerate(TAKERS)])
@pytest.mark.parametrize("wrong", ["none", {"name": "none"}], ids=["a name", "a dict"])
def test_it_is_refused_by_name_with_what_to_give(
    name: str, says: str, call: Call, wrong: object, in_a_folder: Path
) -> None:
    with Memory.open(":memory:", embedder=NoEmbedder(), background=False) as memory:
        with pytest.raises(InvalidInput, match=says) as caught:
            call(memory, wrong)
        assert str(caught.value).startswith(f"{name} ")
    assert list(in_a_folder.iterdir()) == []


def test_a_class_in_the_place_of_its_object_is_named() -> None:
    with pytest.raises(InvalidInput, match="the class NoEmbedder itself"):
        Memory.open(":memory:", embedder=NoEmbedder)  # type: ignore[arg-type]


def test_what_is_right_is_taken() -> None:
    settings = Settings(embedder="none", background=False)
    with Memory.open(":memory:", embedder=NoEmbedder(), settings=settings, reranker=None, model=None) as memory:
        assert memory.audit(scope=memory.scope("alice").scope).entries == ()
