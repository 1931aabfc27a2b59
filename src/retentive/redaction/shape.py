"""Does this string look like a credential? Pure questions about one value, without its surroundings.

Two answers are needed: `is_placeholder` (documentation, code or a template, never a secret) and how likely the value
is random: by its character classes and Shannon entropy, -sum(p log2 p) in bits a character over its own characters
(C. E. Shannon, 'A Mathematical Theory of Communication', 1948).
"""

from __future__ import annotations

import re
from math import log2
from typing import Final

from retentive.redaction.patterns import any_of

_TEMPLATE: Final = re.compile(
    r"""^(?: <[^<>]{0,80}>? | \[[^\[\]]{0,80}\]? | \$?\{{1,2}[^{}]{0,80}\}{0,2} | \$\([^()]{0,80}\)?
          | \$[A-Z_][A-Z0-9_]{0,60} | \$[a-z_]{1,60} | \$\d | %[A-Za-z_]{1,60}% | %[sdvr] | %\(\w{1,40}\)s?
          | @[a-z_]{2,60} | :[a-z_]{1,40} | [*.…_•·xX\#-]{2,200} )$""",
    re.VERBOSE,
)
_SAMPLE_WORDS: Final = re.compile(
    any_of(
        r"""your example sample placeholder changeme change[_-]me change[_-]this replace insert dummy redacted removed hidden masked
        goes[_-]?here \bhere\b todo fixme xxxx \bmy[_-]?(?:super)?[_-]?(?:secret|secure|strong|api|auth|access|token|key|pass)
        super[_-]?secret some[_-] abcdefgh fake[_-] mock[_-] stub lorem""".split()
    )
    + r"|\*{3}|\.{3}|…|•{3}"
)
_SAMPLE: Final = re.compile(r"test(?:ing|_?key|_?token|_?secret)?|(?:foo|bar|baz|foobar)\d{0,3}|abc123|1234567890?")
_PLAIN_WORDS: Final = frozenset(
    """password passwd passphrase passcode pass pwd pw secret secrets token tokens key keys apikey api_key user username
    login admin root none null nil undefined true false yes no string str int bool boolean number object any void
    required optional empty unset missing invalid incorrect wrong correct expired unknown not_set not-set n/a na tbd
    hash hashed bcrypt argon2 plaintext encrypted value text input output private public default basic bearer oauth
    oauth2 credential credentials postgres mysql mariadb mongo redis rabbitmq guest localhost host passwort contraseña
    contrasena senha пароль密码 s3cr3t passw0rd p@ssw0rd p@ssword hunter2 letmein pass123 user123 test123 password123
    password1 secret123 admin123 token123 key123 abc123 123456 12345678 qwerty 1234 pass1234 foobar""".split()
)
_SAMPLE_PASSWORD: Final = re.compile(
    r"\d?(?:test|my|your|secure|strong|weak|some|any|user|new|old|admin|default|db|database|correct|wrong|super|secret|long|very|the|raw"
    r"|plain|hashed|valid|invalid|current|confirm|provided|stored|root|app|sample|demo|temp|initial|[_-])*"
    r"pass(?:word|wd|phrase)?(?:test|field|hash|[_-])*\d{0,3}"
)
_INTERPOLATED: Final = re.compile(r"\$?\{{1,2}[^{}]{1,80}\}{1,2}|%\(\w{1,40}\)s|<[\w -]{1,40}>")
_BRACKET: Final = re.compile(r"[{<(]")
_REPEATED: Final = re.compile(r"^(.)\1*$|(.)\2{5}|^(.{2,4})\3{2,}$")
_CODE: Final = re.compile(
    r"^(?:[A-Za-z_$][\w$]{0,60}(?:\??\.[A-Za-z_$][\w$]{0,60}){1,6}[(\[;,)]?.{0,200}"  # settings.SECRET_KEY
    r"|[A-Za-z_$][\w$.]{0,80}[(\[].{0,200}"  # getpass.getpass(
    r"|(?:await|new|process|os|self|this|function|lambda|return|const|let|var|def|env)\b.{0,200})$"
)
_SEPARATORS: Final = re.compile(r"[-_./:+=~@ ]+")
_HEX: Final = re.compile(r"^(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)$")
_LONGEST_PASSWORD: Final = 128
_LOOK_AT: Final = 96  # characters of a value that decide; what follows is more of the same
_N_LOG_N: Final = (0.0, *(n * log2(n) for n in range(1, _LOOK_AT + 1)))
_UUID: Final = re.compile(r"^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$")
_WORDY: Final = re.compile(r"^(?:[A-Z]?[a-z]+|[A-Z]+|\d{1,4}|v\d{1,3}|[A-Z]?[a-z]+\d{1,3})$")
_CAMEL: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_URL: Final = re.compile(r"^(?:(?:https?|wss?|ftp|file|s3|gs):)?//", re.IGNORECASE)


def entropy_bits(value: str) -> float:
    """Shannon entropy of the first 96 characters of `value` in bits a character; 0 for an empty one.

    >>> entropy_bits("aabb")
    1.0
    """
    value = value[:_LOOK_AT]
    if not value:
        return 0.0
    counts = map(value.count, set(value))
    return (_N_LOG_N[len(value)] - sum(map(_N_LOG_N.__getitem__, counts))) / len(value)


def is_placeholder(value: str) -> bool:
    """True for values that stand for a secret in documentation, templates and code.

    >>> [is_placeholder(v) for v in ("<token>", "${DB_PASSWORD}", "xxxxxxxx", "YOUR_API_KEY", "QuietHarbor5527")]
    [True, True, True, True, False]
    """
    plain = value[:_LOOK_AT].strip("\"'`")
    low = plain.lower()
    return (
        len(plain) < 3
        or low in _PLAIN_WORDS
        or bool(_TEMPLATE.match(plain))
        or bool(_SAMPLE_WORDS.search(low) or _SAMPLE.fullmatch(low))
        or bool(_REPEATED.search(low))
        or ("pass" in low and bool(_SAMPLE_PASSWORD.fullmatch(low)))
        or _is_interpolated(plain)
    )


def _is_interpolated(plain: str) -> bool:
    """True for a template with little text of its own."""
    if not _BRACKET.search(plain):
        return False
    own = _INTERPOLATED.sub("", plain)
    return own != plain and len(own) < 8


def is_sample_token(token: str) -> bool:
    """True when a token of a provider's format is an example: too few different characters, or it says so.

    >>> is_sample_token("ghp_" + "x" * 36), is_sample_token("AKIAIOSFODNN7EXAMPLE")
    (True, True)
    """
    low = token.lower()
    return len(set(low)) < 7 or "xxxx" in low or "example" in low or "your" in low or "****" in low or "..." in low


def is_code(value: str) -> bool:
    """True for an expression of a programming language: a call, an attribute path, a lookup."""
    return bool(_CODE.match(value)) and not any(c in "#$!@%^&*" for c in value.partition("(")[0][1:])


def is_uuid(value: str) -> bool:
    """True for the usual 8-4-4-4-12 hexadecimal form."""
    return bool(_UUID.match(value))


def is_hex(value: str) -> bool:
    """True when all of `value` is hexadecimal in one case, with or without 0x."""
    return bool(_HEX.match(value))


def is_wordy(value: str) -> bool:
    """True when `value` is made of words: snake_case, kebab-case, camelCase, paths, versions, model names.

    >>> is_wordy("sk-learn-pipeline-v2"), is_wordy("customerIdOnOrdersTable"), is_wordy("qEMxGlnVcHR6MLVP1mya")
    (True, True, False)
    """
    segments = [s for s in _SEPARATORS.split(value) if s]
    odd = [s for s in segments if not _WORDY.match(s) and not _is_camel(s)]
    return not odd or (max(map(len, odd)) <= 8 and sum(map(len, odd)) * 5 <= len(value) * 2)


def _is_camel(segment: str) -> bool:
    if sum(map(str.islower, segment)) * 3 < len(segment) * 2:
        return False
    words = _CAMEL.findall(segment)
    return bool(words) and len(segment) / len(words) >= 4.0


def is_random_token(value: str, *, min_length: int = 16) -> bool:
    """True when `value` is likely to be machine-made: long, of mixed classes, high entropy, and no words.

    >>> is_random_token("w7SiXQt4yj9tuOewwasmpboYXvvS43B0"), is_random_token("text-embedding-3-large")
    (True, False)
    """
    if len(value) < min_length:
        return False
    looked_at = value[:_LOOK_AT]
    if is_hex(looked_at):
        mixed = len(looked_at) >= 24 and not looked_at.isdigit() and len(set(looked_at.lower())) >= 8
    else:
        has_digit = any(map(str.isdigit, looked_at))
        classes = has_digit + any(map(str.islower, looked_at)) + any(map(str.isupper, looked_at))
        enough = 4.2 if not has_digit else 2.5 if len(value) < 16 else 3.0 if len(value) < 24 else 3.4
        mixed = classes >= 2 and entropy_bits(looked_at) >= enough and not is_wordy(looked_at)
    return mixed and not is_placeholder(value) and not _URL.match(value)


def is_password_like(value: str) -> bool:
    """True when a word is unlikely to be one: letters with digits, signs inside, or a capital inside; six or more.

    >>> [is_password_like(v) for v in ("MarbleOtter6614", "maple-river-402!", "sticky", "2025-11-21", "128000")]
    [True, True, False, False, False]
    """
    if not 6 <= len(value) <= _LONGEST_PASSWORD or (value.isalpha() and value.islower()):
        return False
    if is_placeholder(value) or is_code(value) or _URL.match(value):
        return False
    letters = sum(c.isalpha() for c in value)
    digits = sum(c.isdigit() for c in value)
    signs = len(value) - letters - digits
    strong_signs = sum(c in "#$%^&*@+=~|\\{}" for c in value[1:]) + sum(c in "!?" for c in value[1:-1])
    if letters == 0:
        return strong_signs > 0 and digits > 0
    return (digits > 0 and not _MEASURE.match(value)) or (signs > 0 and strong_signs > 0) or _is_scrambled(value)


def _is_scrambled(value: str) -> bool:
    """Letters alone, with capitals where no word has them."""
    upper = sum(map(str.isupper, value))
    return (
        len(value) >= 8
        and value.isascii()
        and value.isalpha()
        and 2 <= upper <= len(value) - 2
        and len(value) / len(_CAMEL.findall(value)) < 3
    )


_MEASURE: Final = re.compile(
    r"^(?:v?\d+(?:[.,:]\d+)*[-–]?(?:[a-z]{1,4}|[kmgt]i?b|chars?|characters|digits|bits?|bytes?|letters|days?|hours?|weeks?"
    r"|months?|minutes?|years?)?|[a-z]+[-_ ]\d{1,4}(?:\.\d+)*|\d{1,4}-[a-z]+(?:-[a-z]+)*|[a-z]{2,12}\d{0,3}[-.]\d{1,3}"
    r"|\d{1,2}/\d{1,2}/\d{2,4})$",
    re.IGNORECASE,
)
