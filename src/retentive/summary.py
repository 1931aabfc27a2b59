"""What a session was about, in a line, by rules: the sentences of its user that carry the most of its words.

A language model writes better ones; this needs none and invents nothing, for it only quotes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from retentive.analyze import query_terms
from retentive.policy import without_own_block
from retentive.types import Episode

_SENTENCE = re.compile(r"[^.!?。！？\n]{3,400}[.!?。！？]?")
_CHARS = 240
_SENTENCES = 2
_READ = 400
#: What a tool or a page said may command; a prompt is nobody's words. Neither stands for a session.
_NOT_QUOTED = frozenset({"untrusted", "system"})


def opening(text: str) -> str:
    """A provisional summary while the session runs: its first words.

    >>> opening("I need my invoices. As CSV, please.")
    'I need my invoices.'
    """
    own = without_own_block(text)
    found = _SENTENCE.search(own)
    return _short((found[0] if found else own).strip())


def summarise(episodes: Sequence[Episode]) -> str | None:
    """Two sentences of the session that stand for it, in the order they were said; None when nobody said anything."""
    return joined([sentence for _, sentence in telling(episodes)])


def joined(sentences: Sequence[str]) -> str | None:
    """Sentences as a summary; None of none."""
    return _short(" … ".join(dict.fromkeys(sentences))) if sentences else None


def telling(
    episodes: Sequence[Episode], wanted: Callable[[Episode, str], bool] = lambda _, __: True
) -> list[tuple[Episode, str]]:
    """The sentences that stand for a session, of those `wanted`, each with its episode, in the order they were said."""
    said = [e for e in episodes if e.role == "user"] or [e for e in episodes if e.trust not in _NOT_QUOTED]
    sentences = [(e, found) for e in said[:_READ] for found in sentences_of(e) if wanted(e, found)][:_READ]
    words = [frozenset(w.text for w in query_terms(sentence) if w.weight >= 0.5) for _, sentence in sentences]
    spread = Counter(word for group in words for word in group)
    weight = [sum(spread[word] for word in group) / (6 + len(group)) for group in words]
    best = sorted(sorted(range(len(sentences)), key=lambda i: (-weight[i], i))[:_SENTENCES])
    return [sentences[i] for i in best]


def sentences_of(episode: Episode) -> list[str]:
    """The sentences of a message's own words, as they stand there."""
    return [found.strip() for found in _SENTENCE.findall(without_own_block(episode.text[:4000]))]


def _short(text: str) -> str:
    return text if len(text) <= _CHARS else text[: _CHARS - 1].rstrip() + "…"
