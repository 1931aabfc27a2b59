"""CASES 23, 27, 29 and 30: what is acknowledged is there, and a part that fails loses nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import apsw
import numpy as np
import pytest

from retentive import Memory, ScopedMemory, Settings
from retentive.contracts import Embedder, Vectors
from retentive.errors import ConfigError, EmbedderMismatch, EmbedderUnavailable
from retentive.models.embed_none import NoEmbedder
from retentive.results import Receipt
from stubs import StubEmbedder

# -- 23: an acknowledgement is the truth -----------------------------------------------------------------------------
READ_ELSEWHERE = """
import sys
from retentive import Memory
from retentive.models.embed_none import NoEmbedder
with Memory.open(sys.argv[1], embedder=NoEmbedder(), background=False) as memory:
    for one in sys.argv[2:]:
        memory.scope(user_id="alice").get(one)
"""
WRITES: list[Callable[[ScopedMemory], Receipt]] = [
    lambda mine: mine.remember("Prefers tea"),
    lambda mine: mine.remember("Prefers tea", field="diet", evergreen=True),
    lambda mine: mine.record([{"role": "user", "content": f"note {place}"} for place in range(120)]),
    lambda mine: mine.update_profile({"name": "Alice", "timezone": "GMT+8"}),
    lambda mine: mine.session("s1").add("assistant", "Noted."),
]


@pytest.mark.parametrize("write", WRITES, ids=range(len(WRITES)))
def test_case_23_what_is_acknowledged_is_in_the_next_read(
    tmp_path: Path, write: Callable[[ScopedMemory], Receipt]
) -> None:
    store = tmp_path / "memory.db"
    with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        receipt = write(mine)
        assert receipt.ids
        assert all(item.outcome == "stored" and item.id for item in receipt.items)
        assert [mine.get(one).id for one in receipt.ids] == receipt.ids
        assert {item.id for item in mine.list(limit=1000)} == set(receipt.ids)
        subprocess.run([sys.executable, "-c", READ_ELSEWHERE, str(store), *receipt.ids], check=True)
    with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
        assert {item.id for item in memory.scope(user_id="alice").list(limit=1000)} == set(receipt.ids)


def test_case_23_what_was_not_stored_is_not_acknowledged(mine: ScopedMemory) -> None:
    receipt = mine.record([{"role": "user", "content": ""}, {"role": "user", "content": "here"}, {"role": "user"}])
    assert [(item.outcome, item.id is None) for item in receipt.items] == [
        ("skipped", True),
        ("stored", False),
        ("skipped", True),
    ]
    assert all(item.reason for item in receipt.items if item.outcome == "skipped")
    assert [item.id for item in mine.list()] == receipt.ids


# -- 27: no silent other store ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["RETENTIVE_TYPO", "RETENTIVE_URLL", "RETENTIVE_DB", "RETENTIVE_", "RETENTIVE_Urls"])
def test_case_27_an_unknown_setting_stops_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "1")
    with pytest.raises(ConfigError, match=name):
        Memory.open(tmp_path / "memory.db", embedder=NoEmbedder(), background=False)
    assert list(tmp_path.iterdir()) == []


def test_case_27_it_stops_a_process_too_and_names_it(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import retentive; retentive.Memory.open()"],
        env=os.environ | {"RETENTIVE_TYPO": "1", "XDG_DATA_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "RETENTIVE_TYPO" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_case_27_the_default_is_the_users_data_directory_and_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    with Memory.open(embedder=NoEmbedder(), background=False) as memory:
        memory.scope(user_id="alice").remember("Prefers tea")
        location = Path(memory.status().location)
        assert location.is_file()
        assert "retentive" in location.parts[-2]
        assert Path(sys.modules["retentive"].__file__ or "").parent not in location.parents
    assert [path.name for path in tmp_path.iterdir()] in ([], ["data"])
    with Memory.open(embedder=NoEmbedder(), background=False) as memory:
        assert len(memory.scope(user_id="alice").list()) == 1


def test_case_27_the_environment_says_which_store_and_the_call_outranks_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RETENTIVE_URL", f"sqlite:///{tmp_path}/by_environment.db")
    with Memory.open(embedder=NoEmbedder(), background=False) as memory:
        assert memory.status().location == str(tmp_path / "by_environment.db")
    with Memory.open(tmp_path / "by_call.db", embedder=NoEmbedder(), background=False) as memory:
        assert memory.status().location == str(tmp_path / "by_call.db")


@pytest.mark.parametrize(
    "settings", [Settings(embedder="word2vec"), Settings(ranking="best"), Settings(embedder="http")]
)
def test_case_27_a_setting_that_names_nothing_stops_the_start(tmp_path: Path, settings: Settings) -> None:
    with pytest.raises(ConfigError):
        Memory.open(tmp_path / "memory.db", settings=settings, background=False)
    assert list(tmp_path.iterdir()) == []


# -- 29: two models are never mixed, an outage is not an answer ------------------------------------------------------
class Failing(StubEmbedder):
    """Down until `up` is set."""

    up = False

    def embed(
        self,
        texts: Sequence[str],
        *,
        purpose: Literal["document", "query"] = "document",
        timeout_s: float | None = None,
    ) -> Vectors:
        if not self.up:
            message = "the embedding endpoint answered 503"
            raise EmbedderUnavailable(message)
        return super().embed(texts, purpose=purpose, timeout_s=timeout_s)


class Constant(Embedder):
    """All vectors alike, so that mixing would show as a hit."""

    def __init__(self, name: str, dimension: int, place: int) -> None:
        self.name, self.dimension, self._place = name, dimension, place

    def embed(
        self,
        texts: Sequence[str],
        *,
        purpose: Literal["document", "query"] = "document",  # noqa: ARG002
        timeout_s: float | None = None,  # noqa: ARG002
    ) -> Vectors:
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        vectors[:, self._place] = 1
        return vectors


@pytest.mark.parametrize(
    "second",
    [("stub", 128), ("stub", 384), ("another", 256), ("another", 64), ("none", 1)],
    ids=lambda s: f"{s[0]}-{s[1]}",
)
def test_case_29_another_embedder_fails_at_start_with_the_fix(tmp_path: Path, second: tuple[str, int]) -> None:
    store = tmp_path / "memory.db"
    with Memory.open(store, embedder=StubEmbedder("stub", 256), background=False) as memory:
        memory.scope(user_id="alice").remember("Prefers tea")
        memory.process()
    with pytest.raises(EmbedderMismatch, match=r"retentive reembed") as caught:
        Memory.open(store, embedder=StubEmbedder(*second), background=False)
    assert "\n" not in str(caught.value)
    assert "stub" in str(caught.value)
    assert second[0] in str(caught.value)
    with Memory.open(store, embedder=StubEmbedder("stub", 256), background=False) as memory:
        assert memory.scope(user_id="alice").recall("tea").degraded == ()


@pytest.mark.parametrize(("name", "dimension"), [("model-b", 8), ("model-b", 4), ("model-b", 16)])
def test_case_29_after_the_change_no_old_vector_is_compared(tmp_path: Path, name: str, dimension: int) -> None:
    store = tmp_path / "memory.db"
    with Memory.open(store, embedder=Constant("model-a", 8, 0), background=False) as memory:
        for number in range(5):
            memory.scope(user_id=f"user{number}").remember("Prefers tea")
        memory.process()
        assert memory.scope(user_id="user0").recall("zzz").hits
    changed = Memory.open(store, embedder=Constant(name, dimension, 0), background=False, change_embedder=True)
    with changed as memory:
        for number in range(5):
            recall = memory.scope(user_id=f"user{number}").recall("zzz")
            assert recall.hits == ()
            assert recall.degraded
            assert memory.scope(user_id=f"user{number}").recall("tea").hits
        memory.process()
        assert memory.scope(user_id="user4").recall("zzz").hits[0].parts["vector"] > 0
        assert memory.scope(user_id="user4").recall("tea").degraded == ()
        assert memory.doctor().problems == ()


def test_case_29_an_outage_queues_the_vectors_and_searches_by_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = Failing()
    with Memory.open(tmp_path / "memory.db", embedder=embedder, background=False) as memory:
        mine = memory.scope(user_id="alice")
        receipt = mine.remember("The passport is in the blue drawer")
        more = mine.record([{"role": "user", "content": "I moved the passport to the safe"}], session_id="s1")
        report = memory.process()
        assert (report.done, report.dead) == (0, 0)
        assert report.retried >= 1
        assert "503" in report.errors[0]
        recall = mine.recall("where is the passport?")
        assert {hit.id for hit in recall} == {*receipt.ids, *more.ids}
        assert any("embedder" in reason and "503" in reason for reason in recall.degraded)
        assert mine.block("where is the passport?").degraded == recall.degraded
        assert all(hit.parts.get("vector", 0) == 0 for hit in recall)
        embedder.up = True
        later = time.monotonic() + 600
        monkeypatch.setattr("retentive.backends.sqlite.database.time.monotonic", lambda: later)
        assert memory.process().waiting == 0
        healed = mine.recall("where is the passport?")
        assert healed.degraded == ()
        assert all(hit.parts["vector"] > 0 for hit in healed)


def test_case_29_an_outage_of_days_gives_nothing_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = Failing()
    clock = {"s": time.monotonic()}
    monkeypatch.setattr("retentive.backends.sqlite.database.time.monotonic", lambda: clock["s"])
    with Memory.open(tmp_path / "memory.db", embedder=embedder, background=False) as memory:
        mine = memory.scope(user_id="alice")
        mine.remember("The passport is in the blue drawer")
        for _ in range(40):
            clock["s"] += 600
            report = memory.process()
            assert report.retried == 1
            assert report.waiting == 1
        embedder.up = True
        clock["s"] += 600
        assert memory.process().done == 1
        assert mine.recall("passport").degraded == ()


def test_case_29_starting_during_an_outage_works(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "memory.db", embedder=Failing(), background=True) as memory:
        mine = memory.scope(user_id="alice")
        with mine.session("s1") as chat:
            chat.add("user", "My passport is in the blue drawer")
            assert "blue drawer" in chat.system_prompt(query="passport")
    with Memory.open(tmp_path / "memory.db", embedder=StubEmbedder(), background=False) as memory:
        assert len(memory.scope(user_id="alice").list("episodic")) == 1


# -- 30: a damaged index is not the truth ----------------------------------------------------------------------------
def tampered(store: Path, sql: str, *values: Any) -> None:
    """Change the file behind the store's back."""
    connection = apsw.Connection(str(store))
    connection.execute(sql, values)
    assert connection.changes() > 0
    connection.close()


NAN = np.full(256, np.nan, np.float16).tobytes()
DAMAGES: list[tuple[str, tuple[Any, ...]]] = [
    ("UPDATE vector SET value = ?", (b"garbage",)),
    ("UPDATE vector SET value = ?", (b"",)),
    ("UPDATE vector SET value = ?", (NAN,)),
    ("UPDATE vector SET value = ?", (np.full(256, np.inf, np.float16).tobytes(),)),
    ("UPDATE vector SET value = ?", (bytes(range(256)) * 2,)),
    ("UPDATE vector SET value = ?", (b"\x01" * 100_001,)),
    ("UPDATE vector SET value = ?", ("text, not bytes",)),
    ("UPDATE vector SET value = ?", (17,)),
    ("UPDATE vector SET value = value || x'00'", ()),
    ("UPDATE vector SET dimension = 3", ()),
    ("UPDATE vector SET value = ? WHERE row = (SELECT min(row) FROM vector)", (NAN,)),
    ("DELETE FROM vector", ()),
    ("UPDATE entry SET terms = ?", (b"odd",)),
    ("UPDATE entry SET terms = x''", ()),
    ("DELETE FROM entry", ()),
]


@pytest.fixture
def damaged(tmp_path: Path) -> tuple[Path, list[str]]:
    """A store of four memories, and their ids."""
    store = tmp_path / "memory.db"
    with Memory.open(store, embedder=StubEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        ids = mine.record(
            [{"role": "user", "content": f"The passport is in drawer {number}"} for number in range(3)], session_id="s1"
        ).ids
        ids += mine.remember("Prefers the window seat").ids
        memory.process()
    return store, ids


@pytest.mark.parametrize(("sql", "values"), DAMAGES, ids=range(len(DAMAGES)))
def test_case_30_a_damaged_index_breaks_no_verb(
    damaged: tuple[Path, list[str]], sql: str, values: tuple[Any, ...]
) -> None:
    store, ids = damaged
    tampered(store, sql, *values)
    with Memory.open(store, embedder=StubEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        mine.recall("passport in drawer 1")
        mine.block("window seat")
        assert [mine.get(one).id for one in ids] == ids
        assert mine.forget(ids[0]).complete
        mine.recall("passport in drawer 1")
        assert sorted(item.id for item in mine.list()) == sorted(ids[1:])
        assert mine.forget_everything().complete
        assert len(mine.list()) == 0
        assert memory.doctor().problems == ()


@pytest.mark.parametrize(("sql", "values"), DAMAGES, ids=range(len(DAMAGES)))
def test_case_30_doctor_tells_and_makes_the_index_anew_from_the_text(
    damaged: tuple[Path, list[str]], sql: str, values: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, ids = damaged
    with Memory.open(store, embedder=StubEmbedder(), background=False) as memory:
        assert memory.doctor().problems == ()
        before = [
            (hit.id, hit.score)
            for hit in memory.scope(user_id="alice").recall("passport in drawer 1", now="2040-01-01Z")
        ]
    tampered(store, sql, *values)
    with Memory.open(store, embedder=StubEmbedder(), background=False) as memory:
        assert memory.doctor().problems != ()
        memory.doctor(fix=True)
        later = time.monotonic() + 600
        monkeypatch.setattr("retentive.backends.sqlite.database.time.monotonic", lambda: later)
        memory.process()
        assert memory.doctor().problems == ()
        recall = memory.scope(user_id="alice").recall("passport in drawer 1", now="2040-01-01Z")
        assert recall.degraded == ()
        assert [hit.id for hit in recall] == [one for one, _ in before]
        assert [hit.score for hit in recall] == pytest.approx([score for _, score in before])
        assert {item.id for item in memory.scope(user_id="alice").list()} == set(ids)


NOTICED = [one for one in DAMAGES if (one[1] and one[1][0] != 17) or "odd" in str(one)]


@pytest.mark.parametrize(("sql", "values"), NOTICED, ids=range(len(NOTICED)))
def test_case_30_what_reading_finds_damaged_is_made_anew_by_itself(
    damaged: tuple[Path, list[str]], sql: str, values: tuple[Any, ...]
) -> None:
    store, _ = damaged
    tampered(store, sql, *values)
    in_background = "vector" in sql  # which is missed, and looked for at once
    with Memory.open(store, embedder=StubEmbedder(), background=in_background) as memory:
        memory.scope(user_id="alice").recall("passport in drawer 1")
        if not in_background:
            memory.process()
    with Memory.open(store, embedder=StubEmbedder(), background=False) as memory:
        assert memory.doctor().problems == ()
        again = memory.scope(user_id="alice").recall("passport in drawer 1")
        assert again.degraded == ()
        assert len(again) >= 3


def test_case_30_one_damaged_vector_hides_no_other_memory(damaged: tuple[Path, list[str]]) -> None:
    store, ids = damaged
    tampered(store, "UPDATE vector SET value = ? WHERE row = (SELECT min(row) + 1 FROM vector)", NAN)
    with Memory.open(store, embedder=StubEmbedder(), background=False) as memory:
        recall = memory.scope(user_id="alice").recall("passport drawer", tiers=["episodic"])
        assert {hit.id for hit in recall} == set(ids[:3])
        assert all(np.isfinite(hit.score) for hit in recall)
        assert recall.degraded
