"""Text folding for comparison: what makes two spellings of one value the same value."""

from __future__ import annotations

import re
import unicodedata

_IRREGULAR = {"goes": "go", "does": "do"}
LOOK_AT = 400
"""Characters of a statement that are looked at; what comes later cannot change the verdict, nor cost time."""

_QUOTES = str.maketrans({"’": "'", "‘": "'", "`": "'", "´": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"'})
_EDGES = " \t\n.,;:!?\"'()[]*_。，、；：！？「」『』…-–—"
_INNER = re.compile(r"[\"()\[\]*_,;:!?。，、；：！？「」『』]+(?=\s|$)|(?<=\s)[\"()\[\]*_]+")


def tidy(text: str) -> str:
    """The head of `text` with one kind of quote, single spaces and no Latin accents; case is kept.

    >>> tidy("Ma  couleur préférée,  c’est")
    "Ma couleur preferee, c'est"
    """
    head = unicodedata.normalize("NFKC", text[:LOOK_AT]).translate(_QUOTES)
    apart = unicodedata.normalize("NFD", head)
    bare = "".join(ch for ch in apart if not ("\u0300" <= ch <= "\u036f"))
    return " ".join(unicodedata.normalize("NFC", bare).split())[:LOOK_AT]


def fold(text: str) -> str:
    """`text` as a comparison key: tidy, lower case, no punctuation at the edges of words.

    >>> fold("  Dr. Müller! ")
    'dr. muller'
    """
    return " ".join(_INNER.sub(" ", tidy(text).casefold()).strip(_EDGES).split())


def in_own_case(value: str, text: str) -> str:
    """A folded value as the text it was read from writes it; the value itself where the text does not hold it.

    >>> in_own_case("jurgen muller", "My name is Jürgen Müller, hello")
    'Jürgen Müller'
    """
    found = re.search(re.escape(value), text, re.IGNORECASE)
    if found:
        return found[0]
    words, size = text[:LOOK_AT].split(), len(value.split())
    runs = (" ".join(words[start : start + size]) for start in range(len(words) - size + 1))
    return next((run.strip(_EDGES) for run in runs if fold(run) == value), value)


def stem(word: str) -> str:
    """A crude English verb stem, enough to see 'smoke', 'smokes' and 'smoking' as one verb.

    >>> stem("smokes"), stem("smoking"), stem("running"), stem("tries")
    ('smok', 'smok', 'run', 'try')
    """
    base = _IRREGULAR.get(word, word)
    for ending, put in (("ies", "y"), ("ied", "y"), ("ing", ""), ("sses", "ss"), ("ed", ""), ("s", "")):
        if (
            base.endswith(ending)
            and len(base) - len(ending) >= (3 if ending == "ed" else 2)
            and not base.endswith("ss")
        ):
            base = base[: -len(ending)] + put
            break
    if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz":
        base = base[:-1]
    return base[:-1] if len(base) > 3 and base.endswith("e") else base
