"""What must hold for every string, however odd."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from retentive.redaction import DEFAULT_POLICY, Redacted, RedactionPolicy, redact, redact_value

EVERYTHING = RedactionPolicy(actions={"address": "redact", "name": "redact"})

# Pieces that rules look for, so that random texts reach deep into them.
PIECES = st.sampled_from(
    [
        *(
            "my password is ",
            "password=",
            "DB_PASSWORD: ",
            "密码是",
            "Passwort lautet ",
            "api_key=",
            "token: ",
            "secret",
            "Cookie: sid=",
        ),
        *(
            "ghp_",
            "sk-",
            "sk_live_",
            "AKIA",
            "eyJ",
            "xoxb-",
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
        ),
        *(
            "://user:",
            "@host.example",
            "@",
            "otpauth://totp/x?secret=",
            "https://hooks.slack.com/services/",
            "Bearer ",
            "Basic ",
        ),
        *(
            "mysql -u root -p",
            "curl -u a:",
            "seed phrase: ",
            "first half of the key is ",
            "Main Street",
            "my name is ",
            "+49 30 ",
        ),
        *(
            "4111 1111 1111 1111",
            "DE89370400440532013000",
            "203.0.113.9",
            "219-09-9999",
            "QuietHarbor5527",
            "Kx9!vv3zT",
        ),
        *(
            "I4wDHVyMSD1RIGyFQW87yBie01ZCkKtg185c2f06",
            "7f3a9c2e5b8d1f4a6c9e2b5d8f1a4c7e",
            "[REDACTED:email]",
            "[REDACTED:",
        ),
        *(
            "%3D",
            "&quot;",
            "\\u0041",
            "\\n",
            '" + "',
            "\\\n",
            "\n",
            " ",
            '"',
            "'",
            "`",
            "\u200b",
            "ｓ",
            "а",
            "\x00",
            "\ud800",
            "İ",
            "ß",
        ),
    ]
)
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=())),
    st.lists(st.one_of(PIECES, PIECES, st.text(st.characters(exclude_categories=()), max_size=12)), max_size=12).map(
        "".join
    ),
)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=8,
)


@given(TEXTS)
@settings(max_examples=600, deadline=None)
def test_spans_are_in_range_sorted_and_apart(text: str) -> None:
    end = 0
    for span in redact(text, policy=EVERYTHING).spans:
        assert end <= span.start < span.end <= len(text)
        end = span.end


@given(TEXTS)
@settings(max_examples=600, deadline=None)
def test_text_outside_the_spans_is_unchanged(text: str) -> None:
    assert redact(text, policy=EVERYTHING) == rebuilt(text, redact(text, policy=EVERYTHING))


def rebuilt(text: str, result: Redacted) -> Redacted:
    parts, done = [], 0
    for span in result.spans:
        parts += [text[done : span.start], f"[REDACTED:{span.kind}]"]
        done = span.end
    return Redacted("".join([*parts, text[done:]]), result.spans)


@given(TEXTS)
@settings(max_examples=1200, deadline=None, derandomize=True)  # the same texts in each run
def test_redacting_again_changes_nothing(text: str) -> None:
    once = redact(text).text
    assert redact(once) == Redacted(once)


@given(TEXTS)
@settings(max_examples=200, deadline=None, derandomize=True)
def test_tagging_finds_the_same_and_keeps_the_text(text: str) -> None:
    tagged = redact(text, policy=RedactionPolicy(actions={"secret": "tag", "pii": "tag"}))
    assert tagged.text == text
    assert tagged.spans == redact(text, policy=DEFAULT_POLICY).spans


@given(JSON_VALUES)
@settings(max_examples=200, deadline=None, derandomize=True)
def test_structured_values_keep_their_shape_and_settle(value: Any) -> None:
    clean, found = redact_value(value)
    assert shape(clean) == shape(value) or found
    again, more = redact_value(clean)
    assert (json.dumps(again), more) == (json.dumps(clean), ())


def shape(value: Any) -> Any:
    """The value with its strings blanked."""
    if isinstance(value, dict):
        return [shape(item) for item in value.values()]
    if isinstance(value, list):
        return [shape(item) for item in value]
    return "" if isinstance(value, str) else value
