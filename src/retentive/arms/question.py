"""A query, read once: its words, its vector and token states, the names and the times it speaks of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from retentive.analyze import QueryTerm, query_terms
from retentive.arms.names import names_in
from retentive.arms.own import asks_of_both
from retentive.corpus import Floats
from retentive.frozen import maker
from retentive.times import Span, spans

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Question:
    """What is looked for.

    `vector` (d,) is None where the embedder had nothing to say. `tokens` (t, d) is None for an embedder without token
    states, and has no rows where the query is made of words the model never saw. `of_both`: an assistant's words are
    asked for as well. `split`: of two models' vectors, see `contracts.Embedder`.
    """

    words: Sequence[QueryTerm]
    vector: Floats | None = None
    tokens: Floats | None = None
    names: Sequence[QueryTerm] = ()
    spans: Sequence[Span] = ()
    of_both: bool = False
    split: int = 0

    @property
    def made_up(self) -> bool:
        """Whether the model that made the vector knows none of the query's words: what is near is so by chance."""
        return self.vector is not None and self.tokens is not None and not len(self.tokens) and not self.foreign

    @property
    def foreign(self) -> bool:
        """Whether the first of two models has nothing to say of the query."""
        return bool(self.split) and self.vector is not None and not self.vector[: self.split].any()


_make_question = maker(Question)


def read_question(
    text: str, now_us: int, vector: Floats | None = None, tokens: Floats | None = None, split: int = 0
) -> Question:
    """Read a query; `now_us` is what its 'yesterday' is counted from, the rest as a `Question` has it.

    >>> question = read_question("What did Maria say on 7 May?", now_us=0)
    >>> [name.text for name in question.names], question.spans[0].first.month
    (['maria'], 5)
    """
    now = _EPOCH + timedelta(microseconds=now_us)
    days, of_both = tuple(spans(text, now)), asks_of_both(text)
    return _make_question(query_terms(text), vector, tokens, names_in(text), days, of_both, split)
