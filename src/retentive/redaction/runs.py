"""Long runs of token characters: random ones near a word that tells a credential, and encoded secrets."""

from __future__ import annotations

import base64
import binascii
import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final, NamedTuple

from retentive.redaction.policy import Span
from retentive.redaction.shape import is_hex, is_random_token, is_uuid
from retentive.redaction.tokens import glued_tokens, whole_run_kind
from retentive.redaction.words import (
    IDENTIFIER_CONTEXT,
    KEYED_PROVIDER,
    NEAR_WORD,
    NOT_A_SECRET,
    PROVIDER,
    UUID_ANNOUNCED,
    UUID_KEYED,
)

_RUN: Final = re.compile(r"(?<![\w+/=.~-])[A-Za-z0-9_+/=.~-]{14,}+")
_NEAR_CHARS: Final = 72
_NAME_CHARS: Final = 24  # longer than any name of a thing that is no secret
_SHORTEST_GLUED: Final = 21  # an access key with a letter before it
_LONG: Final = 20  # shorter runs have to be of three classes of characters and follow the word closely
_CLASSES: Final = re.compile(r"(?=.{0,19}[a-z])(?=.{0,19}[A-Z])(?=.{0,19}\d)")
_ADJOINING: Final = re.compile(r"(?:\bkey|token|secret|credential)\b[^\n]{0,16}\Z")
_WINDOW_END: Final = re.compile(r"\n[ \t]*\n")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{20,}={0,2}")
_BASE32: Final = re.compile(r"[A-Z2-7]{24,}")
_HEX_TEXT: Final = re.compile(r"(?:[2-7][0-9a-fA-F]|0[9aAdD]){12,}")
# Ids that services hand out with their type in front (Stripe, OpenAI, Clerk): they name a thing and open nothing.
_TYPED_ID: Final = re.compile(
    r"(?:price|prod|cus|sub|pi|ch|in|acct|evt|req|txn|file|msg|run|thread|asst|chatcmpl|resp|call|toolu|user|usr|org|proj|team|ord|inv"
    r"|obj|item|card|pm|src|si|seti|plan|task|job|step|vs|batch|ftjob|conv|doc|page|img|vol|dpl|prj|srv|dep|inst|arn|ami|vpc|subnet|sg)[-_]"
    r"[A-Za-z0-9_-]{8,}$|(?:AC|SM|MM|PN|CA|RE|MG|ZS|HX|VA)[0-9a-f]{32}$"
)
_LINE_BREAK: Final = re.compile(r"\r?\n[ \t]{0,32}")


class Encoded(NamedTuple):
    """A run that decodes to text: where it is, and the text."""

    start: int
    end: int
    text: str


def find_runs(text: str, low: str) -> Iterator[Span]:
    """Random-looking runs that stand near a word for a credential or the name of a provider of them."""
    marks: list[int] | None = None
    short = len(low) <= 2 * _NEAR_CHARS  # what is near anything in it is the whole text
    for match in _RUN.finditer(text):
        start, end = _core(text, *match.span())
        for begin, stop in _pieces(text, start, end):
            run = text[begin:stop]
            kind = whole_run_kind(run)
            if not kind and _is_candidate(run):
                marks = _marks(low) if marks is None and not short else marks
                near = marks is None or _is_marked(marks, begin, stop)
                kind = "api_key" if near and _is_announced(low, begin, stop) else None
            if kind:
                yield Span(begin, stop, kind)
            elif stop - begin >= _SHORTEST_GLUED:
                yield from glued_tokens(text, low, begin, stop)


def _marks(low: str) -> list[int]:
    return sorted(m.start() for words in (NEAR_WORD, PROVIDER) for m in words.finditer(low))


def _is_marked(marks: list[int], start: int, end: int) -> bool:
    """Whether any of the words stands near: most runs stand near none, and need no closer look."""
    first = bisect_left(marks, start - _NEAR_CHARS)
    return first < len(marks) and marks[first] <= end + _NEAR_CHARS


def _core(text: str, start: int, end: int) -> tuple[int, int]:
    """The run without punctuation that belongs to the sentence."""
    while end > start and text[end - 1] in ".~/":
        end -= 1
    while start < end and text[start] in "./=~-":
        start += 1
    return start, end


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The run, or the two sides of `name=value` in it."""
    cut = text.find("=", start, end)
    if 0 <= cut < end - 2:
        if end - cut > _LONG:
            yield cut + 1, end
        return
    yield start, end


def _is_candidate(run: str) -> bool:
    if _TYPED_ID.match(run) or run.count("/") > 3 + len(run) // 24 or run.count(".") > 3:
        return False
    if len(run) < _LONG:
        return run.isalnum() and _CLASSES.match(run) is not None and is_random_token(run, min_length=14)
    return is_uuid(run) or is_random_token(run, min_length=_LONG)


def _is_announced(low: str, start: int, end: int) -> bool:
    before = low[max(0, start - _NEAR_CHARS) : start]
    after = low[end : end + _NEAR_CHARS]
    if "\n" in before:
        before = _WINDOW_END.split(before)[-1]
    if "\n" in after:
        after = _WINDOW_END.split(after, 1)[0]
    if "://" in before[-60:] and not any(c.isspace() for c in before[before.rfind("://") :]):
        return False
    near = before[-40:] + " | " + after[:24]
    if IDENTIFIER_CONTEXT.search(near) or NOT_A_SECRET.search(before.rstrip(" :=\"'")[-_NAME_CHARS:]):
        return False
    if end - start < _LONG:
        return bool(_ADJOINING.search(before[-32:]))
    window = f"{before} | {after}"
    if is_uuid(low[start:end]):
        return bool(UUID_ANNOUNCED.search(before) or UUID_KEYED.search(window))
    provider = KEYED_PROVIDER if is_hex(low[start:end]) else PROVIDER
    return bool(NEAR_WORD.search(window) or provider.search(window))


# -- encoded --------------------------------------------------------------------------------------------------------
def decoded_runs(text: str) -> Iterator[Encoded]:
    """Runs of base64 (also over several lines), base32 and hexadecimal that decode to printable text."""
    block: list[tuple[int, int]] = []
    for match in _BASE64.finditer(text):
        if block and not (
            block[-1][1] - block[-1][0] >= 40 and _LINE_BREAK.fullmatch(text, block[-1][1], match.start())
        ):
            yield from _decoded(text, block)
            block = []
        block.append(match.span())
    yield from _decoded(text, block)


def _decoded(text: str, block: list[tuple[int, int]]) -> Iterator[Encoded]:
    if not block:
        return
    run = "".join(text[start:end] for start, end in block)
    plain = _from_hex(run) or _from_base32(run) or _from_base64(run)
    if plain:
        yield Encoded(block[0][0], block[-1][1], plain)
    elif len(block) == 1 and ("/" in run or "-" in run or "_" in run):
        yield from _decoded_parts(text, *block[0])


def _decoded_parts(text: str, start: int, end: int) -> Iterator[Encoded]:
    """A path or a name may hold one encoded part."""
    for part in re.compile(r"[A-Za-z0-9+]{20,}={0,2}").finditer(text, start, end):
        plain = _from_base64(part.group())
        if plain and part.span() != (start, end):
            yield Encoded(*part.span(), plain)


def _from_base64(run: str) -> str | None:
    body = run.rstrip("=").replace("-", "+").replace("_", "/")
    if len(body) % 4 == 1:
        return None
    try:
        if _printable(base64.b64decode(body[: len(body) // 4 * 4][:32])) is None:
            return None
        return _printable(base64.b64decode(body + "=" * (-len(body) % 4)))
    except binascii.Error:
        return None


def _from_base32(run: str) -> str | None:
    body = run.rstrip("=")
    if not _BASE32.fullmatch(body):
        return None
    try:
        return _printable(base64.b32decode(body + "=" * (-len(body) % 8)))
    except binascii.Error:
        return None


def _from_hex(run: str) -> str | None:
    return _printable(bytes.fromhex(run)) if len(run) % 2 == 0 and _HEX_TEXT.fullmatch(run) else None


def _printable(data: bytes) -> str | None:
    if data[:64].translate(None, _PRINTABLE):
        return None
    return data.decode("utf-8", "replace")


_PRINTABLE: Final = bytes(b for b in range(256) if 32 <= b < 127 or b in b"\t\r\n" or b >= 0x80)
