"""What happens meanwhile: forgotten while it is read, a job that dies of anything, a worker that is gone."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import apsw
import pytest

from retentive import Memory
from retentive.contracts import Extraction, Vectors
from retentive.errors import StoreClosed
from retentive.extract import RuleExtractor
from retentive.models.embed_none import NoEmbedder
from retentive.summary import summarise
from retentive.types import Episode


def test_what_is_forgotten_while_it_is_extracted_stays_forgotten(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = memory.scope(user_id="alice")
    whole = RuleExtractor.extract

    def forgets_first(self: RuleExtractor, episodes: Sequence[Episode]) -> Extraction:
        found = whole(self, episodes)
        mine.forget([episode.id for episode in episodes])
        return found

    monkeypatch.setattr(RuleExtractor, "extract", forgets_first)
    mine.record([{"role": "user", "content": "I live in Glimmerdeep."}])
    memory.process()
    assert len(mine.list(status=None)) == 0


def test_what_is_forgotten_while_it_is_summarised_stays_forgotten(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = memory.scope(user_id="alice")
    mine.record([{"role": "user", "content": "Other talk entirely."}], session_id="s")
    doomed = mine.record([{"role": "user", "content": "My vault is in Glimmerdeep."}], session_id="s").ids
    waiting = [doomed]

    def forgets_first(episodes: Sequence[Episode]) -> str | None:
        summary = summarise(episodes)
        if waiting:
            mine.forget(waiting.pop())
        return summary

    monkeypatch.setattr("retentive.jobs.summarise", forgets_first)
    mine.end_session("s")
    memory.process()
    (session,) = mine.sessions()
    assert session.state == "ended"
    assert session.summary == "Other talk entirely."


class Breaks(NoEmbedder):
    """Dies of what nobody foresaw, once."""

    def __init__(self) -> None:
        self.left = 1

    def embed(self, texts: Sequence[str], **_: object) -> Vectors:  # type: ignore[override]  whatever is asked
        if self.left:
            self.left -= 1
            message = "out of the blue"
            raise RuntimeError(message)
        return super().embed(texts)


def test_a_job_that_dies_of_anything_is_kept_with_its_reason(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db", embedder=Breaks(), background=False) as memory:
        memory.scope(user_id="alice").remember("Likes tea")
        report = memory.process()
        assert report.retried == 1
        assert "out of the blue" in report.errors[0]


def test_the_jobs_of_a_dead_worker_are_taken_back_at_once(tmp_path: Path) -> None:
    script = (
        "import os, sys\n"
        "from retentive import Memory\n"
        "from retentive.models.embed_none import NoEmbedder\n"
        "class Dies(NoEmbedder):\n"
        "    def embed(self, texts, **more):\n"
        "        os.kill(os.getpid(), 9)\n"
        "memory = Memory.open(sys.argv[1], embedder=Dies(), background=False)\n"
        "memory.scope(user_id='alice').remember('Likes tea')\n"
        "memory.process()\n"
    )
    died = subprocess.run([sys.executable, "-c", script, str(tmp_path / "m.db")], check=False, timeout=60)
    assert died.returncode == -9
    with Memory.open(tmp_path / "m.db", embedder=NoEmbedder(), background=False) as memory:
        assert memory.process().done == 1


def test_forget_says_so_when_a_reader_elsewhere_keeps_the_bytes(tmp_path: Path) -> None:
    """Another process looks at the log of changes: forgetting does not wait, and does not call itself complete."""
    path = tmp_path / "m.db"
    with Memory.open(path, embedder=NoEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        fact = mine.remember("Likes Xanthorpe apples").ids[0]
        reader = apsw.Connection(str(path))
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM fact").fetchall()
        report = mine.forget(fact)
        assert not report.complete
        assert {place.place for place in report.places if place.left} == {"write-ahead log and free space"}
        reader.close()
        assert mine.forget_everything().complete
        assert b"Xanthorpe" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


@pytest.mark.parametrize("verb", ["doctor", "process", "rescan"])
def test_a_store_is_closed_while_a_thread_is_at_work(tmp_path: Path, verb: str) -> None:
    """As when the server ends during an operation: the thread is told, and closing goes well."""
    chance = random.Random(7)  # noqa: S311  the same waits each time
    for turn in range(5):
        memory = Memory.open(tmp_path / f"{turn}.db", embedder=NoEmbedder(), background=False)
        memory.scope(user_id="alice").record([{"content": f"I prefer seat {number}"} for number in range(40)])
        work = threading.Thread(target=_until_closed, args=(memory, verb))
        work.start()
        time.sleep(chance.uniform(0, 0.1))
        memory.close()
        work.join()


def _until_closed(memory: Memory, verb: str) -> None:
    def forever() -> None:
        while True:
            getattr(memory, verb)()

    with pytest.raises(StoreClosed):
        forever()
