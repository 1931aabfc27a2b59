"""Personal data with a form of its own: addresses of mail and network, telephone, card and account numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final

from retentive.redaction.checks import luhn, mod97
from retentive.redaction.policy import Span

# -- mail -----------------------------------------------------------------------------------------------------------
_LOCAL: Final = re.compile(r"[0-9A-Za-z\u00c0-\u058f_.!#$%&'*+/=?^{|}~-]{1,64}\Z")
_DOMAIN: Final = re.compile(r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}[^\W\d_]{2,24}(?![\w-])(?!\.\w)")
_SPELLED: Final = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}[ ]{0,2}[\[({][ ]?at[ ]?[\])}][ ]{0,2}[\w-]{1,63}(?:[ ]{0,2}(?:[\[({][ ]?dot[ ]?[\])}]|\.| dot )[ ]{0,2}[\w-]{2,63}){1,4}",
    re.IGNORECASE,
)
_REMOTE_LOGIN: Final = re.compile(
    r"(?:ssh|scp|sftp|rsync|mosh|ssh-copy-id)(?:\s+-\w+(?:\s+[\w./~-]{1,60})?){0,4}\s+(?:[\w./~-]{1,80}\s+)?$"
)
_SERVICE_USERS: Final = frozenset({"git", "hg", "svn", "ssh"})
_MESSAGE_ID: Final = re.compile(r"(?:message-id|in-reply-to|references|content-id)[\"']?:?\s{0,2}<\Z")
_LEADING: Final = "!#$%&'*+/=?^{|}~-."


def find_emails(text: str, low: str) -> Iterator[Span]:
    """Mail addresses, also spelled `name [at] host [dot] tld`; not `git@host:` nor `ssh user@host`."""
    at = text.find("@")
    while at >= 0:
        local = _LOCAL.search(text, max(0, at - 64), at)
        domain = _DOMAIN.match(text, at + 1)
        if local and domain:
            start = local.start()
            while start < at and text[start] in _LEADING:
                start += 1
            start = _after_assignment(text, start, at)
            if start < at and not _is_login(low, start, at, domain.end()):
                yield Span(start, domain.end(), "email")
        at = text.find("@", at + 1)
    if "at" in low and ("dot" in low or "." in low) and _SPELLED_SIGN.search(low):
        yield from (Span(*m.span(), "email") for m in _SPELLED.finditer(text))


_SPELLED_SIGN: Final = re.compile(r"[\[({] ?at ?[\])}]")


def _after_assignment(text: str, start: int, at: int) -> int:
    """`reply-to=ines@example.org`: what stands before the last of = & ? / | is not part of the address."""
    cut = max(text.rfind(sign, start, at) for sign in "=&?/|'")
    return max(start, cut + 1)


def _is_login(low: str, start: int, at: int, end: int) -> bool:
    if (
        low[start:at] in _SERVICE_USERS
        or low.startswith("://", start - 3)
        or _MESSAGE_ID.search(low, max(0, start - 24), start)
    ):
        return True
    scheme = low.rfind("://", max(0, start - 80), start)
    if scheme >= 0 and not any(c in " \t\n/\"'<>" for c in low[scheme + 3 : start]):
        return True
    return bool(_REMOTE_LOGIN.search(low, max(0, start - 120), start)) or bool(
        re.match(r":[\w./~-]+\.git", low[end : end + 80])
    )


# Patterns of numbers look behind only after their first character: the search for that one skips the others quickly.
# -- telephones -----------------------------------------------------------------------------------------------------
_NUMBER: Final = re.compile(
    r"[+(\d](?<![\w.,+/@#-].)(?:(?<=\d)|(?<!\d)\d)(?:[ ]?[().\-/ \u00a0]?[ ]?\d){6,17}(?![\w-]|[.,:/]\d)"
)
_PHONE_FORMS: Final = re.compile(
    r"""(?: \(\d{3}\)[ -]?\d{3}[ .-]\d{4} | (?:1[ .-])?[2-9]\d{2}[ .-][2-9]\d{2}[ .-]\d{4}   # North America
      | \(\d{2}\)[ ]?9?\d{4}[ -]\d{4}                                                        # Brazil
      | 0[1-9](?:[ .]\d{2}){4}                                                               # France
      | 04\d{2}[ ]\d{3}[ ]\d{3} | \(0\d\)[ ]\d{4}[ ]\d{4} | 0[2378][ ]\d{4}[ ]\d{4}          # Australia
      | 0[789]0-\d{4}-\d{4} | 0\d{1,3}-\d{2,4}-\d{4}                                         # Japan, Korea
      | 07\d{3}[ ]?\d{3}[ ]?\d{3} | 0\d{2}[ ]\d{4}[ ]\d{4} | 01\d{3}[ ]\d{6} | 0\d{4}[ ]\d{5,6} # United Kingdom
      | 07\d-?\d{3}[ ]?\d{2}[ ]?\d{2} | 07\d-\d{7}                                           # Sweden
      | 01[567]\d[ /-]?\d{7,8} | 0\d{2,4}[ ]?[/-][ ]?\d{5,9}                                 # Germany
      | 06-?[ ]?\d{8} | 06(?:[ -]\d{2}){4}                                                   # Netherlands
      | [679]\d{2}[ ]\d{3}[ ]\d{3} | [679]\d{2}(?:[ ]\d{2}){3}                               # Spain, Portugal, Poland
      | 3\d{2}[ ]\d{3}[ ]\d{4} | 3\d{2}[ ]\d{6,7}                                            # Italy
      | [6-9]\d{4}[ -]\d{5}                                                                  # India
      | 1[3-9]\d[ -]?\d{4}[ -]?\d{4}                                                         # China
      | 8[ ]?\(?\d{3}\)?[ -]?\d{3}[ -]\d{2}[ -]\d{2}                                         # Russia
      )""",
    re.VERBOSE,
)
_PHONE_WORD: Final = re.compile(
    r"phone|\btel\b|\btél|telef|mobile|\bmob\b|\bcell|\bcall|whats ?app|\btext\b|\bsms\b|\bfax\b|\bring\b|dial|reach me|contact"
    r"|my number|number is|handy|rufnummer|móvil|movil|celular|portable|numéro|cellulare|nummer|numer|номер|телефон|звон|电话|手机|联系"
    r"|電話|携帯|전화|연락|휴대|हॉटलाइन|फोन|هاتف|جوال|điện thoại|signal\b|viber|telegram me"
)
_PHONE_LABEL: Final = re.compile(
    r"[ ]?[(\[]?(?:mobile|cell|home|work|office|tel|phone|fax|whatsapp|sms|handy|móvil|手机|电话)"
)
_DECIMALS: Final = re.compile(r"(?:19|20)\d{2}-[01]\d-[0-3]\d|\d\.\d{1,2}[ ]?[-/]|[ ]-[ ]|\d/\d{1,2}/")
_NOT_PHONE: Final = re.compile(
    r"(?:order|appointment|reservation|invoice|tracking|part|isbn|issn|ean|serial|sku|ref(?:erence)?|booking|ticket|case|account|acct|version|build|timestamp|epoch"
    r"|id|article|item|model|patent|policy|flight|bestell\w{0,8}|rechnung\w{0,8}|pedido|commande|订单|单号|编号|注文番号|주문번호|zip|population|lat|lon|long"
    r"|port|size|bytes|score|total|sum|price|amount|qty|quantity|imei|doi|arxiv|rfc|issue|pr|commit|error|code)"
    r"(?:[ \t]+(?:number|no|nr|id|code))?[ \t]*[.:#=]{0,2}[ \t]*(?:is|was|ist|es|est|是|为|は|는)?[ \t]*[#:]?[ \t]*$"
)
_DATE_LIKE: Final = re.compile(
    r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|(?:19|20)\d{2}[-./ ](?:0?[1-9]|1[0-2])[-./ ](?:0?[1-9]|[12]\d|3[01])(?:\D.*)?|(?:0?[1-9]|[12]\d|3[01])[-./ ](?:0?[1-9]|[12]\d|3[01])[-./ ](?:19|20)\d{2}(?:\D.*)?"
    r"|(?:19|20)\d{2}[ ]?[-–/][ ]?(?:19|20)\d{2}|\d{1,3}(?:\.\d{1,3}){3}|\d+[.]\d+|(?:\d{1,2}[./-]){2}\d{1,4}"
)
_MOBILE: Final = re.compile(r"1[3-9]\d{9}|07\d{9}|01[567]\d{8,9}")  # China, United Kingdom, Germany, without spaces
# ITU-T E.164: one to three digits of country code, fifteen digits in all; no code starts with 0.
_E164: Final = range(8, 16)


def find_phones(text: str, low: str) -> Iterator[Span]:
    """Telephone numbers: international ones, national ones in their usual grouping, others beside a telling word."""
    for match in _NUMBER.finditer(text):
        if _is_phone(match.group(), low, match.start(), match.end()):
            yield Span(*match.span(), "phone")


def _is_phone(number: str, low: str, start: int, end: int) -> bool:
    digits = "".join(c for c in number if c.isdigit())
    before = low[max(0, start - 48) : start]
    if _cannot_be_phone(number, digits) or _NOT_PHONE.search(before):
        return False
    if number.startswith("+"):
        return digits[0] != "0" and len(digits) in _E164
    told = bool(_PHONE_WORD.search(before[-40:]) or _PHONE_LABEL.match(low, end))
    spaced = not number.isdigit()
    if number.startswith("00") and len(digits) in range(10, 17):
        return told or spaced
    if _PHONE_FORMS.fullmatch(number):
        return told or spaced or bool(_MOBILE.fullmatch(number))
    return told and len(digits) in range(7, 14) and number.count(" ") + number.count("-") <= 5


def _cannot_be_phone(number: str, digits: str) -> bool:
    return (
        len(set(digits)) < 3
        or not digits.isascii()
        or digits in "01234567890123456789"
        or number.count("(") != number.count(")")
        or bool(_DATE_LIKE.fullmatch(number) or _DECIMALS.search(number))
    )


# -- cards and accounts ---------------------------------------------------------------------------------------------
_CARD: Final = re.compile(
    r"\d(?<![\w.+-].)(?:\d{12,18}|\d{3}(?:[ -]\d{4}){3}(?:[ -]\d{1,3})?|\d{3}[ -]\d{6}[ -]\d{5})(?![\w-]|\.\d)"
)
# ISO/IEC 7812 issuer ranges as the networks publish them.
_ISSUER: Final = re.compile(
    r"4\d{12}(?:\d{3}){0,2}|(?:5[1-5]\d{2}|222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11,13}"
    r"|(?:6011|65\d{2}|64[4-9]\d)\d{12,15}|35(?:2[89]|[3-8]\d)\d{12,15}|62\d{14,17}|(?:5018|5020|5038|5[6-8]\d{2}|6304|6759|676[1-3])\d{8,15}"
    r"|220[0-4]\d{12}|(?:60|81|82|508)\d{13,14}"
)
_IBAN: Final = re.compile(r"\d(?<=(?<![A-Za-z0-9])[A-Za-z]{2}\d)\d(?:[ -]?[A-Za-z0-9]){10,32}")
# SWIFT IBAN registry, characters a country.
_IBAN_LENGTHS: Final = {
    length: countries.split()
    for length, countries in {
        15: "NO", 16: "BE", 18: "DK FI FO GL NL SD", 19: "MK SI", 20: "AT BA EE KZ LT LU MN XK", 21: "CH HR LI LV",
        22: "BG BH CR DE GB GE IE ME RS VA", 23: "AE GI IL IQ OM SO TL", 24: "AD CZ ES MD PK RO SA SE SK TN VG",
        25: "LY PT ST", 26: "IS TR", 27: "BI DJ FR GR IT MC SM", 28: "AL AZ BY CY DO GT HU LB NI PL SV", 29: "BR EG PS QA UA",
        30: "JO KW MU YE", 31: "MT SC", 32: "LC", 33: "RU",
    }.items()
}  # fmt: skip
_LENGTH_OF: Final = {country: length for length, countries in _IBAN_LENGTHS.items() for country in countries}


def find_cards(text: str) -> Iterator[Span]:
    """Payment card numbers: an issuer's range, a right check digit, and the usual grouping."""
    for match in _CARD.finditer(text):
        digits = match.group().replace(" ", "").replace("-", "")
        if digits.isascii() and _ISSUER.fullmatch(digits) and luhn(digits) and len(set(digits)) > 1:
            yield Span(*match.span(), "card")


def find_ibans(text: str) -> Iterator[Span]:
    """International bank account numbers with right check digits, spaced or not."""
    for match in _IBAN.finditer(text):
        start = match.start() - len("DE")
        length = _LENGTH_OF.get(text[start : match.start()].upper())
        if length is None or not match.group().isascii():
            continue
        end, plain = _take(text, start, match.end(), length)
        if len(plain) == length and mod97(plain.upper()):
            yield Span(start, end, "iban")


def _take(text: str, start: int, end: int, length: int) -> tuple[int, str]:
    """The first `length` letters and digits of the span, and where they end."""
    plain = ""
    position = start
    while position < end and len(plain) < length:
        plain += text[position] if text[position] not in " -" else ""
        position += 1
    return position, plain


# -- network --------------------------------------------------------------------------------------------------------
_IPV4: Final = re.compile(r"\d(?<![\w.-].)\d{0,2}\.(?:\d{1,3}\.){2}\d{1,3}(?![\w-]|\.\d)")
_IPV6: Final = re.compile(
    r"(?<![\w:.])(?=[0-9A-Fa-f:]{0,4}:)[0-9A-Fa-f:]{3,39}(?:(?<=:)\d{1,3}(?:\.\d{1,3}){3})?(?![\w:])"
)
_VERSION_WORD: Final = re.compile(
    r"(?:version|versions|ver\.?|release|v\.?|upgrade|update|build|firmware|driver|sdk|api|kernel|ios|android|chrome/?|section|chapter|clause|§|==|>=|<=|@)[ \t]*(?:to|is|from|:|=)?[ \t]*$"
)
# Addresses of machines, not of people: private use (RFC 1918, 4193, 6598), loopback, link-local, multicast, unspecified.
_IMPERSONAL_V4: Final = tuple(
    map(
        IPv4Network,
        "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16 224.0.0.0/3".split(),
    )
)
_IMPERSONAL_V6: Final = tuple(map(IPv6Network, "::/127 fc00::/7 fe80::/10 ff00::/8".split()))
_PUBLIC_RESOLVERS: Final = frozenset(
    "8.8.8.8 8.8.4.4 1.1.1.1 1.0.0.1 9.9.9.9 208.67.222.222 208.67.220.220 2001:4860:4860::8888 2606:4700:4700::1111".split()
)


def find_ips(text: str, low: str) -> Iterator[Span]:
    """Public IPv4 and IPv6 addresses; not private, loopback or well-known resolvers, nor version numbers."""
    if text.count(".") >= 3:
        for match in _IPV4.finditer(text):
            if (
                match.group().isascii()
                and _is_public_v4(match.group())
                and not _VERSION_WORD.search(low, max(0, match.start() - 24), match.start())
            ):
                yield Span(*match.span(), "ip")
    if text.count(":") >= 2:
        for match in _IPV6.finditer(text):
            if match.group().count(":") >= 2 and _is_public_v6(match.group()):
                yield Span(*match.span(), "ip")


def _is_public_v4(address: str) -> bool:
    if address in _PUBLIC_RESOLVERS or any(int(part) > 255 for part in address.split(".")):
        return False
    if any(len(part) > 1 and part[0] == "0" for part in address.split(".")):
        return False
    ip = IPv4Address(address)
    return not any(ip in network for network in _IMPERSONAL_V4)


def _is_public_v6(address: str) -> bool:
    try:
        ip = IPv6Address(address)
    except ValueError:
        return False
    if address.lower() in _PUBLIC_RESOLVERS or ("::" in address and address.count(":") < 3):
        return False
    return not any(ip in network for network in _IMPERSONAL_V6)
