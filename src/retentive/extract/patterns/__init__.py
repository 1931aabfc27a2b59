"""The languages the rule extractor reads, one small table file each."""

from __future__ import annotations

from typing import Final

from retentive.extract.patterns.chinese import CHINESE
from retentive.extract.patterns.english import ENGLISH
from retentive.extract.patterns.french import FRENCH
from retentive.extract.patterns.german import GERMAN
from retentive.extract.patterns.italian import ITALIAN
from retentive.extract.patterns.japanese import JAPANESE
from retentive.extract.patterns.model import Frame, Language, Persons
from retentive.extract.patterns.portuguese import PORTUGUESE
from retentive.extract.patterns.spanish import SPANISH

LANGUAGES: Final[dict[str, Language]] = {
    language.code: language for language in (ENGLISH, GERMAN, SPANISH, FRENCH, ITALIAN, PORTUGUESE, CHINESE, JAPANESE)
}

__all__ = ["LANGUAGES", "Frame", "Language", "Persons"]
