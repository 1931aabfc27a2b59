"""Words for errors that whoever calls understands: over HTTP, by a tool, at a prompt or in Python.

The same check serves every door, so its words name no language's types: a list is a list, and null is nothing.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from typing import Any


def kind_of(value: Any) -> str:
    """What a value is; the name of its type where JSON has no such thing.

    >>> kind_of("a"), kind_of(None), kind_of([1]), kind_of({}), kind_of(True), kind_of(2.5), kind_of(b"a")
    ('a string', 'nothing', 'a list', 'an object', 'true or false', 'a number', 'bytes')
    """
    kinds: tuple[tuple[type | tuple[type, ...], str], ...] = (
        (str, "a string"),
        (type(None), "nothing"),
        (bool, "true or false"),
        ((int, float), "a number"),
        ((list, tuple), "a list"),
        (Mapping, "an object"),
    )
    return next((words for kind, words in kinds if isinstance(value, kind)), type(value).__name__)


def shown(value: Any) -> str:
    """A value as text, as JSON has it where JSON has such a thing; text as it is.

    >>> shown(True), shown([None, 1]), shown(3), shown("None")
    ('true', '[null, 1]', '3', 'None')
    """
    if isinstance(value, bool | list | tuple | dict | None):
        with contextlib.suppress(TypeError, ValueError, RecursionError):
            return json.dumps(value, ensure_ascii=False)
    return str(value)
