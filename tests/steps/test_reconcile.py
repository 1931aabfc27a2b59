"""Reconciling: the newest statement wins, narrowly; everything else stays."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retentive import Memory
from retentive.reconcile import Decision, Neighbour, reconcile
from retentive.statement import parse_statement
from stubs import StubEmbedder

STORIES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "evals" / "update_stories.jsonl").read_text(encoding="utf-8").splitlines()
]


def known(
    text: str, id_: str = "old", status: str = "active", field: str | None = None, similarity: float = 0
) -> Neighbour:
    return Neighbour(id_, text, None, field, status, parse_statement(text), similarity)


def decide(text: str, *neighbours: Neighbour, **options: Any) -> Decision:
    return reconcile(text, parse_statement(text), neighbours, **options)


def play(statements: Sequence[str]) -> dict[str, list[int]]:
    """Tell the statements one after the other; what became of each, by its index."""
    status: dict[int, str] = {}
    for index, text in enumerate(statements):
        rows = [known(statements[i], str(i), s) for i, s in status.items() if s != "confirmed"]
        decision = decide(text, *rows)
        status[index] = {"confirm": "confirmed", "dispute": "disputed", "pend": "pending"}.get(
            decision.action, "active"
        )
        outcome = {"supersede": "superseded", "dispute": "disputed"}.get(decision.action)
        if outcome:
            status |= {int(target): outcome for target in decision.target_ids}
    names = {"active": "current", "superseded": "superseded", "disputed": "disputed", "confirmed": "confirmed"}
    return {names[name]: [i for i, s in status.items() if s == name] for name in names}


@pytest.mark.parametrize("story", STORIES, ids=[s["id"] for s in STORIES])
def test_update_story(story: dict[str, Any]) -> None:
    assert play(story["statements"]) == story["expect"]


def test_the_stories_cover_five_languages_and_every_kind() -> None:
    written = {(s["lang"], s["kind"]) for s in STORIES}
    kinds = {
        "move",
        "new_job",
        "changed_taste",
        "correction",
        "added",
        "two_projects",
        "negation",
        "restatement",
        "past",
        "subject",
    }
    assert {(lang, kind) for lang in ("en", "de", "es", "fr", "zh") for kind in kinds} <= written


def test_what_ends_is_told_in_eight_languages() -> None:
    written = {(s["lang"], s["kind"]) for s in STORIES}
    languages = ("en", "de", "es", "fr", "it", "pt", "zh", "ja")
    assert {(lang, kind) for lang in languages for kind in ("ended", "again", "profession", "switched")} <= written


def test_taking_to_it_again_reaches_back_past_what_was_said_since() -> None:
    with Memory.open(":memory:", embedder=StubEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        old = mine.remember("I avoid dairy").ids[0]
        for number in range(60):
            mine.remember(f"I read book number {number}")
        mine.remember("I'm having dairy again")
        assert mine.get(old).status == "superseded"


def test_love_then_hate_leaves_one_fact_with_a_reason() -> None:
    decision = decide("I hate coriander", known("I love coriander"))
    assert (decision.action, decision.target_ids) == ("supersede", ("old",))
    assert "opposite" in decision.reason


def test_a_post_does_not_touch_a_possession() -> None:
    assert decide("Alice owns the repo web", known("Alice is CTO")).action == "add"


def test_another_language_is_no_hiding_place() -> None:
    assert decide("Ich wohne in Berlin", known("I live in Munich")).action == "supersede"


def test_the_same_thing_in_other_words_is_confirmed_once() -> None:
    rows = [known("The user does not like horror films", "a"), known("Lives in Rome", "b")]
    assert decide("I don't like horror films!", *rows) == Decision("confirm", ("a",), "The same thing was said before.")


def test_a_profile_field_holds_one_value_however_it_is_worded() -> None:
    decision = decide("brief and dry", known("chatty", field="tone"), field="tone")
    assert (decision.action, decision.target_ids) == ("supersede", ("old",))
    assert "tone" in decision.reason


def test_a_profile_field_replaces_a_plain_fact_of_the_same_attribute() -> None:
    assert decide("GMT+8", known("My timezone is UTC"), field="timezone").action == "supersede"


def test_a_profile_field_said_again_is_confirmed() -> None:
    assert decide("GMT+8", known("gmt+8.", field="timezone"), field="timezone").action == "confirm"


@pytest.mark.parametrize("status", ["superseded", "expired"])
def test_what_is_no_longer_current_is_left_alone(status: str) -> None:
    assert decide("I live in Rome", known("I live in Oslo", status=status)) == decide("I live in Rome")


def test_a_disputed_pair_is_settled_by_a_correction() -> None:
    pair = [known("My gym is FlexHouse", "a", "disputed"), known("My gym is Ironworks", "b", "disputed")]
    decision = decide("Actually, my gym is Ironworks", *pair)
    assert (decision.action, set(decision.target_ids)) == ("supersede", {"a", "b"})


def test_the_category_correction_settles_what_words_alone_leave_open() -> None:
    assert decide("My gym is Ironworks", known("My gym is FlexHouse")).action == "dispute"
    assert decide("My gym is Ironworks", known("My gym is FlexHouse"), category="correction").action == "supersede"


def test_something_undecided_replaces_nothing() -> None:
    assert (
        decide("The database is called Falcon", known("The database is called Heron"), category="open_thread").action
        == "add"
    )
    assert decide("My email is a@b.example", known("My email is c@d.example"), category="open_thread").action == "add"


def test_a_bare_fix_finds_the_fact_that_holds_the_wrong_value() -> None:
    rows = [known("The stand-up is on Monday", "a"), known("The launch is in May", "b")]
    decision = decide("Actually it's Tuesday, not Monday", *rows)
    assert (decision.action, decision.target_ids) == ("supersede", ("a",))


def test_a_bare_fix_with_two_candidates_waits_for_a_person_unless_one_is_clearly_nearer() -> None:
    fix = "Actually it's Tuesday, not Monday"
    standup, retro = "The stand-up is on Monday", "The retro is on Monday"
    assert decide(fix, known(standup, "a"), known(retro, "b")).action == "pend"
    nearer = decide(fix, known(standup, "a", similarity=0.9), known(retro, "b", similarity=0.4))
    assert (nearer.action, nearer.target_ids) == ("supersede", ("a",))


def test_an_unsure_extraction_does_not_retire_a_fact_by_itself() -> None:
    old = known("I live in Oslo")
    assert decide("I live in Rome", old, confidence=0.3).action == "pend"
    assert decide("I live in Rome", old, confidence=0.9).action == "supersede"
    assert decide("I like tea", old, confidence=0.3).action == "add"


def test_a_fact_that_says_more_is_not_retired_for_one_part_of_it() -> None:
    assert decide("I moved to Rome", known("I live in Oslo and I work at Acme")).action == "dispute"
    assert (
        decide("I live in Rome and I work at Globex", known("I live in Oslo and I work at Acme")).action == "supersede"
    )


def test_a_rejected_statement_is_not_asked_again_and_a_pending_one_is_not_doubled() -> None:
    assert decide("I live in Rome", known("The user lives in Rome", status="rejected")).action == "ignore"
    assert decide("I live in Rome", known("The user lives in Rome", "p", "pending")).target_ids == ("p",)


def test_nothing_to_remember_is_ignored() -> None:
    assert decide(" ... ").action == "ignore"


def test_the_speaker_in_the_third_person_is_the_user() -> None:
    old = known("I live in Oslo")
    assert reconcile("Alice lives in Rome", None, [old], speaker="Alice").action == "supersede"
    assert reconcile("Alice lives in Rome", None, [old]).action == "add"


def test_a_pronoun_without_a_name_replaces_nothing() -> None:
    assert decide("He lives in Rome", known("He lives in Oslo")).action == "dispute"


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=120), st.text(max_size=120))
def test_any_two_texts_give_a_decision_about_known_ids_only(new: str, old: str) -> None:
    decision = decide(new, known(old))
    assert set(decision.target_ids) <= {"old"}
    assert decision.reason.endswith(".")
    assert (decision.action in {"add", "ignore"}) == (decision.target_ids == ())


@settings(max_examples=50, deadline=None)
@given(st.sampled_from([s["statements"][0] for s in STORIES]))
def test_saying_the_same_again_is_always_a_confirmation(text: str) -> None:
    assert decide(text, known(text)).action == "confirm"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Platform 9 opens early", "Platform 10 opens early"),
        ("Fact number 0 stands alone", "Fact number 1 stands alone"),
        ("Order 66 shipped", "Order 67 shipped"),
        ("Kapitel 3 erklärt Schleifen", "Kapitel 4 erklärt Schleifen"),
    ],
)
def test_numbered_things_are_different_things(first: str, second: str) -> None:
    """A number that names a thing is not a count of it."""
    assert decide(second, known(first)).action == "add"
