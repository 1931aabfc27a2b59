"""Secrets in octal, quoted-printable and base32, and tokens with letters right before them; and what only looks so."""

from __future__ import annotations

import base64
from collections.abc import Callable

import pytest

from retentive import redact

TOKENS = {
    "github": "ghp_" + "k3Vq9ZtB1nX7cR5mW2yL8pD4sF6hJ0aGuE1T",
    "aws": "AKIA" + "Q7ZTN3WXK5RVB2LM",
    "stripe": "sk_" + "live_9Qw3Rt5Zx7Cv1Bn4Mk6Lp8Ha",
    "slack": "xoxb-" + "482915736420-9173640285713-Zq7Wm3Xc9Vb1Nn5Kd8Lf2Gh4",
}
ENCODED: dict[str, Callable[[str], str]] = {
    "octal": lambda text: "".join(f"\\{ord(char):03o}" for char in text),
    "quoted-printable": lambda text: "".join(f"={ord(char):02X}" for char in text),
    "quoted-printable, signs only": lambda text: text.replace("_", "=5F").replace("-", "=2D"),
    "base32": lambda text: base64.b32encode(text.encode()).decode(),
    "base32 without its end": lambda text: base64.b32encode(text.encode()).decode().rstrip("="),
    "letters before": lambda text: f"token{text}",
    "a digit before": lambda text: f"v2{text}",
}


@pytest.mark.parametrize("way", ENCODED)
@pytest.mark.parametrize("token", TOKENS)
def test_no_part_of_it_is_left(way: str, token: str) -> None:
    written = ENCODED[way](TOKENS[token])
    clean = redact(f"The value is {written} , as agreed.")
    assert "[REDACTED:" in clean.text
    assert TOKENS[token][6:] not in clean.text
    assert written[-12:] not in clean.text
    assert clean.text.startswith("The value is ")
    assert clean.text.endswith(" , as agreed.")
    assert redact(clean.text).text == clean.text


@pytest.mark.parametrize("said", ["password=3DQuietHarbor5527", "password: Quiet=48arbor5527"])
def test_an_announced_password_in_quoted_printable(said: str) -> None:
    assert "arbor5527" not in redact(f"the {said} is for Monday").text


@pytest.mark.parametrize(
    "text",
    [
        "GET /items?size=42&page=30&sort=5A HTTP/1.1",
        "x=20 y=41 z=4B w=49 and so on",
        r"open C:\101\167\readme.txt, then D:\backup\141",
        "the task-0123456789abcdef0123456789abcdef01 of the risk-0123456789abcdef0123456789abcdef01 board",
        "contest_0123456789abcdef0123456789abcdef is the latest_4f5e6d7c8b9a0f1e2d3c4b5a69788796",
        "MALAYSIAKUALALUMPURPENANG is one word here, MALAYSIAQ7ZTN3WXK5RVB2LM too",
        "part ABCDEFGHIJKLMNOPQRSTUVWXYZ234567 of the alphabet",
        "build JBSWY3DPEBLW64TMMQQGC3TEEBWW64TFEB2GK6DU says hello world",
        "=41=20=62 is an A, a blank and a b",
        "My pin code is 560034, Bengaluru.",
        "the pin code of my office is 110001",
        "our pincode: 400001",
    ],
)
def test_what_only_looks_so_is_left_alone(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(
    "text",
    ["my pin code is 4821", "the pin code of my card is 482913", "my door pin code is 274816", "my pin is 482913"],
)
def test_a_pin_is_taken_out_all_the_same(text: str) -> None:
    assert redact(text).text == f"{text.rpartition(' ')[0]} [REDACTED:pin]"
