"""Measures one peer, in the interpreter that has it: `python -I worker.py PLAN RESULT`. Imports nothing of Retentive.

PLAN is JSON: peer, folder, texts, queries (text and the text it is about), dimension, vectors (a file of float32, those
of the texts, then those of the queries), singles, k. RESULT is written as JSON: times in seconds, or `absent`. A peer
that fails ends the worker, its error on stderr.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import time
from array import array
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

_GROUP = 100
#: Searches before the clock counts.
_WARM_UP = 10


def measure(peer: ModuleType, plan: Mapping[str, Any], vectors: Callable[[str], Sequence[float]]) -> dict[str, Any]:
    """Add most texts by hundreds, the last ones one by one to the full store, then search; times in seconds."""
    store = peer.start(Path(plan["folder"]), vectors)
    try:
        texts, singles = plan["texts"], plan["singles"]
        first = texts[: len(texts) - singles]
        many_s = [_timed(store.add_many, first[start : start + _GROUP])[0] for start in range(0, len(first), _GROUP)]
        add_s = [_timed(store.add, text)[0] for text in texts[len(first) :]]
        found = [_timed(store.search, query, plan["k"]) for query, _ in plan["queries"]]
        extra = getattr(store, "extra_s", {})
    finally:
        store.close()
    pairs = zip(plan["queries"], found, strict=True)
    return {
        "durable": peer.DURABLE,
        "add_s": add_s,
        "many_s": many_s,
        "search_s": [seconds for seconds, _ in found][_WARM_UP:],
        "found": sum(about in hits for (_, about), (_, hits) in pairs) / len(found),
        "extra_s": extra,
    }


def _timed(call: Callable[..., Any], *given: Any) -> tuple[float, Any]:
    begun = time.perf_counter()
    result = call(*given)
    return time.perf_counter() - begun, result


def load(name: str) -> ModuleType:
    """A peer's file by its path, so that its name cannot stand in the way of the package it measures."""
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"peer_{name}", path)
    if spec is None or spec.loader is None:
        message = f"there is no peer {name}"
        raise FileNotFoundError(message)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _is_here(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # not even the package that it would be in
        return False


def main() -> int:
    """Measure what the plan names and write the result."""
    plan = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    peer = load(plan["peer"])
    result: dict[str, Any]
    if not _is_here(peer.REQUIRES):
        result = {"absent": f"{peer.REQUIRES} is not installed"}
    else:
        numbers = array("f", Path(plan["vectors"]).read_bytes())
        size, known = plan["dimension"], {}
        for place, text in enumerate([*plan["texts"], *(query for query, _ in plan["queries"])]):
            known[text] = numbers[place * size : (place + 1) * size].tolist()
        result = measure(peer, plan, known.__getitem__)
    Path(sys.argv[2]).write_text(json.dumps(result), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
