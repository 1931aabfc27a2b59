"""Is this a server and a role to keep memories with? Asked once, before anything is made."""

from __future__ import annotations

from dataclasses import dataclass

from retentive.backends.postgres.connection import Raw
from retentive.errors import StoreUnavailable

_ROLE = """
SELECT bool_or(rolsuper), bool_or(rolbypassrls), current_setting('server_version'), current_setting('server_encoding')
FROM pg_roles WHERE rolname IN (current_user, session_user)
"""
_EXTENSION = """
SELECT e.extversion, quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
WHERE e.extname = 'vector'
"""


@dataclass(frozen=True, slots=True)
class Server:
    """Versions of the server and of pgvector, and the schema that the extension is in."""

    version: str
    extension: str
    extension_schema: str


def check_server(raw: Raw) -> Server:
    """What is there. Raises StoreUnavailable where tenants could not be kept apart or vectors not be kept."""
    role = raw.execute(_ROLE).fetchone()
    superuser, bypasses, version, encoding = role or (True, True, "", "")
    if superuser or bypasses:
        what = "a superuser" if superuser else "allowed to bypass row-level security"
        message = (
            f"the role is {what}: nothing would keep tenants apart. Connect as a role of its own: "
            "CREATE ROLE retentive LOGIN NOSUPERUSER NOBYPASSRLS"
        )
        raise StoreUnavailable(message)
    if encoding != "UTF8":
        message = f"the database's encoding is {encoding}: memories need one with ENCODING 'UTF8'"
        raise StoreUnavailable(message)
    found = raw.execute(_EXTENSION).fetchone()
    if found is None:
        message = "the database has no pgvector: as its administrator, run CREATE EXTENSION vector"
        raise StoreUnavailable(message)
    return Server(version.split()[0], *found)
