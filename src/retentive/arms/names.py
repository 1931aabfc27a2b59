"""Names: of people, places and things a query names, how many a memory holds, and whether one is its speaker's."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from retentive.analyze import QueryTerm, query_terms, speaker_term
from retentive.corpus import Corpus, Floats, Mask
from retentive.times import MONTHS, WEEKDAYS

_MAX_NAMES = 12
_MAX_CHARS = 4000
_LONGEST_ACRONYM = 5
_TOKEN = re.compile(r"[^\W\d_][\w-]*|[.!?:\n]")
_NOT_NAMES = frozenset({"assistant", "user", "system", "tool", "ai", *MONTHS, *WEEKDAYS})
#: What a name counts for in a memory that is not its speaker's.
_SPOKEN_OF = 0.5
#: From this weight on an alternative of a name is the name itself, not a guess at its parts.
_SURE_WEIGHT = 0.5


def names_in(text: str) -> list[QueryTerm]:
    """The names in a text, as far as capitals show them: words in capitals that do not begin a sentence, and labels.

    >>> [name.text for name in names_in("Did Maria meet Jon in May? Yes, says Bart: ...")]
    ['maria', 'jon', 'bart']
    """
    found: dict[str, QueryTerm] = {}
    begins = True
    text = text[:_MAX_CHARS]
    if text[1:].islower() and ":" not in text:  # as most questions are typed
        return []
    for match in _TOKEN.finditer(text):
        word = match.group()
        is_label = text[match.end() : match.end() + 1] == ":"
        if _is_name(word) and (is_label or not begins):
            terms = query_terms(word, limit=1)
            found.setdefault(word, terms[0]) if terms else None
        begins = word in ".!?:\n"
    return list(found.values())[:_MAX_NAMES]


def _is_name(word: str) -> bool:
    if len(word) < 2 or not word[0].isupper() or word.casefold() in _NOT_NAMES:
        return False
    return not word.isupper() or len(word) <= _LONGEST_ACRONYM


def names_arm(corpus: Corpus, names: Sequence[QueryTerm], mask: Mask) -> Floats | None:
    """Share of the known names that each memory holds, (n,), half of it for one that is not its speaker's.

    None when no memory in view holds any. Of what somebody did they mostly tell themselves.
    """
    held, known = np.zeros(corpus.size, np.float32), np.float32(0)
    for name in names:
        terms = [term for term, weight in name.alternatives if weight >= _SURE_WEIGHT]
        here = np.zeros(corpus.size, np.float32)
        for number, (places, _) in enumerate(corpus.postings_of([*terms, *map(speaker_term, terms)])):
            if len(places):
                here[places] = _SPOKEN_OF if number < len(terms) else 1
        here *= mask
        known += here.any()
        held += here
    if known > 1:
        held /= known
    return held if known else None
