"""The arms that look at every memory in view, together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from retentive.arms.names import names_arm
from retentive.arms.own import own_arm
from retentive.arms.question import Question
from retentive.arms.ranking import Traits
from retentive.arms.sessions import session_arm
from retentive.arms.vectors import vector_arms
from retentive.arms.when import nearness
from retentive.arms.words import Counted, WordArms, content, word_arms
from retentive.corpus import Corpus, Floats, Mask
from retentive.counts import View


@dataclass(frozen=True, slots=True)
class First:
    """The scores (n,) of the arms that have something to say in a view, and the words they go by, None without any.

    `shared` and `coverage` as in `words.WordArms`.
    """

    scores: Mapping[str, Floats]
    shared: Mask
    coverage: float
    view: View
    words: WordArms | None = None

    def traits(self, question: Question, scores: Mapping[str, Floats]) -> Traits:
        """What the query is like, `scores` being those of its candidates."""
        learned = "vector" in self.scores and not question.foreign  # of the second model's cosines nothing was
        return Traits(
            coverage=self.coverage,
            best_cosine=float(self.scores["vector"].max(initial=0.0)) if learned else None,
            best_tokens=float(scores["tokens"].max(initial=0.0)) if "tokens" in scores else None,
            content_words=math.log1p(len(content(question.words))),
            names=float("names" in self.scores),
            foreign=question.foreign,
        )


def first_arms(corpus: Corpus, question: Question, mask: Mask, counted: Counted | None = None) -> First:
    """Every memory's scores; those outside `mask` are neither counted nor lend anything to a neighbour.

    counted: of all memories in view, where these are a part of them.
    """
    scores: dict[str, Floats] = {}
    view = corpus.view(mask)
    words = word_arms(corpus, question.words, view, counted)
    if not question.of_both:
        scores["own"] = own_arm(corpus, 0.0 if words is None else words.coverage)
    nothing = np.zeros(corpus.size, np.float32)
    if words is not None:
        scores |= {"text": words.text, "text_window": words.text_window}
    if question.vector is not None and corpus.size:
        scores["vector"], scores["vector_window"] = vector_arms(
            corpus, question.vector, view, scores.get("text"), question.split, apart=_apart(question, words, counted)
        )
    scores["session"] = session_arm(scores.get("text", nothing), scores.get("vector", nothing), view)
    names = names_arm(corpus, question.names, mask)
    if names is not None:
        scores["names"] = names
    if question.spans:
        scores["when"] = nearness(question.spans, corpus.column("timestamp_us"))
    shared = np.zeros(corpus.size, bool) if words is None else words.shared
    return First(scores, shared, 0.0 if words is None else words.coverage, view, words)


def _apart(question: Question, words: WordArms | None, counted: Counted | None) -> float:
    """How far vectors are to tell memories apart: by how little words do, where the second model reads in letters.

    Not in n-grams, where it did not pay, and not in a part of a large view, which has the query in common.
    """
    if not question.foreign or counted is not None or (words is not None and words.grams):
        return 0.0
    return 1.0 if words is None else 1.0 - words.coverage
