"""Redaction of JSON-like values: metadata, tool arguments, names, tags, ids."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from retentive.errors import InvalidInput
from retentive.redaction.context import is_secret_name, is_secret_value
from retentive.redaction.engine import redact
from retentive.redaction.policy import DEFAULT_POLICY, UNSCANNED, RedactionPolicy, ValueSpan, placeholder

JSON = str | int | float | bool | None | list["JSON"] | tuple["JSON", ...] | Mapping[str, "JSON"]
Path = tuple[str | int, ...]

MAX_DEPTH: Final = 64
_NAME_FIELDS: Final = ("name", "key", "field", "variable", "env", "parameter", "header")
_MIN_DIGITS: Final = 9
_LONGEST_NAME: Final = 40
#: Fields whose value is a few digits, and secret.
_SHORT_CODES: Final = frozenset({"pin", "cvv", "cvv2", "cvc", "csc", "otp", "tan", "passcode"})
_CODE: Final = re.compile(r"\d{3,8}")
_CAMEL_EDGE: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
#: Fields whose digits are personal by the field's name alone.
_PERSONAL_NAME: Final = re.compile(
    r"(?:.{0,30}[ ._-])??(?:(?:tele|cell|mobile[ _-]?)?phone|mobile|cell|tel|telefone?|t[ée]l[ée]phone|tel[ée]fono|telefonnummer|handy(?:nummer)?"
    r"|m[óo]vil|celular|portable|cellulare|fax|whats_?app|sms|телефон|ssn|social[ _-]security|passport|national[ _-]id|tax[ _-]id|cpf|dni|bsn"
    r"|电话|手机号?|電話(?:番号)?|携帯|전화(?:번호)?|身份证号?)(?:[ _-]?(?:number|num|nr|no|#))?s?",
    re.IGNORECASE,
)
_PERSONAL_VALUE: Final = re.compile(r"(?=(?:\D{0,4}\d){4})[\w+(). /-]{7,32}")
#: Fields that hold others, each of them secret but for those that say who and where.
_CONTAINERS: Final = frozenset({"credentials", "credential", "login", "logins", "auth", "secrets", "passwords"})
_OPEN_KEYS: Final = frozenset({"user", "username", "name", "email", "host", "url", "port", "type", "method", "realm"})


def redact_value(value: JSON, *, policy: RedactionPolicy = DEFAULT_POLICY) -> tuple[JSON, tuple[ValueSpan, ...]]:
    """Take secrets and personal data out of the keys and strings of a JSON-like value.

    A field's name counts as the words before its value: `{"password": "sunshine"}` loses its value. Integers of nine or
    more digits are read too and become a placeholder string when they are found. Keys that become equal are numbered.
    Lists nested deeper than 64 become `[REDACTED:unscanned]`. The given value is not changed; tuples become lists.

    Returns the new value and the findings. Raises InvalidInput for a value that is not JSON-like.

    >>> redact_value({"DB_PASSWORD": "QuietHarbor5527", "tags": ["a"]})[0]
    {'DB_PASSWORD': '[REDACTED:password]', 'tags': ['a']}
    """
    found: list[ValueSpan] = []
    clean = _walk(value, (), None, policy, found)
    return clean, tuple(found)


def _walk(value: JSON, path: Path, name: str | None, policy: RedactionPolicy, found: list[ValueSpan]) -> JSON:
    if isinstance(value, str):
        return _string(value, path, name, policy, found)
    if isinstance(value, bool | float) or value is None:
        return value
    if isinstance(value, int):
        return _integer(value, path, name, policy, found)
    if not isinstance(value, Mapping | list | tuple):
        message = f"A value of type {type(value).__name__} cannot be redacted: use JSON types."
        raise InvalidInput(message)
    if len(path) >= MAX_DEPTH:
        found.append(ValueSpan(path, 0, 0, UNSCANNED))
        return placeholder(UNSCANNED)
    if isinstance(value, Mapping):
        return _mapping(value, path, name, policy, found)
    names = [name, *(_announced(item) or name for item in value)]  # as in ["--password", "..."]
    return [_walk(item, (*path, i), names[i], policy, found) for i, item in enumerate(value)]


def _announced(item: JSON) -> str | None:
    """The name a list item gives to the one after it: an option or a variable that holds a secret."""
    bare = item.lstrip("-").rstrip("=:") if isinstance(item, str) and len(item) <= _LONGEST_NAME else ""
    return bare if bare and " " not in bare and is_secret_name(bare) else None


def _mapping(
    value: Mapping[str, JSON], path: Path, name: str | None, policy: RedactionPolicy, found: list[ValueSpan]
) -> dict[str, JSON]:
    labels = [value.get(field) for field in _NAME_FIELDS]
    label = next((text for text in labels if isinstance(text, str) and is_secret_name(text)), None)
    clean: dict[str, JSON] = {}
    for key, item in value.items():
        if not isinstance(key, str):
            message = f"A key of type {type(key).__name__} cannot be redacted: use string keys."
            raise InvalidInput(message)
        result = redact(key, policy=policy)
        found.extend(ValueSpan((*path, key), *span, in_key=True) for span in result.spans)
        inner = label if key.lower() == "value" and label else _name_for(key, name)
        clean[_unused(result.text, clean)] = _walk(item, (*path, key), inner, policy, found)
    return clean


def _name_for(key: str, name: str | None) -> str | None:
    """What the values under a key are called: by the key, or by a container such as `credentials` around it."""
    low = key.lower()
    if is_secret_name(key) or low in _SHORT_CODES:
        return key
    if low in _CONTAINERS:
        return "password"
    return None if low in _OPEN_KEYS and name == "password" else name


def _unused(key: str, taken: Mapping[str, JSON]) -> str:
    if key not in taken:
        return key
    number = 2
    while f"{key}#{number}" in taken:
        number += 1
    return f"{key}#{number}"


def _string(value: str, path: Path, name: str | None, policy: RedactionPolicy, found: list[ValueSpan]) -> str:
    result = redact(value, policy=policy)
    if name and name.lower() in _SHORT_CODES and _CODE.fullmatch(value):
        return _short_code(value, path, policy, found)
    personal = _personal(value, path, policy) if not result.spans else None
    if personal:
        return _taken(personal, policy, found) or value
    name_kind = is_secret_name(name) if name else None
    if name_kind and not result.spans and is_secret_value(value, name_kind) and policy.action(name_kind) != "allow":
        return _taken(ValueSpan(path, 0, len(value), name_kind), policy, found) or value
    found.extend(ValueSpan(path, *span) for span in result.spans)
    return result.text


def _taken(span: ValueSpan, policy: RedactionPolicy, found: list[ValueSpan]) -> str | None:
    """Note a value that is one finding; its placeholder, or None where the policy leaves the value."""
    found.append(span)
    return placeholder(span.kind) if policy.action(span.kind) == "redact" else None


def _personal(value: str, path: Path, policy: RedactionPolicy) -> ValueSpan | None:
    """The whole value as a finding, when the name of its field makes one of its digits: `{"phone": "4155550134"}`."""
    key = next((part for part in reversed(path) if isinstance(part, str)), "")
    if not _PERSONAL_VALUE.fullmatch(value):
        return None
    words = _CAMEL_EDGE.sub(" ", key[:_LONGEST_NAME]).replace("_", " ").replace("-", " ")
    if not _PERSONAL_NAME.fullmatch(words):
        return None
    prefix = f"{words}: "
    spans = [span for span in redact(prefix + value, policy=policy).spans if span.end > len(prefix)]
    return ValueSpan(path, 0, len(value), spans[0].kind) if spans else None


def _short_code(value: str, path: Path, policy: RedactionPolicy, found: list[ValueSpan]) -> str:
    if policy.action("password") == "allow":
        return value
    return _taken(ValueSpan(path, 0, len(value), "password"), policy, found) or value


def _integer(value: int, path: Path, name: str | None, policy: RedactionPolicy, found: list[ValueSpan]) -> JSON:
    digits = str(value)
    if name and name.lower() in _SHORT_CODES and _CODE.fullmatch(digits):
        taken = _short_code(digits, path, policy, found)
        return value if taken == digits else taken
    personal = _personal(digits, path, policy)
    if personal:
        return _taken(personal, policy, found) or value
    if len(digits) < _MIN_DIGITS and not (name and is_secret_name(name) == "password"):
        return value
    prefix = f"{name}: " if name else ""
    result = redact(prefix + digits, policy=policy)
    spans = [span for span in result.spans if span.end > len(prefix)]
    if not spans:
        return value
    return _taken(ValueSpan(path, 0, len(digits), spans[0].kind), policy, found) or value
