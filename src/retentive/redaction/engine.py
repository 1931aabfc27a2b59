"""The order of work: fold, mask what is safe, find secrets, look inside encodings, find personal data, replace.

Each step is linear in the text: rules start at literals, repeats are bounded or possessive, and encodings are opened at
most `_MAX_DEPTH` deep, where every opened text is shorter than its carrier.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import Final

from retentive.errors import InvalidInput
from retentive.given import checked_object
from retentive.redaction.around import around
from retentive.redaction.commands import find_commands
from retentive.redaction.context import find_announced
from retentive.redaction.national_ids import find_national_ids, has_digits
from retentive.redaction.phrases import find_halves, find_phrases
from retentive.redaction.pii import find_cards, find_emails, find_ibans, find_ips, find_phones
from retentive.redaction.policy import DEFAULT_POLICY, OPT_IN_KINDS, UNSCANNED, Redacted, RedactionPolicy, Span
from retentive.redaction.postal import find_addresses, find_names
from retentive.redaction.quiet import is_quiet
from retentive.redaction.replace import Replaced, merged
from retentive.redaction.runs import decoded_runs, find_runs
from retentive.redaction.safe import MASK, mask, mask_safe
from retentive.redaction.structures import find_cookies, find_headers, find_key_blocks, find_one_time, find_urls
from retentive.redaction.tokens import find_tokens
from retentive.redaction.views import escapes, fold, unescape

_CHUNK: Final = 262_144
_LEFT: Final = 2_048
_RIGHT: Final = 16_384
_SPACE: Final = re.compile(r"[\s\"'<>\x00]")
_REACH: Final = 256  # further than any rule looks for the words that announce a value
_TOUCHED: Final = 128  # as far from a finding as another can be that its placeholder brings to light
_JUDGED: Final = 192  # what is read on both sides of such a one
_MAX_DEPTH: Final = 2
_MAX_ROUNDS: Final = 3  # a placeholder can bring words closer that then announce something,
_COULD_HOLD_MORE: Final = re.compile(  # but only a word with a sign or a digit, or a number, can be what they announce
    r"(?<![^\s\x00])(?=[^\s\x00]{4})[^\s\x00]{0,80}?(?:[0-9#$%^&*+~|\\]|[!?]\w)|[^\s\x00]{80}|\d[ .-]\d|@|[a-z][A-Z]\w{0,8}[a-z][A-Z]"
)
_MAX_REPEATS: Final = 64
_MIN_REPEAT: Final = 9
# Scripts that write a number close to its words: Thai, Lao, Khmer, kana, Han, Hangul.
_CLOSE_SCRIPT: Final = re.compile(
    "[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_ESCAPED_PERSONAL: Final = re.compile(r"%(?:2[0-9BD]|3\d|40)|&#|\\+(?:u00|x)[2-4]|\\U0000")
_KEY_BLOCK: Final = re.compile(r"BEGIN |Private-Lines|\"kty\"")
_COMMAND_SIGNS: Final = re.compile(r"-(?<=[ -]-)|machine |pgpass|:5432:|thin:|sqlplus|net use")
_BASE64_START: Final = re.compile(r"[A-Za-z0-9+/_-]{20}")


def redact(text: str, *, policy: RedactionPolicy = DEFAULT_POLICY) -> Redacted:
    """Take secrets and personal data out of `text`.

    Every finding becomes a placeholder such as `[REDACTED:github_token]`; redacting the result again changes nothing.
    Spans are offsets into the given text, sorted, not overlapping. Text beyond the policy's budget is not passed on: it
    becomes one `[REDACTED:unscanned]`. Any string is accepted, also with NUL and lone surrogates; anything else raises
    InvalidInput.

    >>> redact("my password is QuietHarbor5527, thanks").text
    'my password is [REDACTED:password], thanks'
    >>> redact("mail me at ines@corp.example").spans
    (Span(start=11, end=28, kind='email'),)
    """
    checked_object("policy", policy, RedactionPolicy)
    if not isinstance(text, str):
        message = f"text must be a string, not {type(text).__name__}"
        raise InvalidInput(message)
    if is_quiet(text) and _reads_quiet(text, policy):
        return Redacted(text)
    spans = merged(span for span in _scan(text, policy) if policy.action(span.kind) != "allow")
    if not spans:
        return Redacted(text)
    return Redacted(Replaced(text, [s for s in spans if policy.action(s.kind) == "redact"]).text, tuple(spans))


def _reads_quiet(text: str, policy: RedactionPolicy) -> bool:
    """Whether nothing is asked for that plain words can be, and the budget is enough to say so."""
    asked = policy.actions and any(policy.action(kind) != "allow" for kind in OPT_IN_KINDS)
    return not asked and len(text) <= policy.max_chars and policy.budget_s > 0


# -- budget and chunks ----------------------------------------------------------------------------------------------
def _scan(text: str, policy: RedactionPolicy) -> list[Span]:
    scanned = text[: policy.max_chars] if policy.budget_s > 0 else ""
    rest = [Span(len(scanned), len(text), UNSCANNED)] if len(scanned) < len(text) else []
    if len(scanned) <= _CHUNK + _RIGHT:
        return rest + _settled(scanned, policy)
    return rest + _scan_chunks(scanned, policy)


def _scan_chunks(text: str, policy: RedactionPolicy) -> list[Span]:
    """Scan in windows that reach over both ends of a chunk; what touches the chunk counts, and overlaps are merged later.

    What can be longer than a window (key blocks, data URIs) is found first, over the whole text.
    """
    deadline = time.thread_time() + policy.budget_s
    spans = list(find_key_blocks(text))
    text = mask(mask_safe(text, _lower(text)), spans)
    for start in range(0, len(text), _CHUNK):
        if time.thread_time() > deadline:
            spans.append(Span(start, len(text), UNSCANNED))
            break
        begin, end = max(0, start - _LEFT), start + _CHUNK
        window = text[begin : end + _RIGHT]
        for span in _settled(window, policy):
            if start < span.end + begin and span.start + begin < end:
                stop = span.end + begin if span.end < len(window) else _run_end(text, span.end + begin)
                spans.append(Span(span.start + begin, stop, span.kind))
    return spans


def _run_end(text: str, position: int) -> int:
    """The end of the word at `position`: a finding that fills its window goes on to there."""
    space = _SPACE.search(text, position)
    return space.start() if space else len(text)


def _settled(text: str, policy: RedactionPolicy) -> list[Span]:
    """The findings in `text` and those that come up once these are replaced, so that a second redaction finds nothing.

    Only what stands near a new finding, and could be one itself, is read again.
    """
    spans = new = _found(text, policy)
    for _ in range(_MAX_ROUNDS if spans else 0):
        masked = mask(text, spans)
        if not _COULD_HOLD_MORE.search(masked):  # most texts: nothing that is left could be one
            break
        near = around(text, ((span.start, span.end) for span in new), _TOUCHED)
        words = [word.span() for begin, end in near for word in _COULD_HOLD_MORE.finditer(masked, begin, end)]
        if not words:
            break
        quiet = mask_safe(text, _lower(text))  # what is safe as a whole may look random in part
        new = [
            span
            for begin, end in around(text, words, _JUDGED)
            for span in _brought_up(quiet, begin, end, spans, policy)
        ]
        spans = merged([*spans, *new])
    return spans


def _brought_up(text: str, begin: int, end: int, spans: list[Span], policy: RedactionPolicy) -> Iterator[Span]:
    """What is found between `begin` and `end` once the findings there are replaced."""
    first = bisect_right(spans, begin, key=lambda span: span.end)
    last = bisect_left(spans, end, key=lambda span: span.start)
    inside = [Span(max(s.start, begin) - begin, min(s.end, end) - begin, s.kind) for s in spans[first:last]]
    replaced = Replaced(text[begin:end], inside)
    for found in map(replaced.given, _found(replaced.text, policy)):
        yield Span(found.start + begin, found.end + begin, found.kind)


def _found(text: str, policy: RedactionPolicy) -> list[Span]:
    view = fold(text)
    found = [span for span in _findings(view.text, policy) if policy.action(span.kind) != "allow"]
    return merged(found if view.starts is None else map(view.source, found))


# -- one text -------------------------------------------------------------------------------------------------------
def _findings(text: str, policy: RedactionPolicy) -> Iterator[Span]:
    low = _lower(text)
    masked = mask_safe(text, low)
    if masked is not text:
        text, low = masked, _lower(masked)
    secrets = _secrets(text, low, 0)
    if secrets:
        secrets = merged(secrets)
        yield from secrets
        text, low = _without(text, low, secrets)
    yield from _personal(text, low, policy)


def _lower(text: str) -> str:
    """The text in lower case with the same length; the few letters that grow in lower case stay."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _secrets(text: str, low: str, depth: int) -> list[Span]:
    """Secrets in the text and behind its encodings; rules of less certain form do not see what the surer ones took."""
    found = [*find_key_blocks(text)] if _KEY_BLOCK.search(text) else []
    found += find_tokens(text, low)
    rest, rest_low = _without(text, low, found)
    by_place = [*find_urls(rest, rest_low)] if "://" in low or "hook" in low else []
    by_place += find_headers(rest, rest_low)
    by_place += find_cookies(rest, rest_low)
    rest, rest_low = _without(rest, rest_low, by_place)
    found += by_place
    found += find_announced(rest, rest_low)
    found += find_runs(rest, rest_low)
    found += find_one_time(rest, rest_low)
    found += find_commands(rest, rest_low) if _COMMAND_SIGNS.search(low) else ()
    found += find_phrases(rest, rest_low)
    found += find_halves(rest, rest_low)
    if depth < _MAX_DEPTH:
        places = escapes(text)
        found += _escaped(text, places, depth) if places else ()
        found += _encoded(rest, depth) if _BASE64_START.search(rest) else ()
    return _with_repeats(text, found) if found and depth == 0 else found


def _without(text: str, low: str, found: list[Span]) -> tuple[str, str]:
    return (mask(text, found), mask(low, found)) if found else (text, low)


def _escaped(text: str, places: list[tuple[int, int]], depth: int) -> Iterator[Span]:
    """Secrets behind escapes and joints at `places`: found in the plain text, reported where they came from."""
    for begin, end in around(text, places, _REACH):
        view = unescape(text[begin:end])
        for found in map(view.source, _secrets(view.text, _lower(view.text), depth + 1)):
            yield Span(found.start + begin, found.end + begin, found.kind)


def _encoded(text: str, depth: int) -> Iterator[Span]:
    """Runs of base64 or hexadecimal that hold a secret."""
    for run in decoded_runs(text):
        if _secrets(run.text, _lower(run.text), depth + 1):
            yield Span(run.start, run.end, "encoded_secret")


def _with_repeats(text: str, found: list[Span]) -> list[Span]:
    """The findings, and the same values where they stand elsewhere in the text."""
    values = {text[span.start : span.end]: span.kind for span in found if span.end - span.start >= _MIN_REPEAT}
    for value, kind in list(values.items())[:_MAX_REPEATS]:
        position = text.find(value)
        while position >= 0:
            found.append(Span(position, position + len(value), kind))
            position = text.find(value, position + len(value))
    return found


def _personal(text: str, low: str, policy: RedactionPolicy) -> Iterator[Span]:
    if "@" in text or " at" in low or "[at" in low or "(at" in low:
        yield from _unless_allowed("email", policy, find_emails(text, low))
    yield from _numbers(text, low, policy)
    if ("%" in text or "&" in text or "\\" in text) and _ESCAPED_PERSONAL.search(text):
        yield from _escaped_personal(text, policy)
    if policy.actions:
        yield from _unless_allowed("address", policy, find_addresses(text))
        yield from _unless_allowed("name", policy, find_names(text))


def _numbers(text: str, low: str, policy: RedactionPolicy) -> Iterator[Span]:
    """Numbers of people, their accounts and machines. Letters of scripts without spaces are no part of a number."""
    if has_digits(text):  # no card, account or telephone number has fewer
        text = text if text.isascii() else _CLOSE_SCRIPT.sub(lambda match: MASK * len(match[0]), text)
        found: list[Span] = []
        for kind, spans in (
            ("iban", find_ibans(text)),
            ("card", find_cards(text)),
            ("national_id", find_national_ids(text, low)),
        ):
            found += _unless_allowed(kind, policy, spans)
        yield from found
        text = mask(text, found) if found else text
        yield from _unless_allowed("phone", policy, find_phones(text, low))
    if "." in text or ":" in text:
        yield from _unless_allowed("ip", policy, find_ips(text, low))


def _escaped_personal(text: str, policy: RedactionPolicy) -> Iterator[Span]:
    """Personal data behind escapes: found in the plain text, reported where it came from."""
    view = unescape(text)
    low = _lower(view.text)
    yield from map(view.source, _unless_allowed("email", policy, find_emails(view.text, low)))
    yield from map(view.source, _numbers(view.text, low, policy))


def _unless_allowed(kind: str, policy: RedactionPolicy, spans: Iterable[Span]) -> Iterable[Span]:
    """`spans`, not even looked for when the policy ignores them."""
    return () if policy.action(kind) == "allow" else spans
