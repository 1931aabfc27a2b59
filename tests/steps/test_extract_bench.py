"""The measurement of extraction: its rules of what counts, and that it counts them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from retentive.bench.extract import junk_reason, run, states_something_durable, write_drawn
from retentive.extract import RuleExtractor


@pytest.mark.parametrize(
    ("text", "durable"),
    [
        ("I moved to Ghent last week.", True),
        ("Nice! My brother plays the tuba there.", True),
        ("我去年搬到了成都。", True),
        ("How do I get there?", False),
        ("That is a great place.", False),
        ("Me too!", False),
        ("[image: my dog in my garden]", False),
    ],
)
def test_what_counts_as_durable(text: str, *, durable: bool) -> None:
    assert states_something_durable(text) is durable


@pytest.mark.parametrize(
    ("fact", "reason"),
    [
        ("It was so good for them.", "no referent"),
        ("Does the user live here?", "question"),
        ("Hello Ana!", "greeting"),
        ("The user.", "under three words"),
        ("You are a helpful assistant.", "system text or heartbeat"),
        ("The user moved to Ghent.", None),
    ],
)
def test_what_counts_as_junk(fact: str, reason: str | None) -> None:
    assert junk_reason(fact) == reason


def test_a_labelled_file_is_reported_and_its_facts_are_drawn(tmp_path: Path) -> None:
    texts = ["Hello!", "I moved to Ghent.", "I met nobody there.", "Where is my bag?"]
    messages = [
        {"id": str(i), "session": "s", "ts": "2026-08-18T10:00:00", "speaker": "Lena" if i % 2 else "Rui", "text": text}
        for i, text in enumerate(texts)
    ]
    queries = [{"id": "q", "text": "?", "gold_ids": ["1", "3"], "category": "x"}]
    path = tmp_path / "small.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write(json.dumps({"id": "c", "messages": messages, "queries": queries}))
    report = run(path, RuleExtractor())
    assert (report.messages, report.durable_evidence, report.cited) == (4, 1, 100.0)
    assert report.unsupported_share == 0.0
    assert any("Lena moved to Ghent." in drawn.text for drawn in report.drawn)
    assert "100.0 %" in "\n".join(report.lines())
    write_drawn(report, tmp_path / "drawn.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "drawn.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) == report.facts
