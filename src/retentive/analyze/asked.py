"""How much of a text asks, rather than says: of what is asked nothing is known by it."""

import re

from retentive.counts import EIGHTHS

#: What ends a clause; of marks that also stand within numbers and addresses, one with a space behind it.
_END = re.compile(r"""[.!?,;:]+(?=[\s"'”’)\]*_]|$)|[。！？，、；：؟،؛]+|\n+""")
_QUESTION_MARKS = frozenset("?？؟")


def asked_eighths(text: str) -> int:
    """Eighths of a text that stand in clauses with a question mark at their end. Linear in its length.

    >>> asked_eighths("Since I have two dogs, where can I stay?"), asked_eighths("I have two dogs.")
    (4, 0)
    """
    if _QUESTION_MARKS.isdisjoint(text):
        return 0
    asked = begin = 0
    for mark in _END.finditer(text):
        if not _QUESTION_MARKS.isdisjoint(mark.group()):
            asked += mark.end() - begin
        begin = mark.end()
    return round(EIGHTHS * asked / len(text))
