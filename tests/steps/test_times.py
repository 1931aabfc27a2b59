"""One table a language, read by extraction and by recall: both say the same of the same words."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from retentive.extract.times import resolve
from retentive.times import TABLES, Span, spans
from retentive.times.table import number_of, unit_of

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)  # a Monday
NOW_US = int(NOW.timestamp()) * 10**6


@pytest.mark.parametrize(
    ("language", "text", "first", "last"),
    [
        ("en", "last Tuesday", (11, 24), (11, 24)),
        ("en", "over the weekend", (11, 28), (11, 29)),
        ("en", "this month", (11, 1), (11, 30)),
        ("de", "vorigen Freitag", (11, 27), (11, 27)),
        ("de", "vergangene Woche", (11, 23), (11, 29)),
        ("fr", "samedi dernier", (11, 28), (11, 28)),
        ("es", "hace dos semanas", (11, 16), (11, 22)),
        ("it", "tre giorni fa", (11, 27), (11, 27)),
        ("pt", "semana passada", (11, 23), (11, 29)),
        ("nl", "twee dagen geleden", (11, 28), (11, 28)),
        ("zh", "上个月", (10, 1), (10, 31)),
        ("ja", "先週", (11, 23), (11, 29)),
        ("ar", "الشهر الماضي", (10, 1), (10, 31)),
    ],
)
def test_both_read_the_same(language: str, text: str, first: tuple[int, int], last: tuple[int, int]) -> None:
    assert spans(text, NOW) == [Span(date(2026, *first), date(2026, *last))]
    shown = resolve(text, language, NOW_US, 0).text
    assert date(2026, *first).isoformat()[: len("2026-11")] in shown


@pytest.mark.parametrize(
    "text", ["What is on tomorrow?", "next week", "in two days", "nächsten Freitag", "明天", "来週", "this weekend"]
)
def test_nothing_of_what_is_to_come_has_happened(text: str) -> None:
    assert spans(text, NOW) == []


@pytest.mark.parametrize("text", ["What did I just now say?", "this year", "我刚刚路过的商场叫什么？", "今年"])
def test_this_moment_and_this_year_tell_nothing_apart(text: str) -> None:
    assert spans(text, NOW) == []


def test_what_is_to_come_is_dated_where_it_is_said() -> None:
    assert resolve("in two days", "en", NOW_US, 0).text == "in two days [2026-12-02]"
    assert resolve("明天", "zh", NOW_US, 0).text == "明天[2026-12-01]"


@pytest.mark.parametrize("code", sorted(TABLES))
def test_every_number_and_unit_of_a_language_is_read(code: str) -> None:
    table = TABLES[code]
    (pattern,) = [source for source, meaning in table.relative if meaning == "ago"][:1]
    frame = {"en": "{n} {unit} ago", "zh": "{n}{unit}前", "ar": "قبل {n} {unit}"}.get(code, pattern)
    for number, steps in number_of(table).items():
        for word, unit in unit_of(table).items():
            said = frame.replace("{n}", number).replace("{unit}", word)
            assert resolve(said, code, NOW_US, 0).start_us is not None, (said, steps, unit)


@pytest.mark.parametrize(
    ("text", "season"),
    [
        ("letzten Sommer", Span(date(2026, 6, 1), date(2026, 8, 31))),
        ("in the summer", Span(date(2026, 6, 1), date(2026, 8, 31), yearly=True)),
        ("last winter", Span(date(2025, 12, 1), date(2026, 2, 28))),
        ("en verano", Span(date(2026, 6, 1), date(2026, 8, 31), yearly=True)),
        ("夏天", Span(date(2026, 6, 1), date(2026, 8, 31), yearly=True)),
    ],
)
def test_seasons(text: str, season: Span) -> None:
    assert spans(text, NOW) == [season]
