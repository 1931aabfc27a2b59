"""What holds for every text: no error, clean terms, one folding, and a text is found by its own words."""

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from retentive.analyze import fold, index_terms, query_terms

ANY_TEXT = st.text(st.characters(), max_size=200)  # surrogates included
WORDS = st.text(st.characters(categories=("Lu", "Ll", "Lo", "Nd")), min_size=1, max_size=20)
untimed = settings(deadline=None)  # tables are built at the first call
FORBIDDEN = {"Cc", "Cs", "Zs", "Zl", "Zp"}


def is_clean(term: str) -> bool:
    return bool(term) and not any(char.isspace() or unicodedata.category(char) in FORBIDDEN for char in term)


@untimed
@given(ANY_TEXT)
def test_index_terms_are_clean_and_repeatable(text: str) -> None:
    terms = index_terms(text)
    assert all(map(is_clean, terms))
    assert terms == index_terms(text)


@untimed
@given(ANY_TEXT, st.integers(0, 60))
def test_query_terms_are_clean_weighed_and_limited(text: str, limit: int) -> None:
    terms = query_terms(text, limit=limit)
    assert len(terms) <= limit
    for term in terms:
        assert term.weight > 0
        assert term.alternatives
        assert all(is_clean(name) and 0 < weight <= 1 for name, weight in term.alternatives)


@untimed
@given(ANY_TEXT)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@untimed
@given(ANY_TEXT)
def test_composed_and_decomposed_text_fold_alike(text: str) -> None:
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text))


@untimed
@given(ANY_TEXT)
def test_a_text_is_found_by_itself(text: str) -> None:
    terms = set(index_terms(text))
    for term in query_terms(text):
        assert any(name in terms for name, _ in term.alternatives)


@untimed
@given(WORDS, st.sampled_from(["where is {}", "Ich habe {} gesehen", "dónde está {}", "{}", "я вижу {}", "说 {} 了"]))
def test_a_word_is_found_in_any_sentence_by_itself(word: str, sentence: str) -> None:
    terms = set(index_terms(sentence.format(word)))
    assert any(name in terms for term in query_terms(word) for name, _ in term.alternatives)


@untimed
@given(st.lists(WORDS, min_size=1, max_size=8))
def test_terms_do_not_depend_on_what_was_analysed_before(words: list[str]) -> None:
    text = " ".join(words)
    first = index_terms(text)
    for word in words:
        index_terms(word)
    assert index_terms(text) == first
