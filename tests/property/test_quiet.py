"""The rules find nothing in a quiet text: held against the rules themselves, in texts made to cross the line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retentive.redaction import RedactionPolicy, engine, redact
from retentive.redaction.national_ids import has_digits
from retentive.redaction.providers import formats_by_prefix
from retentive.redaction.quiet import is_quiet
from retentive.redaction.words import KEY_ROOTS, PASSWORD_ROOTS

LETTERS = "abcdefghijklmnopqrstuvwxyz"
PREFIXES = [prefix for prefix in formats_by_prefix() if prefix.isascii()]
ROOTS = [root for root in (*PASSWORD_ROOTS, *KEY_ROOTS) if root.isascii()]
#: Words that are next to what rules look for, so that many texts come close to a finding.
NEAR = """
my our the is are was as from to and with at (at) dot at. use log in unlock open it first half part
code codes backup seed phrase wallet pin pins cvv door card number basic bearer wifi login user
creds root admin setup authenticator factor call phone tax id passport national name address street
machine net zip abandon ability able about above absent absorb abstract absurd abuse access accident
sunshine sticky maple-river dXNlcjpw abcd efgh word mat key-value pass word secret of de
""".split()
WORDS = st.one_of(
    st.sampled_from(NEAR),
    st.sampled_from(ROOTS),
    st.sampled_from(PREFIXES),
    st.text(LETTERS, min_size=1, max_size=14),
    st.text(LETTERS, min_size=1, max_size=1),
    st.text("0123456789", min_size=1, max_size=6),
    st.text(LETTERS, min_size=1, max_size=8).map(str.capitalize),
    st.text(LETTERS.upper(), min_size=1, max_size=5),
    st.text(LETTERS + "ABCXYZ0129-'_=/+.:@", min_size=1, max_size=24),
)
GLUED = st.tuples(st.sampled_from(["", "", "", "("]), WORDS, WORDS, st.sampled_from(["", "", "-", "'", "."])).map(
    lambda parts: f"{parts[0]}{parts[1]}{parts[3]}{parts[2] if parts[3] else ''}"
)
ENDED = st.tuples(GLUED, st.sampled_from(["", "", "", "", ".", ",", "?", "!", ":", ";", ")", "...", "?)"])).map("".join)
TEXTS = st.lists(ENDED, max_size=24).map(" ".join)


def by_the_rules(text: str) -> list[engine.Span]:
    return engine._settled(text, engine.DEFAULT_POLICY)  # noqa: SLF001  what is_quiet lets us leave out


@given(TEXTS)
@settings(max_examples=250, deadline=None)
def test_the_rules_find_nothing_in_a_quiet_text(text: str) -> None:
    if is_quiet(text):
        assert by_the_rules(text) == []
        assert not has_digits(text)


@given(st.lists(ENDED.filter(is_quiet), min_size=1, max_size=30).map(" ".join))
@settings(max_examples=250, deadline=None)
def test_nor_in_a_text_of_many_quiet_words(text: str) -> None:
    if is_quiet(text):
        assert by_the_rules(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "my password is sunshine",
        "my passphrase is sunshine",
        "our secret word is sunshine",
        "our wpa key is sunshine",
        "the pin of my card is 4821",
        "cvv 123",
        "backup codes are 48213, 59321",
        "the authenticator says abcd efgh 2345 ijkl mnop",
        "write to ines (at) corp (dot) example",
        "call 555 0134 20",
        "c a l l m e a t h o m e",
        "abandon ability able about above absent absorb abstract absurd abuse access accident",
        "my wallet: sunny table river stone cloud green horse light paper music dance bread",
        "ltaiabcdefgh 48213",
        "QuietHarbor",
        "one\ntwo",
        "caf\u00e9",
        "a  b",
    ],
)
def test_what_may_be_told_in_plain_words_is_left_to_the_rules(text: str) -> None:
    assert not is_quiet(text)


@pytest.mark.parametrize(
    "text",
    [
        "We moved to Ghent in 2019, and the kids don't miss it.",
        "I'm fine (a bit tired)! See you at 5?",
        "The passport of my sister expired; she passed through Paris anyway...",
        "It was a long-term plan: TV at 8, then bed.",
    ],
)
def test_what_people_chat_is_quiet(text: str) -> None:
    assert is_quiet(text)
    assert redact(text).text == text


def test_a_policy_that_asks_for_names_has_quiet_texts_read_too() -> None:
    text = "My name is Ines Moreau and I am fine."
    assert is_quiet(text)
    asked = RedactionPolicy(actions={"name": "redact"})
    assert redact(text, policy=asked).text == "My name is [REDACTED:name] and I am fine."


def test_a_budget_holds_for_a_quiet_text_too() -> None:
    assert redact("We moved to Ghent", policy=RedactionPolicy(max_chars=8)).text == "We moved[REDACTED:unscanned]"
    assert redact("We moved to Ghent", policy=RedactionPolicy(budget_s=0)).text == "[REDACTED:unscanned]"
