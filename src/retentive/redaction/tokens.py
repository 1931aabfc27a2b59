"""Secrets that are known by their own form: provider tokens, JWTs and a few formats without a prefix."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from retentive.redaction.policy import Span
from retentive.redaction.providers import Format, body_pattern, formats_by_prefix, glued_prefix_pattern, prefix_pattern
from retentive.redaction.shape import is_sample_token, is_wordy

_JOINT: Final = re.compile(
    r"""[ \t]{0,8}["'`]?[ \t]{0,8}[\\+.=]?[ \t]{0,8}\r?\n[ \t>|*#/-]{0,40}(?:\+[ \t]{0,8})?["'`]?"""
)
_JOINT_START: Final = re.compile(r"[\s\"'`\\]")
_MAX_JOINTS: Final = 8
_MIN_PIECE: Final = 4

_JWT: Final = re.compile(
    r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,16384}+\.(?:eyJ)?[A-Za-z0-9_-]{6,65536}+(?:\.[A-Za-z0-9_-]{0,8192}+){0,3}"
)
_WRAPPED_JWT: Final = re.compile(
    r"(?<![A-Za-z0-9_-])eyJ(?:[A-Za-z0-9_.-]|(?<=[A-Za-z0-9_.-])\r?\n[ \t>]{0,16}(?=[A-Za-z0-9_.-]{12})){20,16384}+"
)
_SPACE: Final = re.compile(r"[\s>]+")
# Formats that are known by a mark in their middle or end: (kind, the mark in lower case, pattern).
_MARKED: Final = (
    ("telegram_token", ":aa", re.compile(r"(?<![0-9A-Za-z])\d{7,12}:AA[A-Za-z0-9_-]{30,40}")),
    ("firebase_key", "apa91b", re.compile(r"(?<![\w-])AAAA[\w-]{7}:APA91b[\w-]{120,180}")),
    ("azure_client_secret", "q~", re.compile(r"(?<![\w~.-])[A-Za-z0-9_~.-]{3}[0-9A-Za-z]Q~[A-Za-z0-9_~.-]{29,40}")),
    ("azure_devops_token", "azdo", re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]{72,80}AZDO[A-Za-z0-9]{4}")),
    ("azure_key", "azfu", re.compile(r"(?<![\w-])[\w-]{40,60}AzFu[\w-]{4,10}={0,2}")),
    ("azure_key", "+a", re.compile(r"(?<![\w+/])[\w+/]{30,80}\+A(?:RmIn|MCh|Sb|EhO|CRC|IoT|Cog)[\w+/]{4,10}={0,2}")),
    ("terraform_token", ".atlasv1.", re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]{12,16}\.atlasv1\.[A-Za-z0-9_=-]{50,80}")),
    (
        "rapidapi_key",
        "jsn",
        re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]{8,12}msh[A-Za-z0-9]{12,24}p1[A-Za-z0-9]{6}jsn[A-Za-z0-9]{10,16}"),
    ),
    ("mailchimp_key", "-us", re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{32}-us\d{1,2}(?![0-9A-Za-z])")),
    (
        "bitwarden_token",
        "0.",
        re.compile(r"(?<![\w.])0\.[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\.[A-Za-z0-9]{30}:[\w+/=]{24}"),
    ),
)
# Formats in two parts, the second of 43 characters or more.
_LONG_SECOND_PART: Final = re.compile(r":[A-Za-z0-9_-]{43}")
_TWO_PARTS: Final = (
    ("ably_key", re.compile(r"(?<![\w.-])[A-Za-z0-9_-]{6,8}\.[A-Za-z0-9_-]{6}:[A-Za-z0-9_-]{43}(?![\w-])")),
    ("ghost_admin_key", re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{24}:[0-9a-f]{64}(?![0-9A-Za-z])")),
)
# Formats that are one whole run of token characters.
_WHOLE: Final = (
    ("discord_token", re.compile(r"[MNO][A-Za-z0-9_-]{22,28}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}")),
    ("zhipu_key", re.compile(r"[0-9a-f]{32}\.[A-Za-z0-9]{16}")),
    ("mailgun_key", re.compile(r"[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}")),
    ("twilio_key", re.compile(r"SK[0-9a-f]{32}")),
    ("sanity_token", re.compile(r"sk[A-Za-z0-9]{80,200}")),
)


def find_tokens(text: str, low: str) -> Iterator[Span]:
    """Tokens of providers' documented formats in `text`; `low` is the same text in lower case, character by character."""
    formats = formats_by_prefix()
    for hit in prefix_pattern().finditer(low):
        span = _at_prefix(text, hit.start(), formats[hit.group()])
        if span:
            yield span
    if "eyj" in low:
        yield from _jwts(text)
    for kind, mark, pattern in _MARKED:
        if mark in low:
            yield from (Span(*m.span(), kind) for m in pattern.finditer(text) if not is_sample_token(m.group()))
    if ":" in low and _LONG_SECOND_PART.search(text):
        yield from (Span(*m.span(), kind) for kind, pattern in _TWO_PARTS for m in pattern.finditer(text))


def glued_tokens(text: str, low: str, start: int, end: int) -> Iterator[Span]:
    """Tokens inside a run with letters right before them ("tokenghp_..."), of formats whose prefix no word holds."""
    formats = formats_by_prefix()
    for hit in glued_prefix_pattern().finditer(low, start, end):
        prefix = hit.group()
        exact = [form for form in formats[prefix] if text.startswith(form.prefix, hit.start())]
        span = _at_prefix(text, hit.start(), exact)
        if span:
            yield span


def _jwts(text: str) -> Iterator[Span]:
    """JSON web tokens, also wrapped over lines."""
    yield from (Span(*m.span(), "jwt") for m in _JWT.finditer(text))
    if "\n" in text:
        for match in _WRAPPED_JWT.finditer(text):
            if "\n" in match.group() and _JWT.fullmatch(_SPACE.sub("", match.group())):
                yield Span(*match.span(), "jwt")


def whole_run_kind(run: str) -> str | None:
    """The kind of a run of token characters that is one token of a format without a prefix."""
    kind = next((kind for kind, pattern in _WHOLE if pattern.fullmatch(run)), None)
    return kind if kind and not is_sample_token(run) else None


def _at_prefix(text: str, start: int, formats: list[Format]) -> Span | None:
    for form in formats:
        body_start = start + len(form.prefix)
        same_case = text.startswith(form.prefix, start)
        if form.exact_case and not same_case:
            continue
        pattern = body_pattern(form.body, any_case=not same_case)
        match = pattern.match(text, body_start)
        if match and _is_real(match.group()):
            return Span(start, match.end(), form.kind)
        end = None if match else _joined_end(text, body_start, pattern)
        if end:
            return Span(start, end, form.kind)
    return None


def _is_real(body: str) -> bool:
    return not is_sample_token(body) and (any(map(str.isdigit, body)) or not is_wordy(body))


def _joined_end(text: str, start: int, pattern: re.Pattern[str]) -> int | None:
    """Where a token that is cut by line ends (or one space) stops, if putting its pieces together completes it."""
    first = _PIECE.match(text, start)
    if not first or first.end() - start < _MIN_PIECE or not _JOINT_START.match(text, first.end()):
        return None
    for hyphenated in (False, True):
        pieces = _pieces(text, first, hyphenated=hyphenated)
        if len(pieces) < 2:
            continue
        match = pattern.match("".join(piece for _, piece in pieces))
        if match and match.end() > len(pieces[0][1]) and _is_real(match.group()):
            return _source_end(pieces, match.end())
    return None


def _pieces(text: str, first: re.Match[str], *, hyphenated: bool) -> list[tuple[int, str]]:
    """The pieces a token may be cut into: where each starts, and its characters."""
    pieces: list[tuple[int, str]] = []
    piece: re.Match[str] | None = first
    while piece and len(pieces) <= _MAX_JOINTS:
        joint = _JOINT.match(text, piece.end())
        kept = piece.group().rstrip("-=+.") if hyphenated and joint else piece.group()
        pieces.append((piece.start(), kept))
        if not joint and len(pieces) == 1 and text.startswith(" ", piece.end()):
            second = _PIECE.match(text, piece.end() + 1)
            if second and not is_wordy(second.group()):
                pieces.append((second.start(), second.group()))
            return pieces
        piece = _PIECE.match(text, joint.end()) if joint else None
    return pieces


def _source_end(pieces: list[tuple[int, str]], length: int) -> int:
    """Where the first `length` characters of the joined pieces end in the text."""
    for start, piece in pieces[:-1]:
        if length <= len(piece):
            return start + length
        length -= len(piece)
    return pieces[-1][0] + length


_PIECE: Final = re.compile(r"[A-Za-z0-9_.+/=-]{1,400}")
