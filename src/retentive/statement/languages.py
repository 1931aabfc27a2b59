"""Which language a short statement is in, and the names of languages in each other."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from retentive.statement.chinese import CHINESE
from retentive.statement.english import ENGLISH
from retentive.statement.folding import fold
from retentive.statement.french import FRENCH
from retentive.statement.german import GERMAN
from retentive.statement.italian import ITALIAN
from retentive.statement.japanese import JAPANESE
from retentive.statement.model import Grammar
from retentive.statement.portuguese import PORTUGUESE
from retentive.statement.spanish import SPANISH

GRAMMARS: Final[dict[str, Grammar]] = {
    g.code: g for g in (ENGLISH, GERMAN, SPANISH, FRENCH, ITALIAN, PORTUGUESE, CHINESE, JAPANESE)
}

_LANGUAGE_NAMES: Final = """
english: english | englisch | ingles | anglais | inglese | 英文 | 英语 | 英語
german: german | deutsch | aleman | allemand | tedesco | alemao | 德文 | 德语 | ドイツ語
spanish: spanish | spanisch | espanol | castellano | espagnol | spagnolo | espanhol | 西班牙语 | スペイン語
french: french | franzosisch | frances | francais | francese | 法文 | 法语 | フランス語
italian: italian | italienisch | italiano | italien | 意大利语 | イタリア語
portuguese: portuguese | portugiesisch | portugues | portugais | portoghese | 葡萄牙语 | ポルトガル語
chinese: chinese | mandarin | chinesisch | chino | chinois | cinese | chines | 中文 | 汉语 | 普通话 | 中国語
japanese: japanese | japanisch | japones | japonais | giapponese | 日文 | 日语 | 日本語
korean: korean | koreanisch | coreano | coreen | 韩文 | 韩语 | 韓国語
dutch: dutch | niederlandisch | hollandisch | holandes | neerlandais | olandese | 荷兰语
russian: russian | russisch | ruso | russe | russo | 俄文 | 俄语
polish: polish | polnisch | polaco | polonais | polacco | 波兰语
turkish: turkish | turkisch | turco | turc | 土耳其语
arabic: arabic | arabisch | arabe | arabo | 阿拉伯语
swedish: swedish | schwedisch | sueco | suedois | svedese
danish: danish | danisch | danes | danois | danese
hindi: hindi | 印地语
"""
_NAMES: Final = {
    name.strip(): key
    for key, _, names in (row.partition(": ") for row in _LANGUAGE_NAMES.strip().splitlines())
    for name in names.split(" | ")
}
_HAN: Final = re.compile(r"[\u4e00-\u9fff]")
_KANA: Final = re.compile(r"[\u3040-\u30ff]")


def language_named(value: str) -> str:
    """The English name of the language a folded value names first, or ''.

    >>> language_named("deutsch bitte"), language_named("bullet points")
    ('german', '')
    """
    words = value.replace("'", " ").split()
    for word in words[:3]:
        if word in _NAMES:
            return _NAMES[word]
    return next((key for name, key in _NAMES.items() if not name.isascii() and name in value), "")


@lru_cache(maxsize=2048)
def _weight(word: str) -> float:
    """A function word counts the more the fewer languages share it."""
    return 1 / sum(word in g.words for g in GRAMMARS.values())


def likely(text: str, hint: str | None = None) -> tuple[Grammar, ...]:
    """The grammars worth trying on `text`, best first; a hint that is known goes first.

    >>> [g.code for g in likely("My name is Anders")][:1]
    ['en']
    """
    if _KANA.search(text):
        order = ["ja", "zh"]
    elif _HAN.search(text):
        order = ["zh", "ja", "en"]
    else:
        folded = fold(text)
        words = {*folded.split(), *folded.replace("'", "' ").split()}
        scores = {g.code: sum(_weight(w) for w in words if w in g.words) for g in GRAMMARS.values() if g.spaced}
        best = max(scores.values())
        ranked = sorted(scores, key=lambda code: (-scores[code], code != "en"))
        order = [code for code in ranked if scores[code] >= best / 2]
    first = [hint.lower()[:2]] if hint else []
    return tuple(GRAMMARS[code] for code in dict.fromkeys(first + order) if code in GRAMMARS)
