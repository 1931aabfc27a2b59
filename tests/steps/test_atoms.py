"""A sentence of several statements is a fact for each: one of them changes, and the others stay true."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retentive import Memory, ScopedMemory
from retentive.contracts import Candidate
from retentive.errors import IdempotencyConflict
from retentive.extract import RuleExtractor, guard
from retentive.models.embed_none import NoEmbedder
from retentive.statement import atoms
from retentive.types import Episode


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        ("My name is Alice and I live in Berlin.", ["My name is Alice.", "I live in Berlin."]),
        ("I live in Berlin and work at Siemens", ["I live in Berlin", "I work at Siemens"]),
        (
            "The user lives in Berlin, works at Siemens and loves hiking.",
            ["The user lives in Berlin.", "The user works at Siemens.", "The user loves hiking."],
        ),
        ("I'm Alice, 34, a vet from Graz.", ["I'm Alice.", "I'm 34.", "I'm a vet.", "I'm from Graz."]),
        ("I'm 34 and I live in Graz.", ["I'm 34.", "I live in Graz."]),
        ("The user lives in Oslo and repair old radios.", ["The user lives in Oslo.", "The user repairs old radios."]),
        ("I'm vegetarian and allergic to nuts.", ["I'm vegetarian.", "I'm allergic to nuts."]),
        (
            "The user's wife is Anna and their brother is Tom.",
            ["The user's wife is Anna.", "The user's brother is Tom."],
        ),
        ("Ana moved to Ghent and Ana loves tea.", ["Ana moved to Ghent.", "Ana loves tea."]),
        ("I used to live in Rome but now I live in Oslo.", ["I used to live in Rome.", "Now I live in Oslo."]),
        ("My name is Alice. I live in Berlin.", ["My name is Alice.", "I live in Berlin."]),
        ("Ich wohne in Bonn und arbeite bei Bosch.", ["Ich wohne in Bonn.", "Ich arbeite bei Bosch."]),
        (
            "Ich bin Eva, 34, Tierärztin aus Graz.",
            ["Ich bin Eva.", "Ich bin 34.", "Ich bin Tierärztin.", "Ich bin aus Graz."],
        ),
        ("Prefers tea and uses Linux", ["Prefers tea", "Uses Linux"]),
        ("I live in Berlin (Mitte) and work at Siemens.", ["I live in Berlin (Mitte).", "I work at Siemens."]),
        ("I have a sister in Rome and work at Fiat.", ["I have a sister in Rome.", "I work at Fiat."]),
        ("I love tea and was born in Lima.", ["I love tea.", "I was born in Lima."]),
        ("Meine Schwester wohnt in Rom und ich lebe in Bonn.", ["Meine Schwester wohnt in Rom.", "Ich lebe in Bonn."]),
        ("Ana vive en Lima y trabaja en Iberia.", ["Ana vive en Lima.", "Ana trabaja en Iberia."]),
        ("Me llamo Eva y vivo en Lima.", ["Me llamo Eva.", "Vivo en Lima."]),
        ("El usuario vive en Lima y trabaja en Iberia.", ["El usuario vive en Lima.", "El usuario trabaja en Iberia."]),
        ("Soy Eva, 34 años, médica.", ["Soy Eva.", "Tengo 34 años.", "Soy médica."]),
        ("J'habite à Lyon et travaille chez Renault.", ["J'habite à Lyon.", "Je travaille chez Renault."]),
        ("Mi chiamo Eva e vivo a Roma.", ["Mi chiamo Eva.", "Vivo a Roma."]),
        ("Moro em Lisboa e trabalho na TAP.", ["Moro em Lisboa.", "Trabalho na TAP."]),
        ("我住在北京，在华为工作。", ["我住在北京。", "我在华为工作。"]),
        ("私は東京に住んでいて、ソニーで働いています。", ["私は東京に住んでいます。", "私はソニーで働いています。"]),
        ("我叫小明，今年34岁，住在北京。", ["我叫小明。", "我今年34岁。", "我住在北京。"]),
        ("Me llamo Eva, tengo 34 años y vivo en Lima.", ["Me llamo Eva.", "Tengo 34 años.", "Vivo en Lima."]),
        ("I left Acme and joined Globex", ["I left Acme", "I joined Globex"]),
        ("私の名前は花子で、東京に住んでいます。", ["私の名前は花子です。", "私は東京に住んでいます。"]),
    ],
)
def test_each_statement_stands_alone(sentence: str, parts: list[str]) -> None:
    assert list(atoms(sentence)) == parts


@pytest.mark.parametrize(
    "sentence",
    [
        "I like tea and coffee.",
        "The user lives in Berlin with their wife Anna and their two dogs.",
        "The user wants to move to Rome and work at Fiat.",
        "I never lived in Rome and worked at Fiat.",
        "When I travel, I prefer trains and I use Linux.",
        "I live in Berlin and I love it.",
        "I was born in Berlin and raised in Hamburg.",
        "I work for Johnson and Johnson.",
        "I used to work at Acme and live in Rome.",
        "I moved from Berlin to Lisbon and then to Porto.",
        "The user went to the shop and bought milk.",
        "My wife and I live in Oslo.",
        "It is Tuesday, not Monday.",
        "Does the user live in Oslo and work at Acme?",
        "Startup life is hard, but I love my company.",
        "Alice: lives in Graz and works at Acme",
        "Sono allergico al glutine.",
        "Ich mag Hunde und Katzen.",
        "我喜欢茶和咖啡。",
        # what somebody else does is not the user's
        "I have a brother who lives in Rome and works at Fiat.",
        "I have a brother who lived in Rome and worked at Fiat.",
        "I like people who live in Rome and work at Fiat.",
        "I like how my brother lives in Rome and works at Fiat.",
        "I live in Rome, Anna works at Fiat and likes tea.",
        "I have a friend named Paul and works at Fiat.",
        "My employer is Fiat and pays good money.",
        "The user loves a singer who lives in Rome and works at Fiat.",
        "The user's birthday is 4 May and favourite colour is red.",
        "Ich wohne in Rom und arbeitet bei Fiat.",
        "Tengo un hermano, vive en Roma y trabaja en Fiat.",
        "Ho un fratello, vive a Roma e lavora alla Fiat.",
        "Tenho um irmão, mora em Roma e trabalha na Fiat.",
        # nor what is said, thought, wished for or made up
        "My boss thinks I live in Rome and I work at Fiat.",
        "My boss thinks I live in Rome and work at Fiat.",
        "I pretend I live in Rome and I work at Fiat.",
        "I lied that I live in Rome and I work at Fiat.",
        "I dreamt I live in Rome and I work at Fiat.",
        "I'd rather live in Rome and work at Fiat.",
        "I live in Rome and work at Fiat, says Paul.",
        "I live in Rome and work at Fiat is what Paul says.",
        'My name is "I live in Rome and I work at Fiat".',
        "I live in Rome (my sister lives in Bonn and I work at Fiat).",
        "Mein Chef denkt, ich wohne in Rom und ich arbeite bei Fiat.",
        "Mi hermana dice que vivo en Roma y yo trabajo en Fiat.",
        "Mon frère dit que j'habite à Rome et je travaille chez Fiat.",
        "Meu irmão diz que moro em Roma e eu trabalho na Fiat.",
        "如果我住在北京，我就在西门子工作。",
        "我希望我住在北京，我在西门子工作。",
        "我老板认为我住在北京，我在西门子工作。",
        "もし私の名前は花子で、東京に住んでいます。",
        # nor what is not said of who is named
        "I'm not Alice, 34, a vet from Graz.",
        "Ich bin nicht Eva, 34, Tierärztin aus Graz.",
        "I'm with Bob, 34, a vet from Graz.",
        "I am meeting Bob, 34, a vet from Graz.",
        "This is Alice, 34, a vet from Graz.",
        "The user is Alice, 34, wife of Bob, a vet from Graz.",
        "I'm Alice, 34, my husband Bob, 36, is a vet.",
        "Today I live in Rome and work at Fiat.",
        "",
        "and",
    ],
)
def test_what_is_one_statement_or_not_surely_more_stays_whole(sentence: str) -> None:
    assert atoms(sentence) == (sentence,)


@given(st.text(alphabet="Iabe ,.andtheuserlives我住在、。éè'\n\0", max_size=80))
def test_whatever_is_given_comes_back_as_texts(sentence: str) -> None:
    parts = atoms(sentence)
    assert len(parts) > 1 or parts == (sentence,)
    assert all(atoms(part) == (part,) for part in parts if len(parts) > 1), "taken apart once, it is apart"


# -- what became of it in a store --------------------------------------------------------------------------------------
@pytest.fixture
def mine(tmp_path: Path) -> ScopedMemory:
    memory = Memory.open(tmp_path / "m.db", embedder=NoEmbedder(), background=False)
    return memory.scope(user_id="alice")


def _current(mine: ScopedMemory) -> list[str]:
    return sorted(item.text for item in mine.list("semantic"))


def test_what_changed_of_a_sentence_is_replaced_and_the_rest_stays(mine: ScopedMemory, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "said.db", embedder=NoEmbedder(), background=False) as memory:
        told = memory.scope(user_id="alice")
        with told.session() as chat:
            chat.add("user", "I'm Alice and I live in Berlin.")
        memory.process()
        with told.session() as chat:
            chat.add("user", "I moved to Lisbon.")
        memory.process()
        facts = [item for item in told.list("semantic") if item.category != "summary"]
        assert sorted(item.text for item in facts) == ["The user is Alice.", "The user moved to Lisbon."]
        assert told.profile() == {"location": "Lisbon"}
        quotes = {one.quote for item in facts for one in told.why(item.id).evidence}
        assert "I'm Alice and I live in Berlin." in quotes, "each cites the words it was said in"
    mine.remember("My name is Alice and I live in Berlin")
    mine.remember("I moved to Lisbon")
    assert _current(mine) == ["I moved to Lisbon", "My name is Alice"]
    assert mine.profile() == {"name": "Alice", "location": "Lisbon"}


def test_a_receipt_says_what_became_of_each(mine: ScopedMemory) -> None:
    receipt = mine.remember("I live in Oslo and work at Acme", metadata={"from": "form"}, idempotency_key="k1")
    assert [item.outcome for item in receipt.items] == ["stored", "stored"]
    assert [dict(mine.get(one).metadata) for one in receipt.ids] == [{"from": "form"}] * 2
    again = mine.remember("I live in Oslo and work at Acme", metadata={"from": "form"}, idempotency_key="k1")
    assert [(item.id, item.outcome) for item in again.items] == [(one, "duplicate") for one in receipt.ids]
    with pytest.raises(IdempotencyConflict):
        mine.remember("I live in Rome and work at Acme", metadata={"from": "form"}, idempotency_key="k1")


def test_what_is_put_in_a_field_is_one_fact(mine: ScopedMemory) -> None:
    receipt = mine.remember("I live in Oslo and work at Acme", field="tone")
    assert len(receipt.items) == 1


def test_a_line_added_by_hand_is_a_fact_for_each_statement(mine: ScopedMemory) -> None:
    text = mine.document()
    mine.apply_document(text.replace("## Identity\n", "## Identity\n- I live in Oslo and work at Acme\n"))
    assert _current(mine) == ["I live in Oslo", "I work at Acme"]
    mine.remember("I moved to Rome")
    assert _current(mine) == ["I moved to Rome", "I work at Acme"]


def test_a_model_that_puts_two_things_in_one_candidate_made_two() -> None:
    said = Episode("e1", "I live in Graz and love tea", 0, 0)
    both = Candidate("The user lives in Graz and loves tea.", "e1", said.text, "identity", "location", evergreen=True)
    kept, refused = guard([both], [said])
    assert [(one.text, one.category, one.field, one.evergreen) for one in kept] == [
        ("The user lives in Graz.", "identity", "location", True),
        ("The user loves tea.", "preference", None, False),
    ]
    assert {one.quote for one in kept} == {said.text}
    assert not refused


def test_who_one_is_in_a_row_is_read_at_all() -> None:
    found = RuleExtractor().extract([Episode("e1", "I'm Alice, 34, a vet from Graz.", 0, 0)]).candidates
    assert [one.text for one in found] == [
        "The user is Alice.",
        "The user is 34.",
        "The user is a vet.",
        "The user is from Graz.",
    ]


@pytest.mark.parametrize(
    "said",
    [
        "Tengo un hermano, vive en Roma y trabaja en Fiat.",
        "Ho un fratello, vive a Roma e lavora alla Fiat.",
        "Tenho um irmão, mora em Roma e trabalha na Fiat.",
        "I have a brother who lives in Rome and works at Fiat.",
        "My boss thinks I live in Rome and I work at Fiat.",
        "如果我住在北京，我就在西门子工作。",
    ],
)
def test_what_another_does_is_no_fact_of_the_user_all_the_way_from_what_was_said(said: str) -> None:
    episode = Episode("e1", said, 0, 0)
    kept, _ = guard(RuleExtractor().extract([episode]).candidates, [episode])
    assert len(kept) <= 1
    assert [one.field for one in kept if one.field] == []


def test_what_the_speaker_does_is_a_fact_for_each_all_the_way() -> None:
    episode = Episode("e1", "Vivo en Lima y trabajo en Iberia.", 0, 0)
    kept, _ = guard(RuleExtractor().extract([episode]).candidates, [episode])
    assert [one.text for one in kept] == ["El usuario dice: Vivo en Lima.", "El usuario dice: Trabajo en Iberia."]
