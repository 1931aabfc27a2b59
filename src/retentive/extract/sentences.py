"""Text to sentences, each with its place: what is quoted later must be found again character for character.

Code, attachment notes (`[image: ...]`), quoted lines, pasted letters and talk are not what a person says of themselves:
they are blanked first, in place, so that offsets stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_BLANKED: Final = re.compile(
    r"```.*?(?:```|\Z)|\"\"\".*?(?:\"\"\"|\Z)|\[(?:image|photo|picture|video|file|audio|attachment|sticker|link)s?:[^\]]{0,2000}\]|"
    r"^[ \t]*>[^\n]*$|https?://\S+|"
    # talk with an assistant or a tool, of which only the label of the user's own lines goes
    r"^[ \t]*(?:assistant|ai|bot|chatgpt|claude|gemini|copilot|agent|system|developer|tool|function)[ \t]*:[^\n]*$|"
    r"^[ \t]*(?:user|human)[ \t]*:|"
    # letters, from their head to the end
    r"^[ \t]*(?:from|von|de|da)[ \t]*:[^\n]{1,200}\n(?:[^\n]{0,200}\n){0,4}?"
    r"[ \t]*(?:subject|betreff|asunto|objet|oggetto|assunto)[ \t]*:.*|"
    r"^[ \t-]*(?:forwarded|original) message[ \t-]*$.*|"
    # words in quotes, with who said them
    r"[\"“][^\"“”\n]{2,300}[\"”][,.]?[ ]"
    r"(?:said|says|asked|told|wrote|replied|sagte|meinte|dijo|dice|dit|disse)\b[^.!?\n]{0,80}",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
#: A full stop after these ends no sentence.
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?i:mr|mrs|ms|dr|prof|st|jr|sr|vs|e\.g|i\.e|approx|no|dept|inc|ltd|co|u\.s|a\.m|p\.m|z\.b|d\.h|bzw|ca|nr|str|"
    r"sra|srta|dra|ud|uds|mme|mlle|m|sig|dott)|(?<![\w'’])[A-Z])\.$"
)
_MONTH_AFTER: Final = re.compile(
    r"\s+(?:jan|feb|m[aä]r|apr|ma[iyj]|jun|jul|aug|sep|o[ck]t|nov|de[zc])[a-zä]*", re.IGNORECASE
)
_END: Final = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s|$)|[。！？；]+[」』”’]?|\n+|[.!?]+(?=[\U0001F300-\U0001FAFF])")
_EDGES: Final = " \t\r\n-*•–—"
_LONGEST: Final = 50_000


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence and where it starts in the text it came from: `text[start:start + len(sentence.text)]` is it."""

    text: str
    start: int


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a text in order; at most its first 50,000 characters are read.

    >>> [s.text for s in sentences("I saw Dr. Ray. Then 3.5 km home! ```x = 1```")]
    ['I saw Dr. Ray.', 'Then 3.5 km home!']
    """
    plain = _BLANKED.sub(lambda found: " " * len(found[0]), text[:_LONGEST])
    start = 0
    for end in _END.finditer(plain):
        if _goes_on(plain, end):
            continue
        yield from _trimmed(plain, start, end.end())
        start = end.end()
    yield from _trimmed(plain, start, len(plain))


def _goes_on(text: str, end: re.Match[str]) -> bool:
    """Whether a stop is part of a word or a date, or dots in the middle of a thought."""
    stop = end[0]
    if stop == ".":
        if _ABBREVIATION.search(text, max(0, end.start() - 8), end.end()):
            return True
        return text[max(0, end.start() - 1)].isdigit() and _MONTH_AFTER.match(text, end.end()) is not None
    if stop in {"...", "…"}:
        rest = text[end.end() : end.end() + 2].strip()
        return rest[:1].islower()
    return False


def _trimmed(text: str, start: int, end: int) -> Iterator[Sentence]:
    part = text[start:end]
    bare = part.strip(_EDGES)
    if bare:
        yield Sentence(bare, start + part.index(bare))
