"""The work is in step with the length: counted in characters that are read, so that no clock is asked."""

from __future__ import annotations

import random
import string
from itertools import pairwise

import pytest

from retentive.redaction import Span, engine, redact

RANDOM = string.ascii_letters + string.digits + ' \n=:"/@.-_'


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lengths of the texts that went through the rules."""
    lengths: list[int] = []
    find_tokens = engine.find_tokens

    def counted(text: str, low: str) -> list[Span]:
        lengths.append(len(text))
        return list(find_tokens(text, low))

    monkeypatch.setattr(engine, "find_tokens", counted)
    return lengths


def drawn(seed: int, length: int, alphabet: str = RANDOM) -> str:
    pick = random.Random(seed)  # noqa: S311  a text to be slow on, not a key
    return "".join(pick.choice(alphabet) for _ in range(length))


@pytest.mark.parametrize("seed", range(3))
def test_random_text_of_twice_the_length_is_twice_the_work(seed: int, read: list[int]) -> None:
    work = []
    for length in (15_000, 30_000, 60_000, 120_000):
        read.clear()
        redact(drawn(seed, length))
        work.append(sum(read))
    assert all(longer <= 2.5 * shorter for shorter, longer in pairwise(work)), work


def test_one_finding_in_a_long_text_does_not_have_it_read_again(read: list[int]) -> None:
    words = "the meeting was moved to thursday in room 4b and nobody minded. " * 1000
    redact(words + "api_key=Kx9!vv3zTpassword=ines@corp.example " + words)
    assert sum(read) < 2.2 * len(words)


def test_one_escape_in_a_long_text_does_not_have_it_read_again(read: list[int]) -> None:
    words = "the meeting was moved to thursday and nobody minded. " * 1000
    redact(words + "password%3DQuietHarbor5527 " + words)
    assert sum(read) < 2.2 * len(words)


@pytest.mark.parametrize("fill", ["", "word " * 2000, "x" * 9000 + " ", "a%20b " * 500])
@pytest.mark.parametrize(
    "secret",
    ["password%3DQuietHarbor5527", "api_key=Kx9!vv3zTpassword=ines@corp.example"],  # the second needs two rounds
)
def test_what_is_read_again_is_found_wherever_it_stands(fill: str, secret: str) -> None:
    for text in (fill + secret, secret + " " + fill, f"{fill} {secret} {fill}"):
        once = redact(text).text
        assert not any(value in once for value in ("QuietHarbor5527", "Kx9!vv3zT"))
        assert redact(once).text == once
