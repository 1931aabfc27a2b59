"""Fit how the multilingual model's vectors are made small: the file `retentive/models/data/universal_reduction.npz`.

    python scripts/fit_universal.py DATA.jsonl.gz... [--out FILE]

DATA are conversations in the labelled format whose licence allows a derived table of numbers; the file in the package
was made from lifebench_en and realmem (Apache-2.0), madial_en (MIT) and beam_100k (CC BY-SA 4.0). What is kept of them:
the mean of messages and the mean of queries, times 0.7, and 512 x 256 directions: the first right singular vectors of
both. Every data set counts the same. The space is one for all languages, so English is enough to fit it on.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

import numpy as np

from retentive.models.embed_universal import DIMENSION, encoder

MEAN_SHARE = 0.7
MESSAGES_FITTED = 2000
LONGEST_CHARS = 1000
OUT = Path(__file__).parent.parent / "src/retentive/models/data/universal_reduction.npz"


def read_texts(path: Path) -> tuple[list[str], list[str]]:
    """Every message as it is indexed, and every query."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        conversations = [json.loads(line) for line in lines]
    messages = [f"{m['speaker']}: {m['text']}"[:LONGEST_CHARS] for c in conversations for m in c["messages"]]
    return messages, [q["text"][:LONGEST_CHARS] for c in conversations for q in c["queries"]]


def main() -> None:
    """Read, fit, write."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("data", nargs="+", type=Path)
    ask.add_argument("--out", type=Path, default=OUT)
    given = ask.parse_args()
    (_, model), random = encoder(), np.random.default_rng(0)
    scatter, documents, asked = np.zeros((0, 0)), [], []
    for path in given.data:
        messages, queries = read_texts(path)
        chosen = random.choice(messages, min(MESSAGES_FITTED, len(messages)), replace=False).tolist()
        found = [np.asarray(model.encode(texts), np.float64) for texts in (chosen, queries)]
        documents.append(found[0].mean(axis=0))
        asked.append(found[1].mean(axis=0))
        both = np.concatenate(found)
        scatter = both.T @ both / len(both) + (scatter if len(scatter) else 0.0)
    values, vectors = np.linalg.eigh(scatter)
    order = np.argsort(-values)[:DIMENSION]
    projection = vectors[:, order]
    projection = projection * np.sign(projection[np.abs(projection).argmax(axis=0), range(DIMENSION)])
    np.savez_compressed(
        given.out,
        document=(MEAN_SHARE * np.mean(documents, axis=0)).astype(np.float16),
        query=(MEAN_SHARE * np.mean(asked, axis=0)).astype(np.float16),
        projection=projection.astype(np.float16),
    )
    print(f"{given.out.name}: {values[order].sum() / values.sum():.0%} of the vectors' length kept")


if __name__ == "__main__":
    main()
