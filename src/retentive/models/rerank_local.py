"""Reranking by a cross-encoder on this machine's CPU: a folder with an ONNX model, named by the user."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from retentive.contracts import Reranker
from retentive.errors import ConfigError, RerankerUnavailable
from retentive.models.onnx import load_runtime, model_errors, open_session, read_file
from retentive.models.wordpiece import WordPiece

_LONGEST_PAIR = 256  # pieces of query and text together
_LONGEST_QUERY = 64
_BATCH = 8


class CrossEncoder(Reranker):
    """Reads query and text together with a model of BERT's kind that gives one number. Safe to share between threads.

    Args:
        folder: `model.onnx` and `vocab.txt` (WordPiece, lower-casing), such as an export of
            cross-encoder/ms-marco-MiniLM-L6-v2; loaded at once.
        threads: how many threads one call computes with; default two, or one on a machine with one core.

    Raises ConfigError when the folder does not hold a model that can be used.

    Source: Nogueira and Cho 2019, Passage Re-ranking with BERT.
    """

    def __init__(self, folder: Path, *, threads: int | None = None) -> None:
        self.name = folder.resolve().name
        weights = read_file(folder / "model.onnx", ConfigError)
        vocabulary = read_file(folder / "vocab.txt", ConfigError)
        runtime = load_runtime()
        try:
            self._tokenizer = WordPiece(vocabulary.decode().removesuffix("\n").split("\n"))
        except (KeyError, UnicodeDecodeError) as error:
            message = f"{folder / 'vocab.txt'} is not a WordPiece vocabulary: {error}"
            raise ConfigError(message) from error
        with model_errors(runtime):
            self._session = open_session(runtime, weights, threads or min(2, os.cpu_count() or 1))
            self._inputs = {tensor.name for tensor in self._session.get_inputs()}
            self._lock = threading.Lock()
            scores = self._logits("a", ["b"])
        if scores.shape != (1,):
            message = f"the first output of {self.name} is not one score for each text: is it a cross-encoder?"
            raise ConfigError(message)

    def rerank(self, query: str, texts: Sequence[str], *, timeout_s: float) -> Sequence[float]:
        """Return the logistic function of the model's score of each text. The time is looked at between batches."""
        until = time.monotonic() + timeout_s
        scores: list[float] = []
        for start in range(0, len(texts), _BATCH):
            if time.monotonic() > until:
                message = f"{self.name} did not read {len(texts)} texts within {timeout_s} s"
                raise RerankerUnavailable(message)
            scores += (1 / (1 + np.exp(-self._logits(query, texts[start : start + _BATCH])))).tolist()
        return scores

    def _logits(self, query: str, texts: Sequence[str]) -> NDArray[np.float64]:
        asked = self._tokenizer.encode(query, limit=_LONGEST_QUERY)
        told = [self._tokenizer.encode(text, limit=_LONGEST_PAIR - len(asked) + 1)[1:] for text in texts]
        ids = np.full((len(told), len(asked) + max(map(len, told))), self._tokenizer.pad, np.int64)
        mask, kinds = np.zeros_like(ids), np.zeros_like(ids)
        for row, pieces in enumerate(told):
            end = len(asked) + len(pieces)
            ids[row, :end], mask[row, :end], kinds[row, len(asked) : end] = asked + pieces, 1, 1
        feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": kinds}
        with self._lock:
            found = self._session.run(None, {name: feed for name, feed in feeds.items() if name in self._inputs})[0]
        logits = np.asarray(found, np.float64)
        return logits[:, 0] if logits.ndim == 2 and logits.shape[1] == 1 else logits
