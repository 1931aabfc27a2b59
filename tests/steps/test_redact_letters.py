"""Passwords of letters alone: found where they are announced, left where passwords are only spoken of."""

from __future__ import annotations

import pytest

from retentive import redact


@pytest.mark.parametrize(
    "text",
    [
        '{"password": "sunshine"}',
        '{"user":"bo","password":"OtterRiver"}',
        'DB_PASSWORD="OtterRiver"',
        "the wifi password is OtterRiver",
        'my password is "OtterRiver"',
        '{"msg": "my password is sunshineboat"}',
        '{"out": "Mein Passwort lautet WolkeNoiehE"}',
    ],
)
def test_a_password_of_letters_alone_is_taken_out(text: str) -> None:
    cleaned = redact(text).text
    assert "[REDACTED:password]" in cleaned
    assert not any(word in cleaned for word in ("sunshine", "Otter", "Wolke"))


@pytest.mark.parametrize(
    "text",
    [
        '{"password": "required"}',
        'password: "string"',
        'password="PasswordField"',
        "The admin password is required.",
        "The wifi password is printed on the router.",
    ],
)
def test_what_is_said_about_passwords_stays(text: str) -> None:
    assert redact(text).text == text
