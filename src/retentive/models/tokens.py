"""How many tokens a text costs a language model: exact where the vocabulary is installed, else a careful estimate.

The estimate carries no vocabulary. It cuts a text the way o200k_base's pre-tokenizer does and adds up what a piece of
each kind costs: a word of running English about one token, any other word more the longer it is, two letters that
follow each other in no European language (as in keys, hashes and base64) most of a token more.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

from retentive.contracts import TokenCounter
from retentive.errors import MissingExtra

# Words that English has every few words, and that other languages written in Latin letters have not.
_ENGLISH = frozenset(
    "the and you that this with not your from it if but they she has can been were there their would about which when "
    "what how who them than then these those could should because our its his her some any out I".split()
)
_LONGEST_PART = 40_000  # characters, of at most four bytes and so four tokens each
_ENGLISH_REACH = 8  # this many words from one of these on are taken to be English
# The letters that follow each letter in at least one of a thousand letter pairs of some European language.
_FOLLOWERS = {
    "a": "bcdfgiklmnprstuvwy",
    "b": "aeilorstuyz",
    "c": "acdehiklnoprstu",
    "d": "abcdeinorsu",
    "e": "abcdefghijklmnopqrstuvwxyz",
    "f": "aefiortu",
    "g": "adehilnoprstuz",
    "h": "aeilnorstu",
    "i": "abcdefgklmnopqrstvxz",
    "j": "eou",
    "k": "aeiostu",
    "l": "adeilopstuy",
    "m": "abefilmopsuy",
    "n": "acdefgiklmnopstuvyz",
    "o": "abcdefghiklmnoprstuvw",
    "p": "aceghiloprstuy",
    "q": "lu",
    "r": "abcdegiklmnorstuvwyz",
    "s": "aceghiklmopqstuy",
    "t": "aceghilmoprstuwyz",
    "u": "abcdefgilmnprstvx",
    "v": "aeio",
    "w": "aehiow",
    "x": "ipt",
    "y": "eioprs",
    "z": "aehitu",
}

_PIECES = re.compile(
    r"""
    (?P<word> [A-Z]?[a-z]+ | [A-Z]+(?![a-z]) )
  | (?P<accented> [\u00c0-\u02af\u0300-\u036f\u1e00-\u1eff] )
  | (?P<digits> [0-9]{1,3} )
  | (?P<before_digit> \x20(?=[0-9]) )
  | (?P<space> \x20(?=[^\s]) )
  | (?P<spaces> \x20+ | \t+ )
  | (?P<line_ends> \n+ | (?:\r\n)+ | \r+ )
  | (?P<rule> (?P<mark> [!-/:-@\[-`{-~] ) (?P=mark){3,} )
  | (?P<noise> (?: (?P<sign> [!-/:-@\[-`{-~] ) (?! (?P=sign){3} ) ){5,} )
  | (?P<punctuation> (?: (?P<symbol> [!-/:-@\[-`{-~] ) (?! (?P=symbol){3} ) )+ )
  | (?P<greek> [\u0370-\u03ff\u1f00-\u1fff]+ )
  | (?P<cyrillic> [\u0400-\u052f]+ )
  | (?P<caucasian> [\u0530-\u058f\u10a0-\u10ff]+ )
  | (?P<hebrew> [\u0590-\u05ff]+ )
  | (?P<arabic> [\u0600-\u08ff]+ )
  | (?P<indic> [\u0900-\u0dff]+ )
  | (?P<thai> [\u0e00-\u0eff]+ )
  | (?P<southeast> [\u0f00-\u109f\u1780-\u17ff]+ )
  | (?P<korean> [\u3130-\u318f\uac00-\ud7af]+ )
  | (?P<kana> [\u3040-\u30ff]+ )
  | (?P<ideographs> [\u4e00-\u9fff]+ )
  | (?P<one> [\x00-\x1f\x7f\u00a0-\u00bf\u200b-\u200f\u2010-\u2027\u3000-\u3015\uff00-\uff20\ufe0f] )
  | (?P<two> [\u0080-\u07ff\u1200-\u137f\u2000-\u22ff\u2500-\u25ff\u3000-\u30ff\uff00-\uffff]
           | [\U0001f1e6-\U0001f1ff\U0001f300-\U0001f53f\U0001f600-\U0001f6bf\U0001f900-\U0001f97f] )  # older emoji
  | (?P<three> [\u0800-\uffff\U0001f000-\U0001faff] )
  | (?P<four> . )
    """,
    re.VERBOSE | re.DOTALL,
)
# Tokens of a piece's first character, and of each further one. Fitted to o200k_base so that no text of 40 tokens or
# more, of the kinds that EstimatedTokenCounter names, falls under 0.95 of its true count.
_COSTS: dict[str, tuple[float, float]] = {
    "accented": (0.75, 0),
    "digits": (1, 0),
    "before_digit": (1, 0),
    "space": (0, 0),
    "spaces": (1, 1 / 16),
    "line_ends": (1, 1 / 7),
    "rule": (1, 1 / 4),
    "noise": (1, 0.75),
    "punctuation": (1, 0.3),
    "greek": (0.8, 0.5),
    "cyrillic": (1, 0.34),
    "caucasian": (0.8, 0.48),
    "hebrew": (1, 0.42),
    "arabic": (1, 0.35),
    "indic": (1, 0.48),
    "thai": (1, 0.45),
    "southeast": (1, 0.63),
    "korean": (0.9, 0.85),
    "kana": (1, 0.6),
    "ideographs": (1, 1),
    "one": (1, 0),
    "two": (2, 0),
    "three": (3, 0),
    "four": (4, 0),
}


class EstimatedTokenCounter(TokenCounter):
    """An estimate of o200k_base's count, meant to be too high rather than too low. Needs nothing installed.

    Estimate / true count on texts of 40 tokens and more, mean and (lowest): English chat 1.19 (1.01), German 1.3
    (1.02), French 1.33 (1.07), Spanish 1.35 (0.99), Russian 1.47 (1.00), Chinese 1.3 (0.96), Japanese 1.16 (0.98),
    Korean 1.25 (1.03), Thai 1.22 (0.96), Arabic 1.29 (1.08), Hindi 1.38 (1.16), code 1.4 (1.02), JSON 1.3 (1.14), URLs
    1.34 (1.24), hex 1.03 (0.97), base64 1.09 (1.00), digits 1.00, emoji 1.17 (1.04), white space 1.4 (1.19). A text
    under 40 tokens is at most 3 short. Known to fall under 0.95: some languages of few speakers (Basque, Lithuanian,
    Irish: 0.8 at worst), random letters of an alphabet other than the Latin (0.3), and the count by an older tokenizer
    with few pieces for other alphabets (cl100k_base: Hindi 0.5, Chinese 0.7).

    Where two texts meet at a space or a line end, the estimate of both is at most the sum of theirs and one, so parts
    may be counted one by one and added up.

    >>> EstimatedTokenCounter().count("Ana moved to Lisbon, and she likes the river.")
    14
    """

    name = "estimate"

    def count(self, text: str) -> int:
        """The estimated number of tokens; 0 for no text."""
        return math.ceil(sum(_costs(text)))


class ExactTokenCounter(TokenCounter):
    """o200k_base's own count. Needs the extra `tokens`; loads at the first call (0.4 s, 150 MB of memory).

    A text over 40,000 characters is counted in parts cut at a space, which may add a token for each part.

    Raises:
        MissingExtra: bpe-openai is not installed.

    >>> ExactTokenCounter().count("Ana moved to Lisbon, and she likes the river.")
    11
    """

    name = "o200k_base"

    def __init__(self) -> None:
        if find_spec("bpe_openai") is None:
            message = "exact token counts need bpe-openai: pip install 'retentive[tokens]'"
            raise MissingExtra(message)

    def count(self, text: str) -> int:
        """The number of tokens; the text of a special token such as <|endoftext|> is plain text."""
        return sum(len(_o200k_base().encode_ordinary(part)) for part in _parts(text))


def default_counter() -> TokenCounter:
    """The exact counter where it is installed, else the estimate."""
    return EstimatedTokenCounter() if find_spec("bpe_openai") is None else ExactTokenCounter()


def _costs(text: str) -> Iterator[float]:
    since_english = _ENGLISH_REACH
    for match in _PIECES.finditer(text):
        piece = match[0]
        if match.lastgroup == "word":
            english = (piece if len(piece) == 1 else piece.lower()) in _ENGLISH  # "I" is English, "i" is Polish
            since_english = 0 if english else since_english + 1
            yield _word_cost(piece, english=since_english < _ENGLISH_REACH)
        else:
            first, further = _COSTS[str(match.lastgroup)]
            yield first + further * (len(piece) - 1)


@lru_cache(maxsize=16_384)
def _word_cost(word: str, *, english: bool) -> float:
    letters = word.lower()
    rare = sum(b not in _FOLLOWERS[a] for a, b in pairwise(letters))
    if len(word) > 1 and word.isupper():
        return 1 + 0.3 * (len(word) - 2) + 0.65 * rare
    over_three, over_six = max(0, len(word) - 3), max(0, len(word) - 6)
    if english:
        return 1.02 + 0.03 * over_three + 0.6 * rare
    return 1.02 + 0.2 * over_three + 0.06 * over_six + 0.8 * rare


@cache
def _o200k_base() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it reads its own data by a call deprecated in Python 3.11
        import bpe_openai  # type: ignore[import-untyped]  # noqa: PLC0415  0.4 s and 150 MB, so at first use

        return bpe_openai.get_encoding("o200k_base")


def _parts(text: str) -> Iterator[str]:
    """The text in parts small enough for bpe-openai, which refuses a text of 200,000 tokens or more."""
    start = 0
    while len(text) - start > _LONGEST_PART:
        end = text.rfind(" ", start + 1, start + _LONGEST_PART)
        end = start + _LONGEST_PART if end == -1 else end
        yield text[start:end]
        start = end
    yield text[start:]
