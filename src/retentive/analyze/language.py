"""Guessing the languages of a text cheaply, and the Snowball stems that follow from it.

Function words vote; letters and endings vote when those are few. A guess on short text is often wrong, so it is never
trusted alone: a text without a clear winner is indexed by the stems of several languages, and a query always offers
the stems of the others as lighter alternatives.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

import Stemmer  # type: ignore[import-not-found]  # a C extension without stubs

from retentive.analyze.folding import fold
from retentive.analyze.wordlists import CHAT_WORDS, ENDINGS, ENGLISH_IRREGULAR, FUNCTION_WORDS, LETTERS

LATIN_LANGUAGES = tuple(name for name in FUNCTION_WORDS if name != "russian")
UNSURE = ("english", "german", "spanish", "swedish", "french", "italian")  # their stems are made when none is sure
COMPOUNDING = frozenset({"german", "dutch", "swedish", "danish", "norwegian", "finnish", "hungarian", "turkish"})
_SURE_VOTES = 0.75
_ENDING_VOTE = 0.4
_RIVAL_SHARE = 0.6
_MAX_VOTERS = 400
_MAX_ENDING = 6
_SCRIPT_STEMMERS = (
    ("\u0370", "\u03ff", "greek"),
    ("\u0400", "\u052f", "russian"),
    ("\u0530", "\u058f", "armenian"),
    ("\u0600", "\u06ff", "arabic"),
    ("\u0900", "\u097f", "hindi"),
    ("\u0b80", "\u0bff", "tamil"),
)


@lru_cache(maxsize=1)
def _word_votes() -> dict[str, tuple[tuple[str, float], ...]]:
    speakers: dict[str, set[str]] = {}
    for lists in (FUNCTION_WORDS, CHAT_WORDS):
        for language, words in lists.items():
            for word in words.split() if language in LATIN_LANGUAGES else ():
                speakers.setdefault(word, set()).add(language)
    return {word: tuple((name, 1 / len(names)) for name in sorted(names)) for word, names in speakers.items()}


@lru_cache(maxsize=1)
def _ending_votes() -> dict[str, tuple[str, ...]]:
    speakers: dict[str, set[str]] = {}
    for language, endings in ENDINGS.items():
        for ending in endings.split():
            speakers.setdefault(ending, set()).add(language)
    return {ending: tuple(sorted(names)) for ending, names in speakers.items()}


@lru_cache(maxsize=1)
def _letter_votes() -> dict[str, tuple[str, ...]]:
    speakers: dict[str, set[str]] = {}
    for language, letters in LETTERS.items():
        for letter in letters:
            speakers.setdefault(letter, set()).add(language)
    return {letter: tuple(sorted(names)) for letter, names in speakers.items()}


@lru_cache(maxsize=256)
def function_words(languages: tuple[str, ...]) -> frozenset[str]:
    """The folded function words of some languages; of all, but for those that mean something in English, for none."""
    words = {fold(word) for name in languages or FUNCTION_WORDS for word in FUNCTION_WORDS[name].split()}
    words |= {fold(word) for word in FUNCTION_WORDS["russian"].split()}
    return frozenset(words if languages else words - set(CHAT_WORDS["english"].split()))


@lru_cache(maxsize=1 << 14)
def _shape_votes(word: str) -> tuple[tuple[str, float], ...]:
    votes: list[tuple[str, float]] = []
    endings = _ending_votes()
    for length in range(2, min(_MAX_ENDING, len(word) - 3) + 1):
        names = endings.get(word[-length:])
        if names:
            votes += [(name, _ENDING_VOTE / len(names)) for name in names]
    if not word.isascii():
        for letter in set(word):
            names = _letter_votes().get(letter, ())
            votes += [(name, 1 / len(names)) for name in names]
    return tuple(votes)


def guess_languages(words: list[str]) -> tuple[str, ...]:
    """The likely languages of Latin-script words, best first; empty when the words do not show one.

    >>> guess_languages("Where did I put the invoices ?".split())
    ('english',)
    >>> guess_languages(["Berlin"])
    ()
    """
    votes: dict[str, float] = {}
    voters = [word.lower() for word in words[:_MAX_VOTERS]]
    _count(map(_word_votes().get, voters), votes)
    if max(votes.values(), default=0.0) < 1 or not all(map(str.isascii, voters)):
        _count(map(_shape_votes, voters), votes)
    best = max(votes.values(), default=0.0)
    if best < _SURE_VOTES:
        return ()
    rivals = [name for name, vote in votes.items() if vote >= _RIVAL_SHARE * best]
    return tuple(sorted(rivals, key=lambda name: (-votes[name], name))[:2])


def _count(voters: Iterable[tuple[tuple[str, float], ...] | None], votes: dict[str, float]) -> None:
    for voted in filter(None, voters):
        for name, vote in voted:
            votes[name] = votes.get(name, 0.0) + vote


@lru_cache(maxsize=1)
def _irregular() -> dict[str, str]:
    groups = [group.split() for group in ENGLISH_IRREGULAR.replace("\n", " ").split(",")]
    return {form: base for base, *forms in groups for form in forms}


_PORTUGUESE_PLURALS = (("oes", "ao"), ("ens", "em"))  # reuniões, viagens: Snowball keeps these apart


def _english_base(word: str) -> str:
    return _irregular().get(word, word)


def _portuguese_singular(word: str) -> str:
    for plural, singular in _PORTUGUESE_PLURALS:
        if len(word) > len(plural) + 1 and word.endswith(plural):
            return word[: -len(plural)] + singular
    return word


#: Forms that Snowball does not bring together go to their base first.
_BASES = {"english": _english_base, "portuguese": _portuguese_singular}


class _Stemmers(dict[str, Callable[[str], str]]):
    """Language -> what stems a folded word."""

    def __missing__(self, language: str) -> Callable[[str], str]:
        snowball: Callable[[str], str] = Stemmer.Stemmer(language, 0).stemWord
        base = _BASES.get(language)
        made = self[language] = snowball if base is None else lambda word: snowball(base(word))
        return made


class _OfThread(threading.local):
    """A Stemmer object must not be shared between threads."""

    def __init__(self) -> None:
        self.stemmers = _Stemmers()


_of_thread = _OfThread()


def stemmers() -> Mapping[str, Callable[[str], str]]:
    """This thread's stemmers by language."""
    return _of_thread.stemmers


def stem(word: str, language: str) -> str:
    """The stem of a folded word."""
    return _of_thread.stemmers[language](word)


def script_language(word: str) -> str | None:
    """The stemmer for a word's script: '' for Latin, where the language must be guessed; None where there is none."""
    first = word[0]
    if first < "\u0370" or "\u1e00" <= first <= "\u1eff":
        return ""
    return next((name for low, high, name in _SCRIPT_STEMMERS if low <= first <= high), None)
