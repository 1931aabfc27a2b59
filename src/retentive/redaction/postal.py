"""Street addresses and people's names: opt-in, because they cannot be told from other words with certainty."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from retentive.redaction.policy import Span

_PLACE: Final = (
    r"[A-ZÀ-Þ](?:[^\W\d]|['’.-]){1,24}(?:[ ](?:[A-ZÀ-Þ](?:[^\W\d]|['’.-]){1,24}(?!\d)|am|an|der|de|la|upon|of)){0,3}"
)
_NUMBER_FIRST: Final = re.compile(
    r"(?<![\w.,-])\d{1,5}[A-Za-z]?(?:[-/]\d{1,4})?,?[ ](?:(?:rue|avenue|av\.|boulevard|bd|place|chemin|allée)[ ](?:[\w'’-]{1,24}[ ]?){1,5}"
    r"|(?:[NSEW]\.?[ ])?(?:[A-Z0-9][\w'’.-]{0,24}[ ]){1,4}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Way|Place|Pl"
    r"|Terrace|Ter|Close|Crescent|Cres|Square|Sq|Highway|Hwy|Parkway|Pkwy|Circle|Cir|Row|Walk|Gardens|Grove|Mews|Quay)\b\.?)"
    r"(?:,?[ ](?:Apt|Apartment|Unit|Suite|Ste|Flat|#)\.?[ ]?[\w-]{1,8})?"
    rf"(?:,?[ ](?:\d{{4,5}}[ ])?{_PLACE})?(?:,?[ ][A-Z]{{2}}(?!\w))?(?:,?[ ](?:\d{{5}}(?:-\d{{4}})?|[A-Z]{{1,2}}\d[A-Z\d]?[ ]?\d[A-Z]{{2}}|[A-Z]\d[A-Z][ ]?\d[A-Z]\d))?"
)
_STREET_FIRST: Final = re.compile(
    r"(?<!\w)(?:[A-ZÄÖÜ][\wäöüß.-]{1,40}(?:straße|strasse|str\.|weg|platz|allee|gasse|ring|damm|ufer|laan|straat|gracht|plein|gatan|vägen|vej|gade)"
    r"|(?:[A-ZÄÖÜ][\wäöüß-]{1,24}[ -]){1,3}(?:Straße|Strasse|Str\.|Weg|Platz|Allee|Gasse|Ring|Damm|Ufer)"
    r"|(?:Calle|C/|Avenida|Avda\.?|Paseo|Plaza|Via|Viale|Piazza|Corso|Rua|Praça|Travessa|ul\.|ulica|ул\.|улица)[ ](?:(?:[^\W\d]|['’.-]){1,24}[ ]){0,4}(?:[^\W\d]|['’.-]){1,24})"
    rf",?[ ](?:n[ºo°.]{{0,2}}[ ]?)?\d{{1,5}}[ ]?[A-Za-z]?(?![\w])(?:,?[ ](?:\d[º°ª][ ]?\w{{0,3}},?[ ])?(?:[A-Z]{{1,2}}-)?\d{{4,5}}(?:[ -]?[A-Z]{{2}}|-\d{{3}})?[ ]{_PLACE})?"
)
_CJK: Final = re.compile(
    r"[\u4e00-\u9fff]{2,8}(?:省|市|自治区|都|府|県|縣)[\u4e00-\u9fff]{1,12}(?:市|区|區|县|郡|町|村)[\u4e00-\u9fff\d０-９-]{2,24}(?:号|號|丁目|番地|室|楼|弄|[\d０-９-]{1,8})"
)
_NAME_WORD: Final = r"[A-ZÀ-ÞА-ЯŁŚŻ][\wÀ-ÿ'’-]{1,24}"
_NAME: Final = re.compile(
    r"(?:[Mm]y (?:full |legal |real )?name(?:'s| is)|[Nn]ame:|[Ii] am called|[Ii]ch hei(?:ß|ss)e|[Mm]ein Name ist|[Jj]e m'appelle|[Mm]e llamo"
    r"|[Mm]i nombre es|[Mm]i chiamo|[Mm]eu nome é|[Ii]k heet|[Mm]ijn naam is|[Mm]am na imię|[Nn]azywam się|[Мм]еня зовут|[Mm]y name:|\b(?:Mr|Mrs|Ms|Dr|Prof|Herr|Frau)\.?)"
    rf"[ ](?P<value>{_NAME_WORD}(?:[ ](?:(?:van|von|de|der|da|di|del|la|al|bin)[ ]){{0,2}}{_NAME_WORD}){{0,3}})"
)
_CJK_NAME: Final = re.compile(
    r"(?:我叫|我的名字是|我名字叫|姓名[:：]|私の名前は|名前は|제 이름은)[ ]?(?P<value>[\u4e00-\u9fff\u3040-\u30ff\uac00-\ud7af]{2,5}?)(?=[，。,.!！、\s]|です|입니다|$)"
)


def find_addresses(text: str) -> Iterator[Span]:
    """Street addresses with a house number, as far as the town and post code when they follow."""
    for pattern in (_NUMBER_FIRST, _STREET_FIRST, _CJK):
        yield from (
            Span(match.start(), match.end() - _blank_end(match.group()), "address") for match in pattern.finditer(text)
        )


def _blank_end(found: str) -> int:
    return len(found) - len(found.rstrip(" ,"))


def find_names(text: str) -> Iterator[Span]:
    """Names that are introduced as names: "my name is ...", "Herr ..."."""
    for pattern in (_NAME, _CJK_NAME):
        yield from (Span(*match.span("value"), "name") for match in pattern.finditer(text))
