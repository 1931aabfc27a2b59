"""Fit how MiniLM's hidden states are made small: the file `retentive/models/data/minilm_token_states.npz`.

    python scripts/fit_token_states.py DATA.jsonl.gz... [--out FILE]

DATA are conversations in the labelled format (one JSON object a line with `messages` of `speaker` and `text`) whose
licence allows a derived table of numbers; the file in the package was made from lifebench_en and realmem
(Apache-2.0), madial_en (MIT) and beam_100k (CC BY-SA 4.0). What is kept of them: 384 x 64 directions, and how rare each
word piece is.

The projection is the first 64 right singular vectors of the states, each of length 1, without centring, so that inner
products are kept as well as 64 numbers can. Importance is ln(1 + (N - df + 0.5) / (df + 0.5)) over messages, at most 6.
Every data set counts the same. The same data give the same file.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

import numpy as np

from retentive.models.embed_local import LocalEmbedder

DIMENSIONS = 64
MOST_IMPORTANT = 6.0
MESSAGES_FITTED = 400
MESSAGES_COUNTED = 2000
OUT = Path(__file__).parent.parent / "src/retentive/models/data/minilm_token_states.npz"


def read_texts(path: Path) -> list[str]:
    """Every message as it is indexed."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        conversations = [json.loads(line) for line in lines]
    return [f"{m['speaker']}: {m['text']}" for c in conversations for m in c["messages"]]


def piece_frequencies(embedder: LocalEmbedder, texts: list[str], size: int) -> np.ndarray:
    """The share of texts that hold each piece."""
    counts = np.zeros(size)
    for text in texts:
        counts[np.unique(embedder.pieces(text))] += 1
    return counts / len(texts)


def scatter(embedder: LocalEmbedder, texts: list[str]) -> np.ndarray:
    """The mean outer product of the texts' hidden states at length 1, (dimension, dimension)."""
    total, count = np.zeros((embedder.dimension, embedder.dimension)), 0
    for text in texts:
        states = embedder.hidden_states(text)[1:-1]
        states = states / np.linalg.norm(states, axis=1, keepdims=True)
        total += states.T @ states
        count += len(states)
    return total / count


def main() -> None:
    """Read, fit, write."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("data", nargs="+", type=Path)
    ask.add_argument("--out", type=Path, default=OUT)
    given = ask.parse_args()
    embedder, random = LocalEmbedder(), np.random.default_rng(0)
    sets = [read_texts(path) for path in given.data]
    size = embedder.vocabulary_size()
    frequency = np.mean([piece_frequencies(embedder, texts, size) for texts in sets], axis=0)
    number, found = MESSAGES_COUNTED * len(sets), frequency * MESSAGES_COUNTED * len(sets)
    importance = np.minimum(np.log1p((number - found + 0.5) / (found + 0.5)), MOST_IMPORTANT)
    fitted = [random.choice(texts, min(MESSAGES_FITTED, len(texts)), replace=False).tolist() for texts in sets]
    values, vectors = np.linalg.eigh(np.mean([scatter(embedder, texts) for texts in fitted], axis=0))
    projection = vectors[:, np.argsort(-values)[:DIMENSIONS]]
    projection = projection * np.sign(projection[np.abs(projection).argmax(axis=0), range(DIMENSIONS)])
    np.savez_compressed(given.out, projection=projection.astype(np.float16), importance=importance.astype(np.float16))
    print(f"{given.out}: {values[np.argsort(-values)[:DIMENSIONS]].sum():.0%} of the states' length kept")


if __name__ == "__main__":
    main()
