"""The public names: the async ones are held to the sync ones, and every one of them is described."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import retentive
from retentive import aio

PAIRS = [
    (retentive.Memory, retentive.AsyncMemory),
    (retentive.ScopedMemory, aio.AsyncScopedMemory),
    (retentive.Session, aio.AsyncSession),
]
#: What a Session asks of its ScopedMemory and the other way round, within one call: not for callers.
BETWEEN_THEM = {"block_beside", "end_session", "record_as", "resume"}
#: Calls that only look at what is in the process already; awaiting them would say otherwise.
IMMEDIATE = {"scope", "wake"}


def public_members(kind: type) -> dict[str, Any]:
    return {name: member for name, member in inspect.getmembers_static(kind) if not name.startswith("_")}


def bare(member: Any) -> Any:
    return member.__func__ if isinstance(member, classmethod | staticmethod) else member


def calls(kind: type) -> dict[str, Callable[..., Any]]:
    return {name: bare(member) for name, member in public_members(kind).items() if callable(bare(member))}


def parameters(call: Callable[..., Any]) -> list[tuple[str, Any, Any, Any]]:
    """Name, kind, default and annotation of each: a lambda as the default counts as any other lambda."""
    found = inspect.signature(call).parameters.values()
    return [(p.name, p.kind, "<code>" if inspect.isfunction(p.default) else p.default, p.annotation) for p in found]


@pytest.mark.parametrize(("sync", "asynchronous"), PAIRS)
def test_async_has_the_same_names(sync: type, asynchronous: type) -> None:
    assert set(calls(asynchronous)) == set(calls(sync)) - BETWEEN_THEM
    assert public_members(sync).keys() - BETWEEN_THEM <= public_members(asynchronous).keys()


@pytest.mark.parametrize(("sync", "asynchronous"), PAIRS)
def test_async_has_the_same_signatures(sync: type, asynchronous: type) -> None:
    theirs, ours = calls(asynchronous), calls(sync)
    for name in theirs.keys() & ours.keys():
        assert parameters(theirs[name]) == parameters(ours[name]), f"{asynchronous.__name__}.{name}"


@pytest.mark.parametrize(("sync", "asynchronous"), PAIRS)
def test_async_is_awaited_and_sync_is_not(sync: type, asynchronous: type) -> None:
    assert not any(inspect.iscoroutinefunction(call) for call in calls(sync).values())
    plain = {name for name, call in calls(asynchronous).items() if not inspect.iscoroutinefunction(call)}
    assert plain <= IMMEDIATE


def described() -> Iterator[tuple[str, Any]]:
    for name in retentive.__all__:
        thing = getattr(retentive, name)
        yield name, thing
        if inspect.isclass(thing):
            for member_name, member in public_members(thing).items():
                if callable(bare(member)) or isinstance(member, property):
                    yield f"{name}.{member_name}", bare(member)


def test_every_public_name_has_a_docstring() -> None:
    missing = [name for name, thing in described() if not (thing.__doc__ or "").strip()]
    assert missing == []


def test_every_public_name_is_listed_and_loads() -> None:
    assert sorted(retentive.__all__) == list(retentive.__all__)
    assert set(retentive.__all__) < set(dir(retentive))
    with pytest.raises(AttributeError, match="no attribute 'Memorry'"):
        _ = retentive.Memorry
