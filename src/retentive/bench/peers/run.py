"""The same adds and searches in Retentive and in each peer that is there, and how many times faster we are.

Texts are sentences of common words, vectors random ones of length 1 (384 numbers); a query has five words of one memory
and a vector near its own, so a search that works finds it: `found` says how often. What is timed is the engine, with
the time that a peer takes to hand over text and vector, and no model.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from retentive.bench.engine import Latency, latency, sentence
from retentive.bench.peers import own, worker
from retentive.errors import InvalidInput

#: A peer's file -> what people call it.
PEERS = {
    "mem0": "mem0",
    "sqlitestore": "LangGraph SqliteStore",
    "chroma": "Chroma",
    "mcp_memory": "mcp-memory-service",
    "txtai": "txtai",
}
_DIMENSION, _K = 384, 10
#: Fewer than twelve words: of so many common ones the redactor thinks that they are a seed phrase.
_MESSAGE_WORDS, _QUERY_WORDS = (6, 11), 5
#: How far a query's vector is from that of the memory it is about: a cosine of about 0.8.
_APART = 0.75
#: A peer that takes longer than this in all is given up on.
_TIMEOUT_S = 3600
#: No telemetry, no look at a model hub; a home of its own, since some write there.
_QUIET = {
    "MEM0_TELEMETRY": "False",
    "ANONYMIZED_TELEMETRY": "False",
    "HF_HUB_OFFLINE": "1",
    "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do in each: `memories` in all, the last `singles` of them added one by one, then `searches`."""

    memories: int = 10_000
    singles: int = 100
    searches: int = 200
    seed: int = 7


@dataclass(frozen=True, slots=True)
class Measured:
    """One system. `add`: one memory, its vector included; `rows_per_s`: in groups of 100; `found`: share of queries."""

    name: str
    search: Latency
    add: Latency
    rows_per_s: float
    found: float
    durable: bool


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times as fast Retentive is, by medians: searches, adds with the vector, and adds until the commit."""

    name: str
    search: float
    add: float
    commit: float


@dataclass(frozen=True, slots=True)
class Report:
    """What came of it. `commit` and `commit_rows_per_s` are our adds without the vector, which a job makes later."""

    plan: Plan
    measured: tuple[Measured, ...]
    commit: Latency
    commit_rows_per_s: float
    ratios: tuple[Ratio, ...]
    absent: Mapping[str, str]

    def lines(self) -> Iterator[str]:
        """The report for people."""
        yield f"{self.plan.memories:,} memories of one user, the same texts and stub vectors; k = {_K}, times in ms"
        measures = f"{'search p50':>11}{'p99':>8}{'add p50':>9}{'rows/s':>9}{'found':>7}"
        yield f"{'':24}{measures}{'search':>8}{'add':>7}{'commit':>7}"
        ratios = {ratio.name: ratio for ratio in self.ratios}
        for one in self.measured:
            line = f"{one.name:24}{one.search.p50_ms:11.2f}{one.search.p99_ms:8.2f}{one.add.p50_ms:9.2f}"
            line += f"{one.rows_per_s:9,.0f}{100 * one.found:6.0f}%"
            ratio = ratios.get(one.name)
            line += f"{ratio.search:7.1f}x{ratio.add:6.1f}x{ratio.commit:6.1f}x" if ratio else ""
            yield line + ("" if one.durable else "  not durable")
        yield f"{'  without its vector':43}{self.commit.p50_ms:9.2f}{self.commit_rows_per_s:9,.0f}"
        yield from (f"{name:24} absent: {why}" for name, why in self.absent.items())


def measure(
    plan: Plan, pythons: Mapping[str, Path], only: Sequence[str] = (), advance: Callable[[int], None] = lambda _: None
) -> Report:
    """Measure Retentive, then each peer in the interpreter given for it, ours by default.

    Raises InvalidInput for a peer that is none.
    """
    unknown = sorted({*pythons, *only} - set(PEERS))
    if unknown:
        message = f"{unknown[0]!r} is no peer: there are {', '.join(PEERS)}"
        raise InvalidInput(message)
    with tempfile.TemporaryDirectory(prefix="retentive-peers-") as place:
        folder = Path(place)
        task, vectors = _task(plan, folder)
        known = {text: vectors[number] for number, text in enumerate([*task["texts"], *dict(task["queries"])])}
        ours = worker.measure(own, task | {"folder": str(_made(folder, "own"))}, known.__getitem__)
        advance(1)
        found = {}
        for peer in only or PEERS:
            found[peer] = _peer(peer, task, folder, pythons.get(peer, Path(sys.executable)))
            advance(1)
    return _report(plan, ours, found)


def _made(folder: Path, name: str) -> Path:
    path = folder / name
    path.mkdir()
    return path


def _task(plan: Plan, folder: Path) -> tuple[dict[str, Any], Any]:
    """What the workers are told, and the vectors, (texts + queries, dimension); these are also written to a file."""
    texts_of = random.Random(plan.seed)  # noqa: S311  words of a test text
    texts = list(
        dict.fromkeys(f"{n} {sentence(texts_of, texts_of.randint(*_MESSAGE_WORDS))}" for n in range(plan.memories))
    )
    about = texts_of.choices(range(len(texts)), k=plan.searches)
    said = [texts_of.sample(texts[number].split()[1:], _QUERY_WORDS) for number in about]
    queries = [" ".join([*words, str(place)]) for place, words in enumerate(said)]
    draw = np.random.default_rng(plan.seed)
    vectors = _unit(draw.standard_normal((len(texts), _DIMENSION), np.float32))
    near = _unit(vectors[about] + _APART * _unit(draw.standard_normal((len(about), _DIMENSION), np.float32)))
    every = np.concatenate([vectors, near]).astype(np.float32)
    (folder / "vectors.bin").write_bytes(every.tobytes())
    pairs = [(query, texts[number]) for query, number in zip(queries, about, strict=True)]
    task = {"texts": texts, "queries": pairs, "dimension": _DIMENSION, "singles": plan.singles, "k": _K}
    return task | {"vectors": str(folder / "vectors.bin")}, every


def _unit(vectors: Any) -> Any:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _peer(peer: str, task: Mapping[str, Any], folder: Path, python: Path) -> dict[str, Any]:
    """A peer's result, or why there is none."""
    home = _made(folder, peer)
    plan, result = folder / f"{peer}.plan.json", folder / f"{peer}.result.json"
    plan.write_text(json.dumps({**task, "peer": peer, "folder": str(home)}), encoding="utf-8")
    environment = {"PATH": os.defpath, "HOME": str(home), "MCP_MEMORY_BASE_DIR": str(home), "MEM0_DIR": str(home)}
    command = [str(python), "-I", str(Path(worker.__file__)), str(plan), str(result)]
    try:
        ran = subprocess.run(  # noqa: S603  the interpreter is the user's choice
            command, check=False, capture_output=True, env=environment | _QUIET, timeout=_TIMEOUT_S, cwd=home
        )
    except OSError as error:
        return {"absent": f"{python} cannot be run: {error.strerror}"}
    except subprocess.TimeoutExpired:
        return {"absent": f"it took more than {_TIMEOUT_S} s"}
    if not result.is_file():
        said = ran.stderr.decode(errors="replace").strip().splitlines()
        return {"absent": f"it failed here: {said[-1] if said else f'code {ran.returncode}'}"[:300]}
    found: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    return found


# -- what came of it ---------------------------------------------------------------------------------------------------
def _report(plan: Plan, ours: Mapping[str, Any], found: Mapping[str, Mapping[str, Any]]) -> Report:
    grouped = plan.memories - plan.singles
    mine = _measured("Retentive", ours, grouped)
    peers = [_measured(PEERS[peer], result, grouped) for peer, result in found.items() if "absent" not in result]
    commit = latency(ours["extra_s"]["add"])
    return Report(
        plan=plan,
        measured=(mine, *peers),
        commit=commit,
        commit_rows_per_s=grouped / sum(ours["extra_s"]["many"]),
        ratios=tuple(_ratio(one, mine, commit) for one in peers),
        absent={PEERS[peer]: str(result["absent"]) for peer, result in found.items() if "absent" in result},
    )


def _ratio(one: Measured, mine: Measured, commit: Latency) -> Ratio:
    add = one.add.p50_ms
    return Ratio(one.name, one.search.p50_ms / mine.search.p50_ms, add / mine.add.p50_ms, add / commit.p50_ms)


def _measured(name: str, result: Mapping[str, Any], grouped: int) -> Measured:
    return Measured(
        name=name,
        search=latency(result["search_s"]),
        add=latency(result["add_s"]),
        rows_per_s=grouped / sum(result["many_s"]),
        found=result["found"],
        durable=result["durable"],
    )
