"""Cutting a text into pieces: words, codes with their parts, character n-grams, symbols.

A text is first cut into chunks (what is written together), then a chunk into pieces. A chunk with a connector, a digit
or inner capitals is a code: it is kept whole and in parts, so that it is found by either.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from retentive.analyze.folding import clean, fold

MAX_TERM_CHARS = 96
MAX_CODE_CHARS = 400  # a longer one is cut into its words and numbers only
MAX_CACHED_CHARS = 64
FIRST_GRAM_CHAR = "\u0e00"
Kind = Literal["word", "number", "code", "gram", "symbol"]

_CJK = "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3041-\u3096\u309d-\u309f\u30a1-\u30fa"
_CJK += "\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c"
_CJK += "\uac00-\ud7a3\ud7b0-\ud7fb\uf900-\ufaff\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
_SEA = "\u0e01-\u0e2e\u0e30-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u109a-\u109f"
_SEA += "\u1780-\u17d3\u17dc\u17dd\uaa60-\uaa7b"
_CONNECTOR = r"(?:[-.@/\\'&=?#%~]|:(?!/)|://|(?<=[0-9]),(?=[0-9]))"
_ASCII_CHUNK = re.compile(rf"[A-Za-z0-9_]+(?:{_CONNECTOR}[A-Za-z0-9_]+)*(?:\+\+|#(?![A-Za-z0-9_]))?")
_STRONG = re.compile(r"://|[/\\@?=&#:,%~]")
_WEAK = re.compile(r"[-._']+")
_PHONE = re.compile(  # what must not stand before it is looked for behind its beginning: the search skips the rest
    r"[+(\d](?<![\w.].)(?:(?<=\d)(?!\d{3}-\d\d-\d\d\b)|(?<=[+(])\d)[\d ().-]{5,20}\d(?!\w)", re.ASCII
)
_MIN_PHONE_DIGITS = 7
_SUBWORD = re.compile(r"[^\W\d_]+|\d+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^A-Za-z]+")
_MAX_SUBWORDS = 5
_MIN_JOINED_CHARS = 4
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_CONTRACTIONS = frozenset({"s", "m", "re", "ve", "ll", "d"})
_ELISIONS = frozenset(
    {"c", "d", "j", "l", "m", "n", "s", "t", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu"}  # French
    | {"all", "dall", "dell", "nell", "sull", "un", "quest", "quell"}  # Italian
)
_KATAKANA = {code: code - 0x60 for code in range(0x30A1, 0x30F7)}


class Piece(NamedTuple):
    """One searchable piece of a chunk: its folded text, its kind, and whether it is a part of a longer code."""

    text: str
    kind: Kind
    part: bool = False


@lru_cache(maxsize=1)
def _chunk_pattern() -> re.Pattern[str]:
    """Chunks of any script: a CJK run, a South-East Asian run, an emoji, or a word or code of the other scripts."""
    marks, symbols = _ranges("M"), _ranges("So")
    word = rf"[^\W{_CJK}{_SEA}]+(?:[{marks}]+[^\W{_CJK}{_SEA}]*)*"
    return re.compile(
        rf"[{_CJK}]+|[{_SEA}]+|[\U0001f1e6-\U0001f1ff]{{2}}|[{symbols}]"
        rf"|{word}(?:{_CONNECTOR}{word})*(?:\+\+|#(?!\w))?"
    )


def _ranges(category: str) -> str:
    """A regular-expression class body of all characters whose general category starts with `category`."""
    spans: list[list[int]] = []
    for code in range(0x80, 0x20000):
        if unicodedata.category(chr(code)).startswith(category):
            if spans and spans[-1][1] == code - 1:
                spans[-1][1] = code
            else:
                spans.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in spans)


def chunks(text: str) -> list[str]:
    """What is written together, in order, case and accents kept.

    >>> chunks("See ORD-2024-00123, 中文watchdog.")
    ['See', 'ORD-2024-00123', '中文', 'watchdog']
    """
    if text.isascii():
        return _ASCII_CHUNK.findall(text)
    return _chunk_pattern().findall(clean(text))


def spaced_numbers(text: str) -> list[str]:
    """Digits of numbers written with spaces or brackets between, such as telephone numbers, joined."""
    joined = []
    for match in _PHONE.findall(text):
        digits = "".join(filter(str.isdecimal, match))
        if len(digits) >= _MIN_PHONE_DIGITS and (" " in match or "(" in match):
            joined.append(digits)
    return joined


def pieces(chunk: str) -> Iterator[Piece]:
    """The pieces of one chunk; for a code the whole comes first.

    >>> [piece.text for piece in pieces("report_final.v2.pdf")]
    ['report_final.v2.pdf', 'reportfinalv2pdf', 'report', 'final', 'v2', '2', 'pdf']
    """
    return (piece for piece in _cut(chunk) if piece.text)


def grams(chunk: str) -> list[str]:
    """The character n-grams of a chunk in a script without spaces; empty for other chunks.

    One and two characters for Chinese, Japanese and Korean; two and three for Thai, Lao, Khmer and Myanmar, whose
    single characters say little. A run too short for any is one gram.

    >>> grams("早报")
    ['早', '早报', '报']
    """
    if _is_cjk(chunk[0]):
        run, short = fold(chunk).translate(_KATAKANA), 1
    elif _is_sea(chunk[0]):
        run, short = fold(chunk), 2
    else:
        return []
    if len(run) <= short:
        return [run]
    terms = []
    for start in range(len(run) - short + 1):
        terms.append(run[start : start + short])
        if start + short < len(run):
            terms.append(run[start : start + short + 1])
    return terms


_is_cjk = re.compile(f"[{_CJK}]").match
_is_sea = re.compile(f"[{_SEA}]").match


def in_grams(text: str) -> bool:
    """Whether a text begins in a script without spaces, and is cut into n-grams.

    >>> in_grams("東京"), in_grams("Tokio")
    (True, False)
    """
    return bool(_is_cjk(text) or _is_sea(text))


def _cut(chunk: str) -> Iterator[Piece]:
    first = chunk[0]
    if first >= FIRST_GRAM_CHAR and (found := grams(chunk)):
        yield from (Piece(gram, "gram") for gram in found)
    elif not (first.isalnum() or first == "_" or unicodedata.category(first)[0] == "M"):
        yield Piece(fold(chunk), "symbol")
    elif chunk.isalpha() and (chunk.islower() or chunk[1:].islower() or chunk.isupper()):
        yield Piece(fold(chunk)[:MAX_TERM_CHARS], "word")
    elif chunk.isdecimal() and chunk.isascii() and len(chunk) <= MAX_TERM_CHARS:
        yield Piece(chunk, "number")
    elif len(chunk) > MAX_CODE_CHARS:
        for match in _SUBWORD.finditer(chunk):
            atom = fold(match[0])[:MAX_TERM_CHARS]
            yield Piece(atom, "number" if atom.isdecimal() else "word", part=True)
    elif "'" in chunk:
        yield from _apostrophe(chunk)
    else:
        yield from _code(chunk.replace("\\_", "_"))  # Markdown escapes the underscores of identifiers


def _apostrophe(chunk: str) -> Iterator[Piece]:
    """Contractions lose their ending, elisions their article, names (O'Brien) are also joined."""
    head, _, tail = chunk.rpartition("'")
    if tail.lower() in _CONTRACTIONS and head:
        yield from _cut(head)
    elif tail.lower() == "t" and head[-1:].lower() == "n":
        yield Piece(fold(head.replace("'", "") + tail), "word")
    elif (first_rest := chunk.split("'", 1))[0].lower() in _ELISIONS and first_rest[1]:
        yield from _cut(first_rest[1])
    else:
        parts = [part for part in chunk.split("'") if part]
        yield Piece(fold("".join(parts))[:MAX_TERM_CHARS], "word")
        for part in parts:
            yield from (Piece(piece.text, piece.kind, part=True) for piece in _cut(part) if len(piece.text) > 1)


def _code(chunk: str) -> Iterator[Piece]:
    if _THOUSANDS.fullmatch(chunk):
        yield Piece(chunk.replace(",", ""), "number")
        return
    suffix = chunk[len(chunk.rstrip("+#")) :]
    segments = [segment for segment in _STRONG.split(chunk) if segment.strip("+#")]
    if suffix or (len(segments) > 1 and not all(segment.isalpha() for segment in segments)) or "@" in chunk:
        yield Piece(fold(chunk)[:MAX_TERM_CHARS], "code")
    for segment in segments:
        yield from _segment(segment.rstrip("+#"), part=len(segments) > 1)


def _segment(segment: str, *, part: bool) -> Iterator[Piece]:
    """A stretch without strong separators: whole, joined (so that ORD-17, ORD_17 and ORD17 agree), and its atoms."""
    atoms = [atom for atom in _WEAK.split(segment) if atom]
    if len(atoms) > 1:
        joined = fold("".join(atoms))[:MAX_TERM_CHARS]
        if not ("-" in segment and segment.replace("-", "").isalpha()):
            yield Piece(fold(segment)[:MAX_TERM_CHARS], "code", part)
        if len(joined) >= _MIN_JOINED_CHARS:
            yield Piece(joined, "code", part=True)
        if segment[0] in "vV" and segment[1:2].isdecimal():
            yield Piece(fold(segment[1:])[:MAX_TERM_CHARS], "code", part=True)
    for atom in atoms:
        yield from _atom(atom, part=part or len(atoms) > 1)


def _atom(atom: str, *, part: bool) -> Iterator[Piece]:
    """Letters and digits without separators: whole, and its words and numbers (getUserName, 30mg)."""
    subwords = _SUBWORD.findall(atom) if atom.isascii() or any(map(str.isdecimal, atom)) else [atom]
    if atom.isascii():
        subwords = [word for subword in subwords for word in _CAMEL.findall(subword)]
    folded = fold(atom)[:MAX_TERM_CHARS]
    if len(subwords) == 1:
        yield Piece(folded, "number" if folded.isdecimal() else "word", part)
        return
    yield Piece(folded, "code", part)
    if len(subwords) <= _MAX_SUBWORDS:
        for subword in subwords:
            if subword.isdecimal():
                yield Piece(fold(subword)[:MAX_TERM_CHARS], "number", part=True)
            elif len(subword) > 1:
                yield Piece(fold(subword)[:MAX_TERM_CHARS], "word", part=True)
