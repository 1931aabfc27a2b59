"""Space set aside beside the store: an erasure writes before anything becomes free, and a full disk has no room."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

#: Erasing one memory of moderate length writes about a tenth of it to the log.
_RESERVE_BYTES = 1 << 20


def _place(path: str) -> Path:
    return Path(f"{path}.reserve")


def keep(path: str) -> None:
    """Set the space aside, if it is not yet. A disk that has no room for it is no reason to stop."""
    place = _place(path)
    with contextlib.suppress(OSError):
        if place.exists() and place.stat().st_size >= _RESERVE_BYTES:
            return
        try:
            with place.open("wb") as file:
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file.fileno(), 0, _RESERVE_BYTES)
                else:
                    file.write(bytes(_RESERVE_BYTES))
        except OSError:
            place.unlink(missing_ok=True)
            raise


def release(path: str) -> bool:
    """Give the space back to the disk; False when there was none."""
    try:
        _place(path).unlink()
    except OSError:
        return False
    return True
