"""What a batch comes to: facts, what was refused, and what a model says the conversation was about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from retentive import Memory, Settings, tools
from retentive.contracts import Candidate, Extraction, Extractor
from retentive.errors import ModelUnavailable
from retentive.models.embed_none import NoEmbedder
from retentive.types import Episode

SUMMARY = "Discussed the invoice export; the user wants CSV."


class Scripted(Extractor):
    """Finds a fact in each message, and makes one up."""

    version = "scripted-1"

    def __init__(self, summary: str | None = SUMMARY) -> None:
        self.summary = summary
        self.field: str | None = None
        self.confidence = 0.9

    def extract(self, episodes: Sequence[Episode]) -> Extraction:
        true = [Candidate(e.text, e.id, e.text, field=self.field, confidence=self.confidence) for e in episodes]
        made_up = Candidate("The user sails", episodes[0].id, "I sail every week")
        return Extraction((*true, made_up), self.summary, {"said twice": 2})


@pytest.fixture
def extractor() -> Scripted:
    return Scripted()


@pytest.fixture
def memory(tmp_path: Path, extractor: Scripted, monkeypatch: pytest.MonkeyPatch) -> Memory:
    monkeypatch.setattr("retentive.plugins.make_extractors", lambda *_, **__: lambda _account: extractor)
    settings = Settings(extractor="model", extract_every=10, durable=False)
    return Memory.open(tmp_path / "memory.db", embedder=NoEmbedder(), settings=settings, background=False)


def test_what_was_refused_is_counted_by_its_reason(memory: Memory) -> None:
    with memory.scope(user_id="alice").session("s1") as chat:
        chat.add("user", "I keep bees behind the house")
    assert memory.process().refused == {"said twice": 2, "quote not in its episode": 1}
    assert memory.process().refused == {}


@pytest.mark.parametrize(
    ("said", "named", "kept"),
    [
        ("I moved to Porto", "location", {"location": "Porto"}),
        ("I like green tea", "location", {}),
        ("My sister lives in Porto", "location", {}),
        ("I like green tea", "favourite_drink", {}),
        ("Dry, please, and no jokes", "tone", {"tone": "Dry, please, and no jokes"}),
        ("Dry" + ", and then drier still" * 10, "tone", {}),
    ],
)
def test_a_field_is_filled_with_what_it_is_for(
    memory: Memory, extractor: Scripted, said: str, named: str, kept: Any
) -> None:
    extractor.field = named
    mine = memory.scope(user_id="alice")
    mine.record([{"role": "user", "content": said}])
    memory.process()
    assert mine.profile() == kept
    assert [item.text for item in mine.list(tier="semantic")] == [
        said
    ]  # outside of the profile it is a fact all the same


def test_a_guess_fills_no_field(memory: Memory, extractor: Scripted) -> None:
    extractor.field, extractor.confidence = "tone", 0.3
    mine = memory.scope(user_id="alice")
    mine.update_profile({"tone": "warm"})
    mine.record([{"role": "user", "content": "Dry, perhaps"}])
    memory.process()
    assert mine.profile() == {"tone": "warm"}


def test_a_session_is_about_what_the_model_says(memory: Memory) -> None:
    mine = memory.scope(user_id="alice")
    with mine.session("s1") as chat:
        chat.add("user", "I need my invoices as CSV files")
    memory.process()
    assert [session.summary for session in mine.sessions()] == [SUMMARY]
    assert SUMMARY in mine.block("invoices").text


def test_each_batch_adds_what_it_was_about_once(memory: Memory, extractor: Scripted) -> None:
    mine = memory.scope(user_id="alice")
    with mine.session("s1") as chat:
        chat.add("user", "I need my invoices as CSV files")
    memory.process()
    extractor.summary = "Asked for the tax number too."
    for _ in range(2):
        with mine.session("s1") as chat:
            chat.add("user", f"What is my tax number? {_}")
        memory.process()
    assert [session.summary for session in mine.sessions()] == [f"{SUMMARY} … Asked for the tax number too."]


def test_without_a_line_of_the_model_rules_say_what_it_was_about(memory: Memory, extractor: Scripted) -> None:
    extractor.summary = None
    mine = memory.scope(user_id="alice")
    with mine.session("s1") as chat:
        chat.add("user", "I need my invoices as CSV files")
    memory.process()
    assert [session.summary for session in mine.sessions()] == ["I need my invoices as CSV files"]


def test_a_models_line_goes_when_a_message_behind_it_does(memory: Memory, extractor: Scripted) -> None:
    extractor.summary = "Spoke of a plan to move to Ghent."
    mine = memory.scope(user_id="alice")
    with mine.session("s1") as chat:
        moving = chat.add("user", "I plan to move to Ghent").ids
        chat.add("user", "I keep bees behind the house")
    memory.process()
    mine.forget(moving)
    extractor.summary = None
    memory.process()
    assert [session.summary for session in mine.sessions()] == ["I keep bees behind the house"]


def test_what_a_person_rejected_is_not_proposed_again(memory: Memory) -> None:
    mine = memory.scope(user_id="alice")
    mine.remember("I am allergic to penicillin", category="constraint")

    def say(session_id: str) -> None:
        with mine.session(session_id) as chat:
            chat.add("user", "I am not allergic to penicillin")
        memory.process()

    say("s1")
    (waiting,) = memory.review.pending()
    memory.review.reject(waiting.item.id, "a joke")
    say("s2")
    assert memory.review.pending() == []
    assert [item.text for item in mine.list("semantic")] == ["I am allergic to penicillin"]


def test_one_bad_candidate_takes_no_other_along(memory: Memory, extractor: Scripted, monkeypatch: Any) -> None:
    def extract(episodes: Sequence[Episode]) -> Extraction:
        (said,) = episodes
        true = Candidate("The user keeps bees", said.id, said.text)
        bad = (
            replace(true, category="mood"),
            replace(true, text="half \ud83d"),
            replace(true, text="key ghp_a8Kq2LmZ0pQx7RtY3vBn5CsD9eFg1HjW4uIo"),
        )
        return Extraction((*bad, true), "Bees \ud83d\0, my password is Harbor7Lamp")

    monkeypatch.setattr(extractor, "extract", extract)
    mine = memory.scope(user_id="alice")
    with mine.session("s1") as chat:
        chat.add("user", "I keep bees behind the house")
    report = memory.process()
    assert report.errors == ()
    assert report.refused == {"malformed": 2, "holds what redaction takes out": 1}
    assert [item.text for item in mine.list("semantic")] == ["The user keeps bees"]
    (session,) = mine.sessions()
    assert "Harbor7Lamp" not in str(session.summary)


def test_a_session_that_cannot_be_read_asks_nothing_again_for_the_others(
    memory: Memory, extractor: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str | None] = []

    def extract(episodes: Sequence[Episode]) -> Extraction:
        asked.append(episodes[0].session_id)
        if episodes[0].session_id == "s3":
            raise ModelUnavailable
        return Extraction()

    monkeypatch.setattr(extractor, "extract", extract)
    mine = memory.scope(user_id="alice")
    for session_id in ("s1", "s2", "s3", "s4"):
        with mine.session(session_id) as chat:
            chat.add("user", "I keep bees behind the house")
    assert memory.process().retried == 1
    assert asked == ["s1", "s2", "s3", "s4"]


def test_a_stop_gives_back_what_has_not_begun(
    memory: Memory, extractor: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str | None] = []

    def extract(episodes: Sequence[Episode]) -> Extraction:
        asked.append(episodes[0].session_id)
        return Extraction()

    monkeypatch.setattr(extractor, "extract", extract)
    mine = memory.scope(user_id="alice")
    for session_id in ("s1", "s2"):
        with mine.session(session_id) as chat:
            chat.add("user", "I keep bees behind the house")
    memory.work(stop=lambda: bool(asked))
    assert asked == ["s1"]
    memory.process()
    assert asked == ["s1", "s2"]


def test_what_another_worker_took_over_is_left_to_it(
    memory: Memory, extractor: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str | None] = []

    def extract(episodes: Sequence[Episode]) -> Extraction:
        asked.append(episodes[0].session_id)
        memory._parts.backend.queue.claim("another", limit=9, lease_s=60)  # noqa: SLF001
        return Extraction()

    monkeypatch.setattr("retentive.jobs.LEASE_S", 0.0)
    monkeypatch.setattr(extractor, "extract", extract)
    mine = memory.scope(user_id="alice")
    for session_id in ("s1", "s2"):
        with mine.session(session_id) as chat:
            chat.add("user", "I keep bees behind the house")
    memory.process()
    assert asked == ["s1"]


def waiting_about_penicillin(memory: Memory) -> str:
    mine = memory.scope(user_id="alice")
    mine.remember("I am allergic to penicillin", category="constraint")
    with mine.session("s1") as chat:
        chat.add("user", "I am not allergic to penicillin")
    memory.process()
    return memory.review.pending()[0].item.id


def test_what_waits_for_a_person_goes_on_waiting_in_other_words(memory: Memory) -> None:
    waiting, mine = waiting_about_penicillin(memory), memory.scope(user_id="alice")
    text = "I am no longer allergic to penicillin"
    assert tools.call(mine, "update_memory", {"id": waiting, "text": text})["items"][0]["outcome"] == "pending"
    assert [one.item.text for one in memory.review.pending()] == [text]
    assert [item.text for item in mine.list("semantic")] == ["I am allergic to penicillin"]
    assert memory.review.approve(waiting).outcome == "superseded"
    assert [item.text for item in mine.list("semantic")] == [text]


def test_what_is_approved_in_known_words_is_one_fact(memory: Memory) -> None:
    waiting, mine = waiting_about_penicillin(memory), memory.scope(user_id="alice")
    memory.review.approve(waiting, text="I am allergic to penicillin")
    assert [item.id for item in mine.list("semantic")] == [waiting]


def test_what_a_session_remembers_says_in_which_conversation(memory: Memory) -> None:
    mine = memory.scope(user_id="alice")
    with mine.session("s1") as chat:
        kept = chat.remember("Prefers trains", category="preference")
    assert mine.get(kept.ids[0]).session_id == "s1"
