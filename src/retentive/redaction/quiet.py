"""Texts in which no rule can find anything, told from the others at a fraction of what the rules cost.

A quiet text is one line of plain words and short numbers: no word of it is long or of odd spelling, none announces a
secret, and its digits are too few for a number of anybody's. Every rule needs one of these. Most of what people chat is
quiet, or stops being so at its first odd character. `tests/property/test_quiet.py` holds this against the rules.
"""

from __future__ import annotations

import re
from typing import Final

from retentive.redaction.bip39 import is_listed
from retentive.redaction.providers import prefix_pattern
from retentive.redaction.words import PASSWORD_NAME

_ODD_SIGN: Final = re.compile(r"[^A-Za-z0-9 .,!?;:()'-]")
#: A word with at most one hyphen or apostrophe inside, capitals in front or a short abbreviation; a number; signs around.
_PLAIN: Final = re.compile(
    r"\(?(?!at\))(?:[A-Za-z][a-z]{0,12}(?:[-'][a-z]{1,12})?|[A-Z]{2,3}|\d{1,5})(?:\.\.\.|[.,!?;:])?\)?[.,!?;:]?"
)
#: The first length that a rule for runs of characters, random or encoded, looks at.
_LONG: Final = 20
#: With PASSWORD_NAME, words that announce what may be of plain words or a short number itself, or be decoded from one.
_TELLING: Final = re.compile(
    r"secret|passe\b|identified|khau|wpa|basic|bearer|auth|otp|mfa|factor|setup|code|\bpin|\bcv"
    r"|seed|mnemonic|phrase|recovery|wallet|ledger|metamask|trezor"
)
#: No number of anybody's has fewer (see `national_ids.has_digits`), where no letter stands against a digit.
_SIX_DIGITS: Final = re.compile(r"(?:[^0-9]*+[0-9]){6}")
_LISTED_WORD: Final = re.compile(r"[a-z]{2,12},?")
# What a word is: odd (nothing is quiet with it), a word of wallets' phrases, a number, a single letter, or any other.
_ODD, _LISTED, _NUMBER, _LETTER, _OTHER = "?pna."
#: A dozen listed words, of which the first and the last may be parts of others, with numbers between; a word spelled out.
_IN_ALL: Final = re.compile(rf"(?:{_LISTED}{_NUMBER}?){{10}}|[{_LETTER}{_NUMBER}]{{7}}")
_FEWEST_WORDS: Final = 7
#: Plain words that were seen, and what they are: most words of a text are. What may be a secret is not kept.
_seen: dict[str, str] = {}
_MOST_SEEN: Final = 20_000


def is_quiet(text: str) -> bool:
    """Whether it is plain that no rule finds anything in `text`; False where it takes the rules to say.

    >>> is_quiet("We moved to Ghent in 2019, and the kids don't miss it."), is_quiet("my password is sunshine")
    (True, False)
    """
    if _ODD_SIGN.search(text):
        return False
    kinds = []
    for word in text.split(" "):
        kind = _seen.get(word) or _kind(word)
        if kind is _ODD:
            return False
        kinds.append(kind)
    return not (_SIX_DIGITS.match(text) or (len(kinds) >= _FEWEST_WORDS and _IN_ALL.search("".join(kinds))))


def _kind(word: str) -> str:
    if len(word) >= _LONG or not _PLAIN.fullmatch(word):
        return _ODD
    if word[0].isdigit() or word[1:2].isdigit():
        return _NUMBER
    kind = _kind_of_plain(word)
    if len(_seen) < _MOST_SEEN:
        _seen[word] = kind
    return kind


def _kind_of_plain(word: str) -> str:
    low = word.lower()
    if _TELLING.search(low) or PASSWORD_NAME.search(low) or prefix_pattern().search(low):
        return _ODD
    if _LISTED_WORD.fullmatch(word) and is_listed(word.rstrip(",")):
        return _LISTED
    return _LETTER if len(word) == 1 else _OTHER
