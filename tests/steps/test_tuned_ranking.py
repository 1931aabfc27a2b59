"""A ranking in a file: what it may change, that recall goes by it, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from retentive import Memory, Settings
from retentive.arms import PRESETS, ranking_of
from retentive.arms.tuned import write_ranking
from retentive.errors import ConfigError
from stubs import StubEmbedder


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    ranking = replace(PRESETS["context"], vector=0.9, k=3, half_life_s=86_400.0, learned=False)
    write_ranking(path, "context", ranking, {"queries": 12})
    assert ranking_of(str(path)) == ranking
    assert json.loads(path.read_text("utf-8"))["changes"] == {
        "vector": 0.9,
        "k": 3,
        "half_life_s": 86_400.0,
        "learned": False,
    }


def test_recall_and_block_go_by_the_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    write_ranking(path, "classic", replace(PRESETS["classic"], vector=0.0, k=2), {})
    settings = Settings(ranking=str(path))
    with Memory.open(":memory:", embedder=StubEmbedder(), settings=settings, background=False) as memory:
        mine = memory.scope("alice")
        mine.record([{"role": "user", "content": f"the garden gate number {number}"} for number in range(8)], "s")
        memory.process()
        recall = mine.recall("garden gate")
        assert len(recall) == 2
        assert set(recall.hits[0].parts) == {"text"}
        assert len(mine.recall("garden gate", k=6)) == 6
        assert mine.block("garden gate", episodes=0).text.count("garden gate number") == 2


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("{", "cannot be read"),
        ([], "is not a ranking"),
        ({"format": "retentive-ranking", "preset": "best"}, "is not a ranking"),
        ({"changes": {"vektor": 1}}, "has no 'vektor'"),
        ({"changes": {"vector": -1}}, "vector of a ranking cannot be -1"),
        ({"changes": {"k": 2.5}}, "k of a ranking cannot be 2.5"),
        ({"changes": {"decay_floor": 2}}, "decay_floor"),
        ({"changes": {"half_life_s": 0}}, "half_life_s"),
        ({"changes": {"learned": 1}}, "learned"),
        ({"preset": "classic", "changes": {"text": 0, "vector": 0}}, "an arm that has weight"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, table: Any, says: str) -> None:
    path = tmp_path / "mine.json"
    base = {"format": "retentive-ranking", "preset": "context"}
    path.write_text(table if isinstance(table, str) else json.dumps(base | table if isinstance(table, dict) else table))
    with pytest.raises(ConfigError, match=says):
        Memory.open(":memory:", settings=Settings(ranking=str(path)), background=False)


def test_an_unknown_name_or_a_file_that_is_not_there_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="context, classic or the path"):
        ranking_of("contxt")
    with pytest.raises(ConfigError, match="cannot be read"):
        ranking_of(str(tmp_path / "none.json"))
