"""The setting of upkeep is read strictly."""

from __future__ import annotations

import pytest

from retentive.clock import duration_us
from retentive.errors import ConfigError
from retentive.lifecycle.plan import Plan


def test_what_is_given_takes_the_place_of_a_default() -> None:
    plan = Plan.read(["verify=2w", "consolidate=off", "budget=7", "model=small"])
    assert plan.every_us("verify") == duration_us("14d")
    assert plan.every_us("consolidate") is None
    assert (plan.every_us("retain"), plan.budget, plan.model) == (duration_us("1d"), 7, "small")


@pytest.mark.parametrize("entry", ["verify", "verify=soon", "budget=0", "budget=x", "colour=red", "model=", "=1d"])
def test_a_wrong_entry_is_named(entry: str) -> None:
    with pytest.raises(ConfigError, match="cannot be used"):
        Plan.read([entry])


def test_an_entry_given_twice_is_refused() -> None:
    with pytest.raises(ConfigError, match="twice"):
        Plan.read(["budget=1", "budget=2"])
