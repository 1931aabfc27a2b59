"""Secrets made of ordinary words or pieces: wallet seed phrases, and keys told in two halves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from retentive.redaction.bip39 import is_listed
from retentive.redaction.policy import Span
from retentive.redaction.shape import is_password_like

# -- wallet phrases (BIP-39: 12, 15, 18, 21 or 24 English words of three to eight letters) --------------------------
_PHRASE_LENGTHS: Final = frozenset({12, 15, 18, 21, 24})
_RUN: Final = re.compile(
    r"(?<![a-z])(?:\d{1,2}[.):][ ]?)?[a-z]{2,12}(?:[ ,\n\r\t]{1,3}(?:\d{1,2}[.):]?[ ]{1,2})?[a-z]{2,12}){11,400}+"
)
_WORD: Final = re.compile(r"[a-z]+")
_ANNOUNCED: Final = re.compile(
    r"seed|mnemonic|recovery phrase|secret phrase|wallet|backup phrase|bip-?39|passphrase|recovery words|secret words|ledger|metamask|trezor|助记词|シード|시드"
)
# Frequent English words that are not in the BIP-39 list: a run that holds one is prose.
_PROSE: Final = frozenset(
    """the and are was for but from were been has had how his her our its not which would could them their your with where than
    these those being did does doing don got get gets getting going went makes using uses many some most so if as at by in on
    it is of to or be we he me my do no up us am go hi ok theirs hers ours who whom whose whether while too lets thanks
    should shall might may wont cant didnt yes""".split()
)


def find_phrases(text: str, low: str) -> Iterator[Span]:
    """Seed phrases: announced by a word, or made of nothing but words of the list."""
    if low.count(" ") + low.count("\n") < 11:
        return
    announced: bool | None = None
    for run in _RUN.finditer(text):
        if announced is None:
            announced = bool(_ANNOUNCED.search(low))
        yield from _phrases_in(text, run, announced=announced)


def _phrases_in(text: str, run: re.Match[str], *, announced: bool) -> Iterator[Span]:
    """Stretches of words that could be of a phrase: any but prose when it is announced, else words of the list."""
    stretch: list[re.Match[str]] = []
    for word in _WORD.finditer(text, *run.span()):
        if _could_belong(word.group()) if announced else is_listed(word.group()):
            stretch.append(word)
            continue
        yield from _phrase(stretch, announced=announced)
        stretch = []
    yield from _phrase(stretch, announced=announced)


def _could_belong(word: str) -> bool:
    return 3 <= len(word) <= 8 and word not in _PROSE and word not in _LABELS


def _phrase(words: list[re.Match[str]], *, announced: bool) -> Iterator[Span]:
    long_enough = len(words) >= 12 if announced else len(words) in _PHRASE_LENGTHS
    if long_enough and len({word.group() for word in words}) >= 8:
        yield Span(words[0].start(), words[-1].end(), "seed_phrase")


_LABELS: Final = frozenset("seed phrase mnemonic recovery words backup metamask trezor bip".split())


# -- halves ---------------------------------------------------------------------------------------------------------
_HALF: Final = re.compile(
    r"(?:first|1st|second|2nd|third|3rd|last|other|next|remaining|final|erste|zweite|primera|segunda|première|deuxième)[ \t]+"
    r"(?:half|part|piece|bit|chunk|portion|characters|chars|hälfte|teil|mitad|parte|moitié|partie)|the rest|\b[1-4][ ]?(?:/|of)[ ]?[2-4]\b|(?:part|half|piece|chunk)[ \t]?(?:\d|one|two|three|[abc])\b|(?:starts|begins|ends|continues|finishes)[ \t]with|followed by|前半|后半|後半"
)
_HALF_MARKS: Final = (
    "half",
    "part",
    "piece",
    "bit",
    "chunk",
    "rest",
    "s with",
    "followed",
    "char",
    "teil",
    "hälfte",
    "mitad",
    "moiti",
    "半",
)
_PIECE: Final = re.compile(
    r"[^.!?\n\x00]{0,60}?(?<![\w/+=-])(?P<value>(?=[A-Za-z_+/=-]{0,40}\d)[A-Za-z0-9_+/=-]{8,120})(?![\w/])"
)
_CREDENTIAL: Final = re.compile(r"key|token|secret|passw|credential|passphrase|schlüssel|clave|clé|密")


def find_halves(text: str, low: str) -> Iterator[Span]:
    """Keys told in pieces: "the first half of the key is ... and the second half is ..."."""
    if not any(map(low.__contains__, _HALF_MARKS)) or not _CREDENTIAL.search(low):
        return
    for half in _HALF.finditer(low):
        piece = _PIECE.match(text, half.end())
        if piece and any(map(str.isalpha, piece["value"])) and is_password_like(piece["value"]):
            yield Span(*piece.span("value"), "split_secret")
