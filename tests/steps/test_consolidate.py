"""Consolidation: older sessions get summaries, the same fact in other words is one, and nothing is ever lost by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from retentive import Memory, ScopedMemory, Settings
from retentive.clock import simulated
from retentive.errors import ModelBadReply, ModelUnavailable
from retentive.lifecycle.duplicates import content_key
from retentive.types import NewJob
from simulated import Days, ScriptedModel, say
from stubs import StubEmbedder

TALKS = ["The printer on floor three is broken again.", "We chose green tiles.", "The boat trip was moved to Sunday."]


@pytest.fixture
def days() -> Iterator[Days]:
    clock = Days()
    with simulated(clock):
        yield clock


@pytest.fixture
def open_with(
    tmp_path: Path,
    days: Days,  # noqa: ARG001  the clock stands before the store
) -> Iterator[Callable[..., Memory]]:
    opened: list[Memory] = []

    def open_(model: ScriptedModel | None = None, upkeep: Sequence[str] = ("verbatim=1", "batch=2")) -> Memory:
        settings = Settings(upkeep=tuple(upkeep), durable=False)
        path = tmp_path / f"{len(opened)}.db"
        opened.append(Memory.open(path, embedder=StubEmbedder(), model=model, settings=settings, background=False))
        return opened[-1]

    yield open_
    for memory in opened:
        memory.close()


def talk(mine: ScopedMemory, days: Days, talks: Sequence[str] = TALKS) -> None:
    for number, text in enumerate(talks):
        say(mine, text, session_id=f"s{number}")
        days.pass_(0.2)


def summaries(mine: ScopedMemory) -> dict[str | None, str]:
    return {item.session_id: item.text for item in mine.list("semantic", where={"category": "summary"})}


def cited(mine: ScopedMemory) -> set[tuple[str, str]]:
    """Every word that a current fact rests on."""
    items = mine.list("semantic", limit=1000)
    return {(episode_id, quote) for one in items for episode_id, quote in zip(one.episode_ids, one.quotes, strict=True)}


# -- what a good model answers ----------------------------------------------------------------------------------------
def good(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """A summary of each session it was shown, with the first words said there."""
    first: dict[str, dict[str, Any]] = {}
    for line in lines:
        first.setdefault(line["session"], line)
    return {
        "sessions": [
            {
                "session": session,
                "summary": f"Talked of {line['text'].split()[1]}.",
                "quotes": [{"episode": line["episode"], "quote": line["text"]}],
            }
            for session, line in first.items()
        ],
        "patterns": [],
    }


def without_quotes(lines: list[dict[str, Any]]) -> dict[str, Any]:
    answer = good(lines)
    answer["sessions"][-1]["quotes"] = []
    return answer


def invented_quote(lines: list[dict[str, Any]]) -> dict[str, Any]:
    answer = good(lines)
    answer["sessions"][0]["quotes"][0]["quote"] = "I never said that"
    return answer


def one_left_out(lines: list[dict[str, Any]]) -> dict[str, Any]:
    answer = good(lines)
    del answer["sessions"][0]
    return answer


def unreadable(_: list[dict[str, Any]]) -> Exception:
    return ModelBadReply("no JSON in it")


def not_what_was_asked_for(_: list[dict[str, Any]]) -> dict[str, Any]:
    return {"sessions": None, "patterns": [1]}


def nothing_at_all(_: list[dict[str, Any]]) -> dict[str, Any]:
    return {}


BAD = [without_quotes, invented_quote, one_left_out, unreadable, not_what_was_asked_for, nothing_at_all]


# -- summaries --------------------------------------------------------------------------------------------------------
def test_older_sessions_are_summarised_and_the_last_stay(open_with: Callable[..., Memory], days: Days) -> None:
    memory = open_with()
    mine = memory.scope(user_id="alice")
    talk(mine, days)
    report = memory.consolidate()
    assert (report.summarised, report.errors) == (2, ())
    found = summaries(mine)
    assert found["s0"].endswith(TALKS[0])
    assert set(found) == {"s0", "s1"}
    assert len(mine.list("episodic")) == 3
    (hit,) = [hit for hit in mine.recall("green tiles", tiers=["semantic"]).hits if hit.category == "summary"]
    assert mine.why(hit.id).evidence[0][1].text == TALKS[1]
    assert memory.consolidate().summarised == 0  # running again adds nothing


def test_what_is_about_to_go_is_summarised_before(open_with: Callable[..., Memory], days: Days) -> None:
    memory = open_with(upkeep=("verbatim=20",))
    mine = memory.scope(user_id="alice")
    talk(mine, days)
    assert memory.consolidate().summarised == 0
    days.pass_(25)
    assert memory.consolidate().summarised == 3
    days.pass_(6)
    memory.retain()
    assert {hit.tier for hit in mine.recall("green tiles")} == {"semantic"}
    days.pass_(90)
    for _ in range(2):  # the summary goes with its time, and is not made again of what other facts cite
        memory.retain()
        memory.consolidate()
    assert summaries(mine) == {}


def test_a_summary_is_of_its_day_and_replaces_nothing(open_with: Callable[..., Memory], days: Days) -> None:
    memory = open_with()
    mine = memory.scope(user_id="alice")
    talk(mine, days, ["I live in Porto.", "I live in Rome.", "Later."])
    memory.consolidate()
    assert summaries(mine)["s0"].startswith("Conversation of 2026-")
    assert mine.profile()["location"] == "Rome"
    mine.remember("I live in Oslo")
    assert len(summaries(mine)) == 2


def test_rules_sum_up_what_no_fact_keeps(open_with: Callable[..., Memory], days: Days) -> None:
    memory = open_with()
    mine = memory.scope(user_id="alice")
    talk(mine, days, ["I live in Porto. The printer on floor three is broken again.", "Later."])
    memory.consolidate()
    assert "Porto" not in summaries(mine)["s0"]
    assert "printer" in summaries(mine)["s0"]


def test_a_model_sums_up_in_batches_with_words_that_were_said(open_with: Callable[..., Memory], days: Days) -> None:
    model = ScriptedModel(good)
    memory = open_with(model)
    mine = memory.scope(user_id="alice")
    talk(mine, days, [*TALKS, "Nothing new today.", "Later."])
    assert memory.consolidate().summarised == 4
    assert model.calls == 2
    assert summaries(mine)["s1"].endswith("Talked of chose.")
    assert memory.consolidate().summarised == 0
    assert model.calls == 2  # nothing new, nobody asked


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_reply_changes_nothing_and_is_named(
    bad: Callable[..., Any], open_with: Callable[..., Memory], days: Days
) -> None:
    model = ScriptedModel(bad)
    memory = open_with(model)
    mine = memory.scope(user_id="alice")
    talk(mine, days)
    memory.process()
    before = mine.list(status=None, limit=1000)
    report = memory.consolidate()
    assert report.summarised == 0
    assert len(report.errors) == 1
    assert mine.list(status=None, limit=1000) == before
    model.answer = good
    assert memory.consolidate().summarised == 2


def test_a_hundred_bad_replies_lose_nothing_and_each_is_visible(
    open_with: Callable[..., Memory], days: Days, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retentive.jobs.MAX_ATTEMPTS", 100)
    model = ScriptedModel(unreadable)
    model.answer = BAD[model.calls % len(BAD)]
    memory = open_with(model)
    mine = memory.scope(user_id="alice")
    talk(mine, days, ["I live in Porto.", "I like rye bread very much.", "Later."])
    memory.process()
    store = memory._backend.store  # noqa: SLF001  as the schedule does
    with store.transaction(mine.scope.partition) as transaction:
        transaction.enqueue(NewJob("consolidate", {}))
    before = (mine.list(limit=1000), cited(mine))
    assert len(before[0]) > 3
    failures = []
    passed_s = 0.0
    monkeypatch.setattr("retentive.backends.sqlite.database.time.monotonic", lambda: 1e6 + passed_s)
    while model.calls < 100:
        passed_s += 400  # past the longest delay
        report = memory.process()
        failures += report.errors
        assert (mine.list(limit=1000), cited(mine)) == before
    assert len(failures) == 100
    assert all("changed nothing" in failure for failure in failures)
    assert report.dead == 1
    model.answer = good
    assert memory.requeue() == 1
    memory.process()
    assert len(summaries(mine)) == 2


def test_a_model_that_is_down_is_said_and_what_was_done_stays(open_with: Callable[..., Memory], days: Days) -> None:
    model = ScriptedModel(lambda lines: good(lines) if model.calls < 2 else ModelUnavailable("gone"))
    memory = open_with(model)
    mine = memory.scope(user_id="alice")
    talk(mine, days, [*TALKS, "Nothing new today.", "Later."])
    with pytest.raises(ModelUnavailable):
        memory.consolidate()
    assert len(summaries(mine)) == 2


def test_a_models_pattern_cites_two_sessions_or_is_refused(open_with: Callable[..., Memory], days: Days) -> None:
    def answer(lines: list[dict[str, Any]]) -> dict[str, Any]:
        quotes = [{"episode": line["episode"], "quote": line["text"]} for line in lines]
        return good(lines) | {
            "patterns": [
                {"text": "The user often reports broken printers.", "category": "event", "quotes": quotes},
                {"text": "The user dislikes printers.", "category": "preference", "quotes": quotes[:1]},
            ]
        }

    memory = open_with(ScriptedModel(answer))
    mine = memory.scope(user_id="alice")
    talk(mine, days, ["The printer is broken.", "The other printer is broken too.", "Later."])
    report = memory.consolidate()
    assert (report.patterns, report.refused) == (1, 1)
    (pattern,) = mine.list("semantic", where={"category": "event"})
    assert pattern.text == "The user often reports broken printers."
    assert len(mine.why(pattern.id).evidence) == 2


def test_no_pattern_shows_one_project_or_agent_the_words_of_another(
    open_with: Callable[..., Memory], days: Days
) -> None:
    question = "Can you export the invoices as CSV?"

    def answer(lines: list[dict[str, Any]]) -> dict[str, Any]:
        quotes = [{"episode": line["episode"], "quote": line["text"]} for line in lines]
        return good(lines) | {"patterns": [{"text": "The user needs CSV.", "category": "event", "quotes": quotes}]}

    memory = open_with(ScriptedModel(answer), ("verbatim=1", "batch=9"))
    alice = {"user_id": "alice"}
    boats, house, bot = (
        memory.scope(**alice, **name)
        for name in ({"project_id": "boats"}, {"project_id": "house"}, {"agent_id": "bot"})
    )
    for number, scope in enumerate((boats, house, bot)):
        say(scope, f"{question} Number {number}.", session_id=f"first {number}")
    for number, scope in enumerate((boats, house, bot)):
        say(scope, f"Later, {number}.", session_id=f"last {number}")
    memory.process()
    days.pass_(1)
    report = memory.consolidate()
    assert (report.patterns, report.refused) == (0, 1)
    assert {item.category for item in boats.list("semantic")} == {"summary"}


# -- patterns by rules ------------------------------------------------------------------------------------------------
def test_a_question_that_comes_back_is_a_fact(open_with: Callable[..., Memory], days: Days) -> None:
    memory = open_with()
    mine = memory.scope(user_id="alice")
    question = "Can you export the invoices as CSV?"
    talk(mine, days, [question, f"Hello. {question}", "How are you today?", "How are you today?", "How are you today?"])
    assert memory.consolidate().patterns == 0  # twice is no pattern, and small talk never is
    say(mine, question, session_id="s9")
    assert memory.consolidate().patterns == 1
    (found,) = mine.list("semantic", where={"category": "event"})
    assert question in found.text
    assert len(found.quotes) == 3
    say(mine, question, session_id="s10")
    assert memory.consolidate().patterns == 0
    assert len(mine.get(found.id).quotes) == 4


# -- duplicates -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user really likes green tea.", "I like green tea"),
        ("The deploy key lives in the vault", "Deploy key lives in vault."),
        ("Ich mag wirklich grünen Tee", "Der Nutzer mag grünen Tee"),
    ],
)
def test_the_same_in_nearly_the_same_words(one: str, other: str) -> None:
    assert content_key(one) == content_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I like green tea", "I do not like green tea"),
        ("I like green tea", "I like tea"),
        ("The meeting is at 10", "The meeting is at 11"),
        ("Ann loves Bob", "Bob loves Ann"),
        ("My sister lives in Rome", "Her sister lives in Rome"),
        ("I used to smoke", "I smoke"),
        ("Uses C", "Uses C++"),
        ("Paid $500 for the bike", "Paid €500 for the bike"),
        ("Keep latency < 5 ms", "Keep latency > 5 ms"),
        ("A discount of 5%", "A discount of 5"),
        ("Likes 🍎 pies", "Likes 🍌 pies"),
        ("Blood group: A", "Blood group: O"),
        ("Takes vitamin A", "Takes a vitamin"),
    ],
)
def test_what_differs_in_a_word_that_says_something_stays_apart(one: str, other: str) -> None:
    assert content_key(one) != content_key(other)


def test_near_duplicates_come_under_one(open_with: Callable[..., Memory], days: Days) -> None:
    memory = open_with()
    mine = memory.scope(user_id="alice")
    ids = [
        mine.remember(text, source="user").ids[0]
        for text in ("The deploy key lives in the vault", "Deploy key really lives in vault", "The key is blue")
    ]
    work = memory.scope(user_id="alice", project_id="blog")
    other = work.remember("The deploy key lives in a vault").ids[0]
    days.pass_(1)
    report = memory.consolidate()
    assert report.merged == 1
    assert {item.id for item in mine.list("semantic")} == {ids[1], ids[2], other}
    gone = mine.get(ids[0])
    assert (gone.status, gone.superseded_by_id) == ("superseded", ids[1])
    assert mine.get(ids[1]).seen_count == 2
    assert memory.consolidate().merged == 0


def test_merging_keeps_what_every_fact_cited(open_with: Callable[..., Memory], days: Days) -> None:
    memory = open_with()
    mine = memory.scope(user_id="alice")
    said = ["We decided to use Postgres for the ledger.", "We definitely decided to use Postgres for the ledger."]
    talk(mine, days, [*said, "Later."])
    memory.process()
    before = cited(mine)
    assert len(before) == 2
    memory.consolidate()
    assert before <= cited(mine)
    assert len([one for one in mine.list("semantic") if one.category != "summary"]) == 1
