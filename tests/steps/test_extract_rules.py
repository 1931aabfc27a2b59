"""Extraction by rules, in English: what becomes a fact, what must not, and how it is written."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pytest

from retentive.contracts import Candidate
from retentive.extract import RuleExtractor
from retentive.policy import unextractable_reason
from retentive.types import BLOCK_NOTE, Episode

AT_US = 1_787_028_300_000_000  # 2026-08-18T12:45:00+08:00, a Tuesday
ZONE_MIN = 480


def said(text: str, number: int = 0, **values: object) -> Episode:
    base = Episode(f"e{number}", text, AT_US, AT_US, zone_min=ZONE_MIN)
    return dataclasses.replace(base, **values)  # type: ignore[arg-type]


def facts(*texts: str | Episode) -> Sequence[Candidate]:
    episodes = [said(t, i) if isinstance(t, str) else t for i, t in enumerate(texts)]
    return RuleExtractor().extract(episodes).candidates


def only(text: str | Episode) -> Candidate:
    found = facts(text)
    assert len(found) == 1, [c.text for c in found]
    return found[0]


# -- what is kept ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "fact", "category", "field"),
    [
        ("My name is Farida.", "The user's name is Farida.", "identity", "name"),
        ("I live in Utrecht.", "The user lives in Utrecht.", "identity", "location"),
        ("I work at Larkspur as a nurse.", "The user works at Larkspur as a nurse.", "identity", "company"),
        ("I'm vegetarian.", "The user is vegetarian.", "identity", "diet"),
        (
            "I really love bouldering with friends.",
            "The user really loves bouldering with friends.",
            "preference",
            None,
        ),
        ("I can't stand cold soup.", "The user can't stand cold soup.", "preference", None),
        ("My sister plays the harp.", "The user's sister plays the harp.", "relationship", None),
        ("We've adopted a greyhound.", "The user and others have adopted a greyhound.", "event", None),
        ("I bought a second-hand canoe.", "The user bought a second-hand canoe.", "event", None),
        ("I decided to sell my van.", "The user decided to sell their van.", "decision", None),
        (
            "I'm going to apply for a pilot licence.",
            "The user is going to apply for a pilot licence.",
            "open_thread",
            None,
        ),
        ("I'm allergic to peanuts.", "The user is allergic to peanuts.", "identity", None),
        ("I no longer eat meat.", "The user no longer eats meat.", "correction", None),
    ],
)
def test_a_durable_statement_becomes_a_fact_in_the_third_person(
    text: str, fact: str, category: str, field: str | None
) -> None:
    found = only(text)
    assert (found.text, found.category, found.field) == (fact, category, field)
    assert found.quote == text


@pytest.mark.parametrize(
    "text",
    [
        "Hi there!",
        "Good morning, how are you?",
        "Thanks so much, that really helps!",
        "Congratulations, you deserve it!",
        "Wow, that sounds amazing!",
        "I totally agree with you.",
        "I hope you feel better soon.",
        "I'm so proud of you!",
        "I'm sorry to hear that.",
        "Can you show me my last invoice?",
        "What should I cook tonight?",
        "Do I need a visa?",
        "Let me know when it is done.",
        "I'll let you know tomorrow.",
        "If I were rich, I would buy a boat.",
        "I wish I had more time.",
        "Talk to you soon!",
        "It means a lot to me.",
        "They told me so.",
        "She said she lives in Oslo.",
        "Translate this: I live in Rome.",
        "ok",
        "👍",
    ],
)
def test_talk_is_no_fact(text: str) -> None:
    assert [c.text for c in facts(text)] == []


def test_a_request_after_a_statement_is_cut_off() -> None:
    found = only("I'm lactose intolerant, can you suggest a dessert?")
    assert found.text == "The user is lactose intolerant."
    assert found.quote == "I'm lactose intolerant"


def test_greetings_around_a_statement_are_cut_off_but_the_quote_stays_whole() -> None:
    found = only("Oh, by the way, I moved to Porto.")
    assert found.text == "The user moved to Porto."
    assert found.quote == "Oh, by the way, I moved to Porto."


def test_the_order_to_answer_another_way_is_an_evergreen_constraint_in_its_own_words() -> None:
    found = only("From now on, answer in German.")
    assert found.text == "The user said: From now on, answer in German."
    assert (found.category, found.field, found.evergreen) == ("constraint", "language", True)


@pytest.mark.parametrize("text", ["Always wear a helmet, I told my brother.", "Never saw that coming!"])
def test_what_people_say_to_each_other_is_no_constraint_for_an_assistant(text: str) -> None:
    pair = [said(text, 0, name="Ines"), said("Sure.", 1, name="Tomasz")]
    assert all(c.category != "constraint" for c in RuleExtractor().extract(pair).candidates)


def test_a_correction_is_marked_as_one() -> None:
    found = only("Actually, I live in Leuven now.")
    assert (found.category, found.evergreen) == ("correction", True)


def test_a_no_to_a_question_is_no_correction() -> None:
    assert only("No, I spent the weekend at my cousin's farm.").category != "correction"


def test_a_person_may_speak_of_a_startup() -> None:
    assert only("Startup life is hard, but I love my company.").text.endswith("the user loves their company.")


def test_what_is_only_supposed_has_low_confidence_and_fills_no_field() -> None:
    found = only("Maybe I live in Leuven by the end of the year.")
    assert found.confidence < 0.5
    assert found.field is None


def test_words_inside_quotation_marks_are_someone_elses() -> None:
    found = only('My grandfather always said "I never borrow money".')
    assert '"I never borrow money"' in found.text
    assert facts('The poster in the hall reads "I adopted my dog from this shelter".') == ()


# -- who speaks ------------------------------------------------------------------------------------------------------
def test_named_speakers_are_the_subjects_of_their_facts() -> None:
    episodes = [said("I moved to Boston with my cat.", 0, name="Nadia"), said("I teach chemistry.", 1, name="Piet")]
    found = RuleExtractor().extract(episodes).candidates
    assert [c.text for c in found] == ["Nadia moved to Boston with their cat.", "Piet teaches chemistry."]
    assert [c.field for c in found] == [None, None], "two people: neither is the user of the profile"


def test_the_listener_is_named_where_only_one_other_person_speaks() -> None:
    episodes = [said("I baked a rye loaf for you yesterday.", 0, name="Nadia"), said("Nice.", 1, name="Piet")]
    (found,) = RuleExtractor().extract(episodes).candidates
    assert found.text == "Nadia baked a rye loaf for Piet yesterday [2026-08-17]."


def test_a_name_that_says_only_user_is_no_name() -> None:
    assert only(said("I own a lighthouse.", name="user")).text == "The user owns a lighthouse."


def test_a_compound_subject_keeps_its_plural_verb() -> None:
    assert only("My wife and I have two kids.").text == "The user's wife and the user have two kids."


# -- what may not be read --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("trust", ["assistant", "system", "untrusted"])
@pytest.mark.parametrize("role", ["system", "developer", "assistant"])
def test_prompts_and_assistants_state_no_facts_whatever_their_trust(role: str, trust: str) -> None:
    episode = said("I live in Oslo and my name is Kari.", role=role, trust=trust)
    assert facts(episode) == ()
    assert unextractable_reason(episode) is not None


def test_a_tools_first_person_is_not_the_user() -> None:
    assert facts(said("I live in Oslo and my name is Kari.", role="tool", trust="untrusted")) == ()


@pytest.mark.parametrize("tag", ["MEMORY", "notes"])
def test_recalled_text_is_not_extracted_again(tag: str) -> None:
    block = f"<{tag}>\n{BLOCK_NOTE}\n## Recalled\n- [2026-01-02] I live in Ghent\n- I love my dog\n</{tag}>"
    assert facts(block) == ()
    assert [c.text for c in facts(f"{block}\nI sold my flat.")] == ["The user sold their flat."]


def test_two_hundred_turns_with_prompt_boot_and_heartbeats_yield_only_what_the_person_said() -> None:
    prompt = "You are a helpful assistant named Juno. I always answer politely. My purpose is to help the user."
    noise = ["HEARTBEAT_OK", "ping", "System boot complete, agent ready", "heartbeat #12 at 12:00", "ok", "thanks!"]
    people = ["I live in Gdansk.", "My daughter is called Zofia.", "I work at a bakery.", "I prefer tea to coffee."]
    turns: list[Episode] = []
    for i in range(200):
        kind = i % 5
        if kind == 0:
            turns.append(said(prompt, i, role="system", trust="system"))
        elif kind == 1:
            turns.append(
                said("Of course! I have noted that I should help you.", i, role="assistant", trust="assistant")
            )
        elif kind == 4 and i // 5 < len(people):
            turns.append(said(people[i // 5], i))
        else:
            turns.append(said(noise[i % len(noise)], i))
    found: list[Candidate] = []
    for start in range(0, len(turns), 10):
        found += RuleExtractor().extract(turns[start : start + 10]).candidates
    assert [c.quote for c in found] == people


# -- limits ----------------------------------------------------------------------------------------------------------
def test_small_talk_in_quantity_is_held_to_the_share_and_the_strong_statements_stay() -> None:
    chatter = [f"I watched a film about trains number {i}." for i in range(19)]
    found = facts(*chatter, "I'm allergic to penicillin.")
    assert "The user is allergic to penicillin." in [c.text for c in found]
    assert len(found) <= 8


def test_the_same_episodes_give_the_same_candidates() -> None:
    texts = ("I live in Riga.", "I love dark bread.", "Thanks!")
    assert facts(*texts) == facts(*texts)


def test_code_quotes_and_attachment_notes_are_not_read() -> None:
    text = "```\n# I live in Rome\n```\n> I live in Paris\n[image: my dog in my garden]\nI rent a houseboat."
    assert [c.text for c in facts(text)] == ["The user rents a houseboat."]


@pytest.mark.parametrize(
    "text",
    ["I " * 50_000, "my " * 30_000, "a." * 50_000, "<MEMORY>" * 20_000, "I was " + "very " * 20_000, " " * 100_000],
)
def test_hostile_lengths_end(text: str) -> None:
    facts(text)


def test_what_redaction_would_touch_is_refused_and_counted() -> None:
    hide = RuleExtractor(redact=lambda text: text.replace("hunter2", "[REDACTED]"))
    extraction = hide.extract([said("My brother's favourite word is hunter2.")])
    assert extraction.candidates == ()
    assert dict(extraction.refused) == {"holds what redaction takes out": 1}


@pytest.mark.parametrize(
    "text",
    [
        "Assistant: I live in Porto.",
        "Here is our chat:\nTool: I live in Rome.\nAI: I work at Acme.",
        "From: Bob <bob@x.example>\nTo: me\nSubject: hello\n\nI live in Porto and I work at Acme.\nBest, Bob",
        "See below.\n---------- Forwarded message ---------\nI live in Porto.",
        '"I live in Porto", said my boss.',
        '<memory tag="1">\n- I live in Porto\n</memory>',
    ],
)
def test_pasted_words_of_others_are_not_the_user_s(text: str) -> None:
    assert RuleExtractor().extract([Episode("e1", text, AT_US, AT_US)]).candidates == ()


def test_a_pasted_label_of_the_user_is_left_out() -> None:
    (found,) = RuleExtractor().extract([Episode("e1", "User: I live in Porto.", AT_US, AT_US)]).candidates
    assert (found.text, found.quote) == ("The user lives in Porto.", "I live in Porto.")
