"""The profile: a few fixed fields, each short, that always stand in the prompt. A view over facts with a `field`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from retentive.checking import checked_text
from retentive.config import Settings
from retentive.echo import echo
from retentive.errors import InvalidInput
from retentive.results import Item
from retentive.wording import kind_of


def profile_of(always: Sequence[Item], fields: Sequence[str]) -> tuple[dict[str, Item], list[Item]]:
    """Split what is always shown into profile fields, in their fixed order, and evergreen facts.

    What a tool or a page said is shown only where it was recalled, with its origin: it fills no field.
    """
    believed = [item for item in always if item.trust != "untrusted"]
    by_field = {item.field: item for item in believed if item.field is not None}
    profile = {name: by_field[name] for name in fields if name in by_field}
    return profile, [item for item in believed if item.field is None]


def checked_profile(settings: Settings, values: Mapping[str, str | None]) -> dict[str, str | None]:
    """Known fields with short values; raises InvalidInput that names what is wrong."""
    if not isinstance(values, Mapping):
        message = f'a profile is an object of field and value, such as {{"name": "Alice"}}, not {kind_of(values)}'
        raise InvalidInput(message)
    checked: dict[str, str | None] = {}
    for name, value in values.items():
        if name not in settings.profile_fields:
            message = f"unknown profile field {echo(name)}: use one of {', '.join(settings.profile_fields)}"
            raise InvalidInput(message)
        if value is not None and not isinstance(value, str):
            message = f"profile field {echo(name)} must be text, or nothing to empty it, not {kind_of(value)}"
            raise InvalidInput(message)
        text = None if value is None else " ".join(checked_text(value, f"profile field {echo(name)}").split())
        if text is not None and not 1 <= len(text) <= settings.profile_chars:
            message = f"profile field {echo(name)} must have 1 to {settings.profile_chars} characters, not {len(text)}"
            raise InvalidInput(message)
        checked[name] = text
    return checked
