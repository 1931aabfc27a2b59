"""Secrets that are known by the words around them: "my password is ...", `DB_PASSWORD=...`, "the Cohere token: ...".

Each word found starts a match of bounded length, so the work is linear in the text whatever it holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, Literal

from retentive.redaction.policy import Span
from retentive.redaction.shape import is_code, is_password_like, is_placeholder, is_random_token, is_uuid, is_wordy
from retentive.redaction.words import (
    ASCII_ROOTS,
    KEY_NAME,
    LINK,
    NOT_A_PASSWORD,
    NOT_A_SECRET,
    PASSWORD_NAME,
    ROOTS,
    SECRET_LEFT,
    STRONG_LEFT,
)

Join = Literal["sign", "words", "loose"]  # `=`, "is", and either after other words
Strength = Literal["", "strong", "uuid"]
Accept = Callable[[str, bool], bool]  # (value, whether it was in quotes) -> whether it is a secret
_IN_QUOTES: Final = True

_FILLER: Final = r"(?:[ \t]{1,3}[^\s:=,;.!?\"'`<>{}()\[\]\x00|→]{1,24}){0,7}?"
_AFTER_NAME: Final = re.compile(
    r"(?P<tail>[\w.\u0e30-\u0e4e-]{0,24}?)(?P<close>[\\\"'`*\])]{0,4})"
    r"(?:[ \t]{0,2}\([^()\n\x00]{0,40}\))?(?P<filler>" + _FILLER + r")[ \t]{0,3}(?P<link>" + LINK + r")"
    r"(?:\r?\n[ \t]{0,16}(?:-[ \t])?)?(?:value[\"']?:[ \t]{0,4})?(?:\([^()\n\x00]{2,40}\)[ \t]{1,2})?(?P<type>(?:basic|bearer|token|digest|apikey)[ \t]{1,3})?"
)
_ADJACENT: Final = re.compile(r"(?P<close>[*\])]{0,2})[ \t]{1,3}(?![(<\[*])(?P<link>)")
_QUOTED: Final = re.compile(r"(?:[rbuf]{0,2})(?P<quote>\\?[\"'`]|[「『])(?P<value>[^\r\n\x00]{0,400})")
_BARE: Final = re.compile(r"[<*_]{0,3}(?P<value>[^\s\x00\u0e00-\u0e7f\u3000-\u30ff\u3400-\u9fff\uac00-\ud7ff]{3,128})")
_LOOKED_AT: Final = 128  # a longer value is judged by its beginning and taken to its end
_REST: Final = re.compile(r"[^\s\x00\"'`<>,;&]{0,8192}+")
_NEXT_PAIR: Final = re.compile(r"[&;,](?=[\w. -]{1,40}=)|&(?=[a-z]\w{0,30}=)|[\"'`](?=[,;}\])])|\\[\"nrt]|</|;$")
_TRAILING: Final = ".,;:)]}>\"'`，。；…"
_VARIABLE_LINE: Final = re.compile(r"(?:^|\n)[ \t]*(?:export[ \t]+|set[ \t]+|ENV[ \t]+)?[A-Z][A-Z0-9_]{2,60}=$")
_BEFORE: Final = re.compile(
    r"(?P<value>[^\s\x00\"'`]{6,80})[\"'`]?[ \t]{1,3}(?:is|as|was|ist|als|es|est|comme|como|[ée]|è)[ \t]{1,3}"
    r"(?:(?:the|my|your|our|an?|his|her|their|new|current|old|mein|das|dein|unser|l[aeo]|el|mi|ma|mon|tu|minha|sua|wi-?fi|root|admin|login"
    r"|master|main|default|temporary|temp|server|db|database|account|email|vpn|router|user|guest)[ \t]{1,3}){0,4}\Z"
)
_LOGIN: Final = re.compile(
    r"(?:credentials?|creds|logins?|wi-?fi|user(?:name)?[ \t]?[/&+][ \t]?pass(?:word)?)(?:[ \t]+\w{1,20}){0,4}?[ \t]{0,2}(?::|=|\bare\b|\bis\b)[ \t]{1,3}"
    r"[\w.@+-]{2,64}[ \t]{0,2}[/:|,][ \t]{0,2}(?P<value>[^\s\x00]{5,120})"
)
_PAIR: Final = re.compile(
    r"(?<![a-z])(?:use|with|as|in|login|account|user|creds?|try)[:]?[ \t]{1,3}[\w.@+-]{2,64}[ \t]{1,3}/[ \t]{1,3}(?P<value>[^\s\x00/]{8,120})"
    r"(?=[^\n]{0,60}(?:account|log|sign|user|server|portal|admin|demo|access|box|dashboard|panel)|[ \t]*$|[ \t]*\n)"
)
_ID_PART: Final = re.compile(r"(?:^|[-_.])id(?:$|[-_.])")
_CAMEL_EDGE: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_PLACEHOLDER: Final = re.compile(r"\[REDACTED:\w{1,40}\]")
_PIN: Final = re.compile(
    r"(?<![a-z])pins?(?:[ \t-]?(?:(?P<code>code)|number|nummer))?(?P<whose>(?:[ \t]{1,2}(?:for|of|to|de|del|da|do|für|voor)[^.\n\x00]{1,30}?)?)"
    r"(?:'s|[ \t]{1,2}(?:is|es|ist|é|est|now)|[ \t]?[:=]|(?=[ \t]\d{4}(?:[ \t]|$)))[ \t]{0,2}(?P<value>\d{4,8})(?![\d.,-]*\d)"
)
_POSTCODE: Final = re.compile(r"[1-8]\d{5}")
_LOCKED: Final = re.compile(
    r"(?<![a-z])(?:card|debit|credit|bank|account|door|gate|phone|mobile|sim|atm|unlock|lock|safe|alarm|garage|device|tablet|laptop|login|app"
    r"|karte|konto|bank|tur|tür|handy|tarjeta|carte|carta|cartao|cartão)"
)
_PIN_OWNER: Final = re.compile(
    r"(?:my|our|mein|meine|mi|mon|meu|card|bank|door|phone|sim|atm|unlock|the)[^.\n]{0,20}\Z"
)
_CARD_CODE: Final = re.compile(
    r"(?<![a-z])(?:cvv2?|cvc2?|cvn)(?:[ \t](?:code|is|number|ist|es))?[ \t]?[:=]?[ \t]?(?P<value>\d{3,4})(?!\d)"
)
_FROM_TO: Final = re.compile(
    r"(?:[ \t]\w{1,16}){0,3}?[ \t]from[ \t](?P<old>[^\s\x00]{6,64})[ \t]to[ \t](?P<new>[^\s\x00]{6,64})"
)
_AND_ANOTHER: Final = re.compile(
    r"[\"'`]?(?:,|[ \t](?:and|or|und|oder|y|et|/))[ \t]{1,2}[\"'`]?(?P<value>[^\s\x00\"'`]{6,64})"
)
_IN_USE: Final = re.compile(
    r"(?:\buse|\bwith|\btype|\benter)[ \t](?P<value>[^\s\x00\"'`]{8,64})[ \t]to[ \t](?:log|sign|unlock|access|enter|get[ \t]in|connect)"
    r"|\b(?:unlock|log[ \t]in|sign[ \t]in|open)[ \t](?:it[ \t])?with[ \t](?P<other>[^\s\x00\"'`]{8,64})"
)
_PAIR_BEFORE: Final = re.compile(
    r"(?<!\S)[\w.@-]{2,40}:(?P<value>[^\s\x00]{6,64})[ \t](?:are|is)[ \t](?:the|my|our|your)[ \t](?:creds|credentials|login)"
)
# Logins that are told without the word password, each with signs that are quickly looked for.
_LOGINS: Final = (
    (re.compile(r"cred|login|user|wi-?fi"), _LOGIN),
    (re.compile(r"/[ \t]"), _PAIR),
    (re.compile(r"[ \t](?:are|is)[ \t](?:the|my|our|your)[ \t](?:cred|login)"), _PAIR_BEFORE),
    (  # both begin with a blank: the search for it skips the rest quickly
        re.compile(
            r"[ \t](?:to[ \t](?:log|sign|unlock|access|enter|get|connect)|with[ \t](?:(?<=unlock.{6})|(?<=in.{6})|(?<=open.{6})|(?<=it.{6})))"
        ),
        _IN_USE,
    ),
)
_OWN: Final = re.compile(
    r"(?:my|our|wi-?fi|wlan|router|vpn|admin|root|mein|unser|mi|mon|ma|minha|la mia|mijn|moje|benim|мой|我的|私の|내)[^.\n]{0,24}$"
)
_LAST_WORD: Final = re.compile(r"[a-z]{5,32}(?=[.!]?[\"'`)\]}]|[.!]?[ \t]{0,8}(?:\n|$))")
_WORDS: Final = re.compile(r"[a-z]{3,12}(?: [a-z]{3,12}){2,11}")
_HYPHENATED: Final = re.compile(r"[a-z]{3,12}(?:[-_.][a-z]{3,12}){3,11}")
_PROSE_WORD: Final = re.compile(
    r"\b(?:the|and|you|not|for|are|was|must|with|your|that|this|can|cannot|should|please|password)\b"
)
_UNLIKELY_WORD: Final = re.compile(
    r"(?:\w{0,20}(?:ed|ing|ly|en|able|ible|ful|ous|ive)|too|not|on|in|at|the|a|an|very|also|only|always|never|same|safe|secure"
    r"|strong|weak|short|long|simple|wrong|correct|secret|private|here|there|this|that|what|case|now|still|for|from|to|so|old"
    r"|new|ok|okay|fine|good|bad|great|really|super|pretty|just|under|written|basically|kind|sort|probably|going|something"
    r"|about|up|out|by|due|all|one|my|your|his|her|their|our|its)"
)


def find_announced(text: str, low: str) -> Iterator[Span]:
    """Passwords, keys and codes that words or names announce."""
    for name in _names(low):
        yield from (_password if name.re is PASSWORD_NAME else _key)(text, low, *name.span())
    if "pin" in low or "cv" in low:
        yield from _numbers(low)
    for signs, pattern in _LOGINS:
        if signs.search(low):
            for match in pattern.finditer(low):
                span = _trimmed(text, *match.span(match.lastgroup or 0))
                if is_password_like(text[slice(*span)]):
                    yield Span(*span, "password")


def _numbers(low: str) -> Iterator[Span]:
    """PINs: four digits, or more when it is said whose; card verification codes."""
    for match in _PIN.finditer(low):
        start, end = match.span("value")
        if match["code"] and _POSTCODE.fullmatch(
            match["value"]
        ):  # an Indian PIN code, unless a lock or a card is named
            if _LOCKED.search(low, max(0, match.start() - 32), start):
                yield Span(start, end, "pin")
        elif end - start == 4 or match["whose"] or _PIN_OWNER.search(low, max(0, match.start() - 24), match.start()):
            yield Span(start, end, "pin")
    yield from (Span(*match.span("value"), "card_code") for match in _CARD_CODE.finditer(low))


def _names(low: str) -> Iterator[re.Match[str]]:
    """The words and names in the text that announce a password (by PASSWORD_NAME) or a key (by KEY_NAME)."""
    for root in (ASCII_ROOTS if low.isascii() else ROOTS).finditer(low):
        name = PASSWORD_NAME.match(low, root.start()) or KEY_NAME.match(low, root.start())
        if name:
            yield name


# -- passwords ------------------------------------------------------------------------------------------------------
def _password(text: str, low: str, start: int, end: int) -> Iterator[Span]:
    before = _BEFORE.search(low, max(0, start - 120), start) if low[start - 1 : start].isspace() else None
    if before and is_password_like(text[slice(*_trimmed(text, *before.span("value")))]):
        yield Span(*_trimmed(text, *before.span("value")), "password")
    bare_pass = low[start:end] == "pass"
    match = _AFTER_NAME.match(low, end)
    if (
        match
        and not (match["filler"] and _is_about_passwords(match, low, end))
        and not _names_something_else(match["tail"])
    ):
        join: Join = "loose" if match["filler"] or bare_pass else "words" if match["link"][:1] in " -|" else "sign"
        span = _value(text, match, lambda value, quoted: _is_password(value, join, quoted=quoted))
        if span:
            yield Span(*span, "password")
            yield from _others(text, span[1])
            return
        if join == "words" and _OWN.search(low, max(0, start - 32), start):
            yield from _plain_word(low, match.end())
            return
    change = _FROM_TO.match(low, end)
    if change:
        spans = [_trimmed(text, *change.span(group)) for group in ("old", "new")]
        yield from (Span(*span, "password") for span in spans if is_password_like(text[slice(*span)]))
    match = _ADJACENT.match(low, end)
    if match and not NOT_A_PASSWORD.match(low, end):
        span = _value(text, match, lambda value, _: _is_adjacent_password(value, bare_pass=bare_pass))
        if span:
            yield Span(*span, "password")


def _others(text: str, end: int) -> Iterator[Span]:
    """More passwords in a list: "Pear5678y, Plum9999z and ..."."""
    match = _AND_ANOTHER.match(text, end)
    while match:
        start, end = _trimmed(text, *match.span("value"))
        if not is_password_like(text[start:end]) or not any(map(str.isdigit, text[start:end])):
            return
        yield Span(start, end, "password")
        match = _AND_ANOTHER.match(text, end)


#: What stands behind "password:" where no password does: types, states, labels, names of widgets.
_FIELD_WORD: Final = re.compile(
    r"(?i)^(?:string|text|varchar|integer|boolean|object|required|optional|hidden|masked|redacted|removed|invalid|missing"
    r"|incorrect|expired|forgotten|unchanged|disabled|enabled|unknown|undefined|default|example|sample|encrypted|hashed)$"
    r"|pass(?:word|phrase|code)?s?(?:$|field|input|label|box|hash|error|prompt|hint|policy|reset)|passwort|kennwort"
    r"|contrase|mot ?de ?passe|secret$|(?:field|input|label|error|message|hash|token|manager|validator|handler|config)$"
)


def _is_about_passwords(match: re.Match[str], low: str, end: int) -> bool:
    return bool(NOT_A_PASSWORD.match(low, end)) or any(quote in match["close"] for quote in "\"'`")


_ATTRIBUTE: Final = re.compile(r"[a-z-]{2,20}=[\"'`]?\w")


def _names_something_else(tail: str) -> bool:
    return tail.lstrip("_-.").startswith(
        ("hash", "salt", "reset_url", "field", "policy", "length", "encoder", "manager")
    )


def _is_password(value: str, join: Join, *, quoted: bool) -> bool:
    if is_placeholder(value) or len(value) < 4:
        return False
    if value.isdigit():
        return 6 <= len(value) <= (8 if join == "loose" else 20)
    if " " in value:
        return quoted and join != "loose" and bool(_WORDS.fullmatch(value)) and not _PROSE_WORD.search(value)
    if is_password_like(value) or (join != "loose" and _HYPHENATED.fullmatch(value)):
        return True
    return quoted and join != "loose" and len(value) >= 6 and not is_code(value) and _is_no_name(value)


def _is_no_name(value: str) -> bool:
    """A quoted value of letters alone, as in {"password": "sunshine"}, unless it says what a password field is."""
    if is_wordy(value) and not value.isalpha():
        return False
    return not _FIELD_WORD.search(value)


def _is_adjacent_password(value: str, *, bare_pass: bool) -> bool:
    if not is_password_like(value) or " " in value or _ATTRIBUTE.match(value):
        return False
    return not bare_pass or (
        any(c.isdigit() for c in value) and any(c.isalpha() for c in value) and not value.isupper()
    )


def _plain_word(low: str, start: int) -> Iterator[Span]:
    """One word, as in "my password is sunshine": it ends the sentence and does not describe the password."""
    match = _LAST_WORD.match(low, start)
    if match and not _UNLIKELY_WORD.fullmatch(match.group()) and not is_placeholder(match.group()):
        yield Span(*match.span(), "password")


# -- keys and tokens ------------------------------------------------------------------------------------------------
def _key(text: str, low: str, start: int, end: int) -> Iterator[Span]:
    if NOT_A_SECRET.search(low, max(0, start - 16), start):
        return
    match = _AFTER_NAME.match(low, end)
    if not match or _ID_PART.search(match["tail"]):
        return
    by_sign = match["link"][:1] not in " -|" and not match["filler"]
    strong = _strength(low, start) if by_sign else ""
    span = _value(text, match, lambda value, _: _is_key(value, strong))
    if span:
        yield Span(*span, "api_key" if low[start:end].startswith(("key", "api")) else "secret")


def _strength(low: str, start: int) -> Strength:
    """How surely a name at `start` that is assigned to holds a secret; "uuid": so surely that a UUID is one too."""
    if low.startswith(("secret", "token"), start) or SECRET_LEFT.search(low, max(0, start - 16), start):
        return "uuid"
    if low.startswith("signature", start) or STRONG_LEFT.search(low, max(0, start - 16), start):
        return "strong"
    return ""


def _is_key(value: str, strong: Strength) -> bool:
    if is_uuid(value):
        return strong == "uuid"
    if is_code(value) or " " in value:
        return False
    if is_random_token(value, min_length=8 if strong else 16):
        return True
    return bool(strong) and len(value) >= 8 and not is_wordy(value) and " " not in value and is_password_like(value)


# -- values ---------------------------------------------------------------------------------------------------------
def _value(text: str, match: re.Match[str], accept: Accept) -> tuple[int, int] | None:
    """The span of the value that follows `match`, in quotes or up to white space, if it is accepted."""
    quoted = _QUOTED.match(text, match.end())
    if quoted:
        closing = {"「": "」", "『": "』"}.get(quoted["quote"], quoted["quote"])
        length = quoted["value"].find(closing)
        if length >= 0:
            start = quoted.start("value")
            return (start, start + length) if accept(quoted["value"][:length], _IN_QUOTES) else None
    bare = _BARE.match(text, match.end())
    if not bare:
        return None
    start, end = bare.span("value")
    if not _VARIABLE_LINE.search(text, max(0, match.start() - 80), start):
        pair = _NEXT_PAIR.search(text, start, end)
        end = pair.start() if pair else end
    start, end = _trimmed(text, start, end)
    if end <= start or text.startswith(("(", "["), end) or not accept(text[start:end], not _IN_QUOTES):
        return None
    rest = _REST.match(text, end) if end - start >= _LOOKED_AT else None
    return (start, rest.end()) if rest else (start, end)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without quotes around it and punctuation after it."""
    while start < end and text[start] in "\"'`(":
        start += 1
    while end > start and (text[end - 1] in _TRAILING or text.endswith("**", start, end)):
        end -= 2 if text.endswith("**", start, end) else 1
    return start, end


def is_secret_name(name: str) -> Literal["password", "secret"] | None:
    """What a field of this name holds: for values that stand apart from their name, as in JSON.

    >>> is_secret_name("DB_PASSWORD"), is_secret_name("primary_key"), is_secret_name("apiKey")
    ('password', None, 'secret')
    """
    low = _CAMEL_EDGE.sub("_", _PLACEHOLDER.sub("", name[:200])).lower()
    for word in _names(low):
        if word.re is PASSWORD_NAME and not NOT_A_PASSWORD.search(low):
            return "password"
        if word.re is KEY_NAME and _is_secret_key_name(low, *word.span()):
            return "secret"
    return None


def _is_secret_key_name(low: str, start: int, end: int) -> bool:
    if NOT_A_SECRET.search(low, max(0, start - 16), start) or low[end:].startswith(("_id", "_name")):
        return False
    return bool(STRONG_LEFT.search(low, max(0, start - 16), start)) or low[start:end] in ("secret", "token")


def is_secret_value(value: str, name_kind: Literal["password", "secret"]) -> bool:
    """Whether `value`, alone in a field whose name is of `name_kind`, is a secret rather than a sample or code."""
    if name_kind == "password":
        return len(value) >= 4 and not is_placeholder(value) and not is_code(value)
    return _is_key(value, "uuid")
