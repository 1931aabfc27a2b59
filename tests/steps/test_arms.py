"""The arms of recall: what each sees in a memory, and what it must not see."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime

import numpy as np
import pytest

from retentive.analyze import index_terms
from retentive.arms import (
    PRESETS,
    First,
    Question,
    Ranking,
    answers_of_sessions,
    first_arms,
    read_question,
    token_arms,
)
from retentive.arms.names import names_in
from retentive.arms.own import asks_of_both
from retentive.arms.ranking import ARMS, Traits, learned
from retentive.arms.when import nearness
from retentive.corpus import Corpus, IndexRow, pack_tokens, pack_vector
from retentive.counts import pack_terms
from retentive.times import Span, spans

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
NOW_US = int(NOW.timestamp()) * 1_000_000
DAY_US = 86_400_000_000


def corpus_of(
    texts: Sequence[str],
    *,
    vectors: Sequence[Sequence[float] | None] | None = None,
    sessions: Sequence[str | None] | None = None,
    own: Sequence[int] | None = None,
    days: Sequence[int] | None = None,
) -> Corpus:
    """Memories, with vectors of two numbers where none tells otherwise; `days` count back from now."""
    corpus = Corpus(next((len(vector) for vector in vectors or () if vector), 2))
    corpus.put(
        [
            IndexRow(
                i,
                0,
                NOW_US - DAY_US * (days[i] if days else 0),
                NOW_US,
                None,
                None,
                None,
                1,
                0,
                sessions[i] if sessions else None,
                None,
                None,
                own[i] if own else 1,
                pack_terms(index_terms(text)),
                pack_vector(np.array(vectors[i], np.float32)) if vectors and vectors[i] else None,
            )
            for i, text in enumerate(texts)
        ]
    )
    return corpus


def look(corpus: Corpus, question: Question, mask: Sequence[bool] | None = None) -> First:
    return first_arms(corpus, question, np.array(mask) if mask else corpus.column("alive").copy())


# -- words -----------------------------------------------------------------------------------------------------------
def test_the_message_with_the_words_scores_and_its_neighbours_share() -> None:
    corpus = corpus_of(["hello there", "the cello is broken", "oh no", "lunch?"], sessions=["a", "a", "a", "b"])
    scores = look(corpus, read_question("which cello", NOW_US)).scores
    assert scores["text"].tolist() == [0, 1, 0, 0]
    assert (scores["text_window"] > 0).tolist() == [True, True, True, False]


def test_words_of_what_may_not_be_seen_reach_nobody() -> None:
    corpus = corpus_of(["hello there", "the cello is broken"], sessions=["a", "a"])
    first = look(corpus, read_question("which cello", NOW_US), mask=[True, False])
    assert first.scores["text_window"].tolist() == [0, 0]
    assert not first.shared.any()


def test_function_words_alone_still_find() -> None:
    assert look(corpus_of(["to be or not to be"]), read_question("to be", NOW_US)).shared.all()


def test_coverage_is_high_for_a_question_about_one_message_and_low_for_a_remark() -> None:
    corpus = corpus_of(["the cello lesson moved to Friday", "the dentist called"])
    question = look(corpus, read_question("cello lesson Friday", NOW_US)).coverage
    remark = look(
        corpus, read_question("Friday mornings make me think of rivers, bread and distant trains", NOW_US)
    ).coverage
    assert question > 0.9
    assert remark < 0.4


def test_of_a_query_in_signs_a_fifth_is_enough() -> None:
    """Its words are pairs of signs, most of which no memory holds, not even one that answers."""
    first = look(corpus_of(["我们三月搬到了波尔图", "面包很好吃"]), read_question("我们搬到哪个城市", NOW_US))
    words = look(corpus_of(["we moved to Porto", "good bread"]), read_question("city we moved near", NOW_US))
    assert first.words is not None
    assert first.words.grams
    assert words.words is not None
    assert not words.words.grams
    assert first.coverage > 0.5  # an eighth by itself
    long = look(
        corpus_of(["我们三月搬到了波尔图", "面包很好吃"]),
        read_question("昨天开会的时候老板说了很多关于预算和新项目的事情，顺便问一下我们是几月搬到了波尔图的", NOW_US),
    )
    assert long.coverage > 0.3  # however much else is said with it
    assert words.coverage < 0.8


# -- vectors ---------------------------------------------------------------------------------------------------------
def test_the_nearer_memory_scores_higher_and_opposites_score_nothing() -> None:
    corpus = corpus_of(["a", "b", "c"], vectors=[(1, 0), (0.6, 0.8), (-1, 0)])
    scores = look(corpus, Question([], vector=np.array([1, 0], np.float32))).scores["vector"]
    assert scores.tolist() == pytest.approx([1, 0.6, 0], abs=1e-3)


def test_a_memory_that_waits_for_its_vector_is_as_near_as_its_words() -> None:
    corpus = corpus_of(["the flour comes from Leeds", "no sesame"], vectors=[None, (0.6, 0.8)])
    question = read_question("flour", NOW_US, vector=np.array([1, 0], np.float32))
    scores = look(corpus, question).scores["vector"]
    assert scores[0] == scores[1] > 0


def test_the_second_model_tells_memories_apart_by_what_they_do_not_share() -> None:
    """One near the middle of all is near to any query; one that has less in common with the others comes before it."""
    rows = np.array([(0, 0, 1, 1, 0), (0, 0, 0.1, 1, 0), *((0, 0, 1, 0.01 * i, 0) for i in range(40))])
    parts = rows / np.linalg.norm(rows, axis=1, keepdims=True) / np.sqrt(2)
    corpus = corpus_of([str(i) for i in range(len(rows))], vectors=parts.tolist())
    query = np.array([0, 0, 0.3, 0.264, 0], np.float32)
    plain = look(corpus, Question([], vector=query)).scores["vector"]
    apart = look(corpus, Question([], vector=query, split=2)).scores["vector"]
    assert plain[0] > plain[1]
    assert apart[1] > apart[0]
    known = look(corpus, Question(read_question("7", NOW_US).words, vector=query, split=2)).scores["vector"]
    assert known[0] > known[1]  # a word tells them apart


def test_without_a_vector_its_arms_are_silent() -> None:
    assert not {"vector", "vector_window"} & set(look(corpus_of(["cello"]), read_question("cello", NOW_US)).scores)


# -- names -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("What did Maria tell Jon?", ["maria", "jon"]),
        ("Bart: I lost my turtle. Assistant: Oh no!", ["bart"]),
        ("Where was it in May, on Monday?", []),
        ("Tell me", []),
        ("WHY WOULD ANYBODY SHOUT", ["why", "would"]),  # capitals of up to five letters may be an acronym
        ("we flew with KLM", ["klm"]),
        ("上海的天气", []),
    ],
)
def test_names_are_what_capitals_show(text: str, names: list[str]) -> None:
    found = [name.text for name in names_in(text)]
    assert found == names or (text.isupper() and set(found) <= {"would", "shout", "why"})


def test_a_memory_by_the_named_person_scores_more_than_one_about_them() -> None:
    corpus = corpus_of(["Maria: I am back", "Jon: Maria is back", "Jon: lunch"])
    assert look(corpus, read_question("what did Maria say?", NOW_US)).scores["names"].tolist() == [1, 0.5, 0]


def test_a_role_at_the_beginning_is_nobody_who_speaks() -> None:
    corpus = corpus_of(["user: Maria is back", "Note: Maria is back"])
    assert look(corpus, read_question("what did Maria say?", NOW_US)).scores["names"].tolist() == [0.5, 0.5]


def test_a_name_nobody_knows_is_not_held_against_anyone() -> None:
    assert "names" not in look(corpus_of(["Jon: lunch"]), read_question("what did Zebulon say?", NOW_US)).scores


# -- time ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on 7 May 2024", Span(date(2024, 5, 7), date(2024, 5, 7))),
        ("May 7th, 2024", Span(date(2024, 5, 7), date(2024, 5, 7))),
        ("am 7. Mai 2024", Span(date(2024, 5, 7), date(2024, 5, 7))),
        ("el 7 de mayo de 2024", Span(date(2024, 5, 7), date(2024, 5, 7))),
        ("le 7 mai 2024", Span(date(2024, 5, 7), date(2024, 5, 7))),
        ("2024年5月7日", Span(date(2024, 5, 7), date(2024, 5, 7))),
        ("2024-05-07", Span(date(2024, 5, 7), date(2024, 5, 7))),
        ("31/12/2024", Span(date(2024, 12, 31), date(2024, 12, 31))),
        ("12/31/2024", Span(date(2024, 12, 31), date(2024, 12, 31))),
        ("in November", Span(date(2000, 11, 1), date(2000, 11, 30), yearly=True)),
        ("5月に", Span(date(2000, 5, 1), date(2000, 5, 31), yearly=True)),
        ("in 2023", Span(date(2023, 1, 1), date(2023, 12, 31))),
        ("yesterday", Span(date(2026, 11, 29), date(2026, 11, 29))),
        ("gestern", Span(date(2026, 11, 29), date(2026, 11, 29))),
        ("昨天", Span(date(2026, 11, 29), date(2026, 11, 29))),
        ("the day before yesterday", Span(date(2026, 11, 28), date(2026, 11, 28))),
        ("three days ago", Span(date(2026, 11, 27), date(2026, 11, 27))),
        ("vor drei Tagen", Span(date(2026, 11, 27), date(2026, 11, 27))),
        ("hace 2 meses", Span(date(2026, 9, 1), date(2026, 9, 30))),
        ("先月", Span(date(2026, 10, 1), date(2026, 10, 31))),
        ("last week", Span(date(2026, 11, 23), date(2026, 11, 29))),
        ("last spring", Span(date(2026, 3, 1), date(2026, 5, 31))),
    ],
)
def test_times_in_many_languages(text: str, expected: Span) -> None:
    assert spans(f"What happened {text}?", NOW) == [expected]


@pytest.mark.parametrize(
    "text",
    ["may I march there?", "order ORD-2024-00123", "version 1.2.3", "I sat down", "at 10:30", "", "31 June is no day"],
)
def test_what_is_no_date_is_none(text: str) -> None:
    assert [span for span in spans(text, NOW) if not span.yearly or span.first == span.last] == []


def test_a_day_in_the_span_counts_fully_and_days_around_it_less_and_less() -> None:
    week = [Span(date(2026, 11, 2), date(2026, 11, 8))]
    moments = np.array([int(datetime(2026, 11, d, 12, tzinfo=UTC).timestamp()) * 10**6 for d in (4, 10, 20)])
    inside, near, far = nearness(week, moments)
    assert inside == 1
    assert 1 > near > far > 0


def test_a_month_without_a_year_is_any_year_s() -> None:
    moments = np.array([int(datetime(y, 5, 7, tzinfo=UTC).timestamp()) * 10**6 for y in (1, 2019, 2026, 9999)])
    assert nearness(spans("in May", NOW), moments).tolist() == [1, 1, 1, 1]


def test_the_first_and_last_moments_there_are_break_nothing() -> None:
    assert spans("hace 3000 años, 5000 years ago", datetime(1, 1, 1, tzinfo=UTC)) == []
    assert nearness([Span(date(9999, 12, 1), date(9999, 12, 31), yearly=True)], np.zeros(1, np.int64)).shape == (1,)


# -- who said it -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "text",
    [
        "Which book did you recommend?",
        "Summarise our plan",
        "你推荐了什么?",
        "Was hast du gesagt?",
        "As in our last chat",
    ],
)
def test_questions_about_what_the_assistant_said(text: str) -> None:
    assert asks_of_both(text)


@pytest.mark.parametrize("text", ["Can you recommend a book?", "What do I read?", "Could you list places to eat?"])
def test_requests_are_not_questions_about_the_assistant(text: str) -> None:
    assert not asks_of_both(text)


def test_own_words_come_first_unless_the_other_side_is_asked_for() -> None:
    corpus = corpus_of(["I like jazz", "Try some jazz"], own=[1, 0])
    assert look(corpus, read_question("jazz?", NOW_US)).scores["own"].tolist() == [1, 0]
    assert "own" not in look(corpus, read_question("which jazz did you suggest?", NOW_US)).scores


# -- tokens ----------------------------------------------------------------------------------------------------------
def states(*rows: tuple[float, float]) -> np.ndarray:
    return np.array(rows, np.float32)


def test_each_word_of_the_query_meets_its_likeliest_word() -> None:
    corpus = corpus_of(["a", "b"])
    packed = [pack_tokens(states((1, 0), (0, 1))), pack_tokens(states((1, 0)))]
    both, one = token_arms(corpus, states((0.5, 0), (0, 0.5)), np.array([0, 1]), packed)[0]
    assert both == pytest.approx(1, abs=0.02)
    assert one == pytest.approx(0.5, abs=0.02)


def test_neighbours_lend_their_token_score() -> None:
    corpus = corpus_of(["a", "b", "c"], sessions=["s", "s", "t"])
    packed = [pack_tokens(states((1, 0))), b"", b""]
    _, window = token_arms(corpus, states((1, 0)), np.array([0, 1, 2]), packed)
    assert window.tolist() == pytest.approx([0, 1, 0], abs=0.02)


def test_a_word_that_only_a_neighbour_has_counts_for_a_part() -> None:
    corpus = corpus_of(["a", "b", "c"], sessions=["s", "s", "t"])
    packed = [pack_tokens(states((1, 0))), pack_tokens(states((0, 1))), pack_tokens(states((0, 1)))]
    scores, window = token_arms(corpus, states((0.5, 0), (0, 0.5)), np.array([0, 1, 2]), packed)
    assert scores.tolist() == pytest.approx([0.65, 0.65, 0.5], abs=0.02)
    assert window.tolist() == pytest.approx([0.5, 0.5, 0], abs=0.02)


@pytest.mark.parametrize("damaged", [b"", b"x", b"abc"])
def test_damaged_states_count_as_none(damaged: bytes) -> None:
    scores, _ = token_arms(
        corpus_of(["a", "b"]), states((1, 0)), np.array([0, 1]), [damaged, pack_tokens(states((1, 0)))]
    )
    assert scores.tolist() == pytest.approx([0, 1], abs=0.02)


# -- the blend -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("said", [["text"], ["own", "text", "vector"], list(ARMS)])
def test_shares_sum_to_one_whoever_speaks(preset: str, said: list[str]) -> None:
    traits = Traits(0.3, 0.9, 0.9, 3.0, 1.0)
    assert sum(PRESETS[preset].shares(said).values()) == pytest.approx(1)
    assert sum(PRESETS[preset].shares_for(said, traits).values()) == pytest.approx(1)


def test_words_weigh_less_when_no_memory_holds_much_of_the_query() -> None:
    context = PRESETS["context"]
    assert context.shares(ARMS, coverage=0.1)["text"] < context.shares(ARMS, coverage=0.9)["text"]


def test_words_keep_their_weight_when_there_is_nothing_else() -> None:
    context = PRESETS["context"]
    assert context.shares(["text", "own"], coverage=0.1) == context.shares(["text", "own"], coverage=0.9)


def test_a_trait_that_is_not_known_changes_nothing() -> None:
    assert learned().changes(Traits()) == learned().changes(Traits(coverage=0.2))


def test_a_trait_far_from_all_that_was_seen_is_followed_no_further() -> None:
    assert learned().changes(Traits(content_words=9.0)) == learned().changes(Traits(content_words=99.0))


def test_classic_is_seven_to_three() -> None:
    assert PRESETS["classic"].shares_for(["text", "vector", "names", "own"], Traits()) == {"text": 0.3, "vector": 0.7}


def test_an_arm_without_weight_has_no_part() -> None:
    assert set(Ranking(text=1, vector=0).shares()) == {"text"}


# -- sessions --------------------------------------------------------------------------------------------------------
def sessions_of(size: int) -> First:
    """Session 0 holds a word twice in a row, session 1 two words far apart, the others neither."""
    texts, sessions = [], []
    for number in range(6):
        lines = ["nothing of note"] * size
        if number == 0:
            lines[:2] = ["the cello", "a cello again"]
        if number == 1:
            lines[0], lines[-1] = "one cello", "and the regatta"
        texts += lines
        sessions += [f"s{number}"] * size
    corpus = corpus_of(texts, sessions=sessions)
    return look(corpus, read_question("cello regatta", NOW_US))


def test_a_long_session_answers_with_all_that_was_said_in_it() -> None:
    first = sessions_of(size=12)
    places = np.array([0, 12, 24])
    scores = {name: values[places] for name, values in first.scores.items()}
    worth = answers_of_sessions(first.view, first.words, scores, places)
    assert worth[1] > worth[0] > worth[2]


def test_a_short_session_answers_with_its_best_stretch() -> None:
    first = sessions_of(size=4)
    places = np.array([0, 4, 8])
    scores = {name: values[places] for name, values in first.scores.items()}
    assert answers_of_sessions(first.view, first.words, scores, places).tolist() == pytest.approx(
        answers_of_sessions(first.view, None, scores, places).tolist()
    )


def test_what_is_in_no_session_has_no_answer_of_one() -> None:
    corpus = corpus_of(["the cello"] * 8, sessions=["a"] * 7 + [None])
    first = look(corpus, read_question("cello", NOW_US))
    places = np.array([0, 7])
    worth = answers_of_sessions(first.view, first.words, {n: v[places] for n, v in first.scores.items()}, places)
    assert worth[0] > worth[1] == 0
