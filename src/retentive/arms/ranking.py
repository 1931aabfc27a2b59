"""How arms are blended: weights, how they follow the query, and what training changed.

    weight of an arm = its weight in the preset
                       x trust in words            (arms that go by words; by how much of the query one memory holds)
                       x exp(always + sum over traits of effect * standardised trait)         (`ranker.json`, learned)

Weights are never negative and are brought to a sum of 1 over the arms that have something to say of the query, so a
score lies between 0 and 1 and is the sum of its parts.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from operator import attrgetter

ARMS = ("text", "text_window", "vector", "vector_window", "session", "names", "when", "own", "tokens", "tokens_window")
#: Arms that go by the words of the query, and weigh less the less of the query any memory holds.
BY_WORDS = frozenset({"text", "text_window", "session", "tokens_window"})
#: The ten of a ranking, in that order.
_weights = attrgetter(*ARMS)
#: How far a trait is followed, in its spreads: beyond it nothing was learned.
_FARTHEST = 2.0


@dataclass(frozen=True, slots=True)
class Traits:
    """What is known of a query once its candidates are scored; None where an arm had nothing to say.

    `coverage`: largest share of what the query's words say that one memory holds. `best_cosine`, `best_tokens`: of all
    candidates. `content_words`: ln(1 + their number). `names`: 1 if a name in the query is known, else 0.
    `foreign`: the second of two models reads it (`contracts.Embedder.split`).
    """

    coverage: float = 1.0
    best_cosine: float | None = None
    best_tokens: float | None = None
    content_words: float | None = None
    names: float | None = None
    foreign: bool = False


@dataclass(frozen=True, slots=True)
class Ranking:
    """How arms (see `retentive.arms`) are blended and thinned.

    The first ten are weights; the arms that have something to say of a query share by them. `trusted_coverage`: arms
    that go by words have their full weight when one memory holds that share of what the query's words say, and
    proportionally less below; 0 always gives it, as does a query without a vector. `learned`: follow `ranker.json`.
    `half_life_s`, `decay_floor`: a memory keeps `floor + (1 - floor) * 0.5 ** (age / half_life)` of its score.
    `mmr`: what the likeness to a better hit takes away, of the best score. `spread`: after the tenth hit an answer goes
    on to new sessions, up to ten in all, by their best memory and so much of their best stretch; 0 goes by score alone.
    `min_cosine`: below it a memory that shares no word with the query is not an answer to it. `k`: how many hits an
    answer has when the call does not say.
    """

    text: float
    vector: float
    text_window: float = 0.0
    vector_window: float = 0.0
    session: float = 0.0
    names: float = 0.0
    when: float = 0.0
    own: float = 0.0
    tokens: float = 0.0
    tokens_window: float = 0.0
    trusted_coverage: float = 0.0
    learned: bool = False
    half_life_s: float = 90 * 86_400.0
    decay_floor: float = 0.97
    mmr: float = 0.3
    spread: float = 0.0
    min_cosine: float = 0.15
    k: int = 5

    def shares(self, said: Collection[str] = ARMS, coverage: float = 1.0, *, foreign: bool = False) -> dict[str, float]:
        """Share of each arm that said something of the query, summing to 1, before anything learned.

        foreign: the second of two models reads the query. It gives no token states, so the vector has their weight; and
        it is weaker, so the vector has half of it where words are trusted: where one memory holds all of them.

        >>> Ranking(text=0.3, vector=0.7).shares(["text", "vector", "names"])
        {'text': 0.3, 'vector': 0.7}
        """
        least = 1.0 if foreign else self.trusted_coverage
        trust = min(1.0, coverage / least) if self.trusted_coverage and "vector" in said else 1.0
        weights = {
            name: weight * trust if name in BY_WORDS else weight
            for name, weight in zip(ARMS, _weights(self), strict=True)
            if name in said
        }
        if foreign and "vector" in weights:
            weights["vector"] = (self.vector + self.tokens) * (1 - trust / 2)
        total = sum(weights.values())
        return {name: weight / total for name, weight in weights.items() if weight > 0}

    def shares_for(self, said: Collection[str], traits: Traits) -> dict[str, float]:
        """The same with what was learned, if this ranking follows it."""
        shares = self.shares(said, traits.coverage, foreign=traits.foreign)
        if not self.learned:
            return shares
        changes = learned().changes(traits, shares)
        weights = {name: share * changes[name] for name, share in shares.items()}
        total = sum(weights.values())
        return {name: weight / total for name, weight in weights.items()}


#: `context` is the measured default; `classic` the well-known 0.7 vector / 0.3 text with full decay.
PRESETS: Mapping[str, Ranking] = {
    "context": Ranking(
        text=0.2,
        text_window=0.2,
        vector=0.55,
        vector_window=0.15,
        session=0.1,
        names=0.3,
        when=0.35,
        own=0.4,
        tokens=0.8,
        tokens_window=0.15,
        trusted_coverage=0.7,
        learned=True,
        spread=0.2,
    ),
    "classic": Ranking(text=0.3, vector=0.7, half_life_s=30 * 86_400.0, decay_floor=0.0),
}


@dataclass(frozen=True, slots=True)
class Learned:
    """What training changed: `always` by arm; by trait its mean, its spread and its effects by arm."""

    always: Mapping[str, float]
    traits: Mapping[str, tuple[float, float, Mapping[str, float]]]

    def changes(self, traits: Traits, arms: Iterable[str] = ARMS) -> dict[str, float]:
        """What the weight of each of the arms is multiplied by; a trait that is not known changes nothing."""
        known = [
            (max(-_FARTHEST, min(_FARTHEST, (value - mean) / spread)), effects)
            for name, (mean, spread, effects) in self.traits.items()
            if (value := getattr(traits, name)) is not None
        ]
        powers = dict.fromkeys(arms, 0.0)
        for arm in powers:
            power = self.always[arm]
            for standard, effects in known:
                power += effects[arm] * standard
            powers[arm] = math.exp(power)
        return powers


@lru_cache(maxsize=1)
def learned() -> Learned:
    """Read `ranker.json`, once."""
    text = resources.files("retentive.arms").joinpath("ranker.json").read_text(encoding="utf-8")
    table = json.loads(text)
    traits = {name: (t["mean"], t["spread"], t["effects"]) for name, t in table["traits"].items()}
    return Learned(table["always"], traits)
