"""API keys: who may do what, over a network. A store keeps of each what it allows and a keyed digest, never the key."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from retentive.types import Right


@dataclass(frozen=True, slots=True)
class ApiKey:
    """What a key allows.

    id: 12 hexadecimal digits, part of the key itself and no secret. tenant: the only one it reaches. rights: what it
    may do there. users: whose memory alone, where it is not for all of the tenant's. expires_us, ended_us: when it
    stopped, or will stop, being valid: by its own term, or because somebody revoked or rotated it. rate_minute:
    requests a minute it may make; None sets no limit. made_by: the actor who made it.
    """

    id: str
    name: str
    tenant: str
    rights: tuple[Right, ...]
    created_us: int
    users: tuple[str, ...] = ()
    expires_us: int | None = None
    ended_us: int | None = None
    rate_minute: int | None = None
    made_by: str = "local"

    def is_valid(self, now_us: int) -> bool:
        """Whether it opens anything at that moment."""
        return all(end_us is None or now_us < end_us for end_us in (self.expires_us, self.ended_us))


@dataclass(frozen=True, slots=True)
class Answered:
    """What a request under an Idempotency-Key came to; `body` is None while it is still being answered.

    request: a digest of what was asked. body: JSON of ids and outcomes, never text of a memory.
    """

    request: bytes
    status: int
    body: str | None


class KeyStore(ABC):
    """The keys of a store, and what was answered to whom. Every method is one transaction."""

    @abstractmethod
    def pepper(self) -> bytes:
        """The store's own secret that digests of keys are made with: 32 random bytes, made at first use."""

    @abstractmethod
    def add(self, key: ApiKey, digest: bytes) -> None:
        """Keep a new key with the digest of its secret."""

    @abstractmethod
    def find(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        """A key and its digest, valid or not."""

    @abstractmethod
    def all(self, tenant: str | None = None) -> list[ApiKey]:
        """Every key there ever was, oldest first; of one tenant where it is named."""

    @abstractmethod
    def end(self, key_id: str, at_us: int) -> bool:
        """From that moment on the key is invalid, unless it already was before; False where there is no such key."""

    @abstractmethod
    def begin_answer(self, caller: str, name: bytes, request: bytes, now_us: int, *, stale_us: int) -> Answered | None:
        """Take a caller's Idempotency-Key (its digest, `name`) for a request; None where it is free, and now taken.

        Else what is known of it. Free again is what began more than `stale_us` ago and came to nothing: its process
        died. Answers older than a day are forgotten.
        """

    @abstractmethod
    def end_answer(self, caller: str, name: bytes, status: int, body: str | None) -> None:
        """Keep what the request came to; None gives the name free, for what failed and may be tried again."""
