"""Statements: who, which attribute, which value, read from the grammar of a sentence and not from examples."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retentive.statement import Statement, parse_statement, parse_statements


def read(text: str, **options: str) -> Statement:
    statement = parse_statement(text, **options)
    assert statement is not None, text
    return statement


@pytest.mark.parametrize(
    "text",
    [
        "My favourite player is Messi",
        "my favorite player is MESSI!",
        "The user's favourite player is Messi.",
        "User's favourite player is Messi",
        "Favourite player: Messi",
        "Mein Lieblingsspieler ist Messi",
        "Mi jugador favorito es Messi",
        "Mon joueur préféré est Messi",
        "Il mio giocatore preferito è Messi",
        "O meu jogador favorito é Messi",
        "Honestly, I think my favourite player is Messi",
    ],
)
def test_one_fact_in_many_wordings_is_one_statement(text: str) -> None:
    statement = read(text)
    assert (statement.subject, statement.attribute, statement.value) == ("user", "favourite player", "messi")
    assert statement.exclusive


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("I live in Ghent", "home", "ghent"),
        ("Lives in Ghent", "home", "ghent"),
        ("Ich wohne seit drei Jahren in Gent", "home", "gent"),
        ("Vivo en Gante desde 2019", "home", "gante"),
        ("J'habite à Gand", "home", "gand"),
        ("我现在住在根特", "home", "根特"),
        ("私は東京に住んでいます", "home", "東京"),
        ("I moved from Ghent to Antwerp last month", "home", "antwerp"),
        ("I've been working at Acme for two years", "employer", "acme"),
        ("Ich arbeite bei Acme", "employer", "acme"),
        ("Trabajo para Acme", "employer", "acme"),
        ("Je travaille chez Acme", "employer", "acme"),
        ("我在华为工作", "employer", "华为"),
        ("My name's Ada", "name", "ada"),
        ("Je m'appelle Ada", "name", "ada"),
        ("我叫小美", "name", "小美"),
        ("From now on answer in German, please", "language", "german"),
        ("请用德语回答", "language", "german"),
        ("I just turned 42", "age", "42"),
        ("I got married in June", "marital status", "married"),
        ("My new email is a@b.example", "email", "a@b.example"),
        ("Mon nouveau mot de passe est sésame", "password", "sesame"),
    ],
)
def test_single_valued_attributes_share_one_key_in_all_languages(text: str, attribute: str, value: str) -> None:
    statement = read(text)
    assert (statement.subject, statement.attribute, statement.value) == ("user", attribute, value)
    assert statement.exclusive
    assert statement.tense == "now"


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("My sister lives in Rome", "sister"),
        ("Alice works at Acme", "alice"),
        ("Bob's favourite colour is green", "bob"),
        ("The deadline for Falcon is Friday", "falcon"),
        ("Falcon's deadline is Friday", "falcon"),
        ("Toms Lieblingsfarbe ist Grün", "tom"),
        ("La comida favorita de Luis es el ceviche", "luis"),
        ("小明最喜欢的颜色是绿色", "小明"),
        ("We use Postgres", "user"),
    ],
)
def test_the_subject_is_the_one_spoken_of(text: str, subject: str) -> None:
    assert read(text).subject == subject


def test_the_speaker_by_name_is_the_user() -> None:
    assert read("Alice lives in Rome", speaker="Alice").subject == "user"
    assert read("Alice lives in Rome", speaker="Bob").subject == "alice"


@pytest.mark.parametrize(
    ("text", "tense", "polarity"),
    [
        ("I used to live in Paris", "past", 1),
        ("My favourite season was winter", "past", 1),
        ("Früher habe ich in Paris gewohnt", "past", 1),
        ("Antes vivía en París", "past", 1),
        ("Avant, j'habitais à Paris", "past", 1),
        ("我以前住在巴黎", "past", 1),
        ("I no longer work at Acme", "ended", -1),
        ("I quit my job at Acme", "ended", -1),
        ("Ich arbeite nicht mehr bei Acme", "ended", -1),
        ("Ya no trabajo en Acme", "ended", -1),
        ("Je ne travaille plus chez Acme", "ended", -1),
        ("我不在华为工作了", "ended", -1),
        ("I don't eat meat", "now", -1),
        ("I hate meat", "now", -1),
        ("I don't hate meat", "now", 1),
    ],
)
def test_past_ended_and_negated(text: str, tense: str, polarity: int) -> None:
    statement = read(text)
    assert (statement.tense, statement.polarity) == (tense, polarity)


@pytest.mark.parametrize(
    "text", ["I also like tea", "I like tea too", "Ich mag auch Tee", "J'aime aussi le thé", "我也喜欢茶"]
)
def test_an_addition_says_so(text: str) -> None:
    assert read(text).additive


@pytest.mark.parametrize(
    "text",
    [
        "Actually, my name is Ada",
        "No, my name is Ada",
        "Nein, ich heiße Ada",
        "En fait, je m'appelle Ada",
        "不对，我叫小美",
    ],
)
def test_a_correction_says_so(text: str) -> None:
    assert read(text).correction


@pytest.mark.parametrize("text", ["I am used to living in Paris", "I like my job", "Mary Poppins is fun"])
def test_ordinary_talk_is_no_correction_and_not_past(text: str) -> None:
    statement = parse_statement(text)
    assert statement is None or (statement.tense == "now" and not statement.correction)


@pytest.mark.parametrize(
    "text",
    [
        "I want to live in Munich",
        "I might move to Cardiff next year",
        "I'm moving to Oslo next month",
        "Ich möchte in Rom wohnen",
        "Quiero vivir en Lima",
        "Je voudrais habiter à Lyon",
        "我打算搬到深圳",
    ],
)
def test_a_plan_is_not_yet_a_fact_about_now(text: str) -> None:
    statement = read(text)
    assert statement.attribute != "home"
    assert not statement.exclusive


def test_what_one_has_many_of_is_keyed_by_its_object() -> None:
    assert read("I like sushi").attribute == "likes:sushi"
    assert [s.value for s in parse_statements("I like tea, coffee and milk")] == ["tea", "coffee", "milk"]


def test_a_sentence_with_two_facts_gives_two_statements() -> None:
    assert [(s.attribute, s.value) for s in parse_statements("I live in Kiel and I work at Acme")] == [
        ("home", "kiel"),
        ("employer", "acme"),
    ]


def test_the_value_called_wrong_is_kept() -> None:
    assert read("The call is on Tuesday, not Monday").replaces == "monday"
    assert read("We switched from Jenkins to Buildkite").replaces == "jenkins"


def test_a_circumstance_belongs_to_the_attribute() -> None:
    at_work, at_home = read("At work I prefer tea"), read("At home I prefer coffee")
    assert at_work.attribute != at_home.attribute
    assert at_work.attribute.endswith("[at work]")


@pytest.mark.parametrize("text", ["", "   ", "...", "Where do I live?", "我住在哪里？"])
def test_what_states_nothing_gives_nothing(text: str) -> None:
    assert parse_statement(text) is None


def test_the_hint_decides_between_languages() -> None:
    assert read("Vivo a Torino", language="it").attribute == "home"


def test_only_the_head_of_a_long_text_is_read() -> None:
    head = "I live in Ghent. " + "x" * 400
    assert parse_statements(head[:400] + "I live in Rome. " * 20_000) == parse_statements(head[:400])


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=500))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for statement in parse_statements(text, speaker="Ada"):
        assert statement.polarity in {1, -1}
        assert not (statement.exclusive and ":" in statement.attribute)


HOSTILE = st.lists(
    st.sampled_from(
        [
            "I ",
            "my ",
            "the ",
            "is ",
            "not ",
            "of ",
            "for ",
            "'s ",
            "and ",
            "moved ",
            "from ",
            "to ",
            ", ",
            ". ",
            "1 ",
            "我",
            "的",
            "是",
        ]
    ),
    max_size=200,
).map("".join)


@settings(max_examples=150, deadline=2_000)
@given(HOSTILE)
def test_repeated_grammar_words_do_not_blow_up(text: str) -> None:
    parse_statements(text)
