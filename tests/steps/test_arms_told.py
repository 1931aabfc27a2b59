"""What tells whose words answer: telling before asking, and facts for the message they were drawn from."""

from __future__ import annotations

import numpy as np
import pytest

from retentive.arms import read_question
from steps.test_arms import NOW_US, corpus_of, look


def test_an_owners_question_tells_less_than_what_they_tell() -> None:
    corpus = corpus_of(["I eat no meat at all", "What could I eat?", "Try the soup"], own=[1, 1, 0])
    told, asked, others = look(corpus, read_question("please plan some dinner", NOW_US)).scores["own"]
    assert told == 1
    assert 0.5 <= asked < 0.7
    assert others == 0
    found = (
        look(corpus, read_question("could I eat?", NOW_US)).scores["own"].tolist()
    )  # it is this question that is meant
    assert found == [1, 1, 0]


def test_how_much_a_text_asks_is_no_word_of_it() -> None:
    corpus = corpus_of(["you eat", "you eat?", "so, you eat?"])
    assert corpus.column("length").tolist() == [2, 2, 3]
    assert corpus.column("asks").tolist() == [0, 1, 0.75]


def test_a_fact_out_of_view_lends_its_nearness_to_its_message() -> None:
    corpus = corpus_of(["Ann: as I said", "Ann: lunch", "Ann keeps bees"], vectors=[(0.6, 0.8), (0, 1), (1, 0)])
    corpus.draw([(2, 0)])
    question = read_question("bees?", NOW_US, np.array([1, 0], np.float32))
    assert look(corpus, question, [True, True, False]).scores["vector"].tolist() == [1, 0, 0]
    assert look(corpus, question).scores["vector"].tolist() == pytest.approx([0.6, 0, 1], abs=0.001)
    corpus.drop([2])
    assert look(corpus, question, [True, True, False]).scores["vector"].tolist() == pytest.approx(
        [0.6, 0, 0], abs=0.001
    )
