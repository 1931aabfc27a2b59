"""Frozen dataclasses made quickly: a recall makes dozens, and storing their fields is most of what reading a hit takes.

The `__init__` of a frozen dataclass stores each field by a call of `object.__setattr__`, a tenth of a microsecond a
field. An open twin with the same slots stores them as any object does, and then becomes an instance of the frozen
class: Python lets `__class__` be assigned where both lay out their slots alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, fields, make_dataclass
from typing import Any, ParamSpec, TypeVar, cast

_Fields = ParamSpec("_Fields")
_Made = TypeVar("_Made")


def maker(kind: Callable[_Fields, _Made]) -> Callable[_Fields, _Made]:
    """What makes instances of a frozen dataclass with slots as calling it does, in a fifth of the time.

    For one without `__post_init__`, where many are made. Arguments and defaults are those of the class.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, slots=True)
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> maker(Point)(3) == Point(3), type(maker(Point)(3)) is Point
    (True, True)
    """
    frozen = cast("Any", kind)

    def freeze(made: Any) -> None:
        made.__class__ = frozen

    open_twin: Any = make_dataclass(
        frozen.__name__,
        [
            (one.name, one.type, field(default=one.default, default_factory=one.default_factory))
            for one in fields(frozen)
        ],
        namespace={"__post_init__": freeze},
        slots=True,
    )
    return cast("Callable[_Fields, _Made]", open_twin)
