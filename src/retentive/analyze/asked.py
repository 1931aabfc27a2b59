"""How much of a text asks, rather than says: of what is asked nothing is known by it."""

import re

from retentive.counts import EIGHTHS

#: What ends a clause; of marks that also stand within numbers and addresses, one with a space behind it. One sign at a
#: time, so that a long run of them is gone through once.
_ASKED = re.compile(r"""\?(?=[\s"'”’)\]*_!?]|$)|[？؟]""")
_SAID = re.compile(r"""[.!,;:](?=[\s"'”’)\]*_]|$)|[。！，、；：،؛\n]""")


def asked_eighths(text: str) -> int:
    """Eighths of a text that stand in clauses with a question mark at their end. Linear in its length.

    >>> asked_eighths("Since I have two dogs, where can I stay?"), asked_eighths("I have two dogs.")
    (4, 0)
    """
    if (
        "?" not in text and "？" not in text and "؟" not in text
    ):  # most texts: ten times as fast as to look for a pattern
        return 0
    asked = begin = 0
    for mark in _ASKED.finditer(text):
        end = mark.end()
        asked += len(_SAID.split(text[begin:end])[-1])
        begin = end
    return round(EIGHTHS * asked / len(text)) if asked else 0
