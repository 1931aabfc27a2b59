"""Relative times, as the speaker's calendar and clock had them."""

from __future__ import annotations

import pytest

from retentive.clock import local_time, parse_timestamp
from retentive.extract import RuleExtractor
from retentive.extract.times import resolve
from retentive.types import Episode

TUESDAY = "2026-08-18T12:45:00+08:00"


def resolved(text: str, language: str = "en", at: str = TUESDAY) -> str:
    at_us, zone_min = parse_timestamp(at)
    return resolve(text, language, at_us, zone_min).text


@pytest.mark.parametrize(
    ("language", "text", "shown"),
    [
        ("en", "yesterday", "2026-08-17"),
        ("en", "the day before yesterday", "2026-08-16"),
        ("en", "last Tuesday", "2026-08-11"),
        ("en", "last Friday", "2026-08-14"),
        ("en", "next Monday", "2026-08-24"),
        ("en", "last week", "week of 2026-08-10"),
        ("en", "last weekend", "weekend of 2026-08-15"),
        ("en", "next month", "2026-09"),
        ("en", "last year", "2025"),
        ("en", "three weeks ago", "week of 2026-07-27"),
        ("en", "in two days", "2026-08-20"),
        ("en", "an hour ago", "2026-08-18 11:45 +08:00"),
        ("en", "just now", "2026-08-18 12:45 +08:00"),
        ("en", "tomorrow at 3:30pm", "2026-08-19 15:30 +08:00"),
        ("en", "today at 12:45", "2026-08-18 12:45 +08:00"),
        ("de", "vorgestern", "2026-08-16"),
        ("de", "vor zwei Tagen", "2026-08-16"),
        ("de", "nächsten Freitag", "2026-08-21"),
        ("de", "morgen um 9:15 Uhr", "2026-08-19 09:15 +08:00"),
        ("es", "la semana pasada", "week of 2026-08-10"),
        ("es", "hace tres meses", "2026-05"),
        ("fr", "avant-hier", "2026-08-16"),
        ("fr", "lundi dernier", "2026-08-17"),
        ("zh", "上周三", "2026-08-12"),
        ("zh", "两年前", "2024"),
        ("it", "due settimane fa", "week of 2026-08-03"),
        ("pt", "ontem", "2026-08-17"),
        ("ja", "来月", "2026-09"),
    ],
)
def test_a_date_stands_beside_what_was_said(language: str, text: str, shown: str) -> None:
    assert resolved(text, language).replace(" [", "[") == f"{text}[{shown}]"


def test_a_morning_of_every_day_is_not_tomorrow() -> None:
    assert resolved("Der Nutzer joggt jeden Morgen im Park.", "de") == "Der Nutzer joggt jeden Morgen im Park."


def test_the_day_is_the_speakers_own_not_utc() -> None:
    assert resolved("today", at="2026-08-18T01:30:00+08:00") == "today [2026-08-18]"
    assert resolved("yesterday", at="2026-08-18T23:30:00-05:00") == "yesterday [2026-08-17]"


def test_a_fact_said_at_a_quarter_to_one_keeps_its_hour_and_its_zone() -> None:
    at_us, zone_min = parse_timestamp(TUESDAY)
    episode = Episode("e", "I took my insulin just now.", at_us, at_us, zone_min=zone_min)
    (fact,) = RuleExtractor().extract([episode]).candidates
    assert "[2026-08-18 12:45 +08:00]" in fact.text
    assert "04:45" not in fact.text
    assert fact.valid_from_us is not None
    assert local_time(fact.valid_from_us, zone_min).strftime("%H:%M") == "12:45"


def test_what_happened_is_valid_from_then_and_what_is_planned_from_when_it_was_said() -> None:
    at_us, zone_min = parse_timestamp(TUESDAY)
    texts = ("I moved to Ghent last month.", "I'm moving to Ghent next month.")
    episodes = [Episode(f"e{i}", t, at_us, at_us, zone_min=zone_min) for i, t in enumerate(texts)]
    past, plan = RuleExtractor().extract(episodes).candidates
    assert past.valid_from_us == parse_timestamp("2026-07-01T00:00:00+08:00")[0]
    assert plan.valid_from_us == at_us


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00Z", "9999-12-31T23:00:00Z"])
def test_the_ends_of_the_calendar_do_not_break(at: str) -> None:
    for text in ("yesterday", "tomorrow", "last year", "next year", "900 years ago", "in 900 years", "last week"):
        assert text in resolved(text, at=at)


@pytest.mark.parametrize(
    "text",
    [
        "I ran ten kilometres in 52 minutes on Saturday.",
        "I finished the puzzle in 3 hours.",
        "I read the whole book in two days.",
        "I learned Danish in six months.",
        "My best marathon is in 3 hours.",
    ],
)
def test_how_long_it_took_is_no_time_to_come(text: str) -> None:
    before, _, after = resolved(text).partition("in ")
    assert "[" not in after.replace("on Saturday [2026-08-15]", "")
    assert before == text.partition("in ")[0]


def test_what_is_to_come_still_is() -> None:
    assert "[2026-08-20]" in resolved("I was told the train leaves, so I will be back in two days")
