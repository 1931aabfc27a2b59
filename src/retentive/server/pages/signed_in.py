"""Who signed in: a cookie's random id stands for an API key, in this process's memory and for some hours."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

#: How long a sign-in lasts.
LASTS_S = 8 * 3600
_MOST = 1000  # whoever signed in first is signed out


class SignedIn:
    """Sign-ins by their random id, and the tokens that forms carry. Safe between threads; a restart ends all.

    The key's text is kept, because every request is to be checked like one that sends it: a key that was revoked
    meanwhile opens nothing.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._keys: OrderedDict[str, tuple[str, float]] = OrderedDict()
        self._secret = secrets.token_bytes(32)

    def begin(self, key_text: str) -> str:
        """Sign a key in; returns the id for the cookie.

        >>> signed_in = SignedIn()
        >>> signed_in.key(signed_in.begin("rtv_..."))
        'rtv_...'
        """
        name = secrets.token_urlsafe(32)
        with self._lock:
            self._keys[name] = (key_text, self._clock() + LASTS_S)
            if len(self._keys) > _MOST:
                self._keys.popitem(last=False)
        return name

    def key(self, name: str | None) -> str | None:
        """The key that an id stands for; None for one that is over or never was."""
        with self._lock:
            text, until_s = self._keys.get(name or "", (None, 0.0))
            if text is not None and self._clock() >= until_s:
                del self._keys[name or ""]
                return None
        return text

    def end(self, name: str | None) -> None:
        """Sign out."""
        with self._lock:
            self._keys.pop(name or "", None)

    def token(self, name: str | None) -> str:
        """What a form of this visitor carries: no page of another origin can read it, so none can send it."""
        return hmac.new(self._secret, (name or "").encode(), hashlib.sha256).hexdigest()

    def is_token(self, name: str | None, given: str) -> bool:
        """Whether a form was made for this visitor, by this process."""
        return hmac.compare_digest(self.token(name).encode(), given.encode("utf-8", "replace"))
