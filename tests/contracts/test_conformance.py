"""The shipped suite on every engine there is."""

from __future__ import annotations

import pytest

from retentive import testing
from retentive.testing.engines import ENGINES


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
@pytest.mark.parametrize("check", testing.CHECKS, ids=str)
def test_conformance(check: testing.Check, engine: testing.Engine) -> None:
    testing.run(check, engine)
