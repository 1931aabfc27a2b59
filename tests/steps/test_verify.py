"""Verification: what nobody spoke of for long is held against what was said since, and no word of it is invented."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from retentive import Memory, ScopedMemory, Settings
from retentive.clock import simulated
from retentive.errors import ModelUnavailable, NotFound
from retentive.types import Fact, Rewrite, Status
from simulated import Days, ScriptedModel, say
from stubs import StubEmbedder


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
    """A store whose messages are read by nobody but this job."""
    opened: list[Memory] = []

    def open_(model: ScriptedModel | None = None, *upkeep: str) -> Memory:
        settings = Settings(upkeep=upkeep, extractor="none", durable=False, retention=("episodes=keep",))
        path = tmp_path / f"{len(opened)}.db"
        opened.append(Memory.open(path, embedder=StubEmbedder(), model=model, settings=settings, background=False))
        return opened[-1]

    yield open_
    for memory in opened:
        memory.close()


def verdicts(**by_text: dict[str, str]) -> Callable[[list[dict[str, Any]]], dict[str, Any]]:
    """A model that gives each fact the verdict named for a word in it, with the newest message's words."""

    def answer(lines: list[dict[str, Any]]) -> dict[str, Any]:
        facts = [line for line in lines if "fact" in line]
        newest = [line for line in lines if "episode" in line][-1]
        plain = {"verdict": "unknown", "episode": newest["episode"], "quote": newest["text"], "text": ""}
        return {
            "verdicts": [
                {"fact": line["fact"]} | plain | next((v for word, v in by_text.items() if word in line["text"]), {})
                for line in facts
            ]
        }

    return answer


# -- by rules ---------------------------------------------------------------------------------------------------------
def test_a_later_message_that_says_the_same_confirms(open_with: Callable[..., Memory], days: Days) -> None:
    memory = open_with()
    mine = memory.scope(user_id="alice")
    fact = mine.remember("I like green tea", category="preference").ids[0]
    days.pass_(360)
    (said,) = say(mine, "By the way, thanks. I like green tea.")
    days.pass_(10)
    report = memory.verify()
    assert (report.stale, report.confirmed) == (1, 1)
    assert mine.get(fact).confidence == pytest.approx(0.98, abs=0.01)
    assert mine.why(fact).evidence[0][1].id == said
    assert memory.verify().stale == 0


def test_a_later_message_that_says_otherwise_supersedes(open_with: Callable[..., Memory], days: Days) -> None:
    memory = open_with()
    mine = memory.scope(user_id="alice")
    old = mine.remember("I live in Porto", category="other").ids[0]
    days.pass_(800)
    say(mine, "Hello again. I live in Rome now.")
    assert memory.verify().superseded == 1
    assert mine.get(old).status == "superseded"
    (new,) = mine.list("semantic")
    assert "Rome" in new.text
    assert new.quotes == ("I live in Rome now.",)
    assert mine.profile()["location"].startswith("I live in Rome") or "Rome" in mine.profile()["location"]


@pytest.fixture
def grave(open_with: Callable[..., Memory], days: Days) -> tuple[Memory, ScopedMemory, str]:
    """A fact of weight that is stale and waits for a person."""
    memory = open_with()
    mine = memory.scope(user_id="alice")
    fact = mine.remember("Allergic to penicillin", category="preference", confidence=0.9).ids[0]
    days.pass_(400)
    assert memory.verify().review == (fact,)
    memory.process()
    (waiting,) = memory.review.pending()
    assert (waiting.item.id, waiting.item.status) == (fact, "active")
    assert "still so" in (waiting.reason or "")
    assert [hit.id for hit in mine.recall("penicillin")] == [fact]  # it counts all the while
    return memory, mine, fact


def test_a_stale_fact_of_weight_that_a_person_approves_is_sure_again(grave: tuple[Memory, ScopedMemory, str]) -> None:
    memory, mine, fact = grave
    assert memory.review.approve(fact).outcome == "stored"
    assert mine.get(fact).confidence == 1.0
    assert memory.review.pending() == []
    assert memory.verify().stale == 0
    with pytest.raises(NotFound):
        memory.review.approve(fact)


def test_a_person_may_correct_it_while_approving(grave: tuple[Memory, ScopedMemory, str]) -> None:
    memory, mine, fact = grave
    memory.review.approve(fact, text="Allergic to penicillin and latex")
    assert [(item.id, item.text) for item in mine.list("semantic")] == [(fact, "Allergic to penicillin and latex")]
    assert memory.review.pending() == []


def test_a_stale_fact_that_a_person_rejects_is_no_longer_believed(grave: tuple[Memory, ScopedMemory, str]) -> None:
    memory, mine, fact = grave
    memory.review.reject(fact, "it was a wrong diagnosis")
    assert len(mine.list("semantic")) == 0
    assert memory.review.pending() == []


@pytest.mark.parametrize("how", ["said again", "changed", "forgotten"])
def test_a_stale_fact_that_is_heard_of_leaves_the_queue(grave: tuple[Memory, ScopedMemory, str], how: str) -> None:
    memory, mine, fact = grave
    if how == "said again":
        assert mine.remember("Allergic to penicillin").items[0].outcome == "duplicate"
    elif how == "changed":
        mine.update(fact, confidence=0.8)
    else:
        mine.forget(fact)
    assert memory.review.pending() == []


def test_silence_lowers_once_a_half_life_and_shows_no_other_number(
    open_with: Callable[..., Memory], days: Days
) -> None:
    memory = open_with()
    mine = memory.scope(user_id="alice")
    plain = mine.remember("Prefers window seats", category="preference").ids[0]
    grave = mine.remember("Allergic to penicillin", category="preference").ids[0]
    days.pass_(366)
    before = mine.get(plain).confidence
    report = memory.verify()
    assert (report.lowered, report.review) == (2, (grave,))
    assert mine.get(plain).confidence == before
    assert mine.get(plain).reason == "nothing was heard of it for 366 days"
    assert {item.id for item in mine.list("semantic")} == {plain, grave}
    days.pass_(7)
    assert memory.verify().stale == 0
    days.pass_(366)
    memory.verify()
    assert [item.version for item in mine.history(plain)] == [1, 2, 3]


def test_what_happened_and_what_is_evergreen_is_never_stale(open_with: Callable[..., Memory], days: Days) -> None:
    memory = open_with()
    mine = memory.scope(user_id="alice")
    mine.remember("Went to Porto", category="event")
    mine.remember("Never call before noon", category="constraint", evergreen=True)
    days.pass_(5000)
    assert memory.verify().stale == 0


def test_what_another_project_or_a_page_says_decides_nothing(open_with: Callable[..., Memory], days: Days) -> None:
    memory = open_with()
    mine = memory.scope(user_id="alice")
    fact = mine.remember("I like green tea", category="preference").ids[0]
    days.pass_(400)
    say(memory.scope(user_id="alice", project_id="blog"), "I like green tea.")
    say(memory.scope(user_id="bob"), "I like green tea.")
    mine.record([{"role": "assistant", "content": "I like green tea."}])
    report = memory.verify()
    assert (report.confirmed, report.lowered) == (0, 1)
    assert mine.why(fact).evidence == ()


def test_the_budget_goes_to_the_most_valuable_and_the_rest_comes_next(
    open_with: Callable[..., Memory], days: Days
) -> None:
    memory = open_with(None, "budget=2")
    mine = memory.scope(user_id="alice")
    ids = [mine.remember(f"Prefers seat {n}", category="preference", confidence=n / 10).ids[0] for n in (3, 9, 5, 7)]
    days.pass_(400)
    report = memory.verify()
    assert (report.stale, report.lowered, report.left) == (4, 2, 2)
    assert [mine.get(one).version for one in ids] == [1, 2, 1, 2]
    assert memory.verify().left == 0
    assert [mine.get(one).version for one in ids] == [2, 2, 2, 2]


# -- by a model -------------------------------------------------------------------------------------------------------
def test_a_model_is_asked_only_where_something_was_said(open_with: Callable[..., Memory], days: Days) -> None:
    supersede = {"verdict": "supersede", "text": "The user takes the ferry to work."}
    model = ScriptedModel(verdicts(bicycle=supersede, tea={"verdict": "confirm"}))
    memory = open_with(model)
    mine = memory.scope(user_id="alice")
    old = mine.remember("Takes the bicycle to work", category="other").ids[0]
    mine.remember("Collects stamps", category="other")
    days.pass_(200)
    say(mine, "Since May I take the ferry to work, not the bicycle.")
    report = memory.verify()
    assert (model.calls, report.superseded, report.lowered) == (1, 1, 1)
    new = mine.get(mine.get(old).superseded_by_id or "")
    assert new.text == "The user takes the ferry to work."
    assert new.quotes == ("Since May I take the ferry to work, not the bicycle.",)
    assert (new.source or "").startswith("verified:model-")
    memory.verify()
    assert model.calls == 1


def test_a_model_that_disputes_leaves_both(open_with: Callable[..., Memory], days: Days) -> None:
    model = ScriptedModel(verdicts(bicycle={"verdict": "dispute", "text": "The user also takes the ferry to work."}))
    memory = open_with(model)
    mine = memory.scope(user_id="alice")
    mine.remember("Takes the bicycle to work", category="other")
    days.pass_(200)
    say(mine, "The bicycle? I take the ferry to work too.")
    assert memory.verify().disputed == 1
    assert [item.status for item in mine.list("semantic")] == ["disputed", "disputed"]


def test_what_is_of_weight_waits_for_a_person(open_with: Callable[..., Memory], days: Days) -> None:
    model = ScriptedModel(verdicts(penicillin={"verdict": "supersede", "text": "The user bears penicillin well."}))
    memory = open_with(model)
    mine = memory.scope(user_id="alice")
    old = mine.remember("Allergic to penicillin", category="other").ids[0]
    days.pass_(200)
    say(mine, "I am told penicillin is fine, I am not allergic to it.")
    assert memory.verify().pending == 1
    assert [item.id for item in mine.list("semantic")] == [old]
    (waiting,) = memory.review.pending()
    assert waiting.item.text == "The user bears penicillin well."


@pytest.mark.parametrize(
    "wrong",
    [
        {"verdict": "confirm", "quote": "I never said that"},
        {"verdict": "confirm", "episode": "99"},
        {"verdict": "supersede", "text": ""},
        {"fact": "7"},
    ],
)
def test_a_bad_verdict_changes_nothing_and_is_named(
    wrong: dict[str, str], open_with: Callable[..., Memory], days: Days
) -> None:
    memory = open_with(ScriptedModel(verdicts(bicycle=wrong)))
    mine = memory.scope(user_id="alice")
    mine.remember("Takes the bicycle to work", category="other")
    days.pass_(200)
    say(mine, "The bicycle takes me to work.")
    memory.process()
    before = mine.list(status=None)
    report = memory.verify()
    assert len(report.errors) == 1
    assert mine.list(status=None) == before


def test_a_message_shown_for_another_fact_speaks_against_none_that_is_newer(
    open_with: Callable[..., Memory], days: Days
) -> None:
    def answer(lines: list[dict[str, Any]]) -> dict[str, Any]:
        cat = next(line for line in lines if "episode" in line and "cat" in line["text"])
        newer = {
            "verdict": "supersede",
            "episode": cat["episode"],
            "quote": cat["text"],
            "text": "Has a house in Lisbon",
        }
        unknown = {"verdict": "unknown", "episode": "", "quote": "", "text": ""}
        facts = [line for line in lines if "fact" in line]
        return {"verdicts": [{"fact": x["fact"]} | (newer if "boat" in x["text"] else unknown) for x in facts]}

    memory = open_with(ScriptedModel(answer))
    mine = memory.scope(user_id="alice")
    mine.remember("Owns a grey cat and a house in Lisbon", category="other")
    days.pass_(1)
    say(mine, "The grey cat is at the house in Lisbon.")
    days.pass_(1)
    mine.remember("Owns a boat in Porto", category="other")
    days.pass_(1)
    say(mine, "The boat of Porto is blue.")
    memory.process()
    days.pass_(400)
    assert len(memory.verify().errors) == 1
    assert {item.text for item in mine.list("semantic")} == {
        "Owns a grey cat and a house in Lisbon",
        "Owns a boat in Porto",
    }


def test_what_waits_for_a_person_takes_no_place_by_itself(open_with: Callable[..., Memory], days: Days) -> None:
    model = ScriptedModel(verdicts(bicycle={"verdict": "supersede", "text": "Takes the ferry to work"}))
    memory = open_with(model)
    mine = memory.scope(user_id="alice")
    mine.remember("Takes the bicycle to work", category="other")
    waiting = mine.remember("Takes the ferry to work", category="other").ids[0]
    store = memory._backend.store  # noqa: SLF001  as though an extractor had been wary of it
    fact = store.get(mine.scope.partition, [waiting])[waiting]
    assert isinstance(fact, Fact)
    with store.transaction(mine.scope.partition) as transaction:
        transaction.apply([Rewrite(replace(fact, status=Status.PENDING))], {waiting: ()})
    days.pass_(200)
    say(mine, "The bicycle? I take the ferry to work now.")
    report = memory.verify()
    assert (report.superseded, report.pending) == (0, 1)
    assert [item.text for item in mine.list("semantic")] == ["Takes the bicycle to work"]


def test_a_model_that_is_down_is_said(open_with: Callable[..., Memory], days: Days) -> None:
    memory = open_with(ScriptedModel(lambda _: ModelUnavailable("gone")))
    mine = memory.scope(user_id="alice")
    mine.remember("Takes the bicycle to work", category="other")
    days.pass_(200)
    say(mine, "The bicycle takes me to work.")
    with pytest.raises(ModelUnavailable):
        memory.verify()
