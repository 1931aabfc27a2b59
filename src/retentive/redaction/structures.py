"""Secrets that are known by the structure they sit in: key blocks, URLs, headers, cookies, commands, phrases.

Each rule is reached only when a literal of it is in the text.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from retentive.redaction.policy import Span
from retentive.redaction.shape import is_password_like, is_placeholder, is_random_token, is_uuid

# -- key blocks -----------------------------------------------------------------------------------------------------
_BEGIN: Final = re.compile(r"-{4,5} ?BEGIN (?P<label>[A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?) ?-{4,5}")
_KEY_BODY: Final = re.compile(r"(?:[\s>|\"'+,;#*\\A-Za-z0-9/=:.()]|-(?!-)){0,20000}+")
_END: Final = re.compile(r"-{4,5} ?END [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_SHORTEST_KEY: Final = 24  # a first line alone, or one with its last line, holds no key
_JWK: Final = re.compile(r"\"(?:d|p|q|dp|dq|qi|k)\"\s{0,4}:\s{0,4}\"(?P<value>[A-Za-z0-9_-]{16,3000})\"")
_PUTTY: Final = re.compile(r"Private-Lines: ?\d{1,4}(?:\r?\n[A-Za-z0-9+/=]{1,120}){1,400}")


def find_key_blocks(text: str) -> Iterator[Span]:
    """Private keys in PEM, OpenSSH, PGP and PuTTY form; one without an end is taken up to the last character it could own."""
    position = text.find("BEGIN ")
    done = 0
    while position >= 0:
        begin = _BEGIN.match(text, max(done, position - 6)) or _BEGIN.match(text, max(done, position - 5))
        begin = begin or _BEGIN.match(text, max(done, position - 4))
        if begin:
            body = _KEY_BODY.match(text, begin.end())
            last = body.end() if body else begin.end()
            end = _END.match(text, last)
            done = end.end() if end else _without_prose(text, begin.end(), last)
            if done - begin.end() >= _SHORTEST_KEY:
                yield Span(begin.start(), done, "private_key")
        position = text.find("BEGIN ", max(done, position + 6))
    if "Private-Lines:" in text:
        yield from (Span(*m.span(), "private_key") for m in _PUTTY.finditer(text))
    if '"kty"' in text:
        yield from (Span(*m.span("value"), "private_key") for m in _JWK.finditer(text))


def _without_prose(text: str, start: int, end: int) -> int:
    """The end of the last long run of base64 in an unfinished block."""
    last = start
    for match in re.compile(r"[A-Za-z0-9+/=]{20,}").finditer(text, start, end):
        last = match.end()
    return last


# -- URLs -----------------------------------------------------------------------------------------------------------
_USERINFO: Final = re.compile(
    r"(?P<user>[^\s/?#\"'<>@:\x00]{0,256}+)(?::(?P<password>[^\s\"'<>\x00]{1,256}?))?@(?=[\w\[$({.-])"
)
_WEBHOOKS: Final = (
    ("hooks.slack", r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[\w/-]{16,160}"),
    ("/api/webhooks/", r"[\w.-]{0,20}discord(?:app)?\.com/api/webhooks/\d{10,24}/[\w-]{20,100}"),
    ("webhook.office", r"[\w.-]{1,60}webhook\.office\.com/webhookb2/[\w@/.-]{30,240}"),
    ("logic.azure", r"[\w.-]{1,80}logic\.azure\.com[:\d]{0,5}/workflows/[\w/.-]{10,120}\?[\w&=%.-]{20,300}"),
    ("hooks.zapier", r"hooks\.zapier\.com/hooks/catch/\d{3,12}/\w{4,32}/?"),
    ("ifttt.com", r"maker\.ifttt\.com/(?:trigger/[\w-]{1,64}/(?:json/)?with/key|use)/[\w-]{16,64}"),
    ("chat.googleapis", r"chat\.googleapis\.com/v1/spaces/[\w-]{4,40}/messages\?[\w&=%.-]{20,300}"),
    ("make.com", r"hook\.(?:\w{2,6}\.)?make\.com/[a-z0-9]{24,48}"),
    ("integromat", r"hook\.integromat\.com/[a-z0-9]{24,48}"),
    ("pipedream", r"[a-z0-9]{10,40}\.m\.pipedream\.net"),
    ("/hook/", r"open\.(?:feishu|larksuite)\.(?:cn|com)/open-apis/bot/v2/hook/[\w-]{16,64}"),
    ("dingtalk", r"oapi\.dingtalk\.com/robot/send\?access_token=[0-9a-f]{32,80}"),
    ("weixin", r"qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=[\w-]{16,64}"),
    ("/hooks/", r"[\w.-]{4,80}/hooks/[a-z0-9]{20,40}"),
    ("webhook", r"[\w.-]{4,80}/(?:[\w-]{1,40}/){0,4}webhooks?/(?:[\w-]{1,40}/){0,3}[A-Za-z0-9_-]{24,120}"),
)
_LINK_TOKEN: Final = re.compile(
    r"(?:reset|verify|magic|invit\w{0,6}|confirm|activat\w{0,4}|signin|sign-in|login|unlock|recover\w{0,2}|share|join|auth)[\w/-]{0,40}?"
    r"/(?P<value>[A-Za-z0-9_.-]{20,400})(?=[\s?#\"'<>),]|$)"
)


def find_urls(text: str, low: str) -> Iterator[Span]:
    """Passwords in `scheme://user:password@host`, webhook addresses, and one-time links."""
    position = low.find("://")
    while position >= 0:
        yield from _userinfo(text, position + 3)
        position = low.find("://", position + 3)
    for literal, pattern in _WEBHOOKS:
        if literal in low:
            matches = _webhook(pattern).finditer(text)
            yield from (Span(*m.span(), "webhook_url") for m in matches if not is_placeholder_url(m.group()))
    if "://" in low:
        for match in _LINK_TOKEN.finditer(text):
            if is_random_token(match["value"], min_length=20):
                yield Span(*match.span("value"), "link_token")


@cache
def _webhook(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?:https?://)?(?<![\w.-]){pattern}", re.IGNORECASE)


def is_placeholder_url(url: str) -> bool:
    """True when the last part of the address is a sample."""
    tail = url.rsplit("/", 1)[-1].lower()
    return len(set(tail)) < 5 or "xxxx" in tail or "your" in tail or "example" in tail


def _userinfo(text: str, start: int) -> Iterator[Span]:
    match = _USERINFO.match(text, start)
    if not match:
        return
    if match["password"] is None:
        if is_random_token(match["user"], min_length=16):
            yield Span(*match.span("user"), "url_credential")
        return
    begin, end = match.span("password")
    # A password may itself hold an at sign: take the last one before the path.
    rest = re.compile(r"[^\s/?#\"'<>\x00]{0,128}@(?=[\w\[.-])").match(text, match.end())
    end = rest.end() - 1 if rest else end
    password = text[begin:end]
    if "/" in password and not is_password_like(password):
        return
    if not is_placeholder(password) and password.lower() != match["user"].lower():
        yield Span(begin, end, "url_credential")
    elif is_random_token(match["user"], min_length=16):
        yield Span(*match.span("user"), "url_credential")


# -- headers, cookies -----------------------------------------------------------------------------------------------
_SCHEME: Final = re.compile(r"(?<![a-z])(?P<scheme>basic|bearer)[ \t]{1,4}(?P<value>[\w.~+/=-]{8,4096})", re.IGNORECASE)
_COOKIE_LINE: Final = re.compile(
    r"(?:set-)?cookies?[\"']?[ \t]{0,2}(?:[:=]|->|=>)[ \t]{0,2}(?P<line>[^\r\n\x00]{1,4096})"
)
_COOKIE: Final = re.compile(r"(?<![\w.-])(?P<name>[\w.$-]{1,64})=(?P<value>[^\s;,\"'\x00]{8,4096})")
_SESSION_NAME: Final = re.compile(
    r"(?<![\w.$-])[\w.-]{0,32}(?:sess(?:ion)?[\w.-]{0,16}|connect\.sid|\bsid|auth[\w.-]{0,16}|csrf[\w.-]{0,16}|xsrf[\w.-]{0,16}"
    r"|remember[\w.-]{0,12}|jwt|li_at|__secure-[\w-]{1,24}|__host-[\w-]{1,24}|aspxauth)="
)
_SESSION_VALUE: Final = re.compile(r"[^\s;,&\"'\x00]{10,4096}")
_COOKIE_NAME: Final = 33  # characters of a name before a mark in it or after, and one more
_SESSION_MARK: Final = re.compile(r"sess|sid|auth|[cx]srf|remember|jwt|li_at|__secure|__host")
_COOKIE_ATTRIBUTES: Final = frozenset({"path", "domain", "expires", "max-age", "samesite", "version", "_ga", "_gid"})


def find_headers(text: str, low: str) -> Iterator[Span]:
    """Credentials of HTTP headers, registries and network codes; session cookies."""
    if "basic" in low or "bearer" in low:
        for match in _SCHEME.finditer(text):
            if _is_authorization(match["scheme"].lower(), match["value"]):
                yield Span(*match.span("value"), "authorization")
    if "auth" in low:
        for match in _REGISTRY_AUTH.finditer(text):
            if _is_authorization("basic", match["value"]):
                yield Span(*match.span("value"), "authorization")
    if "digest" in low:
        yield from (Span(*m.span("value"), "authorization") for m in _DIGEST.finditer(low))
    if "wifi:" in low:
        yield from (Span(*m.span("value"), "password") for m in _WIFI.finditer(text))


def find_cookies(text: str, low: str) -> Iterator[Span]:
    """Values of session cookies, in their headers and by their names."""
    if "cookie" in low:
        for line in _COOKIE_LINE.finditer(low):
            yield from _cookies(text, *line.span("line"))
    if "=" in low and _SESSION_MARK.search(low):
        for value in _session_cookies(text, low):
            if _is_cookie_value(value.group()):
                yield Span(*value.span(), "cookie")


def _session_cookies(text: str, low: str) -> Iterator[re.Match[str]]:
    """What is assigned to names that hold such a mark: the pattern of a name is slow, and the marks are rare."""
    for mark in _SESSION_MARK.finditer(low):
        sign = low.find("=", mark.end(), mark.end() + _COOKIE_NAME)
        start = low.rfind("=", max(0, mark.start() - _COOKIE_NAME), mark.start()) + 1
        start = start or max(0, mark.start() - _COOKIE_NAME)
        value = _SESSION_VALUE.match(text, sign + 1) if sign >= 0 else None
        if value and _SESSION_NAME.search(low, start, sign + 1):
            yield value


_REGISTRY_AUTH: Final = re.compile(r"auth[\"']?\s{0,4}[:=]\s{0,4}[\"'](?P<value>[A-Za-z0-9+/]{12,4000}={0,2})[\"']")
_WIFI: Final = re.compile(r"WIFI:(?:[TSHE]:[^;\x00]{0,64};){0,4}P:(?P<value>(?:[^;\\\x00]|\\.){4,64});")
_DIGEST: Final = re.compile(r"response=[\"']?(?P<value>[0-9a-f]{32,64})")


def _is_authorization(scheme: str, value: str) -> bool:
    if scheme == "bearer":
        return is_random_token(value, min_length=12)
    try:
        plain = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except ValueError:
        return False
    return b":" in plain and plain.isascii() and plain.decode("ascii").isprintable()


def _cookies(text: str, start: int, end: int) -> Iterator[Span]:
    for match in _COOKIE.finditer(text, start, end):
        if match["name"].lower() not in _COOKIE_ATTRIBUTES and _is_cookie_value(match["value"]):
            yield Span(*match.span("value"), "cookie")


def _is_cookie_value(value: str) -> bool:
    return is_random_token(value, min_length=12) and not is_uuid(value)


# -- one-time passwords ---------------------------------------------------------------------------------------------
_OTPAUTH: Final = re.compile(r"otpauth(?:-migration)?://[^\s\"'<>\x00]{1,3000}", re.IGNORECASE)
_OTP_PARAMETER: Final = re.compile(r"(?:secret|data)=(?P<value>[A-Za-z0-9%=+/_-]{8,2000})", re.IGNORECASE)
_BASE32: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Z2-7]{16,64}|(?:[A-Z2-7]{4}[ -]){3,15}[A-Z2-7]{4}|(?:[a-z2-7]{4}[ -]){3,15}[a-z2-7]{4})={0,6}(?![A-Za-z0-9])"
)
_OTP_MARKS: Final = ("2fa", "otp", "mfa", "authenticator", "factor", "setup key", "google auth", "einrichtungs")
_OTP_MARK: Final = re.compile("|".join(_OTP_MARKS))
_RECOVERY: Final = re.compile(
    r"(?:backup|recovery|scratch|rescue)[ -]codes?(?:[ \t]+[a-z0-9]{1,12}){0,5}?[ \t]{0,2}(?:[:=]|is|are)"
)
_CODE: Final = re.compile(
    r"(?:[\s,;|/*-]|\d{1,2}[.)][ ]|and[ ]){1,8}(?P<value>(?=[a-z-]{0,10}\d)[a-z0-9]{4,8}(?:-[a-z0-9]{4,8}){0,3})(?![\w-])"
)


def find_one_time(text: str, low: str) -> Iterator[Span]:
    """Seeds of one-time passwords, and lists of recovery codes."""
    if "otpauth" in low:
        for address in _OTPAUTH.finditer(text):
            yield from (Span(*m.span("value"), "otp_secret") for m in _OTP_PARAMETER.finditer(text, *address.span()))
    if any(map(low.__contains__, _OTP_MARKS)):
        for match in _BASE32.finditer(text):
            if any(map(str.isdigit, match.group())) and _OTP_MARK.search(
                low, max(0, match.start() - 72), match.start()
            ):
                yield Span(*match.span(), "otp_secret")
    if "code" in low:
        for match in _RECOVERY.finditer(low):
            code = _CODE.match(low, match.end())
            while code:
                yield Span(*code.span("value"), "recovery_code")
                code = _CODE.match(low, code.end())
