"""The languages the rule extractor reads, one small table file each."""

from __future__ import annotations

from typing import Final

from retentive.extract.patterns.english import ENGLISH
from retentive.extract.patterns.model import Frame, Language, Persons

LANGUAGES: Final[dict[str, Language]] = {language.code: language for language in (ENGLISH,)}

__all__ = ["LANGUAGES", "Frame", "Language", "Persons"]
