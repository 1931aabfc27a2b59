"""What upkeep does when, and how much of it at a time: the upkeep setting, read strictly.

retain=1d, consolidate=1d, verify=7d, verbatim=20, batch=5, budget=100, model=small-model
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from retentive.clock import duration_us
from retentive.errors import ConfigError

#: The jobs of upkeep, in the order in which they are run: what is about to go is summarised before it does.
KINDS: Final = ("consolidate", "verify", "retain")
_EXAMPLE = "write it like retain=1d,verify=7d,verbatim=20,budget=100,model=none"


@dataclass(frozen=True, slots=True)
class Plan:
    """How often each job is due (microseconds; None for never), and how much it takes on.

    verbatim: how many of the last sessions are left without a summary. batch: sessions, or facts, of one call of a
    model. budget: facts that one run of `verify` looks at. model: whom to ask, by its name at the chat endpoint; `none`
    for rules; None for what the extractor does.
    """

    retain_us: int | None = duration_us("1d")
    consolidate_us: int | None = duration_us("1d")
    verify_us: int | None = duration_us("1w")
    verbatim: int = 20
    batch: int = 5
    budget: int = 100
    model: str | None = None

    @classmethod
    def read(cls, entries: Sequence[str] = ()) -> Plan:
        """The defaults with these entries in their place. Raises ConfigError that says which one is wrong, and why.

        >>> Plan.read(["verify=off", "budget=50"]).verify_us is None
        True
        """
        given: dict[str, Any] = {}
        for entry in entries:
            name, equals, value = (part.strip() for part in entry.partition("="))
            field, read = _READERS.get(name, ("", str))
            if not equals or not field:
                raise _wrong(entry, _EXAMPLE)
            if field in given:
                raise _wrong(entry, "it stands there twice")
            try:
                given[field] = read(value)
            except ValueError as error:
                raise _wrong(entry, str(error)) from error
        return replace(cls(), **given)

    def every_us(self, kind: str) -> int | None:
        """How often a job is due."""
        every: int | None = getattr(self, f"{kind}_us")
        return every


def _every(value: str) -> int | None:
    return None if value == "off" else duration_us(value)


def _number(value: str) -> int:
    if not (value.isdecimal() and int(value) > 0):
        message = "it is a whole number above 0"
        raise ValueError(message)
    return int(value)


def _name(value: str) -> str:
    if not value:
        message = "it is the name of a model, or none"
        raise ValueError(message)
    return value


_READERS: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    **{kind: (f"{kind}_us", _every) for kind in KINDS},
    **{name: (name, _number) for name in ("verbatim", "batch", "budget")},
    "model": ("model", _name),
}


def _wrong(entry: str, why: str) -> ConfigError:
    return ConfigError(f"RETENTIVE_UPKEEP: {entry.strip()[:80]!r} cannot be used: {why}")
