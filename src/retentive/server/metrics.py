"""What Prometheus asks for: requests by route, method and status, how long they took, and what waits in the queue."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter

_BOUNDS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Counters of this process. Safe between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._buckets: dict[str, list[int]] = {}
        self._sums: dict[str, float] = {}

    def count(self, method: str, route: str, status: int, took_s: float) -> None:
        """Enter one request that was answered."""
        with self._lock:
            self._requests[route, method, status] += 1
            self._buckets.setdefault(route, [0] * (len(_BOUNDS_S) + 1))[bisect_left(_BOUNDS_S, took_s)] += 1
            self._sums[route] = self._sums.get(route, 0.0) + took_s

    def text(self, gauges: dict[str, float]) -> str:
        """All of it in the text format, with gauges by name."""
        with self._lock:
            requests, sums = dict(self._requests), dict(self._sums)
            buckets = {route: list(counts) for route, counts in self._buckets.items()}
        lines = ["# TYPE retentive_requests_total counter"]
        for (route, method, status), count in sorted(requests.items()):
            labels = f'route="{route}",method="{method}",status="{status}"'
            lines.append(f"retentive_requests_total{{{labels}}} {count}")
        lines.append("# TYPE retentive_request_seconds histogram")
        for route, counts in sorted(buckets.items()):
            lines += _histogram(route, counts, sums[route])
        for name, value in gauges.items():
            lines += [f"# TYPE retentive_{name} gauge", f"retentive_{name} {value:g}"]
        return "\n".join(lines) + "\n"


def _histogram(route: str, counts: list[int], total_s: float) -> list[str]:
    lines, so_far = [], 0
    for bound, count in zip([*map(str, _BOUNDS_S), "+Inf"], counts, strict=True):
        so_far += count
        lines.append(f'retentive_request_seconds_bucket{{route="{route}",le="{bound}"}} {so_far}')
    lines.append(f'retentive_request_seconds_sum{{route="{route}"}} {total_s:.6f}')
    lines.append(f'retentive_request_seconds_count{{route="{route}"}} {so_far}')
    return lines
