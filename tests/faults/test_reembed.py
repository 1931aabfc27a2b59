"""The embedder is changed while the store is in use: killed anywhere, gone on with, never two models in a search."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import apsw
import numpy as np
import pytest

from retentive import Memory, ScopedMemory
from retentive.contracts import Embedder, Vectors
from retentive.embedders import EMBED_BATCH
from retentive.errors import EmbedderMismatch, EmbedderUnavailable
from retentive.models.embed_none import NoEmbedder
from stubs import StubEmbedder

REEMBEDDER = str(Path(__file__).with_name("reembedder.py"))


class Axis(Embedder):
    """Every text is the same direction: held against another model's vectors, the cosine is 0 and nothing is found."""

    def __init__(self, name: str, axis: int, dimension: int = 8) -> None:
        self.name, self.dimension, self._axis = name, dimension, axis
        self.up = True

    def embed(
        self,
        texts: Sequence[str],
        *,
        purpose: Literal["document", "query"] = "document",  # noqa: ARG002
        timeout_s: float | None = None,  # noqa: ARG002
    ) -> Vectors:
        if not self.up:
            raise EmbedderUnavailable
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        vectors[:, self._axis] = 1
        return vectors


def filled(store: Path, embedder: Embedder, count: int) -> Path:
    """A store with so many facts, all embedded."""
    with Memory.open(store, embedder=embedder, background=False) as memory:
        mine = memory.scope(user_id="alice")
        said = [{"role": "user", "content": f"Crate {n} stands in aisle {n % 97}"} for n in range(count)]
        for start in range(0, count, 1000):
            mine.record(said[start : start + 1000])
        memory.process()
    return store


def vectors_in(store: Path) -> list[tuple[int, str, bytes]]:
    """All vectors of the file."""
    connection = apsw.Connection(str(store))
    found = list(connection.execute("SELECT row, model, value FROM vector ORDER BY row, model"))
    connection.close()
    return found


def found_by_meaning(mine: ScopedMemory) -> bool:
    """Whether a word that stands nowhere finds something: only the right model's vectors can."""
    recall = mine.recall("zzz")
    return bool(recall.hits) and all(hit.parts["vector"] > 0 for hit in recall) and recall.degraded == ()


def test_search_stays_with_the_old_vectors_until_the_new_are_complete(tmp_path: Path) -> None:
    store = filled(tmp_path / "memory.db", Axis("old", 0), 3 * EMBED_BATCH)
    with (
        Memory.open(store, embedder=Axis("old", 0), background=False) as memory,
        Memory.open(store, embedder=Axis("old", 0), background=False) as other,
    ):
        mine, theirs = memory.scope(user_id="alice"), other.scope(user_id="alice")
        assert found_by_meaning(theirs)
        assert not memory.reembed(Axis("new", 1), wait=False).complete
        for left in (2, 1):
            memory.process(max_jobs=1)
            status = memory.doctor()
            assert status.problems == ()
            assert (status.embedder, status.reembedding and status.reembedding.model) == ("old", "new")
            assert memory.pending() == left
            assert found_by_meaning(mine)
            assert found_by_meaning(theirs)
        written = mine.remember("The gate is blue").ids[0]
        other.process()  # it has no new embedder: it makes the old vector, and the other catches up
        assert written in {hit.id for hit in mine.recall("zzz", k=1000)}
        report = memory.reembed()
        assert (report.model, report.left, report.complete) == ("new", 0, True)
        assert {model for _, model, _ in vectors_in(store)} == {"new"}
        assert written in {hit.id for hit in mine.recall("zzz", k=1000)}
        assert found_by_meaning(mine)
        assert memory.doctor().problems == ()
        seen = theirs.recall("crate")
        assert seen.hits
        assert "new" in seen.degraded[0]
        assert theirs.recall("zzz").hits == ()


def test_what_is_written_meanwhile_gets_both_vectors(tmp_path: Path) -> None:
    store = filled(tmp_path / "memory.db", Axis("old", 0), 2 * EMBED_BATCH)
    with Memory.open(store, embedder=Axis("old", 0), background=False) as memory:
        mine = memory.scope(user_id="alice")
        memory.reembed(Axis("new", 1), wait=False)
        mine.remember("The gate is blue")
        memory.process(max_jobs=1)
        newest = max(row for row, _, _ in vectors_in(store))
        assert [model for row, model, _ in vectors_in(store) if row == newest] == ["new", "old"]


def test_a_process_with_the_new_embedder_alone_searches_by_text_and_says_so(tmp_path: Path) -> None:
    store = filled(tmp_path / "memory.db", Axis("old", 0), 2 * EMBED_BATCH)
    with Memory.open(store, embedder=Axis("new", 1), background=False, change_embedder=True) as memory:
        recall = memory.scope(user_id="alice").recall("crate 17")
        assert recall.hits[0].text == "Crate 17 stands in aisle 17"
        assert "old" in recall.degraded[0]
    with Memory.open(store, embedder=Axis("new", 1), background=False) as memory:  # asked for once is enough
        while memory.process().waiting:
            pass
        assert found_by_meaning(memory.scope(user_id="alice"))


def test_an_outage_of_the_new_embedder_stops_nothing(tmp_path: Path) -> None:
    store = filled(tmp_path / "memory.db", Axis("old", 0), 2 * EMBED_BATCH)
    new = Axis("new", 1)
    with Memory.open(store, embedder=Axis("old", 0), background=False) as memory:
        mine = memory.scope(user_id="alice")
        memory.reembed(new, wait=False)
        memory.process(max_jobs=1)
        new.up = False
        report = memory.process()
        assert report.waiting == 1
        assert report.errors
        with pytest.raises(EmbedderUnavailable):
            memory.reembed()
        assert found_by_meaning(mine)
        new.up = True
        assert memory.reembed().complete
        assert found_by_meaning(mine)


def test_a_change_is_given_up_by_naming_the_present_embedder(tmp_path: Path) -> None:
    store = filled(tmp_path / "memory.db", Axis("old", 0), 2 * EMBED_BATCH)
    before = vectors_in(store)
    with Memory.open(store, embedder=Axis("old", 0), background=False) as memory:
        memory.reembed(Axis("new", 1), wait=False)
        memory.process(max_jobs=1)
        assert memory.reembed(Axis("old", 0)).complete
        assert vectors_in(store) == before
        assert memory.doctor().problems == ()
        with pytest.raises(EmbedderMismatch, match="name of its own"):
            memory.reembed(Axis("old", 0, dimension=16))
        assert found_by_meaning(memory.scope(user_id="alice"))


def test_what_is_forgotten_meanwhile_leaves_no_vector(tmp_path: Path) -> None:
    store = filled(tmp_path / "memory.db", Axis("old", 0), EMBED_BATCH + 10)
    with Memory.open(store, embedder=Axis("old", 0), background=False) as memory:
        mine = memory.scope(user_id="alice")
        memory.reembed(Axis("new", 1), wait=False)
        memory.process(max_jobs=1)
        assert mine.forget_everything().complete
        assert vectors_in(store) == []
        memory.process()
        assert memory.status().embedder == "new"


@pytest.mark.timeout(300)
def test_killed_twenty_times_the_vectors_are_those_of_a_run_without(tmp_path: Path) -> None:
    chance = random.Random(20261130)  # noqa: S311  the same waits each time
    store, untouched = filled(tmp_path / "a.db", StubEmbedder("stub-256", 256), 4000), tmp_path / "b.db"
    shutil.copy(store, untouched)
    reached = set()
    for _ in range(20):
        process = subprocess.Popen([sys.executable, REEMBEDDER, str(store), "384", "0.12"], stdout=subprocess.PIPE)
        assert process.stdout is not None
        for _ in range(chance.randint(1, 3)):  # it begins; one batch is in; two are
            process.stdout.readline()
        time.sleep(chance.uniform(0, 0.15))
        process.kill()
        process.communicate()
        made = sum(model == "stub-384" for _, model, _ in vectors_in(store))
        reached.add(made)
        if made == 4000:
            break  # all batches were made between kills: it may have switched
        with Memory.open(store, embedder=StubEmbedder("stub-256", 256), background=False) as memory:
            assert memory.scope(user_id="alice").recall("crate 17").degraded == ()
    assert len(reached) > 2
    for path in (store, untouched):
        subprocess.run([sys.executable, REEMBEDDER, str(path), "384", "0"], check=True, stdout=subprocess.DEVNULL)
    assert vectors_in(store) == vectors_in(untouched)
    assert len(vectors_in(store)) == 4000
    with Memory.open(store, embedder=StubEmbedder("stub-384", 384), background=False) as memory:
        assert memory.doctor().problems == ()


def test_searches_answer_throughout_while_another_process_changes_the_embedder(tmp_path: Path) -> None:
    store = filled(tmp_path / "memory.db", StubEmbedder("stub-256", 256), 2000)
    embedder = StubEmbedder("stub-256", 256)
    failures: list[BaseException] = []
    answers: list[tuple[str, ...]] = []
    stop = threading.Event()

    def search() -> None:
        try:
            with Memory.open(store, embedder=embedder, background=False) as memory:
                mine = memory.scope(user_id="alice")
                number = 0
                while not stop.is_set():
                    number += 1
                    recall = mine.recall(f"crate {number} aisle")
                    assert recall.hits
                    answers.append(recall.degraded)
                    mine.remember(f"Note {number} on the crates")
                    memory.process()
        except BaseException as error:  # noqa: BLE001  whatever it is, it fails the test below
            failures.append(error)

    searcher = threading.Thread(target=search, daemon=True)
    searcher.start()
    command = [sys.executable, REEMBEDDER, str(store), "384", "0.02"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=60)
    deadline_s = time.monotonic() + 60
    while not failures and not answers[-1] and time.monotonic() < deadline_s:
        time.sleep(0.05)
    stop.set()
    searcher.join()
    assert failures == []
    assert answers[0] == ()
    assert "stub-384" in answers[-1][0]
    with Memory.open(store, embedder=StubEmbedder("stub-384", 384), background=False) as memory:
        memory.process()
        memory.doctor(fix=True)  # jobs the other process put off are done at once
        memory.process()
        assert memory.scope(user_id="alice").recall("crate 17").degraded == ()


def test_no_embedder_is_an_embedder_too(tmp_path: Path) -> None:
    store = filled(tmp_path / "memory.db", StubEmbedder(), 10)
    with Memory.open(store, embedder=StubEmbedder(), background=False) as memory:
        assert memory.reembed(NoEmbedder()).complete
        assert memory.scope(user_id="alice").recall("crate 7").degraded == ()
