"""A text made easier to read, with the way back to the given text.

Secrets hide in full-width letters, look-alike letters, zero-width characters, percent, HTML and backslash escapes, and
in strings cut over two lines. Each step here makes a plainer text and remembers, for every character of it, where it
came from, so that what is found in the plain text can be taken out of the given one.
"""

from __future__ import annotations

import html
import re
import sys
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from retentive.redaction.policy import Span


@dataclass(frozen=True, slots=True)
class View:
    """A derived text. Character `i` stands for `source[starts[i]:ends[i]]`; None means offsets are unchanged."""

    text: str
    starts: Sequence[int] | None = None
    ends: Sequence[int] | None = None

    def source(self, span: Span) -> Span:
        """The span of the source that a span of this text, which may not be empty, came from."""
        if self.starts is None or self.ends is None:
            return span
        return Span(self.starts[span.start], self.ends[span.end - 1], span.kind)


# -- folding: one reading for many ways to write a letter -----------------------------------------------------------
# Invisible: soft hyphen, combining marks, joiners, directional marks and isolates, variation selectors, tags, BOM.
_INVISIBLE: Final = (
    "\u00ad\u0300-\u036f\u061c\u115f\u1160\u180b-\u180f\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u20d0-\u20ff\u2800\u3164\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\uffa0\U000e0000-\U000e01ef"
)
_DROPPED: Final = re.compile(f"[{_INVISIBLE}]+")
_WIDE: Final = (
    "\u00a0\u2000-\u200a\u2010-\u201f\u2032-\u2036\u202f\u205f\u2212\u3000\ufe58\ufe63\uff01-\uff5e\u02bc\u24b6-\u24e9"
)
# Digits of other scripts, raised, lowered, in circles; letters that are symbols.
_OTHER_SIGNS: Final = (
    "\u00b2\u00b3\u00b9\u1d2c-\u1d6a\u2070-\u209c\u2100-\u217f\u2460-\u2468\u24ea\U0001d400-\U0001d7ff"
)
_FOLDABLE: Final = re.compile(rf"[{_WIDE}{_INVISIBLE}{_OTHER_SIGNS}]|(?![0-9])\d")
_MIXED_SCRIPT: Final = re.compile("[A-Za-z_][\u0370-\u0556]|[\u0370-\u0556][A-Za-z_]")
_MIXED_WORD: Final = re.compile("[A-Za-z0-9_\u0370-\u0556]{2,200}")
_LATIN: Final = re.compile("[A-Za-z]")

_LOOK_ALIKES: Final = str.maketrans(
    "аеосрухіјѕһԁԛԝԍкмтпАВЕКМНОРСТХІЈЅУавοανικρτυχγςΑΒΕΖΗΙΚΜΝΟΡΤΥΧոսհօ",
    "aeocpyxijshdqwgkmtnABEKMHOPCTXIJSYaboavikptuxycABEZHIKMNOPTYXnuho",
)


@cache
def _fold_table() -> dict[int, str]:
    """One character to one character, so that offsets stay."""
    table = {c: chr(c - 0xFEE0) for c in range(0xFF01, 0xFF5F)}
    signs = (0xB2, 0xB3, 0xB9, *range(0x1D2C, 0x1D6B), *range(0x2070, 0x2180), *range(0x2460, 0x24EB))
    for c in (*signs, *range(0x1D400, 0x1D800)):
        plain = unicodedata.normalize("NFKC", chr(c))
        if len(plain) == 1 and plain.isascii():
            table[c] = plain
    table.update({c: str(unicodedata.decimal(chr(c))) for c in range(0x660, 0x20000) if chr(c).isdecimal()})
    table.update(dict.fromkeys([0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " "))
    table.update(dict.fromkeys([*range(0x2010, 0x2016), 0x2212, 0xFE58, 0xFE63], "-"))
    table.update(dict.fromkeys([0x2018, 0x2019, 0x201A, 0x201B, 0x2032, 0x2035, 0x02BC], "'"))
    table.update(dict.fromkeys([0x201C, 0x201D, 0x201E, 0x201F, 0x2033, 0x2036], '"'))
    return table


def fold(text: str) -> View:
    """The text with full-width, styled and look-alike letters and all digits as ASCII, and invisible characters gone.

    Look-alike letters are only changed in words that mix scripts, so Russian and Greek stay themselves.

    >>> fold("p\u0430ssword \uff1d x").text
    'password = x'
    """
    if text.isascii():
        return View(text)
    if _MIXED_SCRIPT.search(text):
        text = _MIXED_WORD.sub(_fold_word, text)
    if not _FOLDABLE.search(text):
        return View(text)
    text = text.translate(_fold_table())
    return substitute(text, _DROPPED, lambda _: "") if _DROPPED.search(text) else View(text)


def _fold_word(match: re.Match[str]) -> str:
    word = match.group()
    return word.translate(_LOOK_ALIKES) if _LATIN.search(word) else word


# -- replacing pieces, keeping the way back -------------------------------------------------------------------------
def substitute(text: str, pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str]) -> View:
    """`pattern.sub(replace, text)` with offsets; every character of a replacement stands for the whole piece."""
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done = 0
    for match in pattern.finditer(text):
        start, end = match.span()
        parts.append(text[done:start])
        starts.extend(range(done, start))
        ends.extend(range(done + 1, start + 1))
        plain = replace(match)
        parts.append(plain)
        starts.extend([start] * len(plain))
        ends.extend([end] * len(plain))
        done = end
    parts.append(text[done:])
    starts.extend(range(done, len(text)))
    ends.extend(range(done + 1, len(text) + 1))
    return View("".join(parts), starts, ends)


# -- escapes and joints ----------------------------------------------------------------------------------------------
_ESCAPE: Final = re.compile(
    r"""(?P<percent>%[0-7][0-9A-Fa-f]|(?:%[89A-Fa-f][0-9A-Fa-f]){1,12})
      | (?P<html>&(?:\#[0-9]{1,7};?|\#[xX][0-9A-Fa-f]{1,6};?|[A-Za-z]{2,8};))
      | (?P<code>\\(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|u\{[0-9A-Fa-f]{1,6}\}|x[0-9A-Fa-f]{2}|[01][0-7]{2}))
      | (?P<quotable>(?:=[2-7][0-9A-F]){4,160}|=[2-7][A-F](?=\w))
      | (?P<char>\\[nrt"'/\\_*~.#=:@-])
      | (?P<spaced>(?<!\S)\S(?:[ ]\S){7,160}(?!\S))
      | (?P<defanged>\[[._@:-]\])
      | (?P<joint>\\\r?\n[ \t]{0,64}+ | <w?br[ ]?/?>
          | (?P<quote>["'])[ \t]{0,16}
            (?:(?:[+.&]|\|\||\\)[ \t]{0,16}(?:\r?\n)?[ \t]{0,64}|\r?\n[ \t]{0,64}(?:(?:[+.&]|\|\|)[ \t]{0,16})?|(?<=[\"'])[ \t]{1,4})
            (?P=quote))
    """,
    re.VERBOSE,
)
_ESCAPE_SIGNS: Final = re.compile(  # the search for the first character skips the others quickly
    r"""[%&\\"'<\[=](?:(?<==)[2-7][0-9A-F](?:(?<=[A-F])\w|=[2-7])|(?<=%)[0-9A-Fa-f]{2}|(?<=&)[#A-Za-z]|(?<=\\)|(?<=["'])[ \t]{0,16}[+.&|\n\r"']|(?<=<)w?br|(?<=\[)[._@:-]\])"""
)
_SPACED_OUT: Final = re.compile(r" \S \S \S \S \S \S \S(?!\S)")
_CHAR_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t"}


def escapes(text: str) -> list[tuple[int, int]]:
    """Where there is something to decode or to join, in order."""
    if not _ESCAPE_SIGNS.search(text) and not _SPACED_OUT.search(text):
        return []
    return [match.span() for match in _ESCAPE.finditer(text) if _plain(match) != match.group()]


def unescape(text: str) -> View:
    """The text with escapes decoded and cut strings joined.

    >>> view = unescape('a%3Db &quot;c&quot; "de" + "f"')
    >>> view.text
    'a=b "c" "def"'
    >>> view.source(Span(1, 2, "x"))
    Span(start=1, end=4, kind='x')
    """
    return substitute(text, _ESCAPE, _plain)


def _plain(match: re.Match[str]) -> str:
    decode = _DECODERS.get(match.lastgroup or "")
    plain = decode(match.group()) if decode else ""
    return plain if plain.isascii() else _DROPPED.sub("", plain.translate(_fold_table()))


def _from_utf8(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _from_code(piece: str) -> str:
    code = int(piece[1:], 8) if piece[1].isdigit() else int(piece[2:].strip("{}"), 16)
    return chr(code) if code <= sys.maxunicode else piece


_DECODERS: Final[dict[str, Callable[[str], str]]] = {
    "percent": lambda piece: _from_utf8(bytes.fromhex(piece.replace("%", ""))) or piece,
    "html": html.unescape,
    "code": _from_code,
    "quotable": lambda piece: _from_utf8(bytes.fromhex(piece.replace("=", ""))) or piece,
    "char": lambda piece: _CHAR_ESCAPES.get(piece[1], piece[1]),
    "spaced": lambda piece: piece.replace(" ", ""),
    "defanged": lambda piece: piece[1],
}
