"""What is made quickly is in nothing else than what is made by calling the class."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from retentive.frozen import maker


@dataclass(frozen=True, slots=True)
class Spot:
    name: str
    places: list[int] = field(default_factory=list)
    note: str | None = None


make_spot = maker(Spot)


def test_it_is_of_the_class_with_its_defaults_and_stays_frozen() -> None:
    made = make_spot("a", note="b")
    assert type(made) is Spot
    assert made == Spot("a", [], "b")
    assert hash(repr(made)) == hash(repr(Spot("a", [], "b")))
    assert make_spot("a").places is not make_spot("a").places
    with pytest.raises(FrozenInstanceError):
        made.name = "c"  # type: ignore[misc]
    assert replace(made, name="c") == copy.copy(pickle.loads(pickle.dumps(Spot("c", [], "b"))))  # noqa: S301
    assert pickle.loads(pickle.dumps(made)) == made  # noqa: S301


def test_what_lacks_or_is_unknown_is_refused() -> None:
    for wrong in ({}, {"name": "a", "colour": "red"}):
        with pytest.raises(TypeError):
            make_spot(**wrong)  # type: ignore[arg-type]
