"""What a Postgres URL says: where the server is, and in which schema the store lies."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from retentive.errors import ConfigError

_SCHEMA = "retentive"
_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")


@dataclass(frozen=True, slots=True)
class Place:
    """conninfo: for the driver. schema: where the tables are. shown: the URL without its password, for people."""

    conninfo: str
    schema: str
    shown: str


def parse_url(url: str) -> Place:
    """Read a URL; raises ConfigError for a schema whose name would need quotes.

    >>> parse_url("postgresql://bot:pw@db:5433/memories?schema=acme&sslmode=require").shown
    'postgresql://bot@db:5433/memories?schema=acme'
    """
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    schema = query.pop("schema", _SCHEMA)
    if not _NAME.fullmatch(schema):
        message = "the schema of a postgresql:// URL is a name of small letters, digits and underscores"
        raise ConfigError(message)
    user, at, host = parts.netloc.rpartition("@")
    shown = urlunsplit(("postgresql", user.partition(":")[0] + at + host, parts.path, f"schema={schema}", ""))
    return Place(urlunsplit(("postgresql", parts.netloc, parts.path, urlencode(query), "")), schema, shown)
