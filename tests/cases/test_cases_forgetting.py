"""Case 33: who is forgotten is gone in every row and byte, however much there was."""

from __future__ import annotations

from pathlib import Path

from retentive import Memory
from retentive.models.embed_none import NoEmbedder

ROWS = 5_000
WORD = b"marigold"


def test_case_33_of_five_thousand_rows_none_is_left_and_no_byte(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "memory.db", embedder=NoEmbedder(), background=False) as memory:
        mine, other = memory.scope(user_id="alice"), memory.scope(user_id="bob")
        for start in range(0, ROWS, 500):
            said = [f"My marigold number {number} is in bloom" for number in range(start, start + 500)]
            mine.record([{"role": "user", "content": text} for text in said], f"s{start}")
        fact = mine.remember("My favourite flower is the marigold").ids[0]
        mine.update(fact, text="My favourite flower is the blue marigold")
        kept = other.remember("Prefers tea").ids
        assert any(WORD in path.read_bytes() for path in tmp_path.iterdir())  # or the last look could not fail

        report = mine.forget_everything(verify=True)

        assert report.complete
        assert sum(place.erased for place in report.places if place.place == "episode") == ROWS
        assert all(place.left == 0 for place in report.places)
        assert list(mine.list(limit=1000)) == []
        assert list(mine.list("episodic", status=None, limit=1000)) == []
        assert list(mine.recall("marigold")) == []
        assert [item.id for item in other.list()] == list(kept)
    assert not [path.name for path in tmp_path.rglob("*") if path.is_file() and WORD in path.read_bytes()]
