"""What is long and random and yet no secret: masked before any rule runs.

Masked characters become NUL, which no rule's pattern accepts, so offsets stay and nothing matches across.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from retentive.redaction.policy import Span

MASK: Final = "\x00"

# (a literal that must be in the lower-cased text, pattern; one that starts with a plain set of characters is sought faster)
_SAFE: Final = (
    ("[redacted:", re.compile(r"\[REDACTED:[a-z0-9_]{1,40}\](?:#\d{1,6})?")),
    (
        "data:",
        re.compile(
            r"data:(?:image|font|audio|video|application/(?:pdf|octet-stream|wasm|font\S{0,20}|zip))[\w/.+-]{0,60}(?:;[\w=-]{1,40}){0,3};base64,[A-Za-z0-9+/=_%-]{0,50000000}+",
            re.IGNORECASE,
        ),
    ),
    (
        "begin",
        re.compile(
            r"-----BEGIN (?P<label>(?:TRUSTED |X509 )?CERTIFICATE(?: REQUEST)?|(?:RSA |EC |DSA )?PUBLIC KEY|PGP PUBLIC KEY BLOCK|PGP SIGNATURE"
            r"|SSH SIGNATURE|PGP SIGNED MESSAGE|X509 CRL|DH PARAMETERS|EC PARAMETERS|CMS|PKCS7)-----[^\x00-]{0,60000}+-----END (?P=label)-----"
        ),
    ),
    ("begin", re.compile(r"---- BEGIN SSH2 PUBLIC KEY ----[^\x00]{0,4000}?---- END SSH2 PUBLIC KEY ----")),
    (
        "aaaa",
        re.compile(
            r"(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d{3}|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com)[ \t]{1,3}AAAA[A-Za-z0-9+/=]{20,2000}+"
        ),
    ),
    (
        "sha",
        re.compile(
            r"[sS](?<!\w.)(?:ha(?:1|256|384|512))[-:= ](?:[A-Za-z0-9+/_-]{40,100}={0,2}|[0-9a-fA-F]{40,128})(?![A-Za-z0-9])",
            re.IGNORECASE,
        ),
    ),
    ("md5", re.compile(r"[mM](?<!\w.)d5(?:sum)?[-:= ]{1,3}[0-9a-fA-F]{32}(?![A-Za-z0-9])", re.IGNORECASE)),
    ("$", re.compile(r"\$(?:2[aby]|argon2(?:id|i|d)|scrypt|pbkdf2[\w-]{0,12}|[156])\$[\w$./=,+-]{20,200}")),
    ("pbkdf2", re.compile(r"pbkdf2(?:[:_-]sha\d{1,3})?[:$]\d{1,8}\$[\w$./=,+-]{8,300}")),
    ("00-", re.compile(r"(?<![\w-])00-[0-9a-f]{32}-[0-9a-f]{16}-0[0-9a-f](?![\w-])")),
)


def mask_safe(text: str, low: str) -> str:
    """The text with known-safe spans masked; the same object when there are none."""
    spans = [m.span() for literal, pattern in _SAFE if literal in low for m in pattern.finditer(text)]
    return mask(text, spans) if spans else text


def mask(text: str, spans: Iterable[Span | tuple[int, int]]) -> str:
    """The text with each of `spans` (any order, may overlap) replaced by as many NUL characters."""
    parts: list[str] = []
    done = 0
    for span in sorted(spans):
        start, end = span[0], span[1]
        if end > done:
            parts += (text[done:start], MASK * (end - (max(done, start))))
            done = end
    parts.append(text[done:])
    return "".join(parts)
