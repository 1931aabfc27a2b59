"""Whether this process is a fork of an earlier one. Every use of a store asks, so no system call stands behind it."""

from __future__ import annotations

import os

_forks = 0


def forks() -> int:
    """How often a process forked on the way to this one, since this module was loaded."""
    return _forks


def _count() -> None:
    global _forks  # noqa: PLW0603  a process is one or the other for all of its parts
    _forks += 1


if hasattr(os, "register_at_fork"):  # where nothing forks there is nothing to count
    os.register_at_fork(after_in_child=_count)
