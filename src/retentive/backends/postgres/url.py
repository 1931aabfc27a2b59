"""What a Postgres URL says: where the server is, and in which schema the store lies."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from retentive.errors import ConfigError

_SCHEMA = "retentive"
_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")


@dataclass(frozen=True, slots=True)
class Place:
    """conninfo: for the driver. schema: where the tables are. shown: the URL without its password, for people.

    erasures: the file in which what is forgotten is noted, outside the server; None: nowhere.
    """

    conninfo: str
    schema: str
    shown: str
    erasures: Path | None = None


def parse_url(url: str) -> Place:
    """Read a URL; raises ConfigError for a schema whose name would need quotes, and a journal without a file.

    >>> parse_url("postgresql://bot:pw@db:5433/memories?schema=acme&sslmode=require").shown
    'postgresql://bot@db:5433/memories?schema=acme'
    """
    parts = urlsplit(url)
    # to the driver and in a file's name a plus is one
    query = dict(parse_qsl(parts.query.replace("+", "%2B"), keep_blank_values=True))
    schema, erasures = query.pop("schema", _SCHEMA), query.pop("erasures", None)
    if not _NAME.fullmatch(schema):
        message = "the schema of a postgresql:// URL is a name of small letters, digits and underscores"
        raise ConfigError(message)
    if erasures == "":
        message = "erasures= in a postgresql:// URL names a file outside the server: give its path, or leave it out"
        raise ConfigError(message)
    user, at, host = parts.netloc.rpartition("@")
    shown = urlunsplit(("postgresql", user.partition(":")[0] + at + host, parts.path, f"schema={schema}", ""))
    conninfo = urlunsplit(("postgresql", parts.netloc, parts.path, urlencode(query, quote_via=quote), ""))
    return Place(conninfo, schema, shown, None if erasures is None else Path(erasures).expanduser().absolute())
