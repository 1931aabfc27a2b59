"""Folding: one spelling for all the ways people type the same letters.

Unicode compatibility forms (NFKC), case, accents, Arabic and Hebrew vowel points, letter variants that keyboards mix
up and invisible characters are folded away. Marks that make another letter are kept: the dakuten of kana, the vowel
signs of Indic and South-East Asian scripts, Cyrillic short i.
"""

import unicodedata
from functools import lru_cache

_LETTERS = {
    "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ŧ": "t", "ı": "i",
    "ё": "е", "ѐ": "е", "ѝ": "и",  # Cyrillic
    "أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ی": "ي", "ئ": "ي", "ؤ": "و", "ة": "ه", "ک": "ك", "ە": "ه",
    "ς": "σ", "’": "'", "‘": "'", "ʼ": "'", "＇": "'", "‐": "-", "‑": "-", "–": "-",
}  # fmt: skip
_DELETED_RANGES = (
    (0x00AD, 0x00AD),  # soft hyphen
    (0x0300, 0x036F),  # combining accents left over after composition
    (0x0483, 0x0487),  # Old Cyrillic titlo
    (0x0591, 0x05BD), (0x05BF, 0x05BF), (0x05C1, 0x05C2), (0x05C4, 0x05C5), (0x05C7, 0x05C7),  # Hebrew points
    (0x0610, 0x061A), (0x061C, 0x061C), (0x0640, 0x0640), (0x064B, 0x065F), (0x0670, 0x0670),  # Arabic marks, tatweel
    (0x06D6, 0x06DC), (0x06DF, 0x06E4), (0x06E7, 0x06E8), (0x06EA, 0x06ED),
    (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF),
    (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F),  # zero width, bidirectional
    (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xE0000, 0xE007F),  # variation selectors, byte order mark, tags
)  # fmt: skip
_ACCENTED_RANGES = ((0x00C0, 0x024F), (0x0370, 0x03FF), (0x1E00, 0x1FFF))  # Latin and Greek


def _accentless(char: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", char) if unicodedata.category(c) != "Mn")


@lru_cache(maxsize=1)
def _table() -> dict[int, str | None]:
    table: dict[int, str | None] = {}
    for first, last in _ACCENTED_RANGES:
        for code in range(first, last + 1):
            bare = _accentless(chr(code))
            if bare != chr(code):
                table[code] = bare
    for code in range(0x0660, 0x3000):
        if (digit := unicodedata.digit(chr(code), None)) is not None and unicodedata.category(chr(code)) == "Nd":
            table[code] = str(digit)
    table.update({ord(char): bare for char, bare in _LETTERS.items()})
    for first, last in _DELETED_RANGES:
        table.update(dict.fromkeys(range(first, last + 1)))
    return table


@lru_cache(maxsize=1)
def _clean_table() -> dict[int, str | None]:
    """The part of the folding that does not touch letters: invisible characters go, apostrophes and hyphens agree."""
    table: dict[int, str | None] = {ord(c): bare for c, bare in _LETTERS.items() if bare in "'-"}
    for first, last in _DELETED_RANGES:
        table.update(dict.fromkeys(range(first, last + 1)))
    return table


def clean(text: str) -> str:
    """Compose the text and drop what cannot be seen, keeping case and accents."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text).translate(_clean_table())


def fold(text: str) -> str:
    """Text with compatibility forms, case and accents folded; the same for every way of typing the same letters.

    White space and punctuation stay as they are, apart from compatibility forms. Never raises. Folding twice changes
    nothing.

    >>> fold("Ｃafé Straße ØRSTED İstanbul ёлка")
    'cafe strasse orsted istanbul елка'
    """
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).translate(_table()))
