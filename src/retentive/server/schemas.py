"""From our result types to JSON Schema 2020-12: what the server answers is described by what it answers with."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import is_dataclass
from enum import Enum
from typing import Any, Literal, Union

from retentive.models.schema import Schema
from retentive.plain import shown_fields

_PLAIN: Mapping[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
}


class Components:
    """The schemas that a document names, each made once."""

    def __init__(self) -> None:
        self.schemas: dict[str, Schema] = {}

    def of(self, kind: Any) -> Schema:
        """The schema of a type: a dataclass or a named tuple is a reference to its component.

        >>> components = Components()
        >>> components.of(list[str] | None)
        {'anyOf': [{'type': 'array', 'items': {'type': 'string'}}, {'type': 'null'}]}
        """
        if kind in _PLAIN:
            return _PLAIN[kind]
        if is_dataclass(kind) or hasattr(kind, "_fields"):
            return {"$ref": f"#/components/schemas/{self._component(kind)}"}
        origin, parts = typing.get_origin(kind), typing.get_args(kind)
        return self._plain(kind) if origin is None else self._generic(origin, parts)

    def _plain(self, kind: Any) -> Schema:
        if isinstance(kind, type) and issubclass(kind, Enum):
            return {"type": "string", "enum": [one.value for one in kind]}
        message = f"no schema for {kind!r}"
        raise TypeError(message)

    def _generic(self, origin: Any, parts: tuple[Any, ...]) -> Schema:
        if origin is Literal:
            return {"enum": list(parts)}
        if origin in {Union, types.UnionType}:
            return {"anyOf": [self.of(part) for part in parts]}
        if issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self.of(parts[1])}
        if origin is tuple and parts[1:] != (Ellipsis,):
            bounds = {"minItems": len(parts), "maxItems": len(parts)}
            items = [self.of(part) for part in parts]
            alike = {"items": items[0]} if len(set(parts)) == 1 else {"prefixItems": items}  # more tools know the first
            return {"type": "array", **alike, **bounds}
        return {"type": "array", "items": self.of(parts[0])}

    def _component(self, kind: type) -> str:
        name = kind.__name__
        if name not in self.schemas:
            self.schemas[name] = {}  # a type may contain itself
            hints = typing.get_type_hints(kind)
            names = shown_fields(kind) if is_dataclass(kind) else list(hints)
            words = (kind.__doc__ or "").strip().split("\n\n")[0]
            self.schemas[name] = {
                "type": "object",
                "description": " ".join(words.split()),
                "properties": {one: self.of(hints[one]) for one in names},
                "required": names,
            }
        return name


# -- what requests hold ------------------------------------------------------------------------------------------------
#: Something but space (engines differ in what is one), and no NUL: found or not in one pass.
_SOMETHING = r"^[\s\u0001-\u001f\u0085\ufeff]*[^\s\u0000-\u001f\u0085\ufeff][^\u0000]*$"
#: Any depth of JSON. That no text in it holds a NUL is said in words: generators of clients fail at recursive schemas.
METADATA: Schema = {
    "type": "object",
    "description": "An object to keep with it, of at most 16,384 characters, without NUL characters.",
}
#: A moment with its zone, as RFC 3339 has it.
TIME: Schema = {"type": "string", "format": "date-time", "maxLength": 64}
CURSOR: Schema = {
    "type": "string",
    "pattern": "^(?:[0-7][0-9a-f]{15}|[0-9a-f]{1,15})$",
    "description": "Where the last page ended.",
}
#: A name: not blank, no control characters, no `*`.
ID: Schema = {
    "type": "string",
    "minLength": 1,
    "maxLength": 256,
    "pattern": r"^(?!\*$)[^\u0000-\u001f\u007f]*[^\s\u0000-\u001f\u007f\u0085\ufeff][^\u0000-\u001f\u007f]*$",
}
#: A name that a path can hold: `.` and `..` mean a folder there.
SESSION: Schema = {**ID, "pattern": ID["pattern"].replace(r"^(?!\*$)", r"^(?!\*$)(?!\.{1,2}$)")}


def obj(properties: Mapping[str, Schema], *required: str, **more: Any) -> Schema:
    """An object with these properties and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
        **more,
    }


def text(description: str = "", **more: Any) -> Schema:
    """A text that can be kept: no NUL, and something in it."""
    said = {"description": description} if description else {}
    return {"type": "string", "minLength": 1, "maxLength": 1_000_000, "pattern": _SOMETHING, **said, **more}


def whole(low: int, high: int, description: str = "") -> Schema:
    """A whole number within bounds."""
    said = {"description": description} if description else {}
    return {"type": "integer", "minimum": low, "maximum": high, **said}


def optional(schema: Schema) -> Schema:
    """The same, or null."""
    return {**schema, "type": [schema["type"], "null"]} | (
        {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    )
