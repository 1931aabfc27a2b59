"""API keys: made, checked, listed, rotated and revoked.

A key reads `rtv_<id>_<secret><checksum>`: 12 hexadecimal digits that name it, 43 letters and digits (256 bits) that are
the secret, and six that are the CRC-32 of all before them, so that scanners and our own redactor know one when they see
it. The store keeps an HMAC-SHA256 of the secret under its own pepper: with a secret
of 256 bits that is as good as a slow hash, and takes microseconds.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from retentive.checking import checked_limit
from retentive.cleaning import checked_actor
from retentive.clock import Timestamp, now_us, optional_us
from retentive.contracts.audit import LOCAL, AuditTrail, Deed
from retentive.contracts.keys import ApiKey, KeyStore
from retentive.echo import echo
from retentive.errors import ConfigError, Conflict, InvalidInput, NotFound
from retentive.types import RIGHTS, Partition, Right, checked_name

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_SECRET_CHARS, _CHECK_CHARS = 43, 6  # 62 ** 43 > 2 ** 256, 62 ** 6 > 2 ** 32
#: What a key begins with.
PREFIX = "rtv_"
_TEXT = re.compile(r"rtv_([0-9a-f]{12})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})")
#: Read, looked up and compared with where a text is no key, or none of ours: a wrong one takes as long as a right one.
_NO_KEY = ("0" * 12, "0" * 43)
_NOBODY = (ApiKey(_NO_KEY[0], "", "", (), 0), bytes(32))
_NO_TEXT = (f"{PREFIX}{'_'.join(_NO_KEY)}wrong!", *_NO_KEY, "wrong!")


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just made. `text` is the key itself: it is shown this once and kept nowhere."""

    key: ApiKey
    text: str = field(repr=False)


class Keys:
    """`memory.keys`: for the operator of a store, and for a tenant's own administrators."""

    def __init__(self, store: KeyStore | None, audit: AuditTrail) -> None:
        self._kept, self._audit = store, audit

    def create(
        self,
        name: str,
        *,
        tenant: str = "default",
        rights: Sequence[str] = ("read", "write"),
        users: Sequence[str] = (),
        expires_at: Timestamp | None = None,
        rate_minute: int | None = None,
        actor: str = LOCAL,
    ) -> NewKey:
        """Make a key. Its text is in the result, and nowhere else.

        Args:
            name: what it is for, to tell it from others.
            tenant: the only one it reaches.
            rights: of `read`, `write`, `forget`, `export`, `review`, `admin`.
            users: whose memory alone; all of the tenant's by default. Such a key is no administrator's.
            expires_at: from when on it is invalid.
            rate_minute: requests a minute it may make.
            actor: who makes it, for the audit.

        Raises InvalidInput for a right that is none, or `admin` for some users only.

        >>> from retentive import Memory
        >>> with Memory.open(":memory:", background=False) as memory:
        ...     made = memory.keys.create("website", rights=["read"])
        ...     memory.keys.check(made.text) == made.key
        True
        """
        key = ApiKey(
            id=secrets.token_hex(6),
            name=checked_actor(name),
            tenant=checked_name("tenant", tenant),
            rights=_checked_rights(rights),
            created_us=now_us(),
            users=tuple(dict.fromkeys(checked_name("user", user) for user in users)),
            expires_us=optional_us(expires_at),
            rate_minute=None if rate_minute is None else checked_limit(rate_minute, "rate_minute"),
            made_by=checked_actor(actor),
        )
        if key.users and {"admin", "review"} & set(key.rights):
            message = "a key for some users has neither the right admin nor review: those are for a whole tenant"
            raise InvalidInput(message)
        return self._issued(key, "create_key")

    def list(self, tenant: str | None = None) -> list[ApiKey]:
        """Every key there ever was, oldest first; of one tenant where it is named."""
        return self._store.all(tenant)

    def revoke(self, key_id: str, *, tenant: str | None = None, actor: str = LOCAL) -> ApiKey:
        """Make a key invalid from this moment on, in every process. Raises NotFound."""
        key = self._known(key_id, tenant)
        self._store.end(key_id, now_us())
        self._enter(actor, "revoke_key", key.tenant)
        return self._known(key_id, tenant)

    def rotate(self, key_id: str, *, grace_s: int = 0, tenant: str | None = None, actor: str = LOCAL) -> NewKey:
        """Make a key like this one, which stays valid for `grace_s` seconds. Raises Conflict for one that ended."""
        old, now = self._known(key_id, tenant), now_us()
        if not old.is_valid(now):
            message = f"the key {echo(key_id)} is no longer valid: make a new one"
            raise Conflict(message)
        grace_us = (0 if grace_s == 0 else checked_limit(grace_s, "grace_s")) * 1_000_000
        new = ApiKey(
            id=secrets.token_hex(6),
            name=old.name,
            tenant=old.tenant,
            rights=old.rights,
            created_us=now,
            users=old.users,
            expires_us=old.expires_us,
            rate_minute=old.rate_minute,
            made_by=checked_actor(actor),
        )
        made = self._issued(new, "rotate_key")
        self._store.end(key_id, now + grace_us)
        return made

    def check(self, text: str) -> ApiKey | None:
        """The valid key that a text is, or None. Read from the store each time, so a revoked one fails at once."""
        parts = _TEXT.fullmatch(text) or _NO_TEXT
        fits = _checksum(parts[0][:-_CHECK_CHARS]) == parts[3]
        key_id, secret = (parts[1], parts[2]) if fits else _NO_KEY
        found = self._store.find(key_id)
        key, digest = found or _NOBODY
        valid = key.is_valid(now_us())
        right = hmac.compare_digest(self._digest(key_id, secret), digest)
        return key if right and valid and found is not None else None

    def any(self) -> bool:
        """Whether a key was ever made: from then on nothing is open without one, also when all were revoked."""
        return self._kept is not None and bool(self._kept.all())

    @property
    def store(self) -> KeyStore | None:
        """Where they are kept; None where the store keeps none."""
        return self._kept

    @property
    def _store(self) -> KeyStore:
        if self._kept is None:
            message = "this store keeps no API keys: use a SQLite store for them"
            raise ConfigError(message)
        return self._kept

    def _known(self, key_id: str, tenant: str | None) -> ApiKey:
        found = self._store.find(checked_name("key_id", key_id))
        if found is None or (tenant is not None and found[0].tenant != tenant):
            message = f"there is no key {echo(key_id)}"
            raise NotFound(message)
        return found[0]

    def _issued(self, key: ApiKey, verb: str) -> NewKey:
        secret = _base62(secrets.randbits(256), _SECRET_CHARS)
        body = f"{PREFIX}{key.id}_{secret}"
        self._store.add(key, self._digest(key.id, secret))
        self._enter(key.made_by, verb, key.tenant)
        return NewKey(key, body + _checksum(body))

    def _digest(self, key_id: str, secret: str) -> bytes:
        return hmac.digest(self._store.pepper(), f"{key_id}_{secret}".encode(), hashlib.sha256)

    def _enter(self, actor: str, verb: str, tenant: str) -> None:
        """Enter it in the audit: of the tenant, and of nobody's memory."""
        self._audit.append([Deed(now_us(), checked_actor(actor), verb, Partition(tenant, "user", ""), (), 1)])


def _checked_rights(rights: Sequence[str]) -> tuple[Right, ...]:
    wanted = [rights] if isinstance(rights, str) else list(rights)
    if not wanted or not all(right in RIGHTS for right in wanted):
        message = f"rights are some of {', '.join(RIGHTS)}, not {echo(wanted)}"
        raise InvalidInput(message)
    return tuple(right for right in RIGHTS if right in wanted)


def _base62(number: int, width: int) -> str:
    digits = []
    for _ in range(width):
        number, digit = divmod(number, 62)
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))


def _checksum(text: str) -> str:
    return _base62(zlib.crc32(text.encode()), _CHECK_CHARS)
