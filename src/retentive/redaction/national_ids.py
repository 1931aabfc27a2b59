"""National identity numbers: by check digit and form, or by form beside the number's name.

A form that ordinary numbers share (nine digits, say) only counts when its name is near; one with a check digit and a shape
of its own counts alone. Each form is taken from its issuer's public description.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from retentive.redaction.checks import (
    bsn,
    cn_id,
    cpf,
    dni,
    luhn,
    nir,
    nric,
    pesel,
    rut,
    steuer_id,
    tckn,
    tw_id,
    verhoeff,
)
from retentive.redaction.patterns import any_of
from retentive.redaction.policy import Span

_NEAR_CHARS: Final = 56
_AFTER_CHARS: Final = 24
_GAPS: Final = re.compile(r"[ ./-]")


class Form(NamedTuple):
    """A number's shape, the names it goes by (patterns; none: the shape is its own), and its check."""

    shape: re.Pattern[str]
    bare: str  # the shape without its edges
    names: tuple[str, ...]
    check: Callable[[str], bool] | None


def _form(shape: str, names: str = "", check: Callable[[str], bool] | None = None, *, any_case: bool = True) -> Form:
    flags = re.IGNORECASE if any_case else 0
    return Form(re.compile(_between_edges(shape), flags), shape, tuple(filter(None, names.split("|"))), check)


def _between_edges(shape: str) -> str:
    return rf"(?<![\w.-])(?:{shape})(?![\w-]|\.\d)"


_ID_NAMES: Final = r"national id|identity card|identity number|id card|id number|\bnid\b|citizen id|citizen number"
_NUMERIC: Final = (
    _form(
        r"(?!000|666|9\d\d)\d{3}[- ](?!00)\d\d[- ](?!0000)\d{4}|(?!000|666|9\d\d)\d{9}",
        r"\bssn\b|social security|\bitin\b",
    ),
    _form(r"(?!000|666|9\d\d)\d{3}-(?!00)\d\d-(?!0000)\d{4}"),
    _form(r"9\d\d[- ]?[5-9]\d[- ]?\d{4}", r"\bitin\b|taxpayer"),
    _form(r"\d{3}\.\d{3}\.\d{3}-\d\d"),
    _form(r"\d{11}|\d{9}-\d\d", r"\bcpf\b", cpf),
    _form(r"\d\d\.\d{3}\.\d{3}/\d{4}-\d\d|\d{14}", r"\bcnpj\b"),
    _form(r"\d{8}[- ]?[A-Z]|[XYZ][- ]?\d{7}[- ]?[A-Z]", r"\bdni\b|\bnie\b|\bnif\b|documento"),
    _form(r"\d{8}-?[A-Z]|[XYZ]-?\d{7}-?[A-Z]", "", dni, any_case=False),
    _form(r"\d{9}|\d{4}[. ]\d\d[. ]\d{3}", r"\bbsn\b|burgerservice|sofinummer", bsn),
    _form(r"[A-Z]{2}[ ]?\d\d[ ]?\d\d[ ]?\d\d[ ]?[A-D]", r"national insurance|\bnino?\b|\bni no\b|\bni number"),
    _form(
        r"(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][ ]?\d\d[ ]\d\d[ ]\d\d[ ][A-D]|(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]",
        any_case=False,
    ),
    _form(r"\d{3}[ ]?\d{3}[ ]?\d{4}", r"\bnhs\b"),
    _form(r"[2-9]\d{3}[ -]?\d{4}[ -]?\d{4}", r"aad?haa?r|uidai|आधार", verhoeff),
    _form(r"[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]", r"\bpan\b|permanent account|income tax"),
    _form(r"[A-Z]{3}P[A-Z]\d{4}[A-Z]", any_case=False),
    _form(r"\d{17}[\dX]", "", cn_id),
    _form(r"\d{17}[\dX]|\d{15}", r"身份证|身分證|公民身份|居民身份"),
    _form(r"\d{5}-\d{7}-\d"),
    _form(r"784-\d{4}-\d{7}-\d"),
    _form(r"\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])-\d\d-\d{4}"),
    _form(r"\d{3}-\d{3}-\d{3}[ -]\d\d"),
    _form(r"\d{2}-?\d{7}", r"\bein\b|\bfein\b|employer identification"),
    _form(r"\d{2}[ ]?\d{6}[ ]?[A-Z][ ]?\d{3}", r"sozialversicherung|rentenversicherung"),
    _form(r"[12][ ]?\d\d[ ]?(?:0[1-9]|1[0-2]|[2-9]\d)[ ]?(?:\d\d|2[AB])[ ]?\d{3}[ ]?\d{3}[ ]?\d\d", "", nir),
    _form(r"\d{2}[ ]?\d{3}[ ]?\d{3}[ ]?\d{3}", r"steuer|\btin\b|identifikationsnummer|tax id|idnr", steuer_id),
    _form(r"\d{11}", r"\bpesel\b", pesel),
    _form(r"\d{11}", r"\bt\.c\. kimlik|\btckn\b|kimlik", tckn),
    _form(r"(?:19|20)?\d{6}[-+]\d{4}|(?:19|20)\d{10}", r"personnummer|swedish|\bcpr\b|samordningsnummer"),
    _form(r"(?:19|20)?\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[-+]\d{4}", "", lambda t: luhn(t[-10:])),
    _form(r"(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d\d[-+A-FYX]\d{3}[0-9A-FHJ-NPR-Y]", r"henkilötunnus|hetu|finnish"),
    _form(r"\d{6}[ -]?\d{5}", r"fødselsnummer|fodselsnummer|personnummer|norwegian"),
    _form(r"\d{6}-?\d{4}", r"\bcpr\b|danish|personnummer"),
    _form(r"\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])-[1-8]\d{6}"),
    _form(r"\d{6}-?[1-8]\d{6}", r"주민|resident registration|\brrn\b"),
    _form(r"\d{4}[ -]?\d{4}[ -]?\d{4}", r"my ?number|マイナンバー|個人番号"),
    _form(r"\d{3}[ -]?\d{3}[ -]?\d{2,3}", r"\btfn\b|tax file|\bsin\b|social insurance"),
    _form(r"[2-6]\d{3}[ ]?\d{5}[ ]?\d(?:[ ]?\d)?", r"medicare"),
    _form(r"\d{3}[ ]?\d{2}[ ]?\d{4}|\d{7}", r"\bird\b|\bpps\b"),
    _form(r"\d{7}[A-W][A-IW]?", r"\bpps\w?\b"),
    _form(r"756\.\d{4}\.\d{4}\.\d\d"),
    _form(r"\d\d\.\d\d\.\d\d-\d{3}\.\d\d"),
    _form(r"\d{4}[ ]?\d{6}", r"sozialversicherung|\bsvnr\b|\bsv-?nummer"),
    _form(r"\d{6}/\d{3,4}", r"rodn|birth number"),
    _form(r"\d{1,2}\.\d{3}\.\d{3}-[\dK]", "", rut),
    _form(r"\d{7,8}-[\dK]", r"\brut\b|\brun\b", rut),
    _form(r"\d{1,3}(?:\.?\d{3}){2,3}", r"\bdni\b|c[ée]dula|\bc\.?c\.?\b"),
    _form(r"\d{2}-\d{8}-\d", r"\bcui[tl]\b"),
    _form(r"\d{9}", r"passport|\bnif\b|contribuinte|teudat|תעודת"),
    _form(r"\d{10}", r"egn\b|егн|национальн|national id|هوية|الهوية"),
    _form(r"\d{13}", r"\bcnp\b|\bjmbg\b|south african id|sa id|thai id|บัตรประชาชน|id number"),
    _form(r"\d-\d{4}-\d{5}-\d\d-\d"),
    _form(r"\d\d[ ]?\d\d[ ]?\d{6}|\d{10}|\d{12}|\d{3}-\d{3}-\d{3}[ ]\d\d", r"паспорт|инн\b|снилс|passport"),
    _form(r"\d{16}", r"\bnik\b|\bktp\b"),
)
_LETTERED: Final = (
    _form(r"[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]"),
    _form(r"[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z0-9]\d", any_case=False),
    _form(r"[STFGM]\d{7}[A-Z]", r"\bnric\b|\bfin\b|singapore"),
    _form(r"[STFGM]\d{7}[A-Z]", "", nric, any_case=False),
    _form(r"[A-Z]{1,2}\d{6}\([\dA]\)"),
    _form(r"[A-Z][12]\d{8}", "", tw_id, any_case=False),
    _form(
        r"[A-Z]{1,2}\d{6,8}|\d[A-Z0-9]{8}|[CFGHJK][0-9CFGHJKLMNPRTVWXYZ]{8}|\d{2}[A-Z]{2}\d{5}",
        r"passport|reisepass|pasaporte|passeport|passaporto|护照|パスポート|여권",
    ),
    _form(r"[LMNPRTVWXYZ][0-9CFGHJKLMNPRTVWXYZ]{8}", r"personalausweis|ausweis"),
    _form(
        r"[A-Z]\d{12}|[A-Z]\d{7}|[A-Z]{5}\d{6}[A-Z0-9]{5}|\d{8,9}",
        r"driver'?s? licen[cs]e|driving licen[cs]e|führerschein|permis de conduire",
    ),
    _form(r"[A-Z]{0,3}\d{6,12}[A-Z]?", rf"{_ID_NAMES}|voter"),
)
_FORMS: Final = _NUMERIC + _LETTERED
_NAMELESS: Final = tuple(form for form in _FORMS if not form.names)
_ANY_NAMELESS: Final = re.compile(_between_edges("|".join(form.bare for form in _NAMELESS)), re.IGNORECASE)
_NAMES: Final = {name for form in _FORMS for name in form.names}
_ANY_NAME: Final = re.compile(any_of(_NAMES))
# Written so that the search for the first digit skips quickly what is none.
_SIX_DIGITS: Final = re.compile(r"\d(?:\D*+\d){5}")
_FOUR_DIGITS: Final = re.compile(r"\d(?:\D*+\d){3}")
_WITH_A_LETTER: Final = re.compile(r"\d(?:(?<=[A-Za-z].)|(?=[A-Za-z]))")
_CLUSTER: Final = re.compile(r"(?<!\w)(?:[A-Za-z]{1,6}[ ]?)?\d[0-9A-Za-z./+() -]{4,27}")


def find_national_ids(text: str, low: str) -> Iterator[Span]:
    """National identity, tax, social security and passport numbers."""
    names: list[tuple[int, str]] | None = None
    for cluster in _CLUSTER.finditer(text):
        start, end = cluster.start(), min(len(text), cluster.end() + 3)
        if not has_digits(text, start, end):
            continue
        if names is None:
            names = [(name.start(), name.group()) for name in _ANY_NAME.finditer(low)]
        for form in _candidates(text, names, start, end):
            match = form.shape.search(text, start, end)
            if (
                match
                and match.group().isascii()
                and _is_id(form, match.group())
                and not _is_booking(low, match.start())
            ):
                yield Span(*match.span(), "national_id")


def has_digits(text: str, start: int = 0, end: int = sys.maxsize) -> bool:
    """Whether there are as many digits as any form has: six, or four where letters stand against some.

    >>> has_digits("in 2026"), has_digits("123-45-6789")
    (False, True)
    """
    if _SIX_DIGITS.search(text, start, end):
        return True
    return bool(_WITH_A_LETTER.search(text, start, end) and _FOUR_DIGITS.search(text, start, end))


def _candidates(text: str, names: list[tuple[int, str]], start: int, end: int) -> Iterator[Form]:
    """The forms a cluster of digits may have: those named around it, and those that need no name."""
    if _ANY_NAMELESS.search(text, start, end):
        yield from _NAMELESS
    first = bisect_left(names, (start - _NEAR_CHARS,))
    for at, name in islice(names, first, None):
        if at + len(name) > end + _AFTER_CHARS:
            break
        yield from _named(name)


@lru_cache(maxsize=256)
def _named(name: str) -> tuple[Form, ...]:
    return tuple(form for form in _FORMS if any(re.fullmatch(pattern, name) for pattern in form.names))


_BOOKING: Final = re.compile(
    r"(?:order|appointment|reservation|booking|invoice|tracking|confirmation|ticket)(?: (?:number|code|no\.?|id))?(?: is)?[:# ]{0,3}\Z"
)


def _is_booking(low: str, start: int) -> bool:
    return bool(_BOOKING.search(low, max(0, start - 32), start))


def _is_id(form: Form, number: str) -> bool:
    plain = _GAPS.sub("", number).upper()
    if form.check is not None:
        return form.check(plain)
    return bool(form.names) or len(set(plain)) > 3
