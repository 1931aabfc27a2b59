"""Retentive: memory for AI agents. `Memory.open()` opens a store; `memory.scope(user_id=...)` gives the verbs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from retentive.aio import AsyncMemory
    from retentive.backup import restore
    from retentive.block import parse_block
    from retentive.config import Settings
    from retentive.memory import Memory
    from retentive.redaction import redact
    from retentive.scoped import ScopedMemory
    from retentive.session import Session

__version__ = "0.1.0"

#: Public name -> the module it lives in. Loaded at first use: importing retentive loads neither numpy nor a driver.
_HOMES = {
    "AsyncMemory": "retentive.aio",
    "Memory": "retentive.memory",
    "ScopedMemory": "retentive.scoped",
    "Session": "retentive.session",
    "Settings": "retentive.config",
    "parse_block": "retentive.block",
    "redact": "retentive.redaction",
    "restore": "retentive.backup",
}

__all__ = ["AsyncMemory", "Memory", "ScopedMemory", "Session", "Settings", "parse_block", "redact", "restore"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        message = f"module 'retentive' has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
