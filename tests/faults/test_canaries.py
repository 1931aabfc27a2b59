"""Words planted wherever words can come to lie: forgotten by each route, none of their bytes is in any live file."""

from __future__ import annotations

from pathlib import Path

import pytest

from canaries import CANARIES, ROUTES, STAYS, Live, forget, plant
from retentive import restore

#: What a report names, whatever it found there.
PLACES = {
    "episode",
    "fact",
    "evidence",
    "vector",
    "shadow",
    "former_fact",
    "job",
    "jobs that gave up",
    "session summaries",
    "names in the ledger of model calls",
    "embedding",
    "caches of this process",
    "archive",
    "mirrors",
    "bytes of memory.db",
    "bytes of memory.db.erasures",
    "bytes of memory.db.log",
    "bytes of mirrors",
}


@pytest.mark.parametrize("route", ROUTES)
def test_no_byte_of_what_was_forgotten_is_left_in_any_live_file(tmp_path: Path, route: str) -> None:
    live = Live(tmp_path / "live")
    with live.opened() as memory:
        plant(memory, live)
        assert live.found().keys() == CANARIES.keys()
        memory.backup(tmp_path / "old.backup")
        report = forget(route, memory)
        assert live.found() == {}
        assert report.complete
        assert {place.place for place in report.places} >= PLACES
        memory.process()
        assert live.found() == {}
    restore(tmp_path / "old.backup", live.path, replace=True)
    assert live.found() == {}
    with live.opened() as memory:
        memory.process()
        assert [problem for problem in memory.doctor().problems if "gave up" not in problem] == []  # the one of ours
        texts = {item.text for item in memory.scope(user_id="alice").list(limit=1000)}
        assert texts == (set() if route == "everything" else STAYS)
    assert live.found() == {}
