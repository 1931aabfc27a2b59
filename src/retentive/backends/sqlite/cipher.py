"""Encryption at rest: the store's key given to a driver that can encrypt, and never to one that ignores it.

An ordinary SQLite takes `PRAGMA key` without a word and writes plain text. So the driver has to say "ok", and to name
its cipher. The one that can is SQLite3 Multiple Ciphers (https://utelle.github.io/SQLite3MultipleCiphers/): ChaCha20
with Poly1305, the key by PBKDF2, a page at a time, the write-ahead log as well.
"""

from __future__ import annotations

import secrets

import apsw

from retentive.errors import MissingExtra

_HELP = (
    "this driver cannot encrypt, so the store was not opened: "
    "pip uninstall apsw, then pip install apsw-sqlite3mc, which takes its place"
)


def unlock(connection: apsw.Connection, key: str) -> None:
    """Give a new connection its key, before anything else. Raises MissingExtra where the driver cannot encrypt.

    Whether it is the right one shows with the first read.
    """
    if connection.pragma("key", key) != "ok" or not connection.pragma("cipher"):
        raise MissingExtra(_HELP)


def change_key(connection: apsw.Connection, key: str | None) -> None:
    """Encrypt, or decrypt (None), a whole file in place; it has no write-ahead log. Raises MissingExtra."""
    if connection.pragma("rekey", key or "") != "ok":
        raise MissingExtra(_HELP)


def new_key() -> str:
    """A key that nobody has to remember."""
    return secrets.token_hex(32)
