"""Whether a JSON value fits a JSON schema: the part of JSON Schema that model replies need, and no more.

`type` (one or several), `properties`, `required`, `additionalProperties` (true, false or a schema), `minProperties`,
`maxProperties`, `items`, `minItems`, `maxItems`, `enum`, `minimum`, `maximum`, `minLength`, `maxLength`, `pattern`;
other words are not looked at. Source: JSON Schema 2020-12, Validation.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from retentive.wording import shown

Schema = Mapping[str, Any]

#: The end of a text to JSON Schema; to Python a line end may follow it.
_END = re.compile(r"(?<!\\)\$\Z")

_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}


def first_problem(value: Any, schema: Schema) -> str | None:
    r"""Where and how the value does not fit; None where it fits. Nothing of the value is repeated: it may be private.

    >>> schema = {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}
    >>> first_problem({"age": "ten"}, schema)
    '$.age is not of type integer'
    >>> first_problem({"age": 10}, schema) is None
    True
    >>> first_problem("Turin\n", {"type": "string", "pattern": "^[A-Za-z]+$"})
    '$ is not of the form ^[A-Za-z]+$'
    """
    return next(_problems(value, schema, "$"), None)


def without_lengths(schema: Any) -> Any:
    """The schema without bounds on the length of strings.

    Not every strict decoder knows them. One that does holds its model to them; what comes longer from another is
    for the asker to cut or to refuse, and no bad reply.

    >>> without_lengths({"items": {"type": "string", "maxLength": 9}})
    {'items': {'type': 'string'}}
    """
    if isinstance(schema, Mapping):
        return {name: without_lengths(part) for name, part in schema.items() if name not in {"minLength", "maxLength"}}
    return [without_lengths(part) for part in schema] if isinstance(schema, list) else schema


def is_strict(schema: Schema) -> bool:
    """Whether every object of the schema names all its properties and requires each: what strict decoding asks for."""
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        closed = schema.get("additionalProperties") is False and set(schema.get("required", ())) == set(properties)
        return closed and all(is_strict(part) for part in properties.values())
    return is_strict(schema["items"]) if "items" in schema else schema.get("type") != "object"


def _problems(value: Any, schema: Schema, at: str) -> Iterator[str]:
    wanted = schema.get("type")
    names = [wanted] if isinstance(wanted, str) else list(wanted or ())
    if names and not any(_is_of_type(value, name) for name in names):
        yield f"{at} is not of type {' or '.join(names)}"
    elif "enum" in schema and value not in schema["enum"]:
        yield f"{at} is not one of {', '.join(map(shown, schema['enum']))}"
    elif isinstance(value, dict):
        yield from _object_problems(value, schema, at)
    elif isinstance(value, list):
        yield from _list_problems(value, schema, at)
    elif isinstance(value, str):
        yield from _string_problems(value, schema, at)
    elif _is_of_type(value, "number"):
        low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
        if not low <= value <= high:
            yield f"{at} is not within {low} and {high}"


def _list_problems(value: list[Any], schema: Schema, at: str) -> Iterator[str]:
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", math.inf):
        yield f"{at} has {len(value)} items"
    for number, item in enumerate(value):
        yield from _problems(item, schema.get("items", {}), f"{at}[{number}]")


def _string_problems(value: str, schema: Schema, at: str) -> Iterator[str]:
    if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", math.inf):
        yield f"{at} has {len(value)} characters"
    elif "pattern" in schema and re.search(_END.sub(r"\\Z", schema["pattern"]), value) is None:
        yield f"{at} is not of the form {schema['pattern']}"


def _object_problems(value: Mapping[str, Any], schema: Schema, at: str) -> Iterator[str]:
    properties: Mapping[str, Schema] = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{at}.{name} is missing"
    more = schema.get("additionalProperties", True)
    if more is False and not value.keys() <= properties.keys():
        yield f"{at} has properties that were not asked for"
    if not schema.get("minProperties", 0) <= len(value) <= schema.get("maxProperties", math.inf):
        yield f"{at} has {len(value)} properties"
    for name in value.keys() - properties.keys() if isinstance(more, Mapping) else ():
        yield from _problems(value[name], more, f"{at}.*")
    for name, part in properties.items():
        if name in value:
            yield from _problems(value[name], part, f"{at}.{name}")


def _is_of_type(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, _KINDS[name]) and not (isinstance(value, float) and not math.isfinite(value))
