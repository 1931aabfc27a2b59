"""Questions made out of a user's own memories, for them to approve: by rules, or by a model.

A rule asks for what a statement is about without its value ("what is my home?" of "I live in Lisbon"), else for the
memory's rarest words. Such questions share words with what they ask for, more than people's do: they favour the arms
that go by words, so approving means reading, and rewriting what nobody would ask.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from retentive.analyze import query_terms
from retentive.prompts import load_prompt
from retentive.results import Item
from retentive.statement import parse_statements
from retentive.tune.gather import Asked

#: A memory with fewer words of content is not asked for; so many of its rarest make a question.
_LEAST_WORDS, _WORDS = 4, 3
_CONTENT_WEIGHT = 1.0
_MAX_CHARS = 600


@dataclass(frozen=True, slots=True)
class Made:
    """A question, the memory it was made of, and the id that answers it: of its message where there is one."""

    query: str
    text: str
    id: str

    def asked(self) -> Asked:
        """The question as a label."""
        return Asked(self.query, frozenset([self.id]))


def questions(
    memories: Sequence[Item], count: int, *, seed: int = 7, ask: Callable[[str], str] | None = None
) -> list[Made]:
    """At most `count` questions, of memories drawn by seed: what the user said, and facts.

    `ask` makes a question of a memory's text (a model); rules do when it is None. No two questions are the same.
    """
    eligible = [item for item in memories if _tells(item)]
    seen: Counter[str] = Counter(word for item in eligible for word in set(_content(item.text)))
    made: dict[str, Made] = {}
    drawn = random.Random(seed).sample(eligible, len(eligible))  # noqa: S311  a draw, not a secret
    for item in drawn:
        query = _by_rule(item.text, seen) if ask is None else " ".join(ask(item.text[:_MAX_CHARS]).split())
        if query:
            made.setdefault(query.casefold(), Made(query, item.text, (*item.episode_ids, item.id)[0]))
        if len(made) >= count:
            break
    return list(made.values())


def prompted(text: str) -> list[dict[str, str]]:
    """What a model is asked, to make a question of a memory."""
    return [{"role": "system", "content": load_prompt("question").text}, {"role": "user", "content": text}]


def _tells(item: Item) -> bool:
    said = item.tier == "semantic" or item.role == "user"
    return said and not item.text.rstrip().endswith(("?", "？")) and len(_content(item.text)) >= _LEAST_WORDS


def _content(text: str) -> list[str]:
    return [term.text for term in query_terms(text) if term.weight >= _CONTENT_WEIGHT]


def _by_rule(text: str, seen: Counter[str]) -> str:
    for statement in parse_statements(text) if text.isascii() else ():
        if ":" not in statement.attribute:
            whose = "my" if statement.subject == "user" else f"{statement.subject}'s"
            return f"what is {whose} {statement.attribute}?"
    words = list(dict.fromkeys(_content(text)))
    rarest = set(sorted(words, key=lambda word: seen[word])[:_WORDS])
    return " ".join(word for word in words if word in rarest)


def to_rows(made: Iterable[Made]) -> list[dict[str, object]]:
    """Questions as `read_asked` reads them, each with the text it was made of, for people to edit."""
    return [{"query": one.query, "ids": [one.id], "text": one.text} for one in made]
