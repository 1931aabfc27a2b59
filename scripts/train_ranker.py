"""Learn how the weights of recall's arms follow the query: the file `retentive/arms/ranker.json`.

    python scripts/train_ranker.py DATA.jsonl.gz... [--measure DATA.jsonl.gz...] [--cache FOLDER] [--out FILE]

DATA are conversations in the labelled format of the retrieval benchmark whose licence allows training; the file in the
package was learned from lifebench_en and realmem (Apache-2.0), madial_en (MIT) and beam_100k (CC BY-SA 4.0). Sets given
by --measure are only measured. First each set is left out in turn and measured, then all are used.

Model: weight = preset weight x trust x exp(always + effects . standardised traits), see `retentive.arms.ranking`. Loss:
the cross-entropy of a softmax over a query's 100 candidates against its gold messages (ListNet, Cao et al. 2007), each
data set counting the same, plus squared penalties that hold `always` and the effects near 0. Adam (Kingma and Ba 2015)
in numpy; the same data give the same file.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from retentive.analyze import index_terms
from retentive.arms import first_arms, read_question, token_arms
from retentive.arms.ranking import ARMS, PRESETS, Learned, Traits
from retentive.clock import now_us, parse_timestamp
from retentive.corpus import Corpus, IndexRow, pack_tokens, pack_vector
from retentive.counts import pack_terms
from retentive.models.embed_local import LocalEmbedder
from retentive.rank import top

CANDIDATES = 100
TRAITS = ("best_cosine", "best_tokens", "content_words", "names")
PENALTY_ALWAYS, PENALTY_EFFECTS = 1.0, 0.2
STEPS, RATE, FIRST_SHARPNESS = 400, 0.02, 25.0
OUT = Path(__file__).parent.parent / "src/retentive/arms/ranker.json"
#: The preset the learning starts from; what is learned is how to depart from it.
START = replace(PRESETS["context"], learned=False)
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """One query: its candidates' scores (m, arms) times the preset's shares, which are gold (m,), and its traits."""

    scores: Array
    gold: Array
    gold_count: int
    traits: Traits


# -- from conversations to examples ----------------------------------------------------------------------------------
def read_set(path: Path, embedder: LocalEmbedder, cache: Path | None) -> list[Example]:
    """Every query of a data set that has gold messages, as recall would see it."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        conversations = [json.loads(line) for line in lines]
    memo = _Embedded(embedder, None if cache is None else cache / f"{path.name}.npz")
    examples = [example for conversation in conversations for example in _examples(conversation, memo)]
    memo.save()
    print(f"{path.name}: {len(examples)} queries", flush=True)
    return examples


class _Embedded:
    """Vectors and token states by text, kept in a file between runs."""

    def __init__(self, embedder: LocalEmbedder, path: Path | None) -> None:
        self._embedder, self._path = embedder, path
        self._known: dict[str, tuple[Any, Any]] = {}  # by the SHA-256 of purpose and text
        if path is not None and path.exists():
            with np.load(path, allow_pickle=False) as kept:
                places = np.cumsum(kept["sizes"])[:-1]
                rows = zip(kept["digests"].tolist(), kept["vectors"], np.split(kept["tokens"], places), strict=True)
                self._known = {digest: (vector, tokens.astype(np.float32)) for digest, vector, tokens in rows}

    def get(self, texts: Sequence[str], purpose: Literal["document", "query"]) -> list[tuple[Any, Any]]:
        digests = [hashlib.sha256(f"{purpose} {text}".encode()).hexdigest() for text in texts]
        new = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in self._known}
        if new:
            vectors, tokens = self._embedder.embed_tokens(list(new.values()), purpose=purpose)
            self._known |= {digest: (vectors[i], tokens[i]) for i, digest in enumerate(new)}
        return [self._known[digest] for digest in digests]

    def save(self) -> None:
        if self._path is not None:
            vectors, tokens = zip(*self._known.values(), strict=True)
            np.savez(
                self._path,
                digests=np.array(list(self._known)),
                vectors=np.array(vectors),
                tokens=np.concatenate(tokens).astype(np.float16),
                sizes=np.array([len(states) for states in tokens]),
            )


def _examples(conversation: Mapping[str, Any], memo: _Embedded) -> Iterator[Example]:
    sessions: dict[str, list[int]] = {}
    messages = conversation["messages"]
    for place, message in enumerate(messages):
        sessions.setdefault(str(message["session"]), []).append(place)
    order = np.array([place for places in sessions.values() for place in places])
    texts = [f"{messages[i]['speaker']}: {messages[i]['text']}" for i in order]
    embedded = memo.get(texts, "document")
    corpus = Corpus(len(embedded[0][0]))
    corpus.put([_row(n, messages[i], texts[n], embedded[n][0]) for n, i in enumerate(order)])
    packed = [pack_tokens(tokens) for _, tokens in embedded]
    ids = [messages[i]["id"] for i in order]
    asked = [q for q in conversation["queries"] if q["gold_ids"] and q.get("category") != "adversarial"]
    for query, found in zip(asked, memo.get([q["text"] for q in asked], "query"), strict=True):
        yield _example(corpus, packed, ids, order < query.get("visible", len(order)), query, embedded=found)


def _row(place: int, message: Mapping[str, Any], text: str, vector: Any) -> IndexRow:
    said = message.get("ts") or "2024-01-01T00:00:00"
    moment_us = parse_timestamp(said if said.endswith("Z") or "+" in said[10:] else said + "Z")[0]
    own = int(message["speaker"] != "assistant")
    return IndexRow(
        place, 0, moment_us, moment_us, None, None, None, 1, 0, str(message["session"]), None, None, own,
        pack_terms(index_terms(text)), pack_vector(vector),
    )  # fmt: skip


def _example(
    corpus: Corpus, packed: Sequence[bytes], ids: Sequence[str], mask: Any, query: Mapping[str, Any], *, embedded: Any
) -> Example:
    vector, tokens = embedded
    question = read_question(query["text"], now_us(), vector if vector.any() else None, tokens)
    first = first_arms(corpus, question, mask)
    shares = START.shares(first.scores, first.coverage)
    rough = np.sum([share * first.scores[name] for name, share in shares.items()], axis=0)
    places = top(np.where(mask, rough, -1.0), min(CANDIDATES, int(mask.sum())))
    scores = {name: values[places] for name, values in first.scores.items()}
    if len(tokens):
        scores["tokens"], scores["tokens_window"] = token_arms(corpus, tokens, places, [packed[i] for i in places])
    shares = START.shares(scores, first.coverage)
    columns = [shares.get(name, 0.0) * scores.get(name, np.zeros(len(places))) for name in ARMS]
    gold = np.isin([ids[i] for i in places], query["gold_ids"]).astype(float)
    traits = first.traits(question, scores)
    return Example(np.stack(columns, axis=1).astype(float), gold, len(query["gold_ids"]), traits)


# -- learning --------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Batch:
    """Examples as arrays: scores (q, c, arms), share of the gold (q, c), weights (q,), standard traits (q, traits)."""

    scores: Array
    wanted: Array
    here: NDArray[np.bool_]
    weights: Array
    traits: Array


def spreads(sets: Sequence[Sequence[Example]]) -> dict[str, tuple[float, float]]:
    """Mean and spread of each trait where it is known, each set counting the same."""
    found = {}
    for trait in TRAITS:
        by_set = [[v for e in examples if (v := getattr(e.traits, trait)) is not None] for examples in sets]
        means = [float(np.mean(values)) for values in by_set if values]
        mean = float(np.mean(means))
        squares = [float(np.mean((np.array(values) - mean) ** 2)) for values in by_set if values]
        found[trait] = (round(mean, 3), round(float(np.sqrt(np.mean(squares))), 3))
    return found


def to_batch(sets: Sequence[Sequence[Example]], scale: Mapping[str, tuple[float, float]]) -> Batch:
    """Pad to the same number of candidates; queries without a gold candidate teach nothing and are left out."""
    kept = [(example, 1 / len(examples) / len(sets)) for examples in sets for example in examples if example.gold.any()]
    scores = np.zeros((len(kept), CANDIDATES, len(ARMS)))
    wanted, here = np.zeros(scores.shape[:2]), np.zeros(scores.shape[:2], bool)
    traits = np.zeros((len(kept), len(TRAITS)))
    for i, (example, _) in enumerate(kept):
        size = len(example.gold)
        scores[i, :size], wanted[i, :size], here[i, :size] = example.scores, example.gold / example.gold.sum(), True
        for j, (trait, (mean, spread)) in enumerate(scale.items()):
            value = getattr(example.traits, trait)
            traits[i, j] = 0.0 if value is None else np.clip((value - mean) / spread, -2, 2)
    return Batch(scores, wanted, here, np.array([weight for _, weight in kept]), traits)


def fit(sets: Sequence[Sequence[Example]]) -> Learned:
    """Learn from these sets."""
    scale = spreads(sets)
    batch = to_batch(sets, scale)
    arms, traits = len(ARMS), len(TRAITS)
    found = np.zeros(arms * (1 + traits) + 1)
    found[-1] = np.log(FIRST_SHARPNESS)
    mean, square = np.zeros_like(found), np.zeros_like(found)
    for step in range(1, STEPS + 1):
        slope = _slope(batch, found)
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        rate = RATE if step < 0.6 * STEPS else 0.3 * RATE
        found -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-9)
    always, effects = found[:arms], found[arms:-1].reshape(traits, arms)
    table = {
        trait: (*scale[trait], dict(zip(ARMS, np.round(row, 3).tolist(), strict=True)))
        for trait, row in zip(TRAITS, effects, strict=True)
    }
    return Learned(dict(zip(ARMS, np.round(always, 3).tolist(), strict=True)), table)


def _slope(batch: Batch, found: Array) -> Array:
    """The gradient of the loss and its penalties at `found`: always, effects, the log of the softmax's sharpness."""
    arms = len(ARMS)
    always, effects, sharpness = found[:arms], found[arms:-1].reshape(-1, arms), np.exp(found[-1])
    weights = np.exp(always + batch.traits @ effects)
    sums = np.einsum("qca,qa->qc", batch.scores, weights)
    logits = np.where(batch.here, sharpness * sums, -1e9)
    chance = np.exp(logits - logits.max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)
    error = (chance - batch.wanted) * batch.weights[:, None]
    by_query = sharpness * np.einsum("qc,qca->qa", error, batch.scores) * weights
    return np.concatenate(
        [
            by_query.sum(axis=0) + PENALTY_ALWAYS * always,
            (batch.traits.T @ by_query + PENALTY_EFFECTS * effects).ravel(),
            [sharpness * float((error * np.where(batch.here, sums, 0.0)).sum())],
        ]
    )


# -- measuring -------------------------------------------------------------------------------------------------------
def measure(examples: Sequence[Example], learned: Learned | None) -> str:
    """Recall at 5, 10 and 20, before decay and MMR."""
    found = []
    for example in examples:
        changes = learned.changes(example.traits) if learned else dict.fromkeys(ARMS, 1.0)
        order = np.argsort(-(example.scores @ [changes[name] for name in ARMS]), kind="stable")
        found.append([example.gold[order[:k]].sum() / example.gold_count for k in (5, 10, 20)])
    return " / ".join(f"{100 * value:.1f}" for value in np.mean(found, axis=0))


def main() -> None:
    """Read, learn with each set left out, learn from all, write."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("data", nargs="+", type=Path)
    ask.add_argument("--measure", nargs="*", type=Path, default=[])
    ask.add_argument("--cache", type=Path, help="keep vectors and token states here")
    ask.add_argument("--out", type=Path, default=OUT)
    given = ask.parse_args()
    embedder = LocalEmbedder()
    sets = {path: read_set(path, embedder, given.cache) for path in given.data}
    for path, examples in sets.items():
        rest = [other for name, other in sets.items() if name != path]
        print(f"{path.name}: preset {measure(examples, None)}, left out {measure(examples, fit(rest))}", flush=True)
    learned = fit(list(sets.values()))
    table = {
        "trained_on": [path.name.split(".")[0] for path in sets],
        "always": learned.always,
        "traits": {n: {"mean": m, "spread": s, "effects": e} for n, (m, s, e) in learned.traits.items()},
    }
    given.out.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    for path in (*given.data, *given.measure):
        examples = sets.get(path) or read_set(path, embedder, given.cache)
        print(f"{path.name}: preset {measure(examples, None)}, learned {measure(examples, learned)}", flush=True)


if __name__ == "__main__":
    main()
