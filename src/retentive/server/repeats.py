"""Idempotency-Key: a request that is sent again, because its answer was lost, gets that answer and changes nothing.

The answer is kept in the store for a day, by caller: ids and outcomes, never text. The same key with another request is
refused (422), a repeat while the first is still being answered too (409).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

from starlette.responses import Response

from retentive.clock import now_us
from retentive.contracts.keys import KeyStore
from retentive.server.problems import Refused

#: What an Idempotency-Key may be: 1 to 255 visible ASCII characters.
FORM = "^[!-~]{1,255}$"
_MARK = "idempotent-replayed"


def once(
    kept: KeyStore | None,
    caller: str,
    key: str,
    request: bytes,
    *,
    answer: Callable[[], Response],
    stale_s: float,
) -> Response:
    """The answer to a request, or what was answered to it before. Raises Refused (409, 422).

    request: all that makes it the same request. stale_s: after so long one that began and has no answer died.
    """
    if kept is None:
        return answer()
    if re.search(FORM, key) is None:
        raise Refused(422, "an Idempotency-Key has 1 to 255 visible ASCII characters")
    name, asked = hashlib.sha256(key.encode()).digest(), hashlib.sha256(request).digest()
    before = kept.begin_answer(caller, name, asked, now_us(), stale_us=int(stale_s * 1e6))
    if before is not None:
        if before.request != asked:
            raise Refused(422, "this Idempotency-Key was used for another request: make a new one for each")
        if before.body is None:
            raise Refused(409, "the first request with this Idempotency-Key is still being answered")
        return Response(before.body, before.status, {_MARK: "true"}, media_type="application/json")
    try:
        response = answer()
    except BaseException:
        kept.end_answer(caller, name, 0, None)  # nothing was done, so it may be tried again
        raise
    kept.end_answer(caller, name, response.status_code, bytes(response.body).decode())
    return response
