"""The policy, its budgets, structured values, and that work grows with the text and no faster."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import pytest

from retentive.cleaning import Cleaner
from retentive.errors import ConfigError, InvalidInput
from retentive.redaction import RedactionPolicy, Span, redact, redact_value

MIXED = "mail ines@corp.example, my password is QuietHarbor5527"


# -- policy ----------------------------------------------------------------------------------------------------------
def test_tagged_kinds_are_reported_and_stay() -> None:
    result = redact(MIXED, policy=RedactionPolicy(actions={"email": "tag"}))
    assert result.text == "mail ines@corp.example, my password is [REDACTED:password]"
    assert result.spans == (Span(5, 22, "email"), Span(39, 54, "password"))


def test_allowed_kinds_are_not_reported() -> None:
    result = redact(MIXED, policy=RedactionPolicy(actions={"pii": "allow"}))
    assert [span.kind for span in result.spans] == ["password"]


def test_a_kind_wins_over_its_group() -> None:
    policy = RedactionPolicy(actions={"secret": "allow", "password": "redact", "pii": "allow"})
    assert redact(MIXED, policy=policy).text == "mail ines@corp.example, my password is [REDACTED:password]"


@pytest.mark.parametrize("wrong", [{"actions": {"email": "drop"}}, {"max_chars": -1}, {"budget_s": -1.0}])
def test_a_policy_that_cannot_be_followed_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        RedactionPolicy(**wrong)


# -- budgets fail closed -----------------------------------------------------------------------------------------------
def test_text_beyond_the_size_budget_is_not_passed_on() -> None:
    result = redact("a" * 100 + "b" * 50, policy=RedactionPolicy(max_chars=100, actions={"secret": "allow"}))
    assert result.text == "a" * 100 + "[REDACTED:unscanned]"
    assert result.spans == (Span(100, 150, "unscanned"),)


def test_a_text_without_time_to_scan_it_is_not_passed_on() -> None:
    assert redact("hello", policy=RedactionPolicy(budget_s=0)).text == "[REDACTED:unscanned]"


def test_a_long_text_that_takes_too_long_loses_its_rest() -> None:
    text = "plain words here " * 30_000
    result = redact(text, policy=RedactionPolicy(budget_s=1e-9))
    assert [span.kind for span in result.spans] == ["unscanned"]
    assert result.spans[0].end == len(text)


# -- long texts --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("position", [0, 65_500, 65_530, 65_536, 131_050, 199_900])
def test_a_secret_is_found_across_the_edges_of_chunks(position: int) -> None:
    filler = ("plain words here " * 12_000)[:200_000]
    text = f"{filler[:position]} my password is QuietHarbor5527 {filler[position:]}"
    result = redact(text)
    assert result.text == text.replace("QuietHarbor5527", "[REDACTED:password]")


def test_a_key_block_longer_than_a_chunk_is_taken_out_whole() -> None:
    body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEA\n" * 400
    text = (
        "words " * 11_000 + f"-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----" + " words" * 11_000
    )
    assert redact(text).text == "words " * 11_000 + "[REDACTED:private_key]" + " words" * 11_000


# -- structured values -------------------------------------------------------------------------------------------------
def test_a_field_s_name_announces_its_value() -> None:
    given = {
        "db_password": "sunshine",
        "apiKey": "9f8e7d6c5b4a39281706f5e4",
        "primary_key": "customer_id",
        "note": "sunshine",
    }
    assert redact_value(given)[0] == {
        "db_password": "[REDACTED:password]",
        "apiKey": "[REDACTED:secret]",
        "primary_key": "customer_id",
        "note": "sunshine",
    }


@pytest.mark.parametrize(
    "given",
    [{"phone": "4155550135"}, {"homePhone": 4155550135}, {"ssn": "219099998"}, {"phones": ["4155550135"]}],
    ids=lambda given: next(iter(given)),
)
def test_a_field_s_name_makes_digits_personal(given: dict[str, Any]) -> None:
    assert "[REDACTED:" in repr(redact_value(given)[0])
    assert redact_value(given, policy=RedactionPolicy(actions={"pii": "allow"}))[0] == given


@pytest.mark.parametrize("given", [{"phone_id": "4155550135"}, {"phone": "n/a"}, {"order": 4155550135}, {"fax": None}])
def test_other_fields_keep_their_digits(given: dict[str, Any]) -> None:
    assert redact_value(given)[0] == given


def test_a_named_variable_announces_its_value() -> None:
    clean, found = redact_value({"env": [{"name": "DB_PASSWORD", "value": "sunshine"}]})
    assert clean == {"env": [{"name": "DB_PASSWORD", "value": "[REDACTED:password]"}]}
    assert found[0].path == ("env", 0, "value")


def test_keys_that_become_equal_are_kept_apart() -> None:
    clean, found = redact_value({"a@corp.example": 1, "b@corp.example": 2})
    assert clean == {"[REDACTED:email]": 1, "[REDACTED:email]#2": 2}
    assert all(span.in_key for span in found)


def test_numbers_are_read_too() -> None:
    assert redact_value({"card": 4111111111111111, "count": 3, "ok": True, "ratio": 0.5})[0] == {
        "card": "[REDACTED:card]",
        "count": 3,
        "ok": True,
        "ratio": 0.5,
    }


def test_nesting_beyond_the_limit_fails_closed() -> None:
    value: Any = "my password is QuietHarbor5527"
    for _ in range(100):
        value = [value]
    clean, found = redact_value(value)
    assert "QuietHarbor5527" not in repr(clean)
    assert found[-1].kind == "unscanned"


@pytest.mark.parametrize("wrong", [{1: "a"}, {"a": {1, 2}}, object()])
def test_what_is_not_json_like_is_refused(wrong: Any) -> None:
    with pytest.raises(InvalidInput):
        redact_value(wrong)


# -- work --------------------------------------------------------------------------------------------------------------
def calls_made(work: Callable[[], object]) -> int:
    """How many functions `work` calls, of Python's and of C's: the same on every machine."""
    count = 0

    def counted(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


HOSTILE = [
    *(
        "a",
        " ",
        "1 ",
        "+1 ",
        "sumo_",
        "ghp_",
        "sk-",
        "eyJ-",
        "eyJaaaaaaaaaa.",
        "://a:b",
        "http://a:b@",
        "@",
        "a@a.",
        "1.1.1.1 ",
    ),
    *(
        "password=",
        "my password is ",
        "api_key=",
        'password: "',
        "token token_ ",
        "abcDEF123456ghijkl789 ",
        "use a / b ",
    ),
    *(
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN CERTIFICATE-----",
        "data:image/png;base64,",
        "cookie: ",
        "sess=",
        "otpauth://",
    ),
    *(
        "2fa ABCD ",
        "key first half ",
        "seed abandon ability ",
        "curl -u a:b ",
        "mysql -pabcd ",
        "%41",
        "&amp;",
        "\\u0041",
        '"+"',
    ),
    *(
        "a\u200b",
        "pа",
        "ｓ",
        "GB82 WEST ",
        "4111 ",
        "123e4567-e89b-12d3-a456-426614174000-",
        "\x00",
        "\ud800",
        "abc123 is my password ",
    ),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_twice_the_text_is_at_most_two_and_a_half_times_the_work(piece: str) -> None:
    def repeated(length: int) -> str:
        return (piece * (length // len(piece) + 1))[:length]

    redact(repeated(1_000))  # rules are compiled at their first use
    once, twice = (calls_made(partial(redact, repeated(length))) for length in (12_000, 24_000))
    assert twice <= 2.5 * once + 200


def test_a_name_that_one_policy_lets_pass_is_looked_at_by_the_next() -> None:
    name = "thread-" + "sk-or-v1-" + "0123456789abcdef" * 4
    assert Cleaner(RedactionPolicy(actions={"secret": "allow"})).name(name) == name
    assert Cleaner().name(name) != name
    assert Cleaner().name("thread-7") == "thread-7" == Cleaner().name("thread-7")
