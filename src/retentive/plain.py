"""Results as plain JSON values: what the command line prints with `--json`, and what the server answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any


def plain(value: Any) -> Any:
    """A result as JSON values: dataclasses and named tuples by their fields. A hit's `item` repeats it: left out."""
    if is_dataclass(value) and not isinstance(value, type):
        return {name: plain(getattr(value, name)) for name in shown_fields(type(value))}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(part) for part in value]
    return value


def shown_fields(kind: type) -> list[str]:
    """The fields of a dataclass that `plain` gives.

    >>> from retentive.results import BelowFloor
    >>> shown_fields(BelowFloor)
    ['count', 'best_score']
    """
    names = [field.name for field in fields(kind)]
    return [name for name in names if not (name == "item" and "score" in names)]
