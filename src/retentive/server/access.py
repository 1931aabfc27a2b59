"""Who calls: the key in a request's Authorization header, what it allows, and how often it may come."""

from __future__ import annotations

import math
from dataclasses import dataclass

from retentive.clock import now_us
from retentive.config import Settings
from retentive.contracts.audit import LOCAL
from retentive.contracts.keys import ApiKey
from retentive.keys import PREFIX
from retentive.memory import Memory
from retentive.scoped import ScopedMemory
from retentive.server.limits import Buckets
from retentive.server.options import ServerOptions
from retentive.server.problems import Refused
from retentive.types import RIGHTS, Right

_BEARER = "bearer "
_ASK = {"www-authenticate": 'Bearer realm="retentive"'}


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes a request. `key` is None for a program of this machine, while no key was ever made."""

    tenant: str
    actor: str
    rights: tuple[Right, ...]
    key: ApiKey | None = None

    def scope(self, memory: Memory, user_id: str | None, agent_id: str | None, project_id: str | None) -> ScopedMemory:
        """The memory of a user or an agent; the tenant is the key's, whatever a request says. Raises Refused (403)."""
        if self.key is not None and self.key.users and user_id not in self.key.users:
            raise Refused(403, "this key is for some users only: name one of them as user_id")
        return memory.scope(user_id, agent_id, project_id, self.tenant, actor=self.actor)


class Access:
    """Says who calls, or refuses. The store is asked each time, so that a revoked key opens nothing any more."""

    def __init__(self, memory: Memory, options: ServerOptions) -> None:
        self._memory, self._options = memory, options
        self._buckets = Buckets()
        self._any_key = False

    def caller(self, authorization: str | None, address: str, right: Right | None, *, operator: bool) -> Caller:
        """Who makes a request that needs a right. Raises Refused: 401, 403, 429.

        operator: what touches the whole store is for administrators of the store's own tenant.
        """
        caller = self._known(authorization, address)
        self.check(caller, right, operator=operator)
        if caller.key is not None and caller.key.rate_minute is not None:
            self._pass(f"key {caller.key.id}", caller.key.rate_minute)
        if self._options.tenant_minute is not None:
            self._pass(f"tenant {caller.tenant}", self._options.tenant_minute)
        return caller

    def check(self, caller: Caller, right: Right | None, *, operator: bool) -> None:
        """Raises Refused (403) where a caller may not do what takes this right."""
        if right is not None and right not in caller.rights:
            raise Refused(403, f"this key does not have the right {right}")
        if operator and caller.tenant != self._memory.settings.tenant:
            raise Refused(403, "only an administrator of the store's own tenant may do what touches all of it")

    def stands(self, caller: Caller) -> bool:
        """Whether who was let in still would be: for answers that go on for long."""
        store = self._memory.keys.store
        if caller.key is None or store is None:
            return self._is_open()
        found = store.find(caller.key.id)
        return found is not None and found[0].is_valid(now_us())

    def _known(self, authorization: str | None, address: str) -> Caller:
        given = authorization or ""
        if self._is_open():
            if given.lower().startswith(f"{_BEARER}{PREFIX}"):  # any other is a placeholder: many clients need one
                raise Refused(401, "no such key: there is none yet; send none, or `retentive keys create NAME`", _ASK)
            return Caller(self._memory.settings.tenant, LOCAL, RIGHTS)
        key = self._memory.keys.check(given[len(_BEARER) :].strip()) if given.lower().startswith(_BEARER) else None
        if key is not None:
            return Caller(key.tenant, f"key-{key.id}", key.rights, key)
        if authorization is not None:  # only wrong keys are counted, so nobody can lock out the right one
            self._pass(f"address {address}", self._options.failures_minute)
        raise Refused(401, "send a valid API key: Authorization: Bearer rtv_...", _ASK)

    def _is_open(self) -> bool:
        """Whether programs of this machine need no key: none was ever made."""
        self._any_key = self._any_key or not self._options.is_local or self._memory.keys.any()
        return not self._any_key

    def _pass(self, name: str, per_minute: int) -> None:
        wait_s = self._buckets.take(name, per_minute)
        if wait_s:
            detail = f"too many requests: at most {per_minute} a minute"
            raise Refused(429, detail, {"retry-after": str(math.ceil(wait_s))})


def default_user(caller: Caller, settings: Settings) -> str | None:
    """Whose memory it is where a request does not say: a key's only user; without keys, this machine's own."""
    if caller.key is None:
        return settings.user
    return caller.key.users[0] if len(caller.key.users) == 1 else None
