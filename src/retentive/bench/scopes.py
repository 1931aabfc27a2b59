"""How does one user's recall grow with their memories, beside the least that any engine has to do?

Scopes of several sizes are built as recording and embedding leave them, in larger groups. Words are as uneven as those
of a language (Zipf 1935), vectors lie in clusters, and a question is about one memory: some of its words, and a vector
near its own. The floor is measured in the same run, query by query: the product of all vectors with the query's, and a
full-text query of SQLite (FTS5) for the same words over the same texts. Where the scope is large enough to be narrowed,
the first ten are held against those of a search of the whole.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import apsw
import numpy as np

from retentive.analyze import index_terms
from retentive.arms import LARGE, read_question
from retentive.bench.engine import Latency, latency
from retentive.blas import one_thread
from retentive.clock import new_id, now_us
from retentive.config import Settings
from retentive.contracts import Embedder, Vectors
from retentive.memory import Memory
from retentive.plugins import make_backend
from retentive.recall import RecallQuery, search, visible
from retentive.scoped import ScopedMemory
from retentive.types import AddEpisode, Episode, Scope, indexed_text

_DIMENSION, _K = 384, 10
_SESSION, _SUBJECT = 20, 60
_VOCABULARY, _MESSAGE_WORDS, _QUERY_WORDS = 30_000, (6, 11), 4
#: How far a message is from its subject, and a question from the message it is about.
_APART, _ASKED_APART = 1.0, 0.75
_SCOPE = Scope(user_id="alice")
#: Messages written in one commit.
_BATCH = 1000
#: Questions asked before the clock counts, and questions that are also put to a search of the whole.
_WARM_UP, _COMPARED = 10, 50
_SYLLABLES = (
    "ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu ra re ri ro".split()
)


@dataclass(frozen=True, slots=True)
class Plan:
    """Scopes of these many memories, so many questions in each."""

    sizes: tuple[int, ...] = (1_000, 10_000, 100_000)
    queries: int = 200
    seed: int = 7


@dataclass(frozen=True, slots=True)
class Scoped:
    """One scope. `floor` is the product and the full-text query together; `times` is our median by the floor's.

    `found`: of questions, that find the memory they are about. `same`: of the ten best of a search of the whole, those
    that recall has too; None where it searches the whole anyway.
    """

    memories: int
    recall: Latency
    product: Latency
    full_text: Latency
    floor: Latency
    times: float
    found: float
    same: float | None


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a plan."""

    plan: Plan
    scopes: tuple[Scoped, ...]

    def lines(self) -> Iterator[str]:
        """The result for people."""
        yield f"recall (k = {_K}, decay, MMR) of one user, the query's vector given; {self.plan.queries} questions, ms"
        columns = f"{'p50':>8}{'p99':>8}{'product':>9}{'FTS5':>8}{'floor':>8}{'times':>7}{'found':>7}{'same':>7}"
        yield f"{'memories':>10}{columns}"
        for one in self.scopes:
            line = f"{one.memories:>10,}{one.recall.p50_ms:8.2f}{one.recall.p99_ms:8.2f}{one.product.p50_ms:9.2f}"
            line += f"{one.full_text.p50_ms:8.2f}{one.floor.p50_ms:8.2f}{one.times:7.1f}{100 * one.found:6.0f}%"
            yield line + ("" if one.same is None else f"{100 * one.same:6.1f}%")


class _Texts(Embedder):
    """Texts and their vectors: sentences of uneven words, each with a vector near its subject's."""

    name, dimension = "clustered-384", _DIMENSION

    def __init__(self, count: int, queries: int, seed: int) -> None:
        draw, numbers = random.Random(seed), np.random.default_rng(seed)  # noqa: S311  words of a test text
        words = list({"".join(draw.choices(_SYLLABLES, k=draw.randint(2, 4))): None for _ in range(_VOCABULARY)})
        reach = np.cumsum(1 / np.arange(20, len(words) + 20)).tolist()
        said = [draw.choices(words, cum_weights=reach, k=draw.randint(*_MESSAGE_WORDS)) for _ in range(count)]
        self.texts = [f"{number} {' '.join(one)}" for number, one in enumerate(said)]
        subjects = numbers.standard_normal((max(1, count // _SUBJECT), _DIMENSION), np.float32)
        self.vectors = subjects[numbers.integers(0, len(subjects), count)]
        self.vectors += _APART * numbers.standard_normal((count, _DIMENSION), np.float32)
        self.vectors /= np.linalg.norm(self.vectors, axis=1, keepdims=True)
        #: The memory that each question is about, and each question with its vector.
        self.about = draw.choices(range(count), k=queries)
        noise = numbers.standard_normal((queries, _DIMENSION), np.float32)
        asked = self.vectors[self.about] + _ASKED_APART * noise / np.linalg.norm(noise, axis=1, keepdims=True)
        asked /= np.linalg.norm(asked, axis=1, keepdims=True)
        words_of = [" ".join([*draw.sample(said[place], _QUERY_WORDS), f"q{n}"]) for n, place in enumerate(self.about)]
        self.queries = dict(zip(words_of, asked, strict=True))

    def embed(
        self,
        texts: Sequence[str],
        *,
        purpose: Literal["document", "query"] = "document",
        timeout_s: float | None = None,  # noqa: ARG002  it is at once
    ) -> Vectors:
        """Return (n, 384) float32 of length 1."""
        if purpose == "query":
            return np.stack([self.queries[text] for text in texts])
        numbers = [int(text.removeprefix("user: ").split(" ", 1)[0]) for text in texts]
        known: Vectors = self.vectors[numbers]
        return known


def measure(plan: Plan, advance: Callable[[int], None] = lambda _: None) -> Result:
    """Build each scope, ask, and compare. `advance` is told how many memories were written."""
    return Result(plan, tuple(_scope(size, plan, advance) for size in plan.sizes))


def _scope(size: int, plan: Plan, advance: Callable[[int], None]) -> Scoped:
    texts = _Texts(size, plan.queries, plan.seed)
    settings = Settings(extractor="none")
    with tempfile.TemporaryDirectory(prefix="retentive-bench-") as place:
        path = Path(place) / "memory.db"
        with Memory.open(path, embedder=texts, settings=settings, background=False) as memory:
            _write(path, settings, texts, advance)
            scoped = _asked(memory.scope(_SCOPE.user_id), texts, _full_text(Path(place) / "bare.db", texts.texts))
        return scoped if size < LARGE else replace(scoped, same=_same(path, settings, texts))


def _write(path: Path, settings: Settings, texts: _Texts, advance: Callable[[int], None]) -> None:
    """Messages, their terms and their vectors: a million would take an hour session by session."""
    backend = make_backend(str(path), settings)
    with closing(backend.store):
        for start in range(0, len(texts.texts), _BATCH):
            said = enumerate(texts.texts[start : start + _BATCH], start)
            now = now_us()
            episodes = [Episode(new_id(), text, now + n, now, session_id=f"s{n // _SESSION}") for n, text in said]
            terms = {one.id: index_terms(indexed_text(one)) for one in episodes}
            with backend.store.transaction(_SCOPE.partition) as transaction:
                rows = transaction.apply([AddEpisode(one) for one in episodes], terms)
            vectors = texts.vectors[start : start + _BATCH]
            backend.index.put_vectors(_SCOPE.partition, texts.name, dict(zip(rows, vectors, strict=True)))
            advance(len(rows))


def _full_text(path: Path, texts: Sequence[str]) -> apsw.Connection:
    """The same texts in SQLite's own full-text index."""
    table = apsw.Connection(str(path))
    table.execute("CREATE VIRTUAL TABLE message USING fts5(text, tokenize = 'porter unicode61')")
    with table:
        table.executemany("INSERT INTO message VALUES (?)", [(text,) for text in texts])
    return table


def _asked(mine: ScopedMemory, texts: _Texts, table: apsw.Connection) -> Scoped:
    """Each question by recall and by the floor, in turn."""
    match = "SELECT rowid FROM message WHERE message MATCH ? ORDER BY rank LIMIT ?"
    took, found = [], 0
    for (query, vector), place in zip(texts.queries.items(), texts.about, strict=True):
        begun = time.perf_counter()
        hits = mine.recall(query, k=_K).hits
        recalled = time.perf_counter()
        with one_thread():
            texts.vectors @ vector
        multiplied = time.perf_counter()
        table.execute(match, (" OR ".join(query.split()), _K)).fetchall()
        took.append((recalled - begun, multiplied - recalled, time.perf_counter() - multiplied))
        found += texts.texts[place] in {hit.text for hit in hits}
    table.close()
    ours, product, full_text = np.array(took[_WARM_UP:]).T
    floor = latency(product + full_text)
    return Scoped(
        memories=len(texts.texts),
        recall=(recall := latency(ours)),
        product=latency(product),
        full_text=latency(full_text),
        floor=floor,
        times=recall.p50_ms / floor.p50_ms,
        found=found / len(texts.queries),
        same=None,
    )


def _same(path: Path, settings: Settings, texts: _Texts) -> float:
    """Of the ten best of a search of the whole, the share that a narrowed search has too."""
    shares = []
    backend = make_backend(str(path), settings)
    with closing(backend.store):
        for text, vector in list(texts.queries.items())[:_COMPARED]:
            now = now_us()
            query, question = RecallQuery(text, now, k=_K), read_question(text, now, vector)
            with backend.index.snapshot(_SCOPE.partition) as corpus:
                mask = visible(corpus, _SCOPE, query, None)
                found = [search(corpus, mask, question, query, whole_below=least) for least in (len(mask) + 1, LARGE)]
            whole, narrow = ({hit.row for hit in one.chosen[:_K]} for one in found)
            shares.append(len(whole & narrow) / len(whole))
    return float(np.mean(shares))
