"""What to search for in a conversation: its last question, with what that leaves unsaid.

"And the other one?" says nothing by itself: it is searched for together with the question before it and its answer. A
message that names what it is about is left alone, since what was talked of before would only mislead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from retentive.analyze import fold, query_terms

#: So many words that say something make a question whole; with a pointing word it takes one more.
_WHOLE_WORDS = 2
_CONTENT_WEIGHT = 0.3
_BEFORE_CHARS, _REPLY_CHARS = 400, 200
#: Signs of a script without spaces for a word that says something.
_SIGNS_A_WORD = 2.0
_POINTING = frozenset(
    fold(word)
    for word in """it its that this these those they them their he him his she her one ones other others there then
    same such else too also again
    es das dies diese dieser den dem der die er sie ihn ihm ihr ihre andere anderen anderer auch dort dann davon damit
    eso ese esa esto este esta ellos ella él lo la los las otro otra otros otras allí también
    ça cela ce cette celui celle il elle eux lui autre autres là aussi
    quello quella questo questa lui lei loro altro altra là anche
    isso esse essa isto este esta ele ela eles outro outra lá também""".split()
)
_POINTING_SIGNS = re.compile(r"那|这|這|它|他|她|呢|别的|另|それ|その|あれ|これ|彼|他の|も[?？]?$")
_WORDS = re.compile(r"[^\W\d_]+")


def what_to_ask(messages: Sequence[Mapping[str, str]]) -> str | None:
    """The query drawn from role-and-content messages, oldest first; None where no user spoke.

    >>> said = [{"role": "user", "content": "When is yoga?"}, {"role": "assistant", "content": "At six."}]
    >>> print(what_to_ask([*said, {"role": "user", "content": "And who teaches it?"}]))
    And who teaches it?
    When is yoga?
    At six.
    """
    asked = [place for place, message in enumerate(messages) if message["role"] == "user"]
    if not asked:
        return None
    last = messages[asked[-1]]["content"]
    if len(asked) == 1 or not leaves_unsaid(last):
        return last
    before = messages[asked[-2]]["content"][-_BEFORE_CHARS:]
    replies = [m["content"] for m in messages[asked[-2] + 1 : asked[-1]] if m["role"] == "assistant"]
    return "\n".join([last, before, *(reply[:_REPLY_CHARS] for reply in replies[-1:])])


def leaves_unsaid(text: str) -> bool:
    """Whether a message cannot be understood without the one before it.

    >>> leaves_unsaid("And the other one?"), leaves_unsaid("When does the train to Porto leave?")
    (True, False)
    """
    words = [fold(word) for word in _WORDS.findall(text)]
    points = not _POINTING.isdisjoint(words) or _POINTING_SIGNS.search(text) is not None
    terms = [term for term in query_terms(text) if term.weight >= _CONTENT_WEIGHT and fold(term.text) not in _POINTING]
    signs = [term for term in terms if not term.text.isascii() and len(term.text) <= 2]
    said = len(terms) - len(signs) + len(signs) / _SIGNS_A_WORD / 2
    return said < _WHOLE_WORDS + points
