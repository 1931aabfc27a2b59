"""Pieces to terms: what a text is indexed by, and what a query looks for.

The index side is kept small: one stem a word when the language is known. The query side is wide: it offers the stems of
other languages, and the halves of long words, as lighter alternatives of the same word.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice, repeat

from retentive.analyze.asked import asked_eighths
from retentive.analyze.language import (
    COMPOUNDING,
    LATIN_LANGUAGES,
    UNSURE,
    function_words,
    guess_languages,
    script_language,
    stem,
    stemmers,
)
from retentive.analyze.pieces import (
    FIRST_GRAM_CHAR,
    MAX_CACHED_CHARS,
    Piece,
    chunks,
    grams,
    pieces,
    spaced_numbers,
)
from retentive.analyze.wordlists import CJK_FUNCTION
from retentive.counts import ASKS

MAX_TEXT_CHARS = 2_000_000  # the rest of a longer text is not indexed
MAX_TERMS = 100_000  # nor are the terms after these
MAX_QUERY_CHARS = 200_000

#: Who says it, at the beginning of a text.
_LABEL = re.compile(r"([^\W\d_][\w .'-]{0,40}): ")
_ROLES = frozenset({"user", "assistant", "system", "tool"})

_EDGE_CHARS = (4, 6, 8)
_MIN_COMPOUND_CHARS = 10
_MIN_EDGED_CHARS = 7
_MIN_HALF_CHARS = 4
_MAX_COMPOUND_CHARS = 30
_HEBREW = ("\u05d0", "\u05ea")

_SURE_WEIGHT, _UNSURE_WEIGHT, _OTHER_WEIGHT = 1.0, 0.9, 0.5
_EDGE_WEIGHT, _BEGINNING_WEIGHT, _HALF_WEIGHT = 0.35, 0.2, 0.6
_FUNCTION_WEIGHT, _PART_WEIGHT, _NUMBER_PART_WEIGHT, _CODE_WEIGHT = 0.1, 0.6, 0.5, 1.5
_SHORT_PART_CHARS, _SHORT_PART_WEIGHT = 2, 0.25  # the 7 of b7c1 is in many a text: it helps, and finds nothing alone
# By length of the n-gram and how many of its characters carry only grammar
_GRAM_WEIGHTS = {(1, 0): 0.6, (1, 1): 0.1, (2, 0): 1.0, (2, 1): 0.7, (2, 2): 0.2}


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One word, code, n-gram or symbol of a query.

    `alternatives`: the index terms that may stand for it, the likeliest first, each with a weight in (0, 1]; any of
    them matches, and the best one counts. `weight`: what it counts for in the query, above 0: 0.1 for a function word,
    1 for a word, 1.5 for a whole code, less for parts. `text`: as the user typed it, folded.
    """

    alternatives: tuple[tuple[str, float], ...]
    weight: float
    text: str


def index_terms(text: str) -> list[str]:
    """All terms of a text in order, with repeats, so that a term's count is its frequency.

    The name of who says it, before a colon at the beginning, is a term with its colon too. Last come as many ASKS as
    eighths of the text ask rather than say.

    A term holds no white space, no control character and no surrogate, and at most 97 characters. Only the first
    MAX_TEXT_CHARS characters and MAX_TERMS terms are kept. Linear in the length of the text; never raises.

    >>> index_terms("She was running with 30mg")
    ['she', 'was', 'run', 'with', '30mg', '30', 'mg']
    >>> index_terms("Ann: Where?")
    ['ann', 'where', 'ann:', '?', '?', '?', '?', '?']
    """
    text = text[:MAX_TEXT_CHARS]
    found = chunks(text)
    languages = guess_languages(found)
    if text.isascii() and max(map(len, found), default=0) <= MAX_CACHED_CHARS:
        terms = list(chain.from_iterable(map(_chunk_terms, found, repeat(languages))))
    else:
        terms = list(islice(_mixed_terms(found, languages), MAX_TERMS))
    label = _LABEL.match(text)
    beside = [*(_speaker_terms(label.group(1), languages) if label else ()), *[ASKS] * asked_eighths(text)]
    return (terms + spaced_numbers(text))[: MAX_TERMS - len(beside)] + beside


@lru_cache(maxsize=1 << 12)
def _speaker_terms(name: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    """The terms of who says it, each with the colon; a role is nobody's name."""
    if name in _ROLES:
        return ()
    found = (_chunk_terms(chunk, languages) for chunk in chunks(name))
    return tuple(speaker_term(term) for terms in found for term in terms)


def speaker_term(term: str) -> str:
    """The term of a name where it is that of who speaks.

    >>> speaker_term("ann")
    'ann:'
    """
    return term + ":"


def _mixed_terms(found: Iterable[str], languages: tuple[str, ...]) -> Iterator[str]:
    """Terms of chunks of any script and length."""
    for chunk in found:
        if chunk[0] >= FIRST_GRAM_CHAR and (run := grams(chunk)):
            yield from run
        elif len(chunk) <= MAX_CACHED_CHARS:
            yield from _chunk_terms(chunk, languages)
        else:
            yield from _each_term(chunk, languages)


def _each_term(chunk: str, languages: tuple[str, ...]) -> Iterator[str]:
    for piece in pieces(chunk):
        yield from _word_terms(piece.text, languages) if piece.kind == "word" else (piece.text,)


@lru_cache(maxsize=1 << 15)
def _chunk_terms(chunk: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    if chunk.isascii() and chunk.isdecimal():
        return (chunk,)
    return tuple(_each_term(chunk, languages))


def _word_terms(word: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    script = script_language(word)
    if script is None:
        return _stemless(word)
    if script:
        return _unique((stem(word, script), word) if script == "arabic" else (stem(word, script),))
    stems = _unique(stem(word, language) for language in languages or UNSURE)
    return stems + _edges(word) if _may_compound(languages) else stems


def _may_compound(languages: tuple[str, ...]) -> bool:
    return not languages or not COMPOUNDING.isdisjoint(languages)


def _unique(terms: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(term for term in terms if term))


def _edges(word: str) -> tuple[str, ...]:
    """Beginnings and ends of a long word, marked ^ and $: they find it by the words it is made of.

    The German stem serves all languages here: it takes off little, and both sides take off the same.
    """
    if not _MIN_EDGED_CHARS <= len(word) <= _MAX_COMPOUND_CHARS:
        return ()
    base = stem(word, "german")
    heads = [size for size in _EDGE_CHARS if size < len(base)]
    tails = heads if len(word) >= _MIN_COMPOUND_CHARS else heads[:1]
    if len(word) < _MIN_COMPOUND_CHARS:
        heads = heads[:2]
    return tuple("^" + base[:size] for size in heads) + tuple(base[-size:] + "$" for size in tails)


def _stemless(word: str) -> tuple[str, ...]:
    """Terms of a word in a script without a stemmer: itself and a light stem (Hebrew) or its beginning."""
    if _HEBREW[0] <= word[0] <= _HEBREW[1]:
        return _unique((word, _hebrew_stem(word)))
    return (word, "^" + word[:4]) if len(word) > 4 else (word,)


def _hebrew_stem(word: str) -> str:
    if len(word) > 3 and word[0] in "המושכלב":
        word = word[1:]
    for ending in ("ים", "ות", "ה"):
        if len(word) > len(ending) + 2 and word.endswith(ending):
            return word[: -len(ending)]
    return word


def query_terms(text: str, *, limit: int = 48) -> list[QueryTerm]:
    """What to look for: one QueryTerm for each different word, code, part of a code, n-gram or symbol of the query.

    At most `limit` of them: those of the highest weight, then the longest, then the earliest, in the order of the
    query. Empty when the query has no searchable content. Linear in the length of the query; never raises.

    >>> [(term.text, term.alternatives[0], term.weight) for term in query_terms("the invoices ORD-17")][:2]
    [('the', ('the', 1.0), 0.1), ('invoices', ('invoic', 1.0), 1.0)]
    """
    text = text[:MAX_QUERY_CHARS]
    found = chunks(text)
    languages = guess_languages(found)
    unique: dict[str, QueryTerm] = {}
    for piece in _all_pieces(found, text):
        term = _query_term(piece, languages)
        rival = unique.get(term.alternatives[0][0])
        if rival is None or rival.weight < term.weight:
            unique[term.alternatives[0][0]] = term
    terms = list(unique.values())
    if len(terms) <= limit:
        return terms
    order = sorted(range(len(terms)), key=lambda i: (-terms[i].weight, -len(terms[i].text), i))
    return [terms[i] for i in sorted(order[: max(limit, 0)])]


def _all_pieces(found: Iterable[str], text: str) -> Iterator[Piece]:
    for chunk in found:
        yield from _pieces(chunk) if len(chunk) <= MAX_CACHED_CHARS else pieces(chunk)
    for number in spaced_numbers(text):
        yield Piece(number, "code")


@lru_cache(maxsize=1 << 12)
def _pieces(chunk: str) -> tuple[Piece, ...]:
    return tuple(pieces(chunk))


@lru_cache(maxsize=1 << 12)
def _query_term(piece: Piece, languages: tuple[str, ...]) -> QueryTerm:
    return QueryTerm(_alternatives(piece, languages), _weight(piece, languages), piece.text)


def _weight(piece: Piece, languages: tuple[str, ...]) -> float:
    match piece.kind:
        case "code":
            return _PART_WEIGHT if piece.part else _CODE_WEIGHT
        case "number":
            return _NUMBER_PART_WEIGHT if piece.part else 1.0
        case "gram":
            return _GRAM_WEIGHTS[min(len(piece.text), 2), sum(char in CJK_FUNCTION for char in piece.text)]
        case "word" if piece.text in function_words(languages):
            return _FUNCTION_WEIGHT
        case _:
            return _PART_WEIGHT if piece.part else 1.0


def _alternatives(piece: Piece, languages: tuple[str, ...]) -> tuple[tuple[str, float], ...]:
    """The index terms that may stand for a piece, the likeliest first."""
    if piece.part and len(piece.text) <= _SHORT_PART_CHARS and piece.text.isascii():
        return ((piece.text, _SHORT_PART_WEIGHT),)
    if piece.kind != "word":
        return ((piece.text, 1.0),)
    word = piece.text
    if script_language(word) != "":
        terms = _word_terms(word, languages)
        return tuple((term, 1.0 if i == 0 else _OTHER_WEIGHT) for i, term in enumerate(terms))
    stems = stemmers()
    others = {language: stems[language](word) for language in (UNSURE if languages else LATIN_LANGUAGES)}
    sure = [others.get(language) or stems[language](word) for language in languages or UNSURE[:1]]
    weights = dict.fromkeys([*sure, *others.values()], _OTHER_WEIGHT if languages else _UNSURE_WEIGHT)
    weights |= dict.fromkeys(sure, _SURE_WEIGHT)
    if _may_compound(languages):
        for term, weight in _compound_alternatives(others["german"]):
            weights.setdefault(term, weight)
    weights.pop("", None)
    return tuple(weights.items())


def _compound_alternatives(base: str) -> Iterator[tuple[str, float]]:
    """A stem as the beginning or the end of a longer word, and its own beginnings and ends as words."""
    if len(base) < _MIN_HALF_CHARS or len(base) > _MAX_COMPOUND_CHARS:
        return
    size = max(size for size in _EDGE_CHARS if size <= len(base))
    yield "^" + base[:size], _EDGE_WEIGHT
    yield base[-size:] + "$", _EDGE_WEIGHT
    if 2 * _MIN_HALF_CHARS <= len(base) < _MIN_COMPOUND_CHARS:
        yield "^" + base[:6], _BEGINNING_WEIGHT  # an inflection that no stemmer brought back
    for length, weight in _halves(len(base)):
        yield base[:length], weight
        yield base[-length:], weight


@lru_cache(maxsize=_MAX_COMPOUND_CHARS)
def _halves(chars: int) -> tuple[tuple[int, float], ...]:
    """The lengths of the parts that a stem of so many characters may have, the longest first, with their weights."""
    lengths = range(chars - _MIN_HALF_CHARS, _MIN_HALF_CHARS - 1, -1)
    return tuple((length, round(_HALF_WEIGHT * length / chars, 2)) for length in lengths)
