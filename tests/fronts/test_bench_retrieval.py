"""`retentive bench retrieval`: what it counts, what it leaves behind, what it refuses, and its curve."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from click.testing import Result

from retentive import Memory

Run = Callable[..., Result]
TOPICS = ("harpsichord", "marmalade", "lighthouse", "bicycle", "telescope", "greenhouse")


def conversation(name: str, **extra: Any) -> dict[str, Any]:
    """Six sessions of three messages, the second of which speaks of a topic; each topic is asked for."""
    messages = [
        {
            "id": f"{topic}-{place}",
            "session": f"s{number}",
            "ts": f"2026-03-0{number + 1}T10:0{place}:00",
            "speaker": "Ana" if place != 2 else "assistant",
            "text": text,
        }
        for number, topic in enumerate(TOPICS)
        for place, text in enumerate(("Good morning!", f"I want to sell my {topic} in spring.", "Sounds good."))
    ]
    queries = [
        {"id": f"q{number}", "text": f"what about the {topic}?", "category": "odd" if number % 2 else "even"}
        | {"gold_ids": [f"{topic}-1"], "gold_sessions": [f"s{number}"]}
        for number, topic in enumerate(TOPICS)
    ]
    return {"id": name, "messages": messages, "queries": queries, **extra}


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    def write(*conversations: dict[str, Any]) -> str:
        path = tmp_path / "small.jsonl.gz"
        path.write_bytes(gzip.compress("\n".join(map(json.dumps, conversations)).encode()))
        return str(path)

    return write


def test_what_is_found_is_counted(run: Run, write: Callable[..., str]) -> None:
    unanswerable = {"text": "what about the harpsichord?", "gold_ids": ["marmalade-1"], "category": "adversarial"}
    one = conversation("one")
    one["queries"].append(unanswerable)
    one["queries"][0]["gold_ids"].append("nowhere")  # half of the first answer cannot be found
    report = json.loads(run("bench", "retrieval", write(one, conversation("two")), "--json").stdout)
    assert (report["conversations"], report["queries"], report["messages"]) == (2, 12, 36)
    assert report["measures"]["recall@5"]["mean"] == pytest.approx(100 * 11.5 / 12)
    assert report["measures"]["mrr"] == {"mean": 100.0, "low": 100.0, "high": 100.0}
    assert report["measures"]["session_recall@10"]["mean"] == 100.0
    assert report["by_category"]["even"]["recall@10"] == pytest.approx(100 * 5.5 / 6)
    assert report["recall"]["p50_ms"] > 0
    covered = [point["covered"]["mean"] for point in report["curve"]]
    assert covered == sorted(covered)
    assert covered[-1] == report["measures"]["recall@20"]["mean"]
    assert all(point["used_tokens"] <= point["budget_tokens"] for point in report["curve"])


def test_messages_after_the_query_are_not_counted(run: Run, write: Callable[..., str]) -> None:
    one = conversation("one")
    for query in one["queries"]:
        query["visible"] = 9  # three of the six sessions
    report = json.loads(run("bench", "retrieval", write(one), "--json").stdout)
    assert report["measures"]["recall@20"]["mean"] == 50.0
    assert report["curve"] == []


def test_people_read_the_same_figures(run: Run, write: Callable[..., str]) -> None:
    shown = run("bench", "retrieval", write(conversation("one")), "--conversations", "1", "--queries", "2").stdout
    assert "1 conversations, 18 messages, 2 queries" in shown
    assert "recall@10            100.0   100.0 to 100.0" in shown
    assert "covered at 800" in shown
    assert "ms p50" in shown


def test_a_store_that_is_given_is_left_as_it_was(run: Run, write: Callable[..., str], settings: Path) -> None:
    run("remember", "My favourite tea is Assam")
    run("bench", "retrieval", write(conversation("one")), "--queries", "1", "--store", str(settings))
    with Memory.open(settings, background=False) as memory:
        assert len(memory.scope("alice").list()) == 1
        assert len(memory.scope("bench-one").list()) == 0
        memory.scope("bench-one").remember("I am a real person's memory")
    refused = run("bench", "retrieval", write(conversation("one")), "--store", str(settings), code=1)
    assert "empty" in refused.stderr
    with Memory.open(settings, background=False) as memory:
        assert len(memory.scope("bench-one").list()) == 1


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ({"id": "x", "messages": [{"id": "1", "text": "hello"}], "queries": []}, "without text, a speaker"),
        ({"messages": []}, "without an id or messages"),
        (conversation("x", queries=[]), "no query with an answer"),
        (conversation("x", queries=[{"gold_ids": ["1"]}]), "a labelled query has a text"),
    ],
)
def test_a_file_that_is_broken_is_refused(run: Run, write: Callable[..., str], broken: Any, says: str) -> None:
    assert says in run("bench", "retrieval", write(broken), code=1).stderr


def test_budgets_are_numbers(run: Run, write: Callable[..., str]) -> None:
    assert "whole numbers" in run("bench", "retrieval", write(conversation("x")), "--budgets", "many", code=2).stderr


# -- the curve ---------------------------------------------------------------------------------------------------------
def test_the_curve_is_drawn_as_svg_and_png(run: Run, write: Callable[..., str], tmp_path: Path) -> None:
    data = write(conversation("one"))
    for name in ("curve.svg", "curve.png"):
        run("bench", "retrieval", data, "--queries", "2", "--budgets", "100,400,800", "--curve", str(tmp_path / name))
    root = ET.fromstring((tmp_path / "curve.svg").read_text("utf-8"))  # noqa: S314  it is our own
    shown = [element.text or "" for element in root.iter() if element.tag.endswith("text")]
    assert {"100", "400", "800", "tokens the block may take"} <= set(shown)
    assert any("small.jsonl.gz" in text for text in shown)
    from PIL import Image  # noqa: PLC0415

    with Image.open(tmp_path / "curve.png") as image:
        assert image.size == (640, 400)
        assert len(image.getcolors(10_000) or [1] * 10_000) > 10


def test_what_cannot_be_drawn_is_said_before_the_work(
    run: Run, write: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write({"not": "labelled"})
    assert ".svg or .png" in run("bench", "retrieval", data, "--curve", str(tmp_path / "curve.gif"), code=1).stderr
    monkeypatch.setitem(sys.modules, "PIL", None)
    missing = run("bench", "retrieval", data, "--curve", str(tmp_path / "curve.png"), code=1)
    assert "retentive[png]" in missing.stderr
