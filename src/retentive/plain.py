"""Results as plain JSON values: what the command line prints with `--json`, and what the server answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import lru_cache
from typing import Any

#: What stays as it is; most values are of these.
_LEAVES = frozenset({str, int, float, bool, type(None)})


def plain(value: Any) -> Any:
    """A result as JSON values: dataclasses and named tuples by their fields. A hit's `item` repeats it: left out."""
    kind: Any = type(value)
    if kind in _LEAVES:
        return value
    names = _names(kind)
    if names is not None:
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(part) for part in value]
    return value


@lru_cache(256)
def _names(kind: Any) -> Sequence[str] | None:
    """The fields of a dataclass or a named tuple; None for what is neither."""
    if hasattr(kind, "__dataclass_fields__"):
        return shown_fields(kind)
    found: Sequence[str] | None = getattr(kind, "_fields", None) if issubclass(kind, tuple) else None
    return found


def shown_fields(kind: type) -> list[str]:
    """The fields of a dataclass that `plain` gives.

    >>> from retentive.results import BelowFloor
    >>> shown_fields(BelowFloor)
    ['count', 'best_score']
    """
    names = [field.name for field in fields(kind)]
    return [name for name in names if not (name == "item" and "score" in names)]
