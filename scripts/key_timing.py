"""How long the check of an API key takes, for right keys and for each kind of wrong one.

    python scripts/key_timing.py [--rounds 20000]

Prints the median and the 95th percentile of each, and by how much its mean differs from that of the right key, with the
interval that holds the true difference 19 times in 20. The slowest twentieth, which other work on the machine makes,
is left out of the means. What a difference could tell: which kind of wrong a text is, never how much of a secret is
right, since what is compared is an HMAC of it, in constant time.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import tempfile
import time
from pathlib import Path

from retentive import Memory
from retentive.keys import _CHECK_CHARS, _checksum
from retentive.models.embed_none import NoEmbedder


def texts(memory: Memory) -> dict[str, str]:
    """A right key, and one that is wrong in each way."""
    right, revoked = memory.keys.create("right"), memory.keys.create("revoked")
    memory.keys.revoke(revoked.key.id)
    body = right.text[:-_CHECK_CHARS]
    other = body[:-1] + ("a" if body[-1] != "a" else "b")
    unknown = body.replace(right.key.id, f"{int(right.key.id, 16) ^ 1:012x}")
    return {
        "right": right.text,
        "secret is another": other + _checksum(other),
        "no key has the id": unknown + _checksum(unknown),
        "revoked": revoked.text,
        "mistyped": right.text[:-1] + ("a" if right.text[-1] != "a" else "b"),
        "no key at all": "sk-" + "x" * 40,
    }


def measure(memory: Memory, rounds: int) -> dict[str, list[float]]:
    """Microseconds, by kind; the kinds in a new order each round, so that nothing favours one."""
    tried = list(texts(memory).items())
    took_us: dict[str, list[float]] = {kind: [] for kind, _ in tried}
    for _ in range(rounds):
        random.shuffle(tried)
        for kind, text in tried:
            begun_ns = time.perf_counter_ns()
            memory.keys.check(text)
            took_us[kind].append((time.perf_counter_ns() - begun_ns) / 1e3)
    return {kind: sorted(each) for kind, each in took_us.items()}


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=20_000)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "memory.db"
        with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
            took_us = measure(memory, rounds)
    kept = {kind: each[: len(each) * 19 // 20] for kind, each in took_us.items()}
    right = kept["right"]
    print(f"{'':20} {'median':>8} {'p95':>8}   mean against the right key's, microseconds")
    for kind, each in kept.items():
        difference = statistics.fmean(each) - statistics.fmean(right)
        margin = 1.96 * math.sqrt(statistics.variance(each) / len(each) + statistics.variance(right) / len(right))
        middle, high = statistics.median(took_us[kind]), took_us[kind][len(took_us[kind]) * 19 // 20]
        print(f"{kind:20} {middle:8.1f} {high:8.1f}   {difference:+.2f} ± {margin:.2f}")


if __name__ == "__main__":
    main()
