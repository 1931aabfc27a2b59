"""The shipped suite on every engine there is."""

from __future__ import annotations

import pytest

from retentive import testing
from retentive.testing.engines import EMBEDDED, POSTGRES, POSTGRES_LACKS
from retentive.testing.postgres import Server


@pytest.fixture(params=[*(one.name for one in EMBEDDED), POSTGRES])
def engine(request: pytest.FixtureRequest) -> testing.Engine:
    if request.param == POSTGRES:
        server: Server = request.getfixturevalue("postgres")
        return testing.Engine(POSTGRES, server.empty_store, lacks=POSTGRES_LACKS)
    return next(one for one in EMBEDDED if one.name == request.param)


@pytest.mark.parametrize("check", testing.CHECKS, ids=str)
def test_conformance(check: testing.Check, engine: testing.Engine) -> None:
    testing.run(check, engine)
