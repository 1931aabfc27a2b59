"""Own words: what the owner of a memory said, or what is known of them, before what an assistant or a tool said."""

from __future__ import annotations

import re

import numpy as np

from retentive.corpus import Corpus, Floats

#: A query that asks for what the other side said, or for all of it, in folded case. Each way to ask begins with letters
#: behind one boundary for all of them, so that most places of a text are passed over by their first character.
_OF_BOTH = re.compile(
    r"\b(?:summar(?:y|i[sz]e)|recap|zusammenfass|résum|resum(?:en|ir|e|o)\b|riassun"
    r"|did you\b|had you\b"
    r"|you(?:'ve|’ve| have| had)? (?:\w+ly )?(?:said|told|suggested|recommended|mentioned|explained|gave|given|listed"
    r"|wrote|written|showed|shown|provided|advised|proposed|helped)\b"
    r"|our (?:previous|last|earlier|past|prior) (?:chat|conversation|discussion|session)\b"
    r"|unser\w* (?:letzte|vorige|frühere)\w* (?:chat|gespräch|unterhaltung)\b"
    r"|hast du\b|haben sie\b|du (?:gesagt|empfohlen|vorgeschlagen)|as-tu\b|avez-vous\b"
    r"|dijiste\b|recomendaste\b|sugeriste\b|explicaste\b|mi hai (?:detto|consigliato)\b|você (?:disse|sugeriu)\b)"
    r"|总结|概括|你(?:说|讲|推荐|建议|提|告诉)|要約|まとめて|(?:言って|教えて|勧めて)(?:くれ|い)?た|لخص|ملخص|قلت لي"
)
_MAX_CHARS = 4000


def asks_of_both(text: str) -> bool:
    """Whether a query is also about what an assistant said.

    >>> asks_of_both("Which book did you recommend?"), asks_of_both("Can you recommend a book?")
    (True, False)
    """
    return _OF_BOTH.search(text[:_MAX_CHARS].casefold()) is not None


#: How much less of an owner's question is their telling, where the words of the query say nothing.
_ASKED = 0.5


def own_arm(corpus: Corpus, coverage: float) -> Floats:
    """1 for what the owner said or is known of them, 0 for what an assistant, a tool or the system said, (n,).

    A question tells little of who asks it, but is like any other question. So what asks (`asks`) has less, down to a
    half, the less of the query a single memory holds by its words (`coverage`); a question that has them is meant.
    """
    own: Floats = corpus.column("own").astype(np.float32)
    if coverage < 1:
        own -= own * (np.float32(_ASKED * (1 - coverage)) * corpus.column("asks"))
    return own
