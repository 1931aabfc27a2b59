"""Routes of the people responsible: review, usage, audit and keys of a tenant; upkeep and health of the whole store."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from retentive.contracts import StoreStatus
from retentive.contracts.audit import AuditCheck, AuditPage
from retentive.contracts.ledger import USAGE_KEYS, Spent
from retentive.errors import NotFound
from retentive.memory import Memory
from retentive.models.schema import Schema
from retentive.results import ReceiptItem
from retentive.review import Pending
from retentive.server.operations import Operation
from retentive.server.routing import Call, Route
from retentive.server.schemas import CURSOR, ID, TIME, obj, optional, text, whole
from retentive.server.views import (
    Count,
    KeyView,
    NewKeyView,
    PendingView,
    key_view,
    new_key_view,
    pending_view,
)
from retentive.types import RIGHTS, DeadJob, Partition, Scope

_MOST_PENDING = 100_000
#: No key for some users has these.
_OF_TENANTS = ("admin", "review")
_KEY: Schema = {
    **obj(
        {
            "name": {**ID, "description": "What it is for."},
            "rights": {"type": "array", "items": {"type": "string", "enum": list(RIGHTS)}, "minItems": 1},
            "users": {"type": "array", "items": ID, "maxItems": 1000},
            "expires_at": optional(TIME),
            "rate_minute": optional(whole(1, 1_000_000, "Requests a minute it may make.")),
        },
        "name",
        "rights",
    ),
    "if": {"properties": {"users": {"minItems": 1}}, "required": ["users"]},
    "then": {"properties": {"rights": {"items": {"enum": [one for one in RIGHTS if one not in _OF_TENANTS]}}}},
}
_OPERATION = obj(
    {"kind": {"type": "string", "enum": ["process", "retain", "consolidate", "verify", "doctor", "rescan"]}}, "kind"
)
_RUN: dict[str, Callable[[Memory], object]] = {
    "process": Memory.process,
    "retain": Memory.retain,
    "consolidate": Memory.consolidate,
    "verify": Memory.verify,
    "doctor": Memory.doctor,
    "rescan": Memory.rescan,
}


# -- review: what waits in the caller's own tenant -----------------------------------------------------------------
def _waiting(call: Call) -> list[Pending]:
    found = call.memory.review.pending(_MOST_PENDING)
    return [one for one in found if one.partition.tenant == call.caller.tenant]


def _pending(call: Call) -> list[PendingView]:
    return [pending_view(one) for one in _waiting(call)[: call.query.get("limit", 100)]]


def _decided(call: Call) -> str:
    """The id of what is decided on. Raises NotFound for what does not wait in this tenant."""
    if all(one.item.id != call.path["id"] for one in _waiting(call)):
        message = "no fact with this id waits for review"
        raise NotFound(message)
    return call.path["id"]


def _approve(call: Call) -> ReceiptItem:
    return call.memory.review.approve(_decided(call), text=call.body.get("text"), actor=call.caller.actor)


def _reject(call: Call) -> ReceiptItem:
    return call.memory.review.reject(_decided(call), call.body["why"], actor=call.caller.actor)


# -- usage, audit, keys ------------------------------------------------------------------------------------------------
def _usage(call: Call) -> list[Spent]:
    by: list[Any] = call.query.get("by", "session,operation").split(",")
    return call.memory.usage(by, tenant=call.caller.tenant)


def _audit(call: Call) -> AuditPage:
    asked = dict(call.query)
    user, agent = asked.pop("user_id", None), asked.pop("agent_id", None)
    whose = Scope(user, agent, tenant=call.caller.tenant) if user or agent else None
    return call.memory.audit(scope=whose, tenant=call.caller.tenant, **asked)


def _keys(call: Call) -> list[KeyView]:
    return [key_view(key) for key in call.memory.keys.list(call.caller.tenant)]


def _create_key(call: Call) -> NewKeyView:
    made = call.memory.keys.create(**call.body, tenant=call.caller.tenant, actor=call.caller.actor)
    return new_key_view(made)


def _rotate_key(call: Call) -> NewKeyView:
    tenant, actor = call.caller.tenant, call.caller.actor
    return new_key_view(call.memory.keys.rotate(call.path["id"], tenant=tenant, actor=actor, **call.body))


def _revoke_key(call: Call) -> KeyView:
    return key_view(call.memory.keys.revoke(call.path["id"], tenant=call.caller.tenant, actor=call.caller.actor))


# -- the whole store ---------------------------------------------------------------------------------------------------
def _start(call: Call) -> Operation:
    kind = call.body["kind"]
    return call.operations.start(kind, partial(_RUN[kind], call.memory))


_STORE: dict[str, Any] = {"scoped": False, "operator": True}
_TENANT: dict[str, Any] = {"scoped": False}
_ONE_OF_THEM = f"({'|'.join(USAGE_KEYS)})"
_BY: Schema = {"type": "string", "pattern": f"^{_ONE_OF_THEM}(,{_ONE_OF_THEM}){{0,7}}$"}
_LIMIT = whole(1, 1000, "How many at the most.")
_ENTRY_QUERY = {
    "actor": ID,
    "verb": ID,
    "memory_id": ID,
    "user_id": ID,
    "agent_id": ID,
    "since": TIME,
    "until": TIME,
    "limit": _LIMIT,
    "cursor": CURSOR,
}

ROUTES: tuple[Route, ...] = (
    Route("GET", "/v1/review", "list_pending", "Facts that wait for a person, oldest first.", "review",
          _pending, list[PendingView], query={"limit": _LIMIT}, **_TENANT),
    Route("POST", "/v1/review/{id}/approve", "approve", "Let a fact count, as it is or in a person's words.", "review",
          _approve, ReceiptItem, body=obj({"text": optional(text())}), found=True, **_TENANT),
    Route("POST", "/v1/review/{id}/reject", "reject", "Take a fact out, with the reason.", "review",
          _reject, ReceiptItem, body=obj({"why": text()}, "why"), found=True, **_TENANT),
    Route("GET", "/v1/usage", "usage", "What model calls took, in tokens and money.", "admin", _usage, list[Spent],
          query={"by": _BY}, **_TENANT),
    Route("GET", "/v1/audit", "audit", "Who did what to which memories, newest first.", "admin", _audit, AuditPage,
          query=_ENTRY_QUERY, **_TENANT),
    Route("GET", "/v1/keys", "list_keys", "Every key of the tenant there ever was.", "admin", _keys, list[KeyView],
          **_TENANT),
    Route("POST", "/v1/keys", "create_key", "Make a key; its text is shown this once.", "admin",
          _create_key, NewKeyView, 201, body=_KEY, **_TENANT),
    Route("POST", "/v1/keys/{id}/rotate", "rotate_key", "Make a key in the place of this one.", "admin",
          _rotate_key, NewKeyView, 201, body=obj({"grace_s": whole(0, 1_000_000)}), found=True, **_TENANT),
    Route("DELETE", "/v1/keys/{id}", "revoke_key", "Make a key invalid from now on.", "admin", _revoke_key, KeyView,
          found=True, **_TENANT),
    Route("GET", "/v1/owners", "list_owners", "The users and agents of whom there is memory.", "admin",
          lambda call: call.memory.owners(tenant=call.caller.tenant), list[Partition], **_TENANT),
    Route("GET", "/v1/status", "status", "Where the store is and what it holds.", "admin",
          lambda call: call.memory.status(), StoreStatus, **_STORE),
    Route("GET", "/v1/audit/check", "audit_verify", "Follow the audit's chain and name what does not fit.", "admin",
          lambda call: call.memory.audit_verify(**call.query), AuditCheck,
          query={"head": {"type": "string", "pattern": "^[0-9]{1,18}:[0-9a-f]{64}$"}}, **_STORE),
    Route("GET", "/v1/jobs/dead", "list_dead_jobs", "Jobs that gave up, oldest first, and why.", "admin",
          lambda call: call.memory.dead_jobs(**call.query), list[DeadJob], query={"limit": _LIMIT}, **_STORE),
    Route("POST", "/v1/jobs/requeue", "requeue", "Give jobs that gave up another chance.", "admin",
          lambda call: Count(call.memory.requeue()), Count, **_STORE),
    Route("POST", "/v1/operations", "start_operation", "Start upkeep of the whole store in the background.", "admin",
          _start, Operation, 202, body=_OPERATION, **_STORE),
    Route("GET", "/v1/operations/{id}", "get_operation", "How far background work is.", "admin",
          lambda call: call.operations.get(call.path["id"]), Operation, found=True, **_STORE),
)  # fmt: skip
