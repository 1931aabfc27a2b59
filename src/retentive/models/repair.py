r"""JSON out of what a language model says: in fences, between prose, cut off, with the slips that models make.

Mended are: single quotes, bare keys, commas too many, Python's True, False and None, line ends within strings, and an
end that is missing. What is cut off in the middle is left out, not guessed: half a quote is no quote.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

#: Longer texts are read only where they are JSON as they stand: no model is asked for so much.
LONGEST_MENDED = 200_000
_MOST_STARTS = 24  # places in a text where a value is looked for
_MOST_FENCES = 8
_DEEPEST = 64
_LONGEST_NUMBER = 400

_THOUGHT = re.compile(r"\A\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)  # a draft in it is no answer
_FENCE = re.compile(r"```[\w-]*[ \t]*\r?\n(.*?)(?:```|\Z)", re.DOTALL)
_SPACE = re.compile(r"[\s\ufeff]*")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_NUMBER_END = re.compile(r"(?:\.|[eE][+-]?)?")  # what may stand between a number and the end of a text that was cut
_WORD = re.compile(r"[A-Za-z_$][\w$-]*")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_PLAIN = {quote: re.compile(rf"[^{quote}\\]*") for quote in "\"'"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_HEX = re.compile(r"[0-9a-fA-F]{4}")


class NoValue(ValueError):
    """There is no JSON value in the text that would do."""


@dataclass(frozen=True, slots=True)
class Found:
    """A value. `cut`: its last brackets were missing; `lost`: and something before them, which is left out."""

    value: Any
    cut: bool = False
    lost: bool = False


def find_value(text: str, accept: Callable[[Any], bool] = lambda _: True) -> Found:
    r"""The first value in the text that `accept` agrees to: the text itself, what stands in a fence, or in between.

    Objects and arrays only, unless the whole text is JSON. Takes time in proportion to the text's length.

    Raises:
        NoValue: there is none; its message says whether there was JSON at all.

    >>> find_value("Sure! Here you are:\n```json\n{'likes': ['tea', 'rye bread',]}\n```").value
    {'likes': ['tea', 'rye bread']}
    >>> find_value('{"likes": ["tea", "rye br')
    Found(value={'likes': ['tea']}, cut=True, lost=True)
    """
    text = _THOUGHT.sub("", text, count=1)
    seen = False
    for found in _values(text):
        seen = True
        if accept(found.value):
            return found
    message = "no JSON in it fits" if seen else "there is no JSON in it"
    raise NoValue(message)


def _values(text: str) -> Iterator[Found]:
    """Every value that could be meant, the likeliest first."""
    fences = list(islice(_FENCE.finditer(text[:LONGEST_MENDED]), _MOST_FENCES))
    fenced = [match[1] for match in fences]
    for part in (text, *fenced):
        try:
            yield Found(_strictly(part))
        except (ValueError, RecursionError):
            continue
    if len(text) > LONGEST_MENDED:
        return
    for part in (*(text[match.start(1) :] for match in fences), text, *fenced):  # a fence may stand within a string
        for start in _starts(part):
            try:
                yield _Mender(part, start).found()
            except _Broken:
                continue


def _strictly(text: str) -> Any:
    value = json.loads(text.strip("\ufeff \t\r\n"), parse_constant=_no_constant)
    if "\\ud" in text.lower():  # half of a character cannot be stored: let it be mended
        json.dumps(value, ensure_ascii=False).encode()
    return value


def _starts(text: str) -> Iterator[int]:
    """Where a value may begin: at a brace or bracket."""
    for count, match in enumerate(re.finditer(r"[{\[]", text)):
        if count == _MOST_STARTS:
            return
        yield match.start()


def _no_constant(name: str) -> Any:
    message = f"{name} is no JSON"
    raise ValueError(message)


class _Broken(Exception):
    """What stands here is no value, mended or not."""


class _Cut(Exception):
    """The text ends in the middle of a value that cannot be kept in part."""


class _Mender:
    """Reads one value, forgiving, from one place of a text."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._at = start
        self._cut = self._lost = False

    def found(self) -> Found:
        value = self._value(0)
        return Found(value, self._cut, self._lost)

    def _peek(self) -> str:
        """The next character that is no space; raises _Cut at the end."""
        space = _SPACE.match(self._text, self._at)
        self._at = space.end() if space else self._at
        if self._at >= len(self._text):
            raise _Cut
        return self._text[self._at]

    def _value(self, depth: int) -> Any:
        mark = self._peek()
        if depth > _DEEPEST:
            raise _Broken
        if mark == "{":
            return self._object(depth)
        if mark == "[":
            return self._array(depth)
        if mark in _PLAIN:
            return self._string(mark)
        return self._number() if mark in "-0123456789" else self._word()

    def _goes_on(self, end: str) -> bool:
        """Whether another item follows; else the container is over, closed or not."""
        try:
            while (mark := self._peek()) == ",":
                self._at += 1
        except _Cut:
            self._cut = True
            return False
        self._at += mark == end
        return mark != end

    def _object(self, depth: int) -> dict[str, Any]:
        self._at += 1
        made: dict[str, Any] = {}
        while not self._cut and self._goes_on("}"):
            try:
                mark = self._peek()
                name = self._string(mark) if mark in _PLAIN else self._bare_name()
                if self._peek() != ":":
                    raise _Broken
                self._at += 1
                made[name] = self._value(depth + 1)
            except _Cut:
                self._cut = self._lost = True
        return made

    def _array(self, depth: int) -> list[Any]:
        self._at += 1
        made: list[Any] = []
        while not self._cut and self._goes_on("]"):
            try:
                value = self._value(depth + 1)
            except _Cut:
                self._cut = self._lost = True
            else:  # half an item says something else than the whole
                made += [] if self._lost else [value]
        return made

    def _string(self, quote: str) -> str:
        self._at += 1
        parts: list[str] = []
        while True:
            plain = _PLAIN[quote].match(self._text, self._at)
            if plain is not None:
                parts.append(plain[0])
                self._at = plain.end()
            if self._at >= len(self._text):
                raise _Cut
            if self._text[self._at] == quote:
                self._at += 1
                return "".join(parts)
            parts.append(self._escaped())

    def _escaped(self) -> str:
        """The character that a backslash stands before; JSON's escapes, and any other character as it is."""
        letter = self._text[self._at + 1 : self._at + 2]
        if not letter:
            raise _Cut
        self._at += 2
        if letter != "u":
            return _ESCAPES.get(letter, letter)
        code = self._code()
        if 0xD800 <= code < 0xDC00 and self._text.startswith("\\u", self._at):
            before = self._at
            self._at += 2
            low = self._code()
            if 0xDC00 <= low < 0xE000:
                return chr(0x10000 + (code - 0xD800 << 10) + (low - 0xDC00))
            self._at = before
        return "\ufffd" if 0xD800 <= code < 0xE000 else chr(code)

    def _code(self) -> int:
        digits = _HEX.match(self._text, self._at)
        if digits is None:
            raise _Cut if self._at + 4 > len(self._text) else _Broken
        self._at = digits.end()
        return int(digits[0], 16)

    def _number(self) -> int | float:
        match = _NUMBER.match(self._text, self._at)
        if match is None:
            raise _Cut if self._at + 1 >= len(self._text) else _Broken
        self._at = match.end()
        if _NUMBER_END.fullmatch(self._text, self._at):  # 0.9 may have been going to be 0.95, or 0.9e-5
            raise _Cut
        digits = match[0]
        if len(digits) > _LONGEST_NUMBER:
            raise _Broken
        return float(digits) if set(digits) & set(".eE") else int(digits)

    def _word(self) -> Any:
        match = _WORD.match(self._text, self._at)
        if match is None:
            raise _Broken
        self._at = match.end()
        if match[0] not in _WORDS:
            raise _Cut if self._at >= len(self._text) else _Broken
        return _WORDS[match[0]]

    def _bare_name(self) -> str:
        match = _WORD.match(self._text, self._at)
        if match is None:
            raise _Broken
        self._at = match.end()
        return match[0]
