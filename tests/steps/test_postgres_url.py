"""What a Postgres URL says reaches the driver and the journal as it was written."""

from __future__ import annotations

from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from retentive.backends.postgres.url import parse_url
from retentive.errors import ConfigError


def test_the_driver_gets_its_settings_as_they_were_written() -> None:
    place = parse_url("postgresql://bot@db/memories?options=-c%20work_mem%3D4MB&schema=acme&application_name=a+b")
    asked = conninfo_to_dict(place.conninfo)
    assert (asked["options"], asked["application_name"]) == ("-c work_mem=4MB", "a+b")
    assert place.schema == "acme"


def test_the_journal_is_the_file_that_was_named() -> None:
    assert parse_url("postgresql://db/memories?erasures=/data/c++/gone").erasures == Path("/data/c++/gone")
    assert parse_url("postgresql://db/memories?erasures=/my%20data/gone").erasures == Path("/my data/gone")
    assert parse_url("postgresql://db/memories").erasures is None


@pytest.mark.parametrize("query", ["erasures=", "erasures", "schema=acme&erasures=&sslmode=require"])
def test_a_journal_without_a_file_is_refused(query: str) -> None:
    """As of a variable that was not set: nobody would notice that nothing is noted."""
    with pytest.raises(ConfigError, match="path"):
        parse_url(f"postgresql://db/memories?{query}")
