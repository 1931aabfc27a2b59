"""`retentive tune` and `retentive bench tune`: the files they write, the approval of questions, and the refusals."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from chat_server import serving, words
from retentive import Memory

Run = Callable[..., Result]
THINGS = (
    "harpsichord marmalade lighthouse bicycle telescope greenhouse umbrella notebook lantern carpet kettle hammock "
    "ladder violin compass blanket teapot wheelbarrow canoe microscope sundial accordion bookshelf fireplace"
).split()


def messages() -> list[dict[str, Any]]:
    """Of each thing the user says a little, and the assistant what is asked for: own words are trusted too much."""
    said = []
    for number, thing in enumerate(THINGS):
        for speaker, text in (
            ("user", f"Let me think of the {thing} price."),
            ("assistant", f"The {thing} repair price is {number} euros on the list."),
        ):
            session = f"{speaker}{number}"  # apart, so that neither lends the other its words
            said.append({"id": f"{thing}-{speaker}", "session": session, "speaker": speaker, "text": text})
    return said


LABELS = [{"query": f"{thing} repair list", "source_ids": [f"{thing}-assistant"]} for thing in THINGS]


@pytest.fixture
def store(settings: Path) -> Path:
    with Memory.open(settings, background=False) as memory:
        mine = memory.scope("alice")
        for m in messages():
            mine.record([{"role": m["speaker"], "content": m["text"], "id": m["id"]}], m["session"])
        memory.process()
    return settings


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return str(path)


def test_a_gain_is_written_to_a_file_that_recall_uses(
    run: Run, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert store.exists()
    out = tmp_path / "ranking.json"
    query = LABELS[0]["query"]
    before = json.loads(run("recall", query, "--json").stdout)["hits"]
    assert before[0]["source_ids"] == ["harpsichord-user"]
    tuned = run("tune", write(tmp_path / "labels.jsonl", LABELS), "--out", str(out))
    assert "24 queries" in tuned.stdout
    assert "chosen: classic as it is" in tuned.stdout  # which trusts nobody's words more than another's
    assert f"RETENTIVE_RANKING={out}" in tuned.stderr
    table = json.loads(out.read_text("utf-8"))
    assert table["preset"] == "classic"
    assert table["about"]["queries"] == 24
    monkeypatch.setenv("RETENTIVE_RANKING", str(out))
    after = json.loads(run("recall", query, "--json").stdout)["hits"]
    assert after[0]["source_ids"] == ["harpsichord-assistant"]
    assert len(after) <= table["changes"].get("k", 5)


def test_labels_of_others_are_refused_and_nothing_is_written(run: Run, store: Path, tmp_path: Path) -> None:
    assert store.exists()
    out = tmp_path / "ranking.json"
    turned = [{**row, "source_ids": LABELS[place - 7]["source_ids"]} for place, row in enumerate(LABELS)]
    refused = run("tune", write(tmp_path / "labels.jsonl", turned), "--out", str(out), code=1)
    assert "nothing is changed: the labels fit other queries" in refused.stdout
    assert not out.exists()
    few = run("tune", write(tmp_path / "few.jsonl", LABELS[:5]), "--out", str(out), "--json", code=1)
    assert "too few" in json.loads(few.stdout)["refused"]


def test_questions_are_made_written_and_read_back(run: Run, store: Path, tmp_path: Path) -> None:
    assert store.exists()
    path = tmp_path / "questions.jsonl"
    assert "24 questions written" in run("tune", "--write", str(path), "--count", "24").stderr
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert all(set(row) == {"query", "ids", "text"} and "think" in row["text"] for row in rows)
    assert "24 queries" in run("tune", str(path), "--out", str(tmp_path / "out.json"), code=1).stdout


def test_questions_are_approved_dropped_or_put_in_other_words(run: Run, store: Path) -> None:
    assert store.exists()
    result = run("tune", "--count", "4", code=1, stdin="\nn\nwhich lantern?\nq\n")
    assert "1 of 4" in result.stderr
    assert "Let me think of the" in result.stderr
    assert "2 queries are too few" in result.stdout
    assert "4 queries are too few" in run("tune", "--count", "4", "--approve-all", code=1).stdout


def test_a_model_makes_questions_where_it_is_asked_to(
    run: Run, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert store.exists()
    assert "RETENTIVE_MODEL_URL" in run("tune", "--model", "--write", str(tmp_path / "q"), code=2).stderr
    with serving(words("What will", " it cost?")) as server:
        monkeypatch.setenv("RETENTIVE_MODEL_URL", server.url)
        monkeypatch.setenv("RETENTIVE_MODEL_NAME", "small")
        run("tune", "--model", "--count", "1", "--write", str(tmp_path / "q.jsonl"))
    assert json.loads((tmp_path / "q.jsonl").read_text("utf-8"))["query"] == "What will it cost?"


def test_bench_tune_measures_the_half_it_did_not_see(run: Run, tmp_path: Path) -> None:
    queries = [{"text": row["query"], "gold_ids": row["source_ids"], "category": "x"} for row in LABELS]
    data = tmp_path / "data.jsonl.gz"
    lines = [json.dumps({"id": name, "messages": messages(), "queries": queries}) for name in ("one", "two")]
    data.write_bytes(gzip.compress("\n".join(lines).encode()))
    report = json.loads(run("bench", "tune", str(data), "--json").stdout)
    assert report["first"]["refused"] is None
    assert report["other"]["queries"] == 24
    assert report["other"]["gain"]["mrr"]["mean"] > 0
    assert report["shuffled"]["refused"]
    shown = run("bench", "tune", str(data)).stdout
    assert "the other half" in shown
    assert "labels shuffled" in shown
